import { addressSecrets, looksSecret } from '../core/secrets/redact.js';

/** A shorter word would hide ordinary text; behind its name it is hidden anyway. */
const SHORTEST_WORD = 6;

/** Variables that are secrets as a whole. */
const SECRET: ReadonlySet<string> = new Set(['CDAPCTL_TOKEN', 'CDAPCTL_PASSPHRASE']);

type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets on a command line and in the variables that the tool reads. Works before any setting is known. */
export function secretsGiven(argv: readonly string[], env: Environment): readonly string[] {
  const token = env['CDAPCTL_TOKEN']?.trim().replace(/^bearer\s+/iu, '') ?? '';
  const inJson = [...token.matchAll(/"access_token"\s*:\s*"([^"\\]+)"/gu)].map(([, text = '']) => text);
  const variables = Object.entries(env).filter(([name]) => /^(?:CDAPCTL_\w+|\w+_proxy)$/iu.test(name));
  return [
    token,
    ...inJson,
    ...variables.flatMap(([name, value = '']) => [
      ...secretsIn(value),
      ...secretsOfWord(`${name}=${value}`, ''),
      ...value.split(/[\s,]+/u).flatMap((word) => secretsOfWord(word, '')),
    ]),
    ...argv.flatMap((word, at) => secretsOfWord(word, argv[at - 1] ?? '')),
  ].filter((secret) => secret !== '');
}

/** An environment for other programs: without the variables of the tool that hold a secret. */
export const withoutSecrets = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([name, value = '']) => !isSecret(name, value)));

const isSecret = (name: string, value: string): boolean =>
  SECRET.has(name) || (name.startsWith('CDAPCTL_') && secretsIn(value).length > 0);

/** What is secret in the text of a setting: users and passwords of the addresses in it. */
export function secretsIn(text: string): readonly string[] {
  return text.includes('@') ? [text, ...text.split(/[\s,]+/u)].flatMap(addressSecrets) : [];
}

/**
 * The secrets in one word of the line. A word is an address, `--password=text`, `--set=db.password=text` or the word
 * after `--password`.
 */
function secretsOfWord(word: string, before: string): readonly string[] {
  const pieces = word.split('=');
  const named = pieces.findIndex((name, at) => at < pieces.length - 1 && looksSecret(name));
  const said = named === -1 ? [] : [pieces.slice(named + 1).join('=')];
  const behind = before.startsWith('--') && looksSecret(before) && !word.startsWith('-') ? [word] : [];
  const words = [...said, ...behind].filter((text) => text.length >= SHORTEST_WORD);
  return [...words, ...secretsIn(word), ...secretsIn(pieces.slice(1).join('='))];
}
