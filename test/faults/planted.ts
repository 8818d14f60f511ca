import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { rawAnswer } from '../support/raw-server.js';
import { runCli, type RunResult } from '../support/processes/run-cli.js';

/** A token that no output may show. */
export const TOKEN = 'Pl4ntedT0ken/abc+71x==';
/** A password, or any other secret, that no output may show. */
export const PASSWORD = 'Pl4ntedPass/9w';
/** What no output may show of either, in any spelling. */
const PLANTED = /Pl4nted|Pl4nted(?:T0ken|Pass)|UGw0bnRlZ|BsNG50ZW|bDRudGVk/u;

/** Words of a server that has seen the token and repeats it, and other things that nobody may see. */
function echo(words: string): string {
  const config = JSON.stringify({
    properties: JSON.stringify({ password: PASSWORD, secretKey: `${PASSWORD} x`, n: 1 }),
  });
  const line = `refused ${words} "password" = "${PASSWORD}" dbPassword: '${PASSWORD}' ${config} at http://me:${PASSWORD}@db/x `;
  // The token stands across the place where the words are cut.
  return `${line}${'.'.repeat(Math.max(0, 2040 - line.length))} ${words} ${TOKEN}`;
}

/** A header with the token across the place where it is cut. */
const cutAt = (most: number, begin = 'text/html; x='): string => `${begin.padEnd(most - 9, 'x')}${TOKEN}`;

/** Responses of a platform that repeats what it should not, as a connection sends them. */
export const KINDS: Readonly<Record<string, (words: string, url: string) => Buffer>> = {
  'a refusal with 401': (words) => rawAnswer(401, echo(words), { 'WWW-Authenticate': words, 'X-Seen': words }),
  'a refusal with 403': (words) => rawAnswer(403, JSON.stringify({ error: echo(words), token: words })),
  'a failure with 500': (words) => rawAnswer(500, echo(words), { 'Content-Type': `text/plain; ${TOKEN}` }),
  'a page instead of JSON': (words) => rawAnswer(200, `<html>${echo(words)}</html>`, { 'Content-Type': cutAt(80) }),
  'JSON of another shape': (words) => rawAnswer(200, JSON.stringify([{ name: { [words]: echo(words) } }, words])),
  'a redirect': (_, url) => rawAnswer(307, '', { Location: cutAt(300, `${url}/login?access_token=${PASSWORD}&x=`) }),
};

/** Where a run finds the token: each writes what it needs into a home and gives the environment. */
export const SOURCES: readonly ((home: string, url: string) => Readonly<Record<string, string>>)[] = [
  () => ({ CDAPCTL_TOKEN: TOKEN }),
  (home) => {
    writeFileSync(join(home, 'given-token'), TOKEN, { mode: 0o600 });
    return { CDAPCTL_TOKEN_FILE: 'given-token' };
  },
  (home) => {
    writeFileSync(join(home, 'given-token'), TOKEN, { mode: 0o600 });
    return { CDAPCTL_TOKEN_COMMAND: 'cat given-token' };
  },
  (home, url) => {
    const [config, state] = [join(home, '.config', 'cdapctl'), join(home, '.local', 'state', 'cdapctl')];
    for (const folder of [config, join(state, 'logins')]) mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(config, 'config.yaml'), `version: 1\ncurrent: x\ncontexts:\n  x:\n    url: ${url}\n`);
    const login = JSON.stringify({ v: 1, context: 'x', url, token: TOKEN });
    writeFileSync(join(state, 'logins', 'x.json'), login, { mode: 0o600 });
    return {};
  },
];

/** All that a run left behind, but for logins, the cache and mirrors, which hold what hubs sent, and hubs get no token. */
function filesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(
      (name) => !/\.cache|^given|^sample[/\\]|logins[/\\]x\.json$/u.test(name) && statSync(join(folder, name)).isFile(),
    )
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('\n');
}

/** Runs a line and looks for what is planted in all that it said and left behind. */
export async function expectSilence(
  line: readonly string[],
  env: Readonly<Record<string, string>>,
  home: string,
): Promise<RunResult> {
  const result = await runCli(line, { home, env, timeout: 30_000 });
  const said = `${result.stdout}\n${result.stderr}\n${filesBelow(home)}`;
  const at = said.search(PLANTED);
  expect(at === -1 ? '' : said.slice(Math.max(0, at - 200), at + 60), line.join(' ')).toBe('');
  return result;
}

/** Flags that make the tool say more. */
export const TALK = ['--debug', '-v'];
/** The forms of a command that are tried: for people and for programs. */
export const WAYS = [TALK, [...TALK, '--json', '--trace-http', 'trace']];
