/** The platforms that the emulator can be. */
export const PLATFORMS = ['6.11.0', '6.1.1', '4.3.5'] as const;
/** A platform that the emulator can be. */
export type Platform = (typeof PLATFORMS)[number];

/**
 * What differs between the platforms (docs/platform.md 16). What follows from one of these is decided by it, not by the
 * version.
 */
export interface Generation {
  readonly platform: Platform;
  /** Package of the platform's classes, with slashes; that of the other generation in `otherApi`. */
  readonly api: string;
  readonly otherApi: string;
  /**
   * Whether every deploy makes a new version with its own id, instead of replacing `-SNAPSHOT`. If so, a deploy also
   * suspends the schedule, answers are records and lists have pages.
   */
  readonly hasVersions: boolean;
  /** Drafts are kept by the studio service; else in the user store only. */
  readonly hasStudio: boolean;
  readonly hasStreams: boolean;
  /** Applications can be moved to the newest artifacts by one call. */
  readonly hasUpgrade: boolean;
}

const CDAP = 'io/cdap/cdap';
const CASK = 'co/cask/cdap';

/** What a platform is like. */
export function generationOf(platform: Platform): Generation {
  const isCurrent = platform === '6.11.0';
  const isFirst = platform === '4.3.5';
  return {
    platform,
    api: isFirst ? CASK : CDAP,
    otherApi: isFirst ? CDAP : CASK,
    hasVersions: isCurrent,
    hasStudio: isCurrent,
    hasStreams: isFirst,
    hasUpgrade: isCurrent,
  };
}
