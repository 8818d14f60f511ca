import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PLATFORMS, type Platform } from '../../../src/emulator/store/generation.js';

const FOLDER = resolve(import.meta.dirname, '../../fixtures/recordings');
const LIST = resolve(import.meta.dirname, '../not-replayed.json');

/** One exchange as the recordings' README describes it. */
export interface Recorded {
  readonly id: string;
  readonly what: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly bodyNote?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly bodyNote?: string;
  };
}

/**
 * Exchanges that are not replayed: a whole file, or those whose id fits a pattern (`*` = any text). With `compared: 'members'` they are
 * replayed, but the values of the answer are free.
 */
export interface NotReplayed {
  readonly file: string;
  readonly ids?: readonly string[];
  readonly compared?: 'members';
  readonly reason: string;
}

/** The recordings of all platforms, as `<version>/<name>.json`. */
export const recordedFiles = PLATFORMS.flatMap((version) =>
  readdirSync(resolve(FOLDER, version))
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${version}/${name}`),
);
/** The platform that a recording was made on. */
export function platformOf(file: string): Platform {
  const platform = PLATFORMS.find((version) => file.startsWith(`${version}/`));
  if (platform === undefined) throw new Error(`${file} belongs to no platform`);
  return platform;
}

export const notReplayed = JSON.parse(readFileSync(LIST, 'utf8')) as readonly NotReplayed[];

export function readRecording(file: string): readonly Recorded[] {
  return JSON.parse(readFileSync(resolve(FOLDER, file), 'utf8')) as readonly Recorded[];
}

export function recorded(file: string, id: string): Recorded {
  const found = readRecording(file).find((exchange) => exchange.id === id);
  if (found === undefined) throw new Error(`${file} has no exchange ${id}`);
  return found;
}

export function fits(pattern: string, id: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(id);
}

/** The entries of the list that an exchange fits. */
export function entriesFor(file: string, id: string): readonly NotReplayed[] {
  return notReplayed.filter(
    (entry) => entry.file === file && (entry.ids ?? ['*']).some((pattern) => fits(pattern, id)),
  );
}

export function isReplayed(file: string, id: string): boolean {
  return entriesFor(file, id).every(({ compared }) => compared === 'members');
}
