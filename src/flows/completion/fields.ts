import type { View } from '../../output/view-types.js';

type Fields = Pick<View<never>, 'fields'>;

/** The lists of commands, each loaded only when its columns are asked for. */
const LISTS: Readonly<Record<string, () => Promise<Fields>>> = {
  'args:check': async () => (await import('../../output/views/preferences.js')).missingMacros,
  'args:explain': async () => (await import('../../output/views/preferences.js')).argumentExplanation,
  'args:list': async () => (await import('../../output/views/preferences.js')).argumentList,
  'artifact:list': async () => (await import('../../output/views/artifacts.js')).artifactList,
  'config:list': async () => (await import('../../output/views/setting.js')).settingList,
  'context:list': async () => (await import('../../output/views/context.js')).contextList,
  dashboard: async () => (await import('../../output/views/dashboard/dashboard.js')).dashboardView,
  doctor: async () => (await import('../../output/views/doctor.js')).findingList,
  'hub:key:list': async () => (await import('../../output/views/hub/key.js')).keyList,
  'hub:list': async () => (await import('../../output/views/hub/list.js')).packageList,
  'hub:search': async () => (await import('../../output/views/hub/list.js')).packageList,
  'hub:sources': async () => (await import('../../output/views/hub/sources.js')).hubSourceList,
  'installed:list': async () => (await import('../../output/views/installed.js')).installedList,
  'metrics:list': async () => (await import('../../output/views/metrics-names.js')).metricList,
  'metrics:top': async () => (await import('../../output/views/metrics-stages.js')).stageMetricsList,
  'namespace:list': async () => (await import('../../output/views/namespaces.js')).namespaceList,
  'pipeline:list': async () => (await import('../../output/views/pipeline/list.js')).pipelineList,
  'pipeline:runs': async () => (await import('../../output/views/pipeline/run.js')).pipelineRuns,
  'pipeline:status': async () => (await import('../../output/views/pipeline/status.js')).pipelineStatus,
  'preferences:check': async () => (await import('../../output/views/preferences.js')).missingMacros,
  'preferences:explain': async () => (await import('../../output/views/preferences.js')).preferenceExplanation,
  'preferences:list': async () => (await import('../../output/views/preferences.js')).preferenceList,
  'report:download': async () => (await import('../../output/views/report/records.js')).reportRecords,
  'report:list': async () => (await import('../../output/views/report/list.js')).reportList,
  'schedule:list': async () => (await import('../../output/views/schedules.js')).scheduleList,
  'schedule:next': async () => (await import('../../output/views/schedules.js')).nextStartList,
  'upgrade:history': async () => (await import('../../output/views/upgrade-history.js')).upgradeHistoryView,
};

/** What `--fields` of a command takes; none for one without columns. */
export async function fieldsOf(id: string): Promise<readonly string[]> {
  return Object.hasOwn(LISTS, id) ? ((await LISTS[id]?.())?.fields ?? []) : [];
}
