import { finderOf, type Found, type Work } from './find-text.js';
import { folded, hexDigits, unescaped, unwrapped, viewOf, type View } from './unescape.js';

const SHORTEST = 4;
/**
 * The minimum length of a secret that is searched for across line breaks. Many line breaks have the halves of a shorter
 * one on both sides.
 */
const SHORTEST_SPLIT = 8;

const IN_WORD = /[^\s"'<>&\\,;]/u;

/** One way to read a text, and what is looked for in it. */
interface Spelling {
  readonly applies: RegExp;
  readonly read: (view: View) => View;
  readonly sought: () => readonly string[];
}

interface Place {
  readonly start: number;
  end: number;
}

/**
 * Makes a function that masks known secrets in every usual spelling: encoded, escaped, hex or wrapped. Its work grows
 * linearly with the length of text and secrets, whatever they contain: no regular expression is built from a secret.
 */
export function hiderOf(secrets: readonly string[], mask: string, work: Work = { steps: 0 }): (text: string) => string {
  const known = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(written))];
  if (known.length === 0) return (text) => text;
  const searches = readingsOf(known).map((reading) => searchOf(reading, work));
  return (text) =>
    masked(
      text,
      searches.flatMap((search) => search(text)),
      mask,
    );
}

/** All places of what a reading looks for; made ready for the first text that needs it. */
function searchOf({ applies, read, sought }: Spelling, work: Work): (text: string) => readonly Place[] {
  let finders: readonly ReturnType<typeof finderOf>[] | undefined;
  return (text) => {
    if (!applies.test(text)) return [];
    finders ??= [...new Set(sought())].filter((spelling) => spelling.length >= SHORTEST).map(finderOf);
    const view = folded(read(viewOf(text)));
    return finders.flatMap((find) => placesOf(find(view.text, work), view, text, work));
  };
}

function readingsOf(known: readonly string[]): readonly Spelling[] {
  const long = known.filter((secret) => secret.length >= SHORTEST_SPLIT);
  // What is done with the text is done with the secret: it may look as if it were escaped itself.
  const reading = (applies: RegExp, secrets: readonly string[], read: (view: View) => View): Spelling => ({
    applies,
    read,
    sought: () =>
      secrets.flatMap((secret) => [folded(read(viewOf(secret))).text, ...base64Of(secret).map((s) => s.toLowerCase())]),
  });
  return [
    {
      applies: /./su,
      read: (view) => view,
      sought: () => known.flatMap(spellings).map((spelling) => folded(viewOf(spelling)).text),
    },
    {
      applies: /[\da-f]{2}/iu,
      read: hexDigits,
      sought: () => known.map((secret) => Buffer.from(secret).toString('hex')),
    },
    reading(/[\\%&]/u, known, (view) => unescaped(view, false)),
    reading(/[\r\n]/u, long, unwrapped),
    reading(/[\\%&]/u, long, (view) => unwrapped(unescaped(view, true))),
  ];
}

/** What was found, in the text itself. Where only the beginning was, the rest of the word belongs to it. */
function placesOf(found: readonly Found[], view: View, text: string, work: Work): readonly Place[] {
  const places: Place[] = [];
  for (const { start, end, missing } of found) {
    const [from, last] = [view.start(start), places.at(-1)];
    let to = Math.max(view.end(end - 1), last?.end ?? 0);
    const most = view.end(end - 1) + missing;
    for (; to < most && IN_WORD.test(text.charAt(to)); to += 1) work.steps += 1;
    // They come in order; those that overlap are one.
    if (last !== undefined && from <= last.end) last.end = to;
    else places.push({ start: from, end: to });
  }
  return places;
}

function masked(text: string, places: readonly Place[], mask: string): string {
  let shown = '';
  let done = 0;
  for (const { start, end } of [...places].sort((a, b) => a.start - b.start)) {
    if (start > done || done === 0) shown += text.slice(done, start) + mask;
    done = Math.max(done, end);
  }
  return shown + text.slice(done);
}

/** A secret as it is, in a quoted word of a shell, and in a form. */
const written = (secret: string): readonly string[] => [
  secret,
  secret.replaceAll("'", String.raw`'\''`),
  secret.replaceAll(' ', '+'),
];

const base64Of = (secret: string): readonly string[] => [0, 1, 2].flatMap((offset) => base64Core(secret, offset));

/**
 * The spellings of a secret: plain, in JSON, in JSON within JSON, in HTML, URL, form and base64. Of base64, the part
 * that does not depend on neighbouring bytes.
 */
function spellings(secret: string): readonly string[] {
  const json = inJson(secret);
  return [
    secret,
    ...base64Of(secret),
    json,
    inJson(json),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    encodeURIComponent(Buffer.from(secret).toString()),
    new URLSearchParams({ s: secret }).toString().slice(2),
  ];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * The base64 of a secret at one of three offsets in a group of three bytes, without its neighbours. A secret may be
 * anywhere in what was encoded (`user:secret`).
 */
function base64Core(secret: string, offset: number): readonly string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const core = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  return core.length < SHORTEST ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
}
