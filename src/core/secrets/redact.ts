import { hiderOf } from './hide-secrets.js';

const MASK = '***';
const WORDS =
  '(?:pass(?:word|wd|phrase|code|key)?|pwd|secret|token|credentials?|(?:api|access|secret|private|signing|encryption|account|shared|client)[-_. ]?key|authorization|cookie|sas)';
const SECRET_WORDS = new RegExp(`${WORDS}$`, 'iu');
const NOT_SECRET = /(?:next|page|continuation|public)[-_. ]?(?:page)?[-_. ]?token$/iu;

/**
 * Whether the value under this name is to be hidden: a password, token, key or the like. Made for names of settings,
 * headers and JSON members.
 */
export function looksSecret(key: string): boolean {
  return SECRET_WORDS.test(key) && !NOT_SECRET.test(key);
}

/**
 * Makes a function that replaces secrets with `***` in text that leaves the program. It hides known secrets in every
 * usual spelling, and whatever looks like a credential.
 */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const hideKnown = hiderOf(secrets, MASK);
  return (text) => hideShapes(hideKnown(text));
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

/** The value of a setting, shown without the user and the password that it holds as an address. */
export function settingWithoutCredentials(text: string): string {
  return addressSecrets(text).length > 0
    ? text.replace(/^([a-z][\w+.-]*:\/\/|\/\/)?.*@/isu, `$1${MASK}@`)
    : withoutCredentials(text);
}

