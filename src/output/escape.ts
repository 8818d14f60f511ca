const PLAIN = /^[\u0020-\u007e]*$/u;
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{e0000}-\u{e0fff}]|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0/gu;
const NAMED: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * One line of text from outside, with everything that could move, hide or reorder text made visible. See docs/faults.md
 * T33, D01 to D08.
 */
export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, shown);
}

/** As `visible`, but line feeds stay: for text of several lines. */
export function visibleLines(text: string): string {
  return text.split(/\r?\n/u).map(visible).join('\n');
}

/**
 * JSON text with C0, C1, bidi, zero-width and tag characters written as `\u` escapes. The value stays the same
 * (docs/faults.md D10).
 */
export function escapedJson(json: string): string {
  return PLAIN.test(json) ? json : json.replace(UNSAFE, (found) => (found === '\n' ? found : units(found)));
}

/** As `escapedJson`, for YAML text whose strings with such characters are in double quotes. */
export function escapedYaml(yaml: string): string {
  return yaml.replace(UNSAFE, (found) => {
    const code = found.codePointAt(0) ?? 0;
    if (found === '\n') return found;
    return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** Whether a text needs no escape anywhere. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text) || text.search(UNSAFE) === -1;
}

function shown(found: string): string {
  const code = found.codePointAt(0) ?? 0;
  return NAMED[found] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`);
}

function units(found: string): string {
  return [...Array(found.length).keys()]
    .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}
