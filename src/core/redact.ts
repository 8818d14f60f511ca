const MASK = '***';
const SHORTEST = 4;
const SECRET_WORDS =
  /(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credentials?|api[-_. ]?key|access[-_. ]?key|private[-_. ]?key|signing[-_. ]?key|authorization|cookie)$/iu;
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

function hideShapes(text: string): string {
  return text
    .replace(/\b((?:proxy-)?authorization["']?\s*[:=]\s*["']?)[^\r\n"']+/giu, `$1${MASK}`)
    .replace(/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{4,}/giu, `$1 ${MASK}`)
    .replace(/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]+(?:@[^\s/?#"'<>@]+)*@/giu, `$1${MASK}@`)
    .replace(
      /(["'])([\w .-]{1,80})\1(\s*:\s*)"(?:[^"\\]|\\.){0,20000}"/gu,
      (all, quote: string, key: string, colon: string) =>
        looksSecret(key) ? `${quote}${key}${quote}${colon}"${MASK}"` : all,
    )
    .replace(/(--[\w-]{1,80})(\s+)(?!-)[^\s"']+/gu, maskValue)
    .replace(/(?<![\w.-])([A-Za-z][\w.-]{0,80})(\s{0,5}[=:]\s{0,5})(?!["'*\s])[^\s&;,"'<>{}[\]]+/gu, maskValue);
}

function maskValue(all: string, key: string, between: string): string {
  return looksSecret(key) ? `${key}${between}${MASK}` : all;
}

/** The secret as it is, inside JSON, in a URL, in a form, and the part of its base64 that does not depend on its neighbours. */
function spellings(secret: string): string[] {
  const encoded = encodeURIComponent(Buffer.from(secret).toString());
  const texts = [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encoded,
    new URLSearchParams({ s: secret }).toString().slice(2),
  ];
  return [...texts, ...[0, 1, 2].flatMap((offset) => base64Core(secret, offset))];
}

/** A secret may stand anywhere in what was encoded (`user:secret`), so its first byte falls on one of three places of a base64 group. */
function base64Core(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const core = bytes.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((bytes.length * 8) / 6));
  return core.length < SHORTEST ? [] : [core, core.replaceAll('+', '-').replaceAll('/', '_')];
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}
