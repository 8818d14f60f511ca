import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../../../../core/errors.js';
import { isThere } from '../../../../core/files/exists.js';
import { readBounded } from '../../../../core/files/read-bounded.js';
import { hubAddress } from '../../../../core/hub-address.js';
import { parseJson } from '../../../../core/json/json.js';
import { MIRROR_FOLDER } from '../../../../hub/folder-marks.js';
import type { PackageVersion } from '../../../../hub/source.js';
import { refuseLink, writeAtomically } from '../../../../state/atomic-write.js';

const MOST = 65_536;

/** What no file at the root of a hub is called. */
export const HUB_FOLDERS: ReadonlySet<string> = new Set(['packages', 'categories', 'v2']);

const MirrorState = z.object({
  version: z.literal(1),
  base: z.string(),
  whole: z.boolean(),
  created: z.optional(z.string()),
  index: z.optional(z.object({ sequence: z.number(), sha256: z.string() })),
});

/** What a folder mirrors. Address of the hub, whether all of it, and the last index that a trusted key signed. */
export type MirrorState = Readonly<z.infer<typeof MirrorState>>;

/** The places of a mirror in its folder, which is given by its real path. */
export interface MirrorFolder {
  readonly root: string;
  /** Where all of what follows is. */
  readonly own: string;
  /** Where whole versions wait until all of them are there. */
  readonly stage: string;
  /** Where the packages of a first run are put together. */
  readonly first: string;
  /** Where what is removed goes first. */
  readonly trash: string;
  record(place: PackageVersion): string;
  /** What is known of the icons of categories. */
  readonly icons: string;
  readonly state: string;
  /** What waits for files of other bundles. */
  readonly pending: string;
}

/** The places of the mirror in a folder. */
export function mirrorFolder(root: string): MirrorFolder {
  const own = join(root, MIRROR_FOLDER);
  return {
    root,
    own,
    stage: join(own, 'stage'),
    first: join(own, 'first'),
    trash: join(own, 'trash'),
    record: ({ name, version }) => join(own, 'records', name, `${version}.ndjson`),
    icons: join(own, 'icons.ndjson'),
    state: join(own, 'state.json'),
    pending: join(own, 'pending'),
  };
}

/** The folder of a package version below a root. */
export const versionFolder = (root: string, { name, version }: PackageVersion): string =>
  join(root, 'packages', name, version);

/**
 * Rejects a link on the way to a version folder. What is behind it is no part of the hub.
 * @throws SYMLINK
 */
export function refuseLinksOf(version: string): void {
  for (const path of [dirname(dirname(version)), dirname(version), version]) refuseLink(path);
}

/** Others may write into the folder, and links of theirs lead out of it. */
function refuseLinks({ root, own, state, stage, first, trash, pending }: MirrorFolder): void {
  const above = [root, stage, first].map((path) => join(path, 'packages'));
  const folders = [own, stage, first, trash, pending, join(pending, 'files'), join(own, 'records'), ...above];
  for (const path of [...folders, state]) refuseLink(path);
}

/**
 * What a folder mirrors so far; undefined for one that has no hub yet.
 * @throws EXISTS for a hub that is no mirror, USAGE for the mirror of another hub, or of more or less of it
 */
export async function readMirrorState(
  folder: MirrorFolder,
  { base, whole }: Pick<MirrorState, 'base' | 'whole'>,
): Promise<MirrorState | undefined> {
  const { root, state } = folder;
  refuseLinks(folder);
  if (!isThere(state)) {
    const found = ['packages', 'packages.json', 'index.json'].find((name) => isThere(join(root, name)));
    if (found === undefined) return undefined;
    if (isThere(join(folder.own, 'signed')))
      throw new CliError('EXISTS', `${root} is a mirror that was signed with a key of your own`, {
        hints: ['specify the secret key that signed it', 'use another folder for a mirror without one'],
        target: { file: root },
      });
    throw new CliError('EXISTS', `${root} contains ${found}, but is not a mirror created by cdapctl`, {
      hints: ['use another folder'],
      target: { file: root },
    });
  }
  const known = z.safeParse(MirrorState, jsonOf(await readBounded(state, MOST))).data;
  if (known === undefined)
    throw new CliError('LOCAL_IO', `${state} cannot be read`, {
      hints: ['use another folder'],
      target: { file: state },
    });
  if (hubAddress(known.base) !== hubAddress(base))
    throw new CliError('USAGE', `${root} is the mirror of ${known.base}`, {
      hints: ['use another folder for another hub', `if the hub has moved: "base" in ${state}`],
    });
  if (!known.whole && whole && isThere(join(root, 'index.json')))
    throw new CliError('USAGE', `${root} is a mirror of part of the hub with its own index`, {
      hints: ['use another folder for the whole hub'],
    });
  if (known.whole && !whole)
    throw new CliError('USAGE', `${root} is a mirror of the whole hub with its catalog`, {
      hints: ['use another folder for part of it'],
    });
  return known;
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return parseJson(bytes, 'it');
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** Keeps what a folder mirrors. */
export async function writeMirrorState({ state }: MirrorFolder, known: MirrorState): Promise<void> {
  await writeAtomically(state, `${JSON.stringify(known)}\n`, { overwrite: true });
}
