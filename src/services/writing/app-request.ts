import type { Capabilities } from '../../platform/capabilities.js';

/** What is deployed, and over what. */
export interface Deployment {
  readonly artifact: { readonly name: string; readonly version: string; readonly scope: string };
  /** The text of the configuration, which goes as it is. */
  readonly configuration: string;
  /**
   * Leaves the schedules as they are. A first deploy with it makes none at all, a later one without it suspends or
   * deletes some (docs/platform.md 5.3).
   */
  readonly keepSchedules: boolean;
  /**
   * The application version that is deployed over, so that no deploy of someone else is overwritten. Only where the
   * platform can tell.
   */
  readonly parentVersion?: string | undefined;
}

/**
 * The body of a deploy, with the configuration as a JSON string or as it is. It is a string where the platform keeps it
 * byte for byte (docs/platform.md 5.5, 16).
 */
export function appRequest(deployment: Deployment, capabilities: Capabilities): string {
  const { artifact, configuration, keepSchedules, parentVersion } = deployment;
  const { name, version, scope } = artifact;
  const rest = JSON.stringify({
    artifact: { name, version, scope },
    ...(keepSchedules && { 'app.deploy.update.schedules': false }),
    ...(parentVersion !== undefined && capabilities.applicationVersions && { change: { parentVersion } }),
  });
  const config = capabilities.configurationAsText ? JSON.stringify(configuration) : configuration;
  return `${rest.slice(0, -1)},"config":${config}}`;
}
