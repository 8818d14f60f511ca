import * as z from 'zod/mini';
import type { Document, LineCounter } from 'yaml';
import { CliError } from '../core/errors.js';
import { readTextFile } from '../core/files/read-bounded.js';
import { shellWord } from '../core/shell-word.js';
import type { ConfigWarning } from './warning.js';

const MOST = 1024 * 1024;

/**
 * A parsed YAML file of the user. `document` keeps comments and order, `value` is the content, `at` locates a member in
 * the text.
 */
export interface YamlFile {
  readonly document: Document;
  readonly value: unknown;
  readonly at: (path: readonly PropertyKey[]) => string;
}

interface Problem {
  readonly where: string;
  readonly text: string;
}

function refuse(file: string, problems: readonly Problem[]): CliError {
  const [first] = problems;
  const lines = problems.map(({ where, text }) => `${where}: ${text}`);
  const message =
    problems.length === 1 && first !== undefined
      ? `${file}, ${first.where}: ${first.text}`
      : `${file} has ${problems.length} problems`;
  return new CliError('CONFIG', message, { target: { file }, ...(problems.length === 1 ? {} : { lines }) });
}

function position(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `line ${line}, column ${col}`;
}

function starts(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) return undefined;
  const range: unknown[] = node.range;
  const start = range[0];
  return typeof start === 'number' ? start : undefined;
}

/**
 * Parses YAML. An empty text is an empty map.
 * @throws CONFIG with line and column, and without a value of the file (docs/faults.md L18)
 */
export async function parseYaml(file: string, text: string): Promise<YamlFile> {
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    // The library's sentences quote the file; its codes do not.
    const words = (code: string): string => code.toLowerCase().replaceAll('_', ' ');
    throw refuse(
      file,
      document.errors.map(({ pos, code }) => ({
        where: position(lines, pos[0]),
        text: `not valid YAML (${words(code)})`,
      })),
    );
  }
  const at = (path: readonly PropertyKey[]): string => {
    for (let length = path.length; length > 0; length--) {
      const start = starts(document.getIn(path.slice(0, length), true));
      if (start !== undefined) return position(lines, start);
    }
    return position(lines, 0);
  };
  try {
    const value: unknown = document.toJS({ maxAliasCount: 20 });
    return { document, value: value ?? {}, at };
  } catch {
    throw refuse(file, [{ where: position(lines, 0), text: 'not valid YAML (bad alias)' }]);
  }
}

/** Reads and parses a YAML file; undefined when there is none. */
export async function readYaml(file: string): Promise<YamlFile | undefined> {
  const found = await readTextFile(file, MOST);
  if (found.kind === 'absent') return undefined;
  const hints = [`correct ${file}, or move it away: mv ${shellWord(file)} ${shellWord(`${file}.bad`)}`];
  if (found.kind === 'unusable') throw new CliError('CONFIG', `${file} ${found.why}`, { hints, target: { file } });
  try {
    return await parseYaml(file, found.text);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    throw new CliError(error.code, error.message, { ...error.details, hints });
  }
}

function without(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const [first, ...rest] = path;
  const kept = Object.entries(value).filter(([key]) => first !== undefined || !keys.includes(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, key === first ? without(member, rest, keys) : member]));
}

/**
 * Checks the content of a file against a strict schema. Unknown members are left out with a warning.
 * @throws CONFIG when there is any other problem; one error tells all of them
 */
export function checkYaml<T>(
  file: string,
  { value, at }: YamlFile,
  schema: z.ZodMiniType<T>,
): { readonly value: T; readonly warnings: readonly ConfigWarning[] } {
  const warnings: ConfigWarning[] = [];
  let known = value;
  for (const issue of schema.safeParse(value).error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    known = without(known, issue.path, issue.keys);
    for (const key of issue.keys) {
      const path = [...issue.path, key];
      warnings.push({
        code: 'CONFIG_UNKNOWN_MEMBER',
        message: `${file}, ${at(path)}: ${path.join('.')} is unknown and ignored`,
      });
    }
  }
  const result = schema.safeParse(known);
  if (result.success) return { value: result.data, warnings };
  const problems = result.error.issues.map(({ path, message, ...issue }) => {
    const why = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? message) : message;
    return { where: at(path), text: path.length === 0 ? why : `${path.join('.')} ${why}` };
  });
  throw refuse(file, problems);
}
