import { hostname } from 'node:os';
import { join } from 'node:path';
import { changeConfig, type ConfigChange, type ConfigFile } from '../config/config-file.js';
import { writeAtomically } from '../state/atomic-write.js';
import { acquireLock } from '../state/lock.js';
import { privateFolder } from '../state/private-folder.js';
import { placesOf } from './places.js';
import type { Session } from './session.js';

/** Changes the user's configuration file under its lock, atomically; comments and order stay. */
export async function changeUserConfig(change: ConfigChange, session: Session): Promise<ConfigFile> {
  const folder = await privateFolder(placesOf(session.env).config);
  const file = join(folder, 'config.yaml');
  return changeConfig(file, change, {
    writeFile: (path, text) => writeAtomically(path, text, { overwrite: true }),
    async locked(work) {
      const lock = await acquireLock(`${file}.lock`, { pid: process.pid, host: hostname(), clock: session.clock });
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
} from '../config/config-changes.js';
