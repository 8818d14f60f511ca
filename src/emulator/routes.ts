import { appJarRoutes } from './resources/apps/app-jar.js';
import { appUpgradeRoutes } from './resources/apps/app-upgrade.js';
import { appRoutes } from './resources/apps/apps.js';
import { artifactPropertyRoutes } from './resources/artifacts/properties.js';
import { artifactUploadRoutes } from './resources/artifacts/upload.js';
import { artifactRoutes } from './resources/artifacts/artifacts.js';
import { dashboardRoutes } from './resources/dashboard.js';
import { extensionRoutes } from './resources/artifacts/extensions.js';
import { logRoutes, nodeRoutes } from './resources/logs.js';
import { metricsRoutes } from './resources/metrics/metrics.js';
import { namespaceRoutes } from './resources/system/namespaces.js';
import { preferenceRoutes } from './resources/preferences.js';
import { programBatchRoutes } from './resources/program-batches.js';
import { programRoutes } from './resources/programs.js';
import { reportRoutes } from './resources/reports/reports.js';
import { scheduleRoutes } from './resources/schedules.js';
import type { Generation } from './store/generation.js';
import { streamRoutes } from './resources/streams.js';
import { studioDraftRoutes } from './resources/studio-drafts.js';
import { systemRoutes } from './resources/system/system.js';
import { userStoreRoutes } from './resources/system/user-store.js';
import { workflowTokenRoutes } from './resources/workflow-tokens.js';
import type { Route } from './http/route.js';

const everywhere: readonly Route[] = [
  ...systemRoutes,
  ...namespaceRoutes,
  ...artifactRoutes,
  ...artifactUploadRoutes,
  ...artifactPropertyRoutes,
  ...extensionRoutes,
  ...appRoutes,
  ...appJarRoutes,
  ...scheduleRoutes,
  ...reportRoutes,
  ...preferenceRoutes,
  ...programRoutes,
  ...workflowTokenRoutes,
  ...programBatchRoutes,
  ...logRoutes,
  ...nodeRoutes,
  ...dashboardRoutes,
  ...metricsRoutes,
  ...userStoreRoutes,
];

/** Paths that came after 4.3. */
const LATER = /^\/(?:v3\/(?:namespaces\/\{namespace\}\/)?profiles\b.*|v3\/dashboard)?$/u;

/** Everything that the platform's port answers; of two routes that match, the earlier one does. */
export function platformRoutes({ platform, hasStreams, hasStudio, hasUpgrade }: Generation): readonly Route[] {
  const known = everywhere.filter(({ segments }) => platform !== '4.3.5' || !LATER.test(`/${segments.join('/')}`));
  return [
    ...known,
    ...(hasUpgrade ? appUpgradeRoutes : []),
    ...(hasStudio ? studioDraftRoutes : []),
    ...(hasStreams ? streamRoutes : []),
  ];
}
