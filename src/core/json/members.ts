import { largestOf } from '../collections.js';
import { type JsonNode, parseJsonText, replaceTexts } from './text.js';

const NONE: ReadonlyMap<string, JsonNode> = new Map();

function membersOf(object: string): ReadonlyMap<string, JsonNode> {
  const node = parseJsonText(object, 'an object');
  return node.kind === 'object' ? node.members : NONE;
}

/** Whether a JSON text is that of an object. */
export const isObjectText = (json: string): boolean => json.trimStart().startsWith('{');

/**
 * The members of an object as they are written, with numbers, escapes and blanks unchanged. Of members with the same
 * name, the last one counts. The input must be the valid JSON text of an object.
 */
export function memberTexts(object: string): ReadonlyMap<string, string> {
  return new Map([...membersOf(object)].map(([name, { start, end }]) => [name, object.slice(start, end)]));
}

/**
 * The same object with the member at a path replaced or, at the end, added. Every other character stays as it is.
 * Objects on the way are made where nothing or null is. Needs the valid JSON text of an object.
 */
export function withMember(object: string, path: readonly string[], value: string): string {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const members = membersOf(object);
  const known = members.get(name);
  const before = known === undefined || known.kind === 'null' ? '{}' : object.slice(known.start, known.end);
  const text = withMember(before, rest, value);
  if (known !== undefined) return replaceTexts(object, [{ start: known.start, end: known.end, text }]);
  const at = largestOf([object.indexOf('{') + 1, ...[...members.values()].map(({ end }) => end)]);
  const member = `${members.size === 0 ? '' : ','}${JSON.stringify(name)}:${text}`;
  return replaceTexts(object, [{ start: at, end: at, text: member }]);
}

/**
 * The same object without the member at a path, if there is one. All values stay as they are written, and so does
 * everything outside of the object that had the member. Needs the valid JSON text of an object.
 */
export function withoutMember(object: string, path: readonly string[]): string {
  const [name = '', ...rest] = path;
  const known = membersOf(object).get(name);
  if (known === undefined) return object;
  if (rest.length > 0) {
    const inner = withoutMember(object.slice(known.start, known.end), rest);
    return replaceTexts(object, [{ start: known.start, end: known.end, text: inner }]);
  }
  const others = [...memberTexts(object)].filter(([other]) => other !== name);
  return `{${others.map(([other, text]) => `${JSON.stringify(other)}:${text}`).join(',')}}`;
}
