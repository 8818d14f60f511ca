import { CliError } from '../core/errors.js';
import { path } from '../http/path.js';
import type { Platform } from './client.js';
import { endpoint, text } from './endpoint.js';

/**
 * What a platform version can do, decided only here (docs/platform.md 15.1, 16). Members are named after the ability.
 */
export interface Capabilities {
  /** Streams exist (up to 5.x). */
  readonly streams: boolean;
  /** A pipeline configuration may be sent as a JSON string, which is kept byte for byte. Seen from 6.4.1 on. */
  readonly configurationAsText: boolean;
  /**
   * Every deploy makes a new application version and suspends schedules. `change.parentVersion` is understood (6.9 on).
   */
  readonly applicationVersions: boolean;
  /**
   * The platform can upgrade a pipeline by itself (seen from 6.4.1 on, not on 6.1.1). One between may answer 404 all
   * the same.
   */
  readonly upgradeCall: boolean;
  /**
   * Drafts are kept by the studio service (seen from 6.4.1 on). A platform without this may have it all the same,
   * `hasStudio` asks.
   */
  readonly studio: boolean;
  /**
   * System programs that no capability file of the server lists are stopped shortly after start. This takes about ten
   * seconds and concerns the namespace `system` (docs/platform.md 1.1; seen from 6.4.1 on, not on 6.1.1).
   */
  readonly stopsSystemPrograms: boolean;
  /** A new run does not show for up to two seconds (docs/platform.md 8.1; up to 6.10). */
  readonly hidesNewRuns: boolean;
}

/** The capabilities of a platform, from the text of `GET /v3/version`. */
export function capabilitiesOf(version: string): Capabilities {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const from = (wantedMajor: number, wantedMinor: number): boolean =>
    major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  return {
    streams: !from(6, 0),
    configurationAsText: from(6, 4),
    applicationVersions: from(6, 9),
    upgradeCall: from(6, 2),
    studio: from(6, 4),
    stopsSystemPrograms: from(6, 3),
    hidesNewRuns: !from(6, 11),
  };
}

const getStudio = endpoint({ method: 'GET', path: () => path`/v3/namespaces/system/apps/pipeline`, answer: text });

/**
 * Whether the studio application is there and stores drafts (docs/platform.md 6, 15.1). Else the user store does.
 * @throws UNAVAILABLE when a platform that should have it lacks it: drafts in its user store would be invisible
 */
export async function hasStudio(platform: Platform, { studio }: Capabilities, signal: AbortSignal): Promise<boolean> {
  const isThere = (await platform.find(getStudio, {}, signal)) !== undefined;
  if (isThere || !studio) return isThere;
  throw new CliError('UNAVAILABLE', 'the pipeline studio, which stores drafts, is not available on this platform', {
    hints: ['the platform deploys it at startup: try again later, or check its logs'],
  });
}