const USERINFO = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]+(?:@[^\s/?#"'<>@]+)*@/giu;
/** A password may hold a slash that nobody encoded; a port before a path is none. */
const PASSWORD_WITH_SLASH =
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/|(?<![\w:/])\/\/)[^\s/?#"'<>@:]{0,200}:(?!\d{1,5}(?:[/?#\s"'<>]|$))[^\s"'<>@]{1,2000}(?:@[^\s/?#"'<>@]+)*@/giu;
const CREDENTIALS_BEFORE = /^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/?#@]+@|[^/?#@:]*:(?!\d{1,5}(?:[/?#]|$)).*@)/isu;

/**
 * A quote that no further backslash changes, with as many before it as the JSON stands in other JSON. Groups 1 and 2 of
 * whatever begins with it.
 */
const QUOTE = String.raw`(?<!\\)(\\{0,15})(["'])`;
const KEY = String.raw`[\w .-]{0,60}?${WORDS}`;
const IS = String.raw`\s{0,9}(?:=>|[:=])\s{0,9}`;
const QUOTED_KEY = new RegExp(`${QUOTE}(${KEY})\\1\\2(${IS})`, 'giu');
/** A list or an object of several. */
const QUOTED_KEYS = new RegExp(`${QUOTE}(${KEY}s)\\1\\2(${IS})(?=[[{])`, 'giu');
/**
 * How our own messages go on after the name of a thing (`hub "api-key": the catalog ...`): no secret. Matches only
 * these beginnings, never a quoted text or a single word.
 */
const THING = /\b(?:stage|context|hub|namespace) $/u;
const SENTENCE =
  /^(?:(?:the|its|this|no|not|cannot|only|nothing|none|nobody|several|every|an?|is|was|has|must|there|what|someone|missing|malformed|unsigned|unknown|unsupported|required|new|too) (?:[a-z"']|\d)|\d{1,9} (?:entr|package|stage|file))/u;
/** Where a value that is no sentence of ours may have several words. */
const SPOKEN_OF =
  /\b(?:stage|context|hub|namespace|pipeline|package|artifact|plugin|application|schedule|report|preference|setting|argument|property|macro) $/u;
const LINE = /[^\s"'{}[\]][^\r\n"'{}[\]]*/uy;
/** Things that have values: what is said of them is told by its first word. */
const HOLDER = /\b(?:preference|setting|argument|property|macro) $/u;
const SAID = /^(?:not|no|is|was|has|must|cannot|already) [a-z]/u;
const BARE_KEY = new RegExp(
  String.raw`(?<![\w.-])-{0,2}(\w[\w.-]{0,60}?|)${WORDS}(?:${IS})(?=\\{0,15}["']|[[{])`,
  'giu',
);
const NAMED_VALUE = new RegExp(
  `${QUOTE}(?:name|key|type)\\1\\2\\s{0,9}:\\s{0,9}\\1\\2(${KEY})\\1\\2\\s{0,9},\\s{0,9}\\1\\2value\\1\\2(\\s{0,9}:\\s{0,9})`,
  'giu',
);
/** The same with the value in front of the name. */
const VALUE_BEFORE = new RegExp(`${QUOTE}value\\1\\2\\s{0,9}:\\s{0,9}`, 'giu');
const NAME_BEHIND = /\s{0,9},\s{0,9}(\\{0,15})(["'])(?:name|key|type)\1\2\s{0,9}:\s{0,9}\1\2([\w .-]{1,80})\1\2/iuy;
/** An attribute, whose value stands in quotes: `name="password" value="..."`. */
const ATTRIBUTE = new RegExp(`\\b((?:name|key)=(["'])${KEY}\\2\\s{1,9}value=\\2)[^"'<>]{1,2000}`, 'giu');
const MARKUP = new RegExp(
  `(<(?:[\\w:.-]{0,60}?${WORDS})(?:\\s[^<>]{0,200})?>|<\\w{1,60}\\s{1,9}(?:name|key)=(["'])${KEY}\\2>|<name>\\s{0,9}${KEY}\\s{0,9}</name>\\s{0,9}<value>)[^<]{1,20000}`,
  'giu',
);
/**
 * A name in front of a word. What our own sentences say of a pipeline is none (`pipeline token: somebody changed it`).
 */
const NAME =
  /(?<![\w.-]|\bpipeline (?=[\w.-]{1,80}: ))(-{0,2}\w[\w.-]{0,80})(?:\[["'\w.-]{0,40}\])?\s{0,5}(?:=>|[=:]|%(?:25){0,3}3[ad])\s{0,5}(?!["'*\s\\]|(?:failed|blocked|unknown): )/giu;
const WORD = /[^\s&;,"'<>{}[\]]+/uy;
/** A flag whose value stands in quotes, and a word for a shell that holds name and value. */
const QUOTED_FLAG = new RegExp(String.raw`(?<![\w-])--[\w-]{0,80}?${WORDS}(?:\s{1,9}|=)(?=["'])`, 'giu');
const SHELL_WORD = new RegExp(String.raw`(?<=\s'[\w.-]{0,80}?${WORDS}=)(?:[^']|'\\''){1,2000}(?=')`, 'giu');
/** A text of several lines or a list, as YAML has them: all lines that stand further in. */
const YAML_BLOCK = new RegExp(
  String.raw`^(([ ]{0,80})(?:- )?["']?[\w.-]{0,60}?${WORDS}["']?:[ ]{0,9})(?:[|>][-+\d]{0,3}[ ]{0,9}|(?=\r?\n\2[ ]{1,20}- ))(?:\r?\n(?:\2[ ][^\r\n]*|[ ]*(?=\r?\n)))+`,
  'gimu',
);
/** What a sentence says the password is: in quotes, or a word of letters and digits. `the token is missing` is none. */
const SAID_VALUE =
  /(\b(?:password|passwd|passphrase|passcode|pwd|secret|token) (?:is|was) )(?:(["'])[^"'\r\n]{1,200}\2|(?=[^\s\d]{0,80}\d)(?=[^\sa-z]{0,80}[a-z])(?!(?:base|sha|utf|md|v)-?\d)[^\s"',;()]{6,}(?<![.:]))/giu;
/**
 * A header to the end of its line, with texts in quotes behind equals signs. What stands in quotes as a whole, or is
 * another value of JSON, is a named value.
 */
const HEADER =
  /\b((?:(?:proxy-)?authorization|(?:set-)?cookie)(?:\\{0,15}["'](?!\s{0,9}:\s{0,9}(?:null|true|false|-?\d[\d.e+-]{0,40})\s{0,9}[,}\]]))?\s{0,9}(?:=>|[:=])\s{0,9})(?![\s"'\\[{>])(?:=\s?(\\{0,15}["'])[^"'\\\r\n]*\2|[^\r\n"'\\])+/giu;
const PRIVATE_KEY = /(-----BEGIN [^\r\n-]{0,60}PRIVATE KEY[^\r\n-]{0,20}-----)(?:(?!-----END)[^]){1,20000}/gu;
const OPENING = /\\{0,15}["']/uy;
const BARE_VALUE = /[^\s"'\\,;}\]]+/uy;
const LONGEST_VALUE = 20_000;

/** What looks like a credential has a colon, an equals sign, a quote or an @, or a word before it. */
const PLAIN = /^[\w ./,()-]*$/u;
const WORD_BEFORE = /--|\b(?:is|was|bearer|basic) /iu;

function hideShapes(text: string): string {
  // Nearly all texts; to compile the expressions below takes as long as to show a small catalog.
  if (PLAIN.test(text) && !WORD_BEFORE.test(text)) return text;
  const plain = withoutCredentials(
    text
      .replace(HEADER, `$1${MASK}`)
      .replace(PRIVATE_KEY, `$1${MASK}`)
      .replace(/([?&](?:sig|signature|x-amz-signature|x-goog-signature)=)[^&\s"'#]{1,2000}/giu, `$1${MASK}`)
      .replace(/\b(digest\s[^\r\n]{0,400}?\bresponse\s?=\s?\\{0,15}["']?)[^\s"',\\]+/giu, `$1${MASK}`)
      .replace(/\b(jdbc:oracle:\w{1,9}:[^\s/@"']{1,80}\/)[^\s@"']{1,200}(?=@)/giu, `$1${MASK}`)
      .replace(/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}/giu, `$1 ${MASK}`),
  );
  const shown = [QUOTED_KEY, QUOTED_KEYS, BARE_KEY, QUOTED_FLAG, NAMED_VALUE]
    .reduce(hideValues, plain.replace(YAML_BLOCK, `$1${MASK}`))
    .replace(SHELL_WORD, MASK)
    .replace(SAID_VALUE, `$1${MASK}`)
    .replace(ATTRIBUTE, `$1${MASK}`)
    .replace(MARKUP, `$1${MASK}`)
    .replace(/(--[\w-]{1,80})(\s+)(?!-)[^\s"']+/gu, maskValue);
  return hideNamed(hideValuesOfNames(shown));
}

/** Hides words after secret names, also where the name is in another value (`--set=1.password=...`). */
function hideNamed(text: string): string {
  return hideAt(text, NAME, (match, at) => (looksSecret(match[1] ?? '') ? at + matchAt(WORD, text, at).length : at));
}

/** Hides values in front of their names. */
function hideValuesOfNames(text: string): string {
  return hideAt(text, VALUE_BEFORE, (_, at) => {
    const end = endOfValue(text, at);
    const [, , , name = ''] = execAt(NAME_BEHIND, text, end) ?? [];
    return text[at] !== '{' && text[at] !== '[' && looksSecret(name) ? end : at;
  });
}

/** Puts the mask behind each match, up to the end that it is told; nothing where that is at once. */
function hideAt(text: string, before: RegExp, endOf: (match: RegExpExecArray, at: number) => number): string {
  let shown = '';
  let done = 0;
  for (const match of text.matchAll(before)) {
    const at = match.index + match[0].length;
    const end = match.index < done ? at : endOf(match, at);
    if (end === at) continue;
    // A number or an object of JSON becomes a text, so that it stays JSON.
    const quote = matchAt(OPENING, text, at) || quoteOf(before, match);
    shown += `${text.slice(done, at)}${quote}${MASK}${quote}`;
    done = end;
  }
  return done === 0 ? text : shown + text.slice(done);
}

const IN_QUOTES: ReadonlySet<RegExp> = new Set([QUOTED_KEY, QUOTED_KEYS, NAMED_VALUE, VALUE_BEFORE]);

/** The quotes of a name in quotes. */
const quoteOf = (before: RegExp, [, backslashes = '', mark = '']: RegExpExecArray): string =>
  IN_QUOTES.has(before) ? backslashes + mark : '';

/** Hides the value after each match: a quoted text to its end, or to the end of a truncated text. */
function hideValues(text: string, before: RegExp): string {
  return hideAt(text, before, (match, at) => {
    if (before === QUOTED_KEY && isSaid(text, match.index, at)) return at;
    if (before === QUOTED_KEY && SPOKEN_OF.test(text.slice(Math.max(0, match.index - 20), match.index)))
      return Math.max(at + matchAt(LINE, text, at).length, endOfValue(text, at));
    return NOT_SECRET.test(match[3] ?? match[0].replace(/\W+$/u, '')) ? at : endOfValue(text, at);
  });
}

function isSaid(text: string, from: number, at: number): boolean {
  if (!text.slice(from, at).endsWith('": ')) return false;
  const [start, end] = [text.slice(Math.max(0, from - 20), from), text.slice(at, at + 30)];
  return (THING.test(start) && SENTENCE.test(end)) || (HOLDER.test(start) && SAID.test(end));
}

function endOfValue(text: string, at: number): number {
  const quote = matchAt(OPENING, text, at);
  if (text[at] === '{' || text[at] === '[') return endOfNested(text, at);
  if (quote === '') return at + matchAt(BARE_VALUE, text, at).length;
  const last = Math.min(text.length, at + LONGEST_VALUE);
  const mark = quote.slice(-1);
  let end = at + quote.length;
  for (let backslashes = 0; end < last; end += 1) {
    // With n backslashes before the opening quote, each backslash of the value itself is written as 2 (n + 1).
    if (text[end] === mark && backslashes % (2 * quote.length) === quote.length - 1) return end + 1;
    backslashes = text[end] === '\\' ? backslashes + 1 : 0;
  }
  return text.length;
}

/** The end of a list or an object; of one that is cut or too long to search, that of the text. */
function endOfNested(text: string, at: number): number {
  const last = Math.min(text.length, at + LONGEST_VALUE);
  for (let depth = 0, end = at; end < last;) {
    if (matchAt(OPENING, text, end) !== '') {
      end = endOfValue(text, end);
      continue;
    }
    depth += '{['.includes(text[end] ?? ' ') ? 1 : '}]'.includes(text[end] ?? ' ') ? -1 : 0;
    end += 1;
    if (depth === 0) return end;
  }
  return text.length;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  return execAt(pattern, text, at)?.[0] ?? '';
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function maskValue(all: string, key: string, between: string): string {
  return looksSecret(key) ? `${key}${between}${MASK}` : all;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
