const MASK = '***';
const SHORTEST = 4;
const WORDS =
  '(?:pass(?:word|wd|phrase|code|key)?|pwd|secret|token|credentials?|(?:api|access|secret|private|signing|encryption|account|shared|client)[-_. ]?key|authorization|cookie|sas)';
const SECRET_WORDS = new RegExp(`${WORDS}$`, 'iu');
const NOT_SECRET = /(?:next|page|continuation|public)[-_. ]?(?:page)?[-_. ]?token$/iu;

/** Whether the value under this name is to be hidden: a password, token, key or the like; made for names of settings, headers and JSON members. */
export function looksSecret(key: string): boolean {
  return SECRET_WORDS.test(key) && !NOT_SECRET.test(key);
}

/** A function that hides known secrets in every usual spelling, and whatever looks like a credential, in text that leaves the program; `***` stands for them. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets.filter((secret) => secret.length >= SHORTEST).flatMap(spellings))];
  const pattern =
    known.length === 0
      ? undefined
      : new RegExp(
          known
            .sort((a, b) => b.length - a.length)
            .map(escapePattern)
            .join('|'),
          'giu',
        );
  return (text) => hideShapes(pattern === undefined ? text : text.replace(pattern, MASK));
}

/** What is secret in an address: the user part before `@`, and its password; nothing where it has none. */
export function addressSecrets(text: string): readonly string[] {
  const [, scheme, part] = /^([a-z][a-z0-9+.-]*:\/\/|\/\/)?(.*)@/isu.exec(text) ?? [];
  if (part === undefined || !CREDENTIALS_BEFORE.test(`${scheme === undefined ? 'http://' : ''}${text}`)) return [];
  // Without a scheme it is an address only with both, user and password.
  if (scheme === undefined && !/^[^/?#:]+:/u.test(part)) return [];
  const password = part.slice(part.indexOf(':') + 1);
  return [part, password, decoded(password)].filter((secret) => secret !== '');
}

/** An address with its user and password hidden, and any other text as it is. */
export function withoutCredentials(text: string): string {
  return text.replace(USERINFO, `$1${MASK}@`).replace(PASSWORD_WITH_SLASH, `$1${MASK}@`);
}

const USERINFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]+(?:@[^\s/?#"'<>@]+)*@/giu;
/** A password may hold a slash that nobody encoded; a port before a path is none. */
const PASSWORD_WITH_SLASH =
  /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@:]{0,200}:(?!\d{1,5}(?:[/?#\s"'<>]|$))[^\s"'<>@]{1,2000}(?:@[^\s/?#"'<>@]+)*@/giu;
const CREDENTIALS_BEFORE = /^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/?#@]+@|[^/?#@:]*:(?!\d{1,5}(?:[/?#]|$)).*@)/isu;

/** A quote that no further backslash changes, with as many before it as the JSON stands in other JSON; groups 1 and 2 of whatever begins with it. */
const QUOTE = String.raw`(?<!\\)(\\{0,15})(["'])`;
const KEY = String.raw`[\w .-]{0,60}?${WORDS}`;
const IS = String.raw`\s{0,9}(?:=>|[:=])\s{0,9}`;
/** What our own sentences say of a stage is no value, whatever its name (`stage "pass": ...`). */
const QUOTED_KEY = new RegExp(`(?<!\\bstage )${QUOTE}(${KEY})\\1\\2(${IS})`, 'giu');
const BARE_KEY = new RegExp(String.raw`(?<![\w.-])(\w[\w.-]{0,60}?|)${WORDS}(?:${IS})(?=\\{0,15}["'])`, 'giu');
const NAMED_VALUE = new RegExp(
  `${QUOTE}(?:name|key)\\1\\2\\s{0,9}:\\s{0,9}\\1\\2(${KEY})\\1\\2\\s{0,9},\\s{0,9}\\1\\2value\\1\\2(\\s{0,9}:\\s{0,9})`,
  'giu',
);
const MARKUP = new RegExp(
  `(<(?:[\\w:.-]{0,60}?${WORDS})>|<name>\\s{0,9}${KEY}\\s{0,9}</name>\\s{0,9}<value>)[^<]{1,20000}`,
  'giu',
);
/** A word behind its name; what our own sentences say of a pipeline is none (`pipeline token: somebody changed it`). */
const NAMED_WORD =
  /(?<![\w.-]|\bpipeline (?=[\w.-]{1,80}: ))(\w[\w.-]{0,80})(\s{0,5}[=:]\s{0,5})(?!["'*\s\\])[^\s&;,"'<>{}[\]]+/gu;
const OPENING = /\\{0,15}["']/uy;
const BARE_VALUE = /[^\s"'\\,;}\]]+/uy;
const LONGEST_VALUE = 20_000;

function hideShapes(text: string): string {
  const plain = withoutCredentials(
    text
      .replace(/\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?)[^\r\n"'\\]+/giu, `$1${MASK}`)
      .replace(/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}/giu, `$1 ${MASK}`),
  );
  return [QUOTED_KEY, BARE_KEY, NAMED_VALUE]
    .reduce(hideValues, plain)
    .replace(MARKUP, `$1${MASK}`)
    .replace(/(--[\w-]{1,80})(\s+)(?!-)[^\s"']+/gu, maskValue)
    .replace(NAMED_WORD, maskValue);
}

/** Hides what follows each match: a quoted text to its end, or that of the text, which somebody may have cut. */
function hideValues(text: string, before: RegExp): string {
  let shown = '';
  let done = 0;
  for (const match of text.matchAll(before)) {
    const at = match.index + match[0].length;
    if (match.index < done || NOT_SECRET.test(match[3] ?? match[0].replace(/\W+$/u, ''))) continue;
    const end = endOfValue(text, at);
    if (end === at) continue;
    const quote = matchAt(OPENING, text, at);
    shown += `${text.slice(done, at)}${quote}${MASK}${quote}`;
    done = end;
  }
  return done === 0 ? text : shown + text.slice(done);
}

function endOfValue(text: string, at: number): number {
  const quote = matchAt(OPENING, text, at);
  if (quote === '') return at + matchAt(BARE_VALUE, text, at).length;
  const last = Math.min(text.length, at + LONGEST_VALUE);
  const mark = quote.slice(-1);
  let end = at + quote.length;
  for (let backslashes = 0; end < last; end += 1) {
    // With n backslashes before the opening quote, each backslash of the value itself is written as 2 (n + 1).
    if (text[end] === mark && backslashes % (2 * quote.length) === quote.length - 1) return end + 1;
    backslashes = text[end] === '\\' ? backslashes + 1 : 0;
  }
  return last;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function maskValue(all: string, key: string, between: string): string {
  return looksSecret(key) ? `${key}${between}${MASK}` : all;
}

/** The secret as it is, inside JSON and JSON in JSON, in HTML, in a URL, in a form, and the part of its base64 that does not depend on its neighbours. */
function spellings(secret: string): string[] {
  const encoded = encodeURIComponent(Buffer.from(secret).toString());
  const json = inJson(secret);
  const texts = [
    secret,
    json,
    inJson(json),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    encoded,
    new URLSearchParams({ s: secret }).toString().slice(2),
  ];
  return [...texts, ...[0, 1, 2].flatMap((offset) => base64Core(secret, offset))];
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/** A secret may stand anywhere in what was encoded (`user:secret`), so its first byte falls on one of three places of a base64 group. */
function base64Core(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const core = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  return core.length < SHORTEST ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
