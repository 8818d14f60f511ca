import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { CliError } from '../../../core/errors.js';
import { localError } from '../../../core/files/local-error.js';
import { parseJson } from '../../../core/json/json.js';
import { writeAtomically } from '../../../state/atomic-write.js';
import { privateFolder } from '../../../state/private-folder.js';
import { readOwn } from '../../../state/read-state-file.js';

const Pending = z.strictObject({ v: z.literal(1), paths: z.array(z.string()) });

/** Files that a hub may have and its index no longer lists; kept, as the hub itself cannot tell. */
export interface PendingRemovals {
  /** Where they are written down. */
  readonly file: string;
  /** Paths below the root of the hub. */
  readonly read: () => Promise<readonly string[]>;
  /** Replaces all of them. */
  readonly write: (paths: readonly string[]) => Promise<void>;
}

/**
 * The pending removals of the hub at an address.
 * @throws STATE_PERMS, SYMLINK, LOCAL_IO
 */
export function pendingRemovals(stateFolder: string, base: string): PendingRemovals {
  const hash = createHash('sha256').update(base).digest('hex');
  const file = join(stateFolder, 'publications', `${hash}.json`);
  return {
    file,
    async read() {
      const bytes = await readOwn(file);
      return bytes === undefined ? [] : pathsIn(bytes, file);
    },
    async write(paths) {
      if (paths.length > 0) {
        await privateFolder(dirname(file));
        await writeAtomically(file, JSON.stringify({ v: 1, paths }), { overwrite: true });
        return;
      }
      try {
        rmSync(file, { force: true });
      } catch (error) {
        throw localError(error, 'write', file);
      }
    },
  };
}

function pathsIn(bytes: Buffer, file: string): readonly string[] {
  try {
    return Pending.parse(parseJson(bytes, file)).paths;
  } catch {
    throw new CliError('LOCAL_IO', `${file} is damaged`, {
      hints: [`to publish without the removals that it lists: rm ${file}`],
      target: { file },
    });
  }
}
