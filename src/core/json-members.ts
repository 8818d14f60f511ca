const SPACE = /[ \t\n\r]*/uy;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/uy;
const SCALAR = /[^\s,:[\]{}"]+/uy;

interface Member {
  readonly name: string;
  /** Where the text of its value begins and ends. */
  readonly start: number;
  readonly end: number;
}

function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function valueEnd(text: string, start: number): number {
  let [at, depth] = [start, 0];
  do {
    const character = text[at];
    if (character === '"') at = after(STRING, text, at);
    else if (character === '{' || character === '[') [at, depth] = [at + 1, depth + 1];
    else if (character === '}' || character === ']') [at, depth] = [at + 1, depth - 1];
    else at = Math.max(at + 1, after(SCALAR, text, at));
  } while (depth > 0 && at < text.length);
  return at;
}

function membersOf(object: string): readonly Member[] {
  const found: Member[] = [];
  let at = after(SPACE, object, object.indexOf('{') + 1);
  while (object[at] === '"') {
    const nameEnd = after(STRING, object, at);
    // eslint-disable-next-line no-restricted-properties -- one quoted name of a text that was read already
    const name = String(JSON.parse(object.slice(at, nameEnd)));
    const start = after(SPACE, object, after(SPACE, object, nameEnd) + 1);
    const end = valueEnd(object, start);
    found.push({ name, start, end });
    at = after(SPACE, object, end);
    if (object[at] === ',') at = after(SPACE, object, at + 1);
  }
  return found;
}

/** Whether a JSON text is that of an object. */
export const isObjectText = (json: string): boolean => json.trimStart().startsWith('{');

/** The members of an object as the texts that stand in it: numbers, escapes and blanks as they were written; of members with one name the last counts. Needs the valid JSON text of an object. */
export function memberTexts(object: string): ReadonlyMap<string, string> {
  return new Map(membersOf(object).map(({ name, start, end }) => [name, object.slice(start, end)]));
}

/** The same object with the member at a path replaced or, at the end, added; every other character stays as it is. Objects on the way are made where nothing or null is. Needs the valid JSON text of an object. */
export function withMember(object: string, path: readonly string[], value: string): string {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const members = membersOf(object);
  const known = members.findLast((member) => member.name === name);
  const before = known === undefined ? 'null' : object.slice(known.start, known.end);
  const text = withMember(before === 'null' ? '{}' : before, rest, value);
  if (known !== undefined) return object.slice(0, known.start) + text + object.slice(known.end);
  const end = members.at(-1)?.end ?? object.indexOf('{') + 1;
  return `${object.slice(0, end)}${members.length === 0 ? '' : ','}${JSON.stringify(name)}:${text}${object.slice(end)}`;
}
