import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it as base, vi } from 'vitest';
import type { UpgradeResult } from '../../src/services/upgrade/upgrade-result.js';
import { runCli, type RunOptions, type RunResult } from '../support/processes/run-cli.js';
import { signIn } from './access-token.js';
import {
  GENERATIONS,
  makePipeline,
  openUpgradeSite,
  pipelineOf,
  uploadPlugin,
  type UpgradeSite,
} from './upgrade/upgrade-site.js';

/** Deploys at once. */
const LANES = 8;
const LAST_SECONDS = 3000;
/** What a deploy with an expired token gets: a status, or a closed connection. */
const REFUSED = [401, 0];
const LONG = 900_000;
// The first deploy on a cold platform takes a minute.
vi.setConfig({ testTimeout: LONG, hookTimeout: LONG });

const address = (name: string): string => (process.env[name] ?? '').replace(/\/+$/u, '');
const PLACES: Readonly<Record<string, { readonly url: string; readonly count: number }>> = {
  '6.11.0': { url: address('CDAPCTL_SIGN_IN_URL'), count: 200 },
  '6.1.1': { url: address('CDAPCTL_SIGN_IN_URL_6_1'), count: 60 },
};
const account = process.env['CDAPCTL_SIGN_IN_ACCOUNT'] ?? '';
const [user = '', password = ''] = account.split(':');
const SECURED = GENERATIONS.flatMap((one) => {
  const place = PLACES[one.platform];
  return place === undefined ? [] : [{ ...one, ...place }];
});

interface Answer {
  readonly access_token: string;
  readonly expires_in: number;
}

