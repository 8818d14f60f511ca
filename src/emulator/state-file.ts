import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from './json.js';
import { Snapshot } from './model.js';

const FILE = 'emulator-state.json';

/** Reads the state that an earlier emulator left in the folder; `undefined` when there is none. Throws when it is not readable as state. */
export function readState(folder: string): Snapshot | undefined {
  const path = join(folder, FILE);
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    if (isObject(error) && error['code'] === 'ENOENT') return undefined;
    throw error;
  }
  const state = Snapshot.safeParse(parseJson(content));
  if (!state.success) throw new Error(`the emulator state in ${path} cannot be read`);
  return state.data;
}

/** Writes the state so that a reader sees the old or the new one, never a part. */
export function writeState(folder: string, snapshot: Snapshot): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, FILE);
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    writeSync(file, `${JSON.stringify(snapshot)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
