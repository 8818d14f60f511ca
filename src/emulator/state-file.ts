import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, parseJson } from './http/json.js';
import { Snapshot } from './store/model.js';

const FILE = 'emulator-state.json';
const KEY_FILE = 'emulator-hub-key.asc';

/**
 * Reads the state that an earlier emulator left in the folder; `undefined` when there is none. Throws when it is not
 * readable as state.
 */
export function readState(folder: string): Snapshot | undefined {
  const path = join(folder, FILE);
  const content = textOf(path);
  if (content === undefined) return undefined;
  const state = Snapshot.safeParse(parseJson(content));
  if (!state.success) throw new Error(`the emulator state in ${path} cannot be read`);
  return state.data;
}

/** Writes the state so that a reader sees the old or the new one, never a part. */
export function writeState(folder: string, snapshot: Snapshot): void {
  write(folder, FILE, `${JSON.stringify(snapshot)}\n`);
}

/** The armoured key that the hub of an earlier emulator was signed with. `undefined` when there is none. */
export function readHubKey(folder: string): string | undefined {
  return textOf(join(folder, KEY_FILE));
}

/** Keeps the armoured key of the hub beside the state, for later starts. */
export function writeHubKey(folder: string, privateKey: string): void {
  write(folder, KEY_FILE, privateKey);
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isObject(error) && error['code'] === 'ENOENT') return undefined;
    throw error;
  }
}

function write(folder: string, name: string, text: string): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const temporary = `${path}.new`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