describe.each(SECURED)(
  'credentials on a real platform $platform whose tokens live for seconds',
  ({ url, count, ...generation }) => {
    const it = base.skipIf(url === '');
    let site: UpgradeSite;
    let tokenAddress: string;
    const secrets = new Set([password]);

    /** Runs the tool in the home of the site; neither password nor token is ever in what it says. */
    async function cdapctl(words: readonly string[], options: RunOptions = {}): Promise<RunResult> {
      const result = await runCli(words, { home: site.home, timeout: LONG, ...options });
      const said = `${result.stdout}${result.stderr}`;
      expect([...secrets].filter((secret) => said.includes(secret))).toEqual([]);
      return result;
    }

    async function freshToken(): Promise<Answer> {
      const answer = await fetch(tokenAddress, { headers: { authorization: `Basic ${btoa(account)}` } });
      const given = (await answer.json()) as Answer;
      secrets.add(given.access_token);
      return given;
    }

    const statusWith = async (token: string): Promise<number> =>
      (await fetch(`${url}/v3/version`, { headers: { authorization: `Bearer ${token}` } })).status;

    async function expiryOf(token: string): Promise<void> {
      const limit = { timeout: LONG, interval: 250 };
      await vi.waitFor(async () => {
        expect(await statusWith(token)).toBe(401);
      }, limit);
    }

    /** A program that logs in and prints the token, and its environment; it writes down what it gave. */
    function tokenProgram(): {
      readonly flags: readonly string[];
      readonly env: Record<string, string>;
      given(): string[];
    } {
      const list = join(site.home, 'given-tokens');
      const file = join(site.home, 'get token.mjs');
      writeFileSync(list, '');
      writeFileSync(
        file,
        `import { appendFileSync } from 'node:fs';
const headers = { authorization: 'Basic ' + btoa(process.env.ACCOUNT) };
const { access_token: token } = await (await fetch('${tokenAddress}', { headers })).json();
appendFileSync(${JSON.stringify(list)}, token + '\\n');
console.log(token);
`,
      );
      return {
        flags: ['--token-command', `'${process.execPath}' '${file}'`],
        env: { ACCOUNT: account },
        given: () => readFileSync(list, 'utf8').split('\n').slice(0, -1),
      };
    }

    beforeAll(async () => {
      if (url === '') return;
      const { auth_uri: addresses } = (await (await fetch(`${url}/v3/version`)).json()) as { auth_uri: string[] };
      tokenAddress = addresses[0] ?? '';
      const { access_token: token } = JSON.parse(await signIn(url, account)) as Answer;
      secrets.add(token);
      site = await openUpgradeSite({ ...generation, url }, token);
    });
    afterAll(() => (url === '' ? undefined : site.close()));

    it('end with 3 where there are none, and nothing is sent twice', async () => {
      const { code, stderr } = await cdapctl(['namespace', 'list', '-u', site.proxy.url]);
      expect([code, site.proxy.requests.map(({ status }) => status)]).toEqual([3, [401]]);
      expect(stderr).toContain('[AUTH]');
      expect((await cdapctl(['whoami', '--json', '-u', site.proxy.url])).code).toBe(3);
    });

    it('come from a login, a file or a command, and are told to have expired', async () => {
      const login = ['login', '-u', site.proxy.url, '--context', 'secured'];
      const words = [...login, '--username', user, '--password-stdin'];
      const wrong = await cdapctl(words, { stdin: 'not-the-password\n' });
      expect([wrong.code, wrong.stderr]).toEqual([
        3,
        expect.stringContaining('does not accept this user and password'),
      ]);
      const { code, stdout, stderr } = await cdapctl(words, { stdin: `${password}\n` });
      expect([code, stdout], stderr).toEqual([0, expect.stringContaining(`Logged in as ${user} until `)]);
      const who = await cdapctl(['whoami', '--json']);
      expect([who.code, JSON.parse(who.stdout)]).toMatchObject([0, { item: { user, version: generation.platform } }]);

      const answer = await freshToken();
      const file = join(site.home, 'token');
      writeFileSync(file, JSON.stringify(answer), { mode: 0o600 });
      const list = ['namespace', 'list', '-o', 'name', '-u', site.proxy.url];
      expect((await cdapctl([...list, '-a', file])).stdout).toContain('default\n');
      const { flags, env } = tokenProgram();
      expect((await cdapctl([...list, ...flags], { env })).stdout).toContain('default\n');

      await expiryOf(answer.access_token);
      site.proxy.forget();
      const late = await cdapctl([...list, '-a', file]);
      expect([late.code, late.stderr]).toEqual([3, expect.stringContaining('expired at')]);
      expect(site.proxy.requests.map(({ status }) => status)).toEqual([401]);
      const over = await cdapctl(['namespace', 'list']);
      expect([over.code, over.stderr]).toEqual([
        3,
        expect.stringContaining('the login to context "secured" expired at'),
      ]);
      expect(site.proxy.requests.length, 'an expired login is told before anything is sent').toBe(1);

      writeFileSync(join(site.home, 'password'), `${password}\n`, { mode: 0o600 });
      const variables = { CDAPCTL_USERNAME: user, CDAPCTL_PASSWORD_FILE: 'password' };
      expect((await cdapctl([...login, '--extended'], { env: variables })).code).toBe(0);
      expect((await cdapctl(['namespace', 'list'])).code).toBe(0);
      expect((await cdapctl(['logout', '--context', 'secured', '-y'])).code).toBe(0);
      expect((await cdapctl(['namespace', 'list'])).code).toBe(3);
    });

    it('expire in the middle of an upgrade of many pipelines, and nothing is sent twice', async () => {
      // With plugins of a few bytes a deploy takes half a second: the platform unpacks the JAR of each plugin.
      const [source, sink] = [{ name: 'Reads' }, { name: 'Writes' }];
      await uploadPlugin(site, source.name, '1.0.0', 'batchsource');
      await uploadPlugin(site, sink.name, '1.0.0', 'batchsink');
      const { artifact, config } = pipelineOf(site.generation, 'orders', {});
      const [first, last] = [config.stages[0], config.stages.at(-1)];
      const ends = config.stages.filter((stage) => stage === first || stage === last);
      const connections = [{ from: first?.name ?? '', to: last?.name ?? '' }];
      const stages = ends.map((stage, at) => {
        const { name } = at === 0 ? source : sink;
        const own = { name: name.toLowerCase(), version: '1.0.0', scope: 'USER' };
        return { ...stage, plugin: { ...stage.plugin, name, artifact: own, properties: {} } };
      });
      const request = { artifact, config: { ...config, stages, connections } };
      const names = Array.from({ length: count }, (_, at) => `orders-${at}`);
      const left = names.values();
      const lane = async (): Promise<void> => {
        for (const name of left) await makePipeline(site, name, request);
      };
      await Promise.all(Array.from({ length: LANES }, lane));

      const life = (await freshToken()).expires_in * 1000;
      const program = tokenProgram();
      site.proxy.forget();
      // However fast the platform is: halfway, reads wait until the first token has seconds left, and then deploys for its
      // end. One that waits for longer is unknown if the platform closes the connection on it in place of an answer.
      const end = Date.now() + life;
      let deploys = 0;
      let nearEnd: Promise<void> | undefined;
      let expiry: Promise<void> | undefined;
      site.proxy.hold(({ method }) => {
        if (method === 'GET') return nearEnd;
        // No event says that a token is about to expire: its end is a time.
        if (++deploys === count / 2)
          nearEnd = setTimeout(end - LAST_SECONDS - Date.now()).then(() => {
            expiry = expiryOf(program.given()[0] ?? '');
          });
        return expiry;
      });
      const line = ['upgrade', '-u', site.proxy.url, '-n', site.namespace, '-y', '--json', ...program.flags];
      const run = await cdapctl(line, { env: program.env });
      for (const token of program.given()) expect(run.stdout + run.stderr).not.toContain(token);
      const { item } = JSON.parse(run.stdout) as { item: UpgradeResult };
      expect([run.code, item.summary.upgraded, item.summary.failed], run.stderr).toEqual([0, count, 0]);
      const refused = site.proxy.requests.filter(({ status }) => status === 401);
      const sent = site.proxy.requests.filter(({ method, status }) => method === 'PUT' && !REFUSED.includes(status));
      expect(refused.length).toBeGreaterThan(0);
      expect(program.given().length).toBeGreaterThan(1);
      expect(program.given().length - 1).toBeLessThanOrEqual(refused.length);
      expect(sent.map(({ status }) => status)).toEqual(names.map(() => 200));
      expect(new Set(sent.map(({ path }) => path)).size).toBe(count);
      const apps = await site.call<{ readonly artifact: { readonly version: string } }[]>('GET', '/apps');
      expect(apps.map((app) => app.artifact.version)).toEqual(names.map(() => site.generation.now[0]));
    });
  },
);
