/** What a platform of a version can do, named after the ability, decided here only (contract 15.1, 16). */
export interface Capabilities {
  /** Streams exist (up to 5.x). */
  readonly streams: boolean;
  /** A pipeline configuration may be sent as a JSON string, which is kept byte for byte (seen from 6.4.1 on). */
  readonly configurationAsText: boolean;
  /** Every deploy makes a new application version and suspends schedules; `change.parentVersion` is understood (6.9 on). */
  readonly applicationVersions: boolean;
}

/** The capabilities of a platform, from the text of `GET /v3/version`. */
export function capabilitiesOf(version: string): Capabilities {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10) || 0);
  const from = (wantedMajor: number, wantedMinor: number): boolean =>
    major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
  return { streams: !from(6, 0), configurationAsText: from(6, 4), applicationVersions: from(6, 9) };
}
