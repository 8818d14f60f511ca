import type { Clock } from '../../../core/clock.js';
import type { CliError, ErrorCode } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import type { HubIndex } from '../../../hub/index-file.js';
import type { PackageVersion } from '../../../hub/source.js';
import type { HubMemory } from '../../../trust/memory.js';
import type { NamedHub } from '../../catalog/load.js';
import type { TrustSetup } from '../../catalog/trust-setup.js';
import type { PublishedFiles } from '../tree/published-files.js';
import type { MirrorFolder, MirrorState } from './folder/mirror-folder.js';
import type { SelectedVersion, Selection } from './select.js';
import type { StagedVersion } from './stage-version.js';
import type { Upstream } from './upstream.js';

/** What is mirrored, and where. */
export interface MirrorRequest {
  readonly hub: NamedHub;
  readonly setup: TrustSetup;
  /** Stores what was seen, after every check passed. */
  readonly remember: (memory: HubMemory) => Promise<void>;
  /** The real path of the folder. */
  readonly root: string;
  readonly selection: Selection;
  /** Whether signatures of the hub are kept. */
  readonly signatures: boolean;
  /** What was published under a key of one's own, and must not change. */
  readonly published?: PublishedFiles | undefined;
  /** Removes versions that are not selected any more. */
  readonly prune: boolean;
  /** How long readers with the old catalog have until something is removed; at once without. */
  readonly grace?: Grace | undefined;
  /** Only tells what would be done. */
  readonly dry: boolean;
  readonly concurrency: number;
  /** Reads every file of the mirror again, whatever was kept of it. */
  readonly recheck?: boolean | undefined;
  readonly emit: Emit;
  readonly bundle?: BundleOrigin | undefined;
}

/** A time in milliseconds, and what waits for it. */
export interface Grace {
  readonly time: number;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** A bundle that is mirrored in place of its hub. */
export interface BundleOrigin {
  readonly whole: boolean;
  /** RFC 3339. */
  readonly created: string;
  /** What its manifest lists. */
  readonly listing: HubIndex;
}

/** A file that could not be mirrored, and why. */
export interface MirrorFailure {
  readonly package: string;
  readonly version: string;
  readonly file: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** A version that failed. */
export interface FailedFile {
  readonly failure: MirrorFailure;
  /** The message names the file. */
  readonly isNamed: boolean;
}

/** A bundle: its bytes, the contents in it, the files of its hub, and how many the earlier one has. */
export interface WrittenBundle {
  readonly file: string;
  readonly bytes: number;
  readonly contents: number;
  readonly earlier: number;
  readonly files: number;
}

/** What a mirror came to. Counts are of package versions, `files` and `bytes` of fetched files without signatures. */
export interface MirrorResult {
  readonly folder: string;
  readonly hub: string;
  /** All of the hub, so that its catalog, index and signatures are kept as they are. */
  readonly whole: boolean;
  /** Of the index of the hub, if it has one. */
  readonly sequence?: number | undefined;
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly failed: number;
  readonly files: number;
  readonly bytes: number;
  /** Signatures of files that were fetched. */
  readonly signatures: number;
  /** Each as NAME@VERSION. */
  readonly versions: {
    readonly added: readonly string[];
    readonly updated: readonly string[];
    readonly removed: readonly string[];
  };
  readonly dryRun: boolean;
  readonly catalog: 'written' | 'unchanged' | 'outdated';
  readonly failures: readonly MirrorFailure[];
  /** What the catalog lists without the files that the hub lists for it, each as NAME@VERSION. */
  readonly unserved: readonly string[];
  /** Failed, with an earlier copy that does not pass verification either; each as NAME@VERSION. */
  readonly unverified: readonly string[];
  readonly bundle?: WrittenBundle | undefined;
  /** Of an index of its own: fingerprints, number, and when it expires (RFC 3339). */
  readonly signed?: { readonly keys: readonly string[]; readonly sequence: number; readonly expires: string };
}

/** What a run mirrors and removes, before anything is fetched or changed. */
export interface ChosenMirror extends Pick<
  MirrorPlan,
  'request' | 'folder' | 'mirrored' | 'known' | 'upstream' | 'selected'
> {
  /** Whether no entry of the catalog is skipped. */
  readonly isComplete: boolean;
  /** A version that would have no signatures in the mirror, although the hub signs its index. */
  readonly unsigned: PackageVersion | undefined;
  /** Versions of the folder that are not selected any more, and how many it has in all. */
  readonly gone: readonly PackageVersion[];
  readonly all: number;
}

/** All that a run found out before it changes the hub. */
export interface MirrorPlan {
  readonly request: MirrorRequest;
  readonly folder: MirrorFolder;
  /** Address of the hub, and whether the folder is to have all of it. */
  readonly mirrored: Pick<MirrorState, 'base' | 'whole'>;
  /** What the folder mirrored before. */
  readonly known: MirrorState | undefined;
  readonly upstream: Upstream;
  readonly selected: readonly SelectedVersion[];
  /** Versions that are removed. */
  readonly gone: readonly PackageVersion[];
  readonly staged: readonly StagedVersion[];
  readonly failed: readonly FailedFile[];
  /** Of these, those with an earlier copy that does not pass verification either. */
  readonly unverified: readonly PackageVersion[];
  /** The error of the first that failed; those of all others would take much memory. */
  readonly reason: CliError | undefined;
}
