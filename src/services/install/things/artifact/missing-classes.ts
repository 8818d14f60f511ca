import type { Plugin } from '../../../../hub/resource-config.js';
import type { ArtifactDetail } from '../../../../platform/artifacts.js';

/** What the platform did not find in a JAR, as with another API generation (docs/platform.md 4.1). */
export function missingClasses(wanted: readonly Plugin[], { classes }: ArtifactDetail): string | undefined {
  const plugins = classes.plugins ?? [];
  const absent = wanted.find(
    ({ name, type }) => !plugins.some((plugin) => plugin.name === name && plugin.type === (type ?? 'plugin')),
  );
  if (absent !== undefined) return `the ${absent.type ?? 'declared'} plugin "${absent.name}"`;
  if (plugins.length === 0 && (classes.apps ?? []).length === 0) return 'any plugin';
  return undefined;
}
