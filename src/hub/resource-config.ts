import { CliError } from '../core/errors.js';
import { parseJson } from '../core/json/json.js';
import { parseRange, type Range } from '../core/version-range.js';
import { brief, isRawObject, type RawObject } from './fields.js';

/** An artifact that a plugin artifact extends: `[namespace:]name[min,max)`. */
export interface Parent {
  /** As the publisher wrote it, without blanks at the ends. */
  readonly text: string;
  /**
   * `system`, or undefined when none is given: then the platform uses the target namespace. See docs/hub-format.md
   * 3.11.
   */
  readonly namespace: string | undefined;
  readonly name: string;
  readonly rangeText: string;
  readonly range: Range;
}

/** A plugin that a JAR holds without saying so itself, a JDBC driver as a rule. `raw` is sent as it came. */
export interface Plugin {
  readonly name: string;
  readonly type: string | undefined;
  readonly className: string;
  readonly description: string | undefined;
  readonly raw: RawObject;
}

/** The `config` resource of an action that makes an artifact (docs/hub-format.md 6.5). */
export interface ArtifactConfig {
  readonly parents: readonly Parent[];
  readonly plugins: readonly Plugin[];
  readonly properties: Readonly<Record<string, string>>;
  /** What was read in another way than it is written. */
  readonly notes: readonly string[];
}

const PARENT = /^(?:([^:[(]*):)?([A-Za-z0-9_.-]+)\s*([[(].*)$/su;
const LONGEST = 1000;

/** Reads one parent; undefined when it is malformed. An empty range is not: the platform judges it. */
export function parseParent(written: string): Parent | undefined {
  const text = written.trim();
  const match = text.length > LONGEST ? null : PARENT.exec(text);
  const [, namespace, name, rangeText] = match ?? [];
  if (
    name === undefined ||
    rangeText === undefined ||
    (namespace !== undefined && !/^[A-Za-z0-9_-]+$/u.test(namespace))
  )
    return undefined;
  const range = parseRange(rangeText);
  return range === undefined ? undefined : { text, namespace, name, rangeText, range };
}

/**
 * Reads an artifact config.
 * @throws BAD_JSON, BAD_UTF8, DUP_KEY, BAD_PARENT, or BAD_FIELD for plugins and properties of a wrong type
 */
export function readArtifactConfig(bytes: Uint8Array, what: string): ArtifactConfig {
  const json = readObject(bytes, what);
  const notes: string[] = [];
  const parents = list(json['parents'], 'BAD_PARENT', `"parents" of ${what} is not a list`).map((value) =>
    readParent(value, what, notes),
  );
  const plugins = list(json['plugins'], 'BAD_FIELD', `"plugins" of ${what} is not a list`).map((value, index) =>
    readPlugin(value, `plugin ${index + 1} of ${what}`),
  );
  return { parents, plugins, properties: readProperties(json['properties'], what, notes), notes };
}

/**
 * Reads a pipeline config: checks that it is a JSON object and returns its text. The text is sent unchanged
 * (docs/hub-format.md 6.6).
 */
export function readPipelineConfig(bytes: Uint8Array, what: string): { readonly text: string } {
  if (!isRawObject(parseJson(bytes, what))) throw new CliError('BAD_JSON', `${what} is not a JSON object`);
  return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
}

function readObject(bytes: Uint8Array, what: string): RawObject {
  const json = parseJson(bytes, what, { duplicates: 'refuse' });
  if (!isRawObject(json)) throw new CliError('BAD_JSON', `${what} is not a JSON object`);
  return json;
}

function list(value: unknown, code: 'BAD_PARENT' | 'BAD_FIELD', complaint: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new CliError(code, complaint);
  return value;
}

function readParent(value: unknown, what: string, notes: string[]): Parent {
  const parent = typeof value === 'string' ? parseParent(value) : undefined;
  if (parent === undefined) {
    const written = typeof value === 'string' ? brief(value) : 'something that is not text';
    throw new CliError('BAD_PARENT', `${what} has the invalid parent ${written}`, {
      hints: ['use a parent such as system:cdap-data-pipeline[6.1.0,7.0.0)'],
    });
  }
  if (parent.namespace === undefined) notes.push(`the parent ${brief(parent.text)} has no namespace`);
  return parent;
}

function readPlugin(value: unknown, what: string): Plugin {
  if (!isRawObject(value)) throw new CliError('BAD_FIELD', `${what} is not an object`);
  const { name, type, className, description } = value;
  if (typeof name !== 'string' || typeof className !== 'string')
    throw new CliError('BAD_FIELD', `${what} has no name or no className`);
  const optional = (text: unknown): string | undefined => (typeof text === 'string' ? text : undefined);
  return { name, type: optional(type), className, description: optional(description), raw: value };
}

function readProperties(value: unknown, what: string, notes: string[]): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  if (!isRawObject(value)) throw new CliError('BAD_FIELD', `"properties" of ${what} is not an object`);
  const pairs = Object.entries(value).map(([key, property]): [string, string] => {
    if (typeof property === 'string') return [key, property];
    notes.push(`the property ${brief(key)} is not text and is used as JSON text`);
    return [key, JSON.stringify(property)];
  });
  return Object.fromEntries(pairs);
}
