const SPACE = /[ \t\n\r]*/uy;
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/uy;
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![0-9.eE+-])|true|false|null/uy;
/** A string or a scalar of which the end is missing. */
const BEGUN =
  /(?:"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*(?:\\(?:u[0-9a-fA-F]{0,3})?)?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-?(?:[0-9]+(?:\.|\.[0-9]+)?(?:[eE][+-]?)?)?)$/uy;

type Expected = 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'colon' | 'more';

/**
 * Where a text stops being JSON, as an index into it, or undefined when it is JSON. Only for messages, the parser is
 * JSON.parse.
 */
export function jsonFaultAt(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = after(SPACE, text, 0) ?? 0;
  while (expected !== 'more' || open.length > 0) {
    const character = text[at];
    const inside = open.at(-1);
    const isScalar = character !== '{' && character !== '[';
    let end: number | undefined = at + 1;
    if (character === (inside === '{' ? '}' : ']') && (expected === 'more' || expected.endsWith('OrEnd'))) {
      open.pop();
      expected = 'more';
    } else if (expected === 'more' || expected === 'colon') {
      if (character !== (expected === 'more' ? ',' : ':')) return at;
      expected = expected === 'more' && inside === '{' ? 'key' : 'value';
    } else if (expected === 'key' || expected === 'keyOrEnd') {
      end = after(STRING, text, at);
      expected = 'colon';
    } else {
      if (isScalar) end = after(STRING, text, at) ?? after(SCALAR, text, at);
      else open.push(character);
      if (character === '{') expected = 'keyOrEnd';
      else expected = isScalar ? 'more' : 'valueOrEnd';
    }
    if (end === undefined) return after(BEGUN, text, at) ?? at;
    at = after(SPACE, text, end) ?? end;
  }
  return at === text.length ? undefined : at;
}

function after(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
