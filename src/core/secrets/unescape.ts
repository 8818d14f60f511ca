/** A text made of another one, and where each of its characters stands there. */
export interface View {
  readonly text: string;
  /** Where the original of a character begins; for the end of a text, that of the original. */
  readonly start: (at: number) => number;
  /** Where the original of a character ends. */
  readonly end: (at: number) => number;
}

/** How often escapes inside escapes are undone. */
const MOST_LAYERS = 6;
const ESCAPE = /u\{0{0,6}([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|([0-3][0-7]{2})/iuy;
const LONG_ESCAPE = /U([\da-fA-F]{8})/uy;
const ENTITY = /#x0{0,6}([\da-f]{1,6});|#0{0,6}(\d{1,7});|(amp|lt|gt|quot|apos);/iuy;
const NAMED: Readonly<Record<string, number>> = { amp: 38, lt: 60, gt: 62, quot: 34, apos: 39 };
const BYTE = /%(?:25)?([\da-f]{2})/iuy;
const LARGEST_CODE = 0x10ffff;
const PERCENT = 37;
const AMPERSAND = 38;
const BACKSLASH = 92;

/** A text as it is. */
export function viewOf(text: string): View {
  return { text, start: (at) => at, end: (at) => at + 1 };
}

/**
 * Removes the escapes of JSON, shells, URLs and HTML, however often they were nested. `\n` becomes a line break only if
 * `breaks` is set.
 */
export function unescaped(view: View, breaks: boolean): View {
  let inner = view;
  for (let layer = 0; layer < MOST_LAYERS && /[\\%&]/u.test(inner.text); layer += 1) {
    const next = withoutOneLayer(inner, breaks);
    if (next.text.length === inner.text.length) break;
    inner = next;
  }
  return inner;
}

/** A text without its line breaks, and without what stands at the beginning of a line that was wrapped. */
export function unwrapped(view: View): View {
  return without(view, /\\{0,15}[\r\n]{1,2}[ \t|>#*]{0,40}/gu);
}

/** A text without what stands between bytes in hexadecimal. */
export function hexDigits(view: View): View {
  return without(view, /(?:\\{1,15}|0)x(?=[\da-f]{2})|[:\s,-]/giu);
}

/** The same in small letters, as nobody knows who wrote a secret in which. */
export function folded(view: View): View {
  // a sigma in small letters depends on what stands beside it
  const small = view.text.toLowerCase().replaceAll('ς', 'σ');
  if (small.length === view.text.length) return { ...view, text: small };
  const units = Array.from({ length: view.text.length }, (_, at) => {
    const unit = view.text.charAt(at);
    return unit.toLowerCase().length === 1 ? unit.toLowerCase() : unit;
  });
  return { ...view, text: units.join('').replaceAll('ς', 'σ') };
}

/** Collects the characters of a view; none is longer than what it was made of. */
class Builder {
  private readonly units: Uint16Array;
  private readonly starts: Uint32Array;
  private readonly ends: Uint32Array;
  private length = 0;
  private readonly from: View;

  constructor(from: View) {
    this.from = from;
    this.units = new Uint16Array(from.text.length);
    this.starts = new Uint32Array(from.text.length);
    this.ends = new Uint32Array(from.text.length);
  }

  put(code: number, start: number, end: number): void {
    if (code <= 0xffff) {
      this.unit(code, start, end);
      return;
    }
    this.unit(0xd800 + ((code - 0x10000) >> 10), start, end);
    this.unit(0xdc00 + ((code - 0x10000) & 0x3ff), start, end);
  }

  private unit(unit: number, start: number, end: number): void {
    this.units[this.length] = unit;
    this.starts[this.length] = this.from.start(start);
    this.ends[this.length] = this.from.end(end - 1);
    this.length += 1;
  }

  view(): View {
    const { starts, ends } = this;
    const text = Buffer.from(this.units.buffer, 0, this.length * 2).toString('utf16le');
    return { text, start: (at) => starts[at] ?? 0, end: (at) => ends[at] ?? 0 };
  }
}

function without(view: View, dropped: RegExp): View {
  if (view.text.search(dropped) === -1) return view;
  const built = new Builder(view);
  let at = 0;
  const keepTo = (end: number): void => {
    for (; at < end; at += 1) built.put(view.text.charCodeAt(at), at, at + 1);
  };
  for (const match of view.text.matchAll(dropped)) {
    keepTo(match.index);
    at = match.index + match[0].length;
  }
  keepTo(view.text.length);
  return built.view();
}

/** What an escape stands for, and where it ends. */
interface Unit {
  readonly code: number;
  readonly end: number;
}

function withoutOneLayer(view: View, breaks: boolean): View {
  const { text } = view;
  const built = new Builder(view);
  for (let at = 0; at < text.length;) {
    const unit = unitAt(text, at, breaks);
    if (unit.code !== NOTHING) built.put(unit.code, at, unit.end);
    at = unit.end;
  }
  return built.view();
}

const NOTHING = -1;

function unitAt(text: string, at: number, breaks: boolean): Unit {
  const code = text.charCodeAt(at);
  if (code === BACKSLASH) return behindBackslashes(text, at, breaks);
  const escaped = code === PERCENT ? percentAt(text, at) : code === AMPERSAND ? entityAt(text, at) : undefined;
  return escaped ?? { code, end: at + 1 };
}

function behindBackslashes(text: string, from: number, breaks: boolean): Unit {
  let at = from;
  while (text.charCodeAt(at) === BACKSLASH) at += 1;
  if (at === text.length) return { code: NOTHING, end: at };
  const match = matchAt(LONG_ESCAPE, text, at) ?? matchAt(ESCAPE, text, at);
  const number = match && codeOf(match);
  if (match && number !== undefined) return { code: number, end: at + match[0].length };
  const letter = text.charAt(at);
  return { code: breaks && /[nr]/u.test(letter) ? 10 : text.charCodeAt(at), end: at + 1 };
}

function codeOf(match: RegExpExecArray): number | undefined {
  const [octal] = match.slice(4);
  const code = parseInt(octal ?? match.slice(1).join(''), octal === undefined ? 16 : 8);
  return code <= LARGEST_CODE ? code : undefined;
}

/** `&#61;`, `&lt;`, `&amp;amp;lt;`. */
function entityAt(text: string, from: number): Unit | undefined {
  let at = from + 1;
  while (text.startsWith('amp;', at)) at += 4;
  const [all, hexadecimal, decimal, name] = matchAt(ENTITY, text, at) ?? [];
  if (all === undefined) return at === from + 1 ? undefined : { code: AMPERSAND, end: at };
  const code =
    hexadecimal !== undefined
      ? parseInt(hexadecimal, 16)
      : decimal !== undefined
        ? Number(decimal)
        : NAMED[(name ?? '').toLowerCase()];
  return code === undefined || code > LARGEST_CODE ? undefined : { code, end: at + all.length };
}

/** `%3D`, `%253D`, and the bytes of a character in UTF-8. */
function percentAt(text: string, at: number): Unit | undefined {
  const first = byteAt(text, at);
  if (first === undefined) return undefined;
  const more = first.code >= 0xf0 ? 3 : first.code >= 0xe0 ? 2 : first.code >= 0xc0 ? 1 : 0;
  let { end } = first;
  let code = more === 0 ? first.code : first.code & (0x3f >> more);
  for (let count = 0; count < more; count += 1) {
    const next = byteAt(text, end);
    if (next === undefined || next.code >> 6 !== 2) return first;
    code = code * 64 + (next.code & 0x3f);
    end = next.end;
  }
  return code > LARGEST_CODE ? first : { code, end };
}

function byteAt(text: string, from: number): Unit | undefined {
  if (text.charCodeAt(from) !== PERCENT) return undefined;
  let at = from;
  // Each `25` but the last two stands for a percent sign that was escaped once more.
  while (text.startsWith('2525', at + 1)) at += 2;
  BYTE.lastIndex = 0;
  const [all, digits = ''] = BYTE.exec(`%${text.slice(at + 1, at + 5)}`) ?? [];
  return all === undefined ? undefined : { code: parseInt(digits, 16), end: at + all.length };
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
