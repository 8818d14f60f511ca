import { CliError } from '../core/errors.js';
import type { ConfigFile } from './config-file.js';
import type { Environment } from './paths.js';
import type { ProjectFile } from './project-file.js';

/** Which kind of place a value comes from, highest first (docs/conventions.md 2.9). */
export type Origin = 'flag' | 'environment' | 'project' | 'user' | 'system' | 'built-in';

/** A setting in force and its source. `from` is `--url`, `CDAPCTL_URL`, `context "prod"` or the path of a file. */
export interface Setting<T> {
  readonly value: T;
  readonly origin: Origin;
  readonly from: string;
  /** The name of the context that it stands in; undefined where it stands elsewhere. */
  readonly context?: string;
}

/** A value that one place offers; undefined, empty texts and empty lists count as not set. */
export interface Candidate {
  readonly value: unknown;
  readonly origin: Origin;
  readonly from: string;
  readonly context?: string;
}

/** How the place of a setting is called that stands in a context. */
export const inContext = (context: string): { readonly from: string; readonly context: string } => ({
  from: `context "${context}"`,
  context,
});

/** The value of a flag, as given or as the flag parser read it, and how the flag is written. */
export interface FlagValue {
  readonly value: unknown;
  readonly from: string;
}

/** All places that settings come from. */
export interface SettingSources {
  /** Flags by their long name (`token-file`). */
  readonly flags: Readonly<Record<string, FlagValue | undefined>>;
  readonly environment: Environment;
  readonly project?: ProjectFile | undefined;
  readonly user?: Pick<ConfigFile, 'file' | 'config'> | undefined;
  readonly system?: Pick<ConfigFile, 'file' | 'config'> | undefined;
  /**
   * Defaults of the command, by flag name. They win over those of the tool (`{ namespace: 'default' }` for `install`).
   */
  readonly builtIn?: Readonly<Record<string, unknown>>;
}

/** Turns what a place offers into the value of a setting. A CliError it throws gets the place put before it. */
export type Read<T> = (text: string) => T;

/** The environment variable of a long flag: `--error-dir` is `CDAPCTL_ERROR_DIR`. */
export function environmentTwin(flag: string): string {
  return `CDAPCTL_${flag.toUpperCase().replaceAll('-', '_')}`;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
}

function located<T>(from: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.code, `${from}: ${error.message}`, error.details);
  }
}

/** The value of the first place that has one. A list, from a flag that may be repeated, gives its first element. */
export function pick<T>(candidates: readonly Candidate[], read: Read<T>): Setting<T> | undefined {
  const found = candidates.find(({ value }) => isSet(value));
  if (found === undefined) return undefined;
  const first: unknown = Array.isArray(found.value) ? found.value[0] : found.value;
  return { ...placeOf(found), value: located(found.from, () => read(String(first))) };
}

/**
 * The values of the first place that has any. On the line they have commas between them, in the environment blanks or
 * commas.
 */
export function pickAll(candidates: readonly Candidate[]): Setting<readonly string[]> | undefined {
  const found = candidates.find(({ value }) => isSet(value));
  if (found === undefined) return undefined;
  const values: unknown[] = Array.isArray(found.value) ? found.value : [found.value];
  const texts = values.map(String);
  const value =
    found.origin === 'environment'
      ? texts.flatMap((text) => text.split(/[\s,]+/u)).filter((text) => text !== '')
      : found.origin === 'flag'
        ? texts.flatMap((text) => text.split(','))
        : texts;
  return { ...placeOf(found), value };
}

function placeOf({ origin, from, context }: Candidate): Omit<Setting<unknown>, 'value'> {
  return { origin, from, ...(context !== undefined && { context }) };
}
