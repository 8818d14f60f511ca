import { join } from 'node:path';
import { changeConfig, type ConfigChange, type ConfigFile } from '../../config/config-file.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { acquireLock } from '../../state/lock.js';
import { privateFolder } from '../../state/private-folder.js';
import { placesOf } from '../../cli/folders.js';
import { lockOwner, type Session } from '../../cli/session.js';

/** Changes the user's configuration file under its lock, atomically; comments and order stay. */
export async function changeUserConfig(
  change: ConfigChange,
  session: Pick<Session, 'clock' | 'env'>,
): Promise<ConfigFile> {
  const folder = await privateFolder(placesOf(session.env).config);
  const file = join(folder, 'config.yaml');
  return changeConfig(file, change, {
    writeFile: (path, text) => writeAtomically(path, text, { overwrite: true }),
    async locked(work) {
      const lock = await acquireLock(`${file}.lock`, lockOwner(session));
      try {
        return await work();
      } finally {
        await lock.release();
      }
    },
  });
}

export {
  addContext,
  addHub,
  removeContext,
  removeHub,
  renameContext,
  setContext,
  useContext,
  useNoContext,
} from '../../config/config-changes.js';
