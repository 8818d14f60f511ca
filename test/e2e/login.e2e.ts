import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CTRL_D, ENTER, startPty } from '../support/processes/pty.js';
import { startRecordingProxy } from '../support/recording-proxy.js';
import { rawAnswer, rawServer } from '../support/raw-server.js';
import { startStallingProxy } from '../support/stalling-proxy.js';
import { runCli, withTempDir, type RunOptions, type RunResult } from '../support/processes/run-cli.js';
import { withUpgradeSite, type UpgradeSite } from '../support/sites/upgrade-site.js';

const PASSWORD = 'Pl4nted-password';
const ALICE = { user: 'alice', password: PASSWORD, token: 'Pl4nted-token', seconds: 3600 };
const hasTerminals = existsSync('/usr/bin/script');

const logins = (site: UpgradeSite): string => join(site.home, '.local', 'state', 'cdapctl', 'logins');

/** Runs the tool; no secret is ever in what it says. */
async function run(site: UpgradeSite, words: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  const result = await site.cdapctl(words, options);
  expect(`${result.stdout}${result.stderr}`).not.toMatch(/Pl4nted|UGw0bnRlZ|YWxpY2U6/u);
  return result;
}

const withSite = (use: (site: UpgradeSite) => Promise<void>, now?: () => number): Promise<void> =>
  withUpgradeSite({ auth: [ALICE], ...(now !== undefined && { now }) }, use);

const logIn = (site: UpgradeSite, ...more: readonly string[]): Promise<RunResult> =>
  run(site, ['login', '-u', site.url, '--username', 'alice', '--password-stdin', ...more], { stdin: `${PASSWORD}\n` });

describe('a login', () => {
  it('adds a context, keeps the token in a file of its own, and is used from then on', () =>
    withSite(async (site) => {
      const { code, stdout, stderr } = await logIn(site);
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${site.url} requires login (auth server`)]);
      expect(stdout).toMatch(/^Logged in as alice until \d{4}-\d\d-\d\d \d\d:\d\d \(context 127\.0\.0\.1\)\n$/u);
      const file = join(logins(site), '127.0.0.1.json');
      expect(stderr).toContain(`the token will be stored in ${file}`);
      expect([statSync(file).mode & 0o777, statSync(logins(site)).mode & 0o777]).toEqual([0o600, 0o700]);
      expect(readFileSync(file, 'utf8')).not.toContain(PASSWORD);
      const who = await run(site, ['whoami', '--json']);
      expect(JSON.parse(who.stdout)).toMatchObject({
        kind: 'Identity',
        item: { context: '127.0.0.1', url: site.url, authentication: true, user: 'alice', namespaces: ['default'] },
      });
      expect((await run(site, ['namespace', 'list', '-o', 'name'])).stdout).toBe('default\n');
      await run(site, ['context', 'add', 'other', '-u', site.url]);
      const credentials = async (): Promise<string> =>
        (await run(site, ['context', 'list', '-o', 'csv', '--fields', 'name,credentials', '--no-headers'])).stdout;
      expect(await credentials()).toBe('127.0.0.1,stored\r\nother,none\r\n');
      expect((await run(site, ['context', 'list', '-o', 'wide'])).stdout).toMatch(/ LOGIN\n.* stored\n.* none\n/u);
      const kept = readFileSync(file, 'utf8');
      writeFileSync(file, JSON.stringify({ ...(JSON.parse(kept) as object), expiresAt: Date.now() - 1000 }));
      expect(await credentials()).toBe('127.0.0.1,expired\r\nother,none\r\n');
      writeFileSync(file, kept);
      const out = await run(site, ['logout', '-y']);
      expect([out.code, out.stdout]).toEqual([0, expect.stringContaining('logged out')]);
      expect(existsSync(file)).toBe(false);
      const gone = await run(site, ['whoami']);
      expect([gone.code, gone.stderr]).toEqual([3, expect.stringMatching(/^ {2}try +cdapctl login --context/mu)]);
      expect((await run(site, ['doctor'])).stderr).toMatch(/platform above: cdapctl login --context 127\.0\.0\.1$/mu);
      expect((await run(site, ['logout', '--all', '--json'])).stdout).toContain('"items":[]');
    }));

  it('takes the password from a file, for a named context, with a longer life', () =>
    withSite(async (site) => {
      writeFileSync(join(site.home, 'password'), `${PASSWORD}\r\n`, { mode: 0o600 });
      const line = ['login', '-u', site.url, '--context', 'prod', '--username', 'alice'];
      const { code, stdout } = await run(site, [...line, '--password-file', 'password', '--extended', '--json']);
      const { item } = JSON.parse(stdout) as { item: { context: string; expiresAt: string } };
      expect([code, item.context]).toEqual([0, 'prod']);
      expect(Date.parse(item.expiresAt) - Date.now()).toBeGreaterThan(6 * 3_600_000);
    }));

  it('imports the token that the CLI of the platform has stored, with its user and its end', () =>
    withUpgradeSite({ auth: [{ ...ALICE, seconds: undefined }] }, async (site) => {
      const line = ['login', '-u', site.url, '--import'];
      const file = join(site.home, '.cdap.accesstoken.127.0.0.1');
      const none = await run(site, line);
      expect([none.code, none.stderr]).toEqual([
        15,
        expect.stringMatching(/has stored no token for 127\.0\.0\.1 \(.*\n {2}try +cdapctl login -u \S+\n/u),
      ]);
      const accessToken = { value: ALICE.token, expiresIn: 3600, tokenType: 'Bearer' };
      writeFileSync(file, JSON.stringify({ accessToken, username: 'alice' }), { mode: 0o600 });
      const { code, stdout } = await run(site, line);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^Logged in as alice until \d{4}-.* \(context 127/u)]);
      expect((await run(site, ['whoami', '-o', 'csv', '--fields', 'user', '--no-headers'])).stdout).toBe('alice\r\n');
      writeFileSync(join(site.home, 'other'), JSON.stringify({ accessToken: { value: 'Pl4nted-no' } }), {
        mode: 0o600,
      });
      const misused = await run(site, [...line, '--json'], { env: { ACCESS_TOKEN: ALICE.token } });
      expect([misused.code, misused.stdout]).toEqual([
        15,
        expect.stringContaining('no file at the path in ACCESS_TOKEN'),
      ]);
      expect(misused.stdout).not.toContain(ALICE.token);
      const other = await run(site, line, { env: { ACCESS_TOKEN: 'other' } });
      expect([other.code, other.stderr]).toEqual([3, expect.stringContaining('does not accept the token')]);
      expect((await run(site, [...line, '-a', 'other'])).code).toBe(2);
      expect((await run(site, [...line, '--username', 'alice'])).code).toBe(2);
    }));

  it('of --no-store is only tried', () =>
    withSite(async (site) => {
      const { code, stdout, stderr } = await logIn(site, '--no-store');
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('ogged in')]);
      expect(stdout).toMatch(/^The login of alice works until \d{4}-\d\d-\d\d \d\d:\d\d; nothing is stored\n$/u);
      expect(existsSync(logins(site))).toBe(false);
      expect((await run(site, ['context', 'list', '-o', 'name'])).stdout).toBe('');
    }));

  it('with a wrong password ends with 3 and keeps nothing', () =>
    withSite(async (site) => {
      const words = ['login', '-u', site.url, '--username', 'alice', '--password-stdin'];
      const { code, stderr } = await run(site, words, { stdin: 'no' });
      expect([code, existsSync(logins(site))]).toEqual([3, false]);
      expect(stderr).toContain('does not accept this user and password');
    }));

  it('off a terminal names what is missing', () =>
    withSite(async (site) => {
      const { code, stderr } = await run(site, ['login', '-u', site.url]);
      expect(code).toBe(2);
      expect(stderr).toContain(`cdapctl login -u ${site.url} --username USER --password-file FILE`);
    }));

  it('to a platform without authentication adds the context and says so', () =>
    withUpgradeSite({}, async (site) => {
      expect((await run(site, ['login', '-u', site.url, '--no-store'])).code).toBe(0);
      expect((await run(site, ['context', 'list', '-o', 'name'])).stdout).toBe('');
      const { code, stdout } = await run(site, ['login', '-u', site.url, '--context', 'prod']);
      expect([code, stdout]).toEqual([0, `No login needed for ${site.url} (context prod)\n`]);
      expect((await run(site, ['whoami'])).stdout).toContain('none: no login needed');
    }));

  it('to a platform that names no authentication server takes a token from a file', () =>
    withTempDir(async (home) => {
      const server = await rawServer((socket, { headers }) => {
        const isGood = headers['authorization'] === 'Bearer Pl4nted-token';
        const close = { connection: 'close' };
        socket.end(isGood ? rawAnswer(200, '{"version":"6.11.0"}', close) : rawAnswer(401, '<html>', close));
      });
      writeFileSync(join(home, 'token'), 'Pl4nted-token', { mode: 0o600 });
      const without = await runCli(['login', '-u', server.url], { home });
      expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('--token-command COMMAND')]);
      const { code, stdout, stderr } = await runCli(['login', '-u', server.url, '-a', 'token'], { home });
      expect([code, stdout]).toEqual([0, 'Logged in (context 127.0.0.1)\n']);
      expect(stderr).not.toContain('Pl4nted');
      await server.close();
    }));

  it.skipIf(!hasTerminals)('on a terminal asks without showing the password, and again after a wrong one', () =>
    withSite(async (site) => {
      const pty = startPty(['login', '-u', site.url, '--context', 'prod'], site.home, join(site.home, 'result'));
      await pty.see('User:');
      pty.type(`alice${ENTER}`);
      await pty.see('Password:');
      pty.type(`wrong-word${ENTER}`);
      await pty.see('does not accept this user and password');
      await pty.see('User:');
      pty.type(`alice${ENTER}`);
      await pty.see('Password:');
      pty.type(`${PASSWORD}${ENTER}`);
      expect(await pty.end()).toBe(0);
      expect(pty.shown()).not.toMatch(/Pl4nted|wrong-word/u);
      expect(readFileSync(join(site.home, 'result'), 'utf8')).toContain('Logged in as alice until');
    }),
  );

  it.skipIf(!hasTerminals)('on a terminal can be left', () =>
    withSite(async (site) => {
      const pty = startPty(['login', '-u', site.url], site.home, join(site.home, 'result'));
      await pty.see('User:');
      pty.type(CTRL_D);
      expect([await pty.end(), existsSync(logins(site))]).toEqual([13, false]);
    }),
  );
});

describe('the token of a login', () => {
  it('P02: that has expired is told before anything is sent, with the next step', () =>
    withSite(async (site) => {
      await logIn(site, '--context', 'prod');
      const file = join(logins(site), 'prod.json');
      const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      writeFileSync(file, JSON.stringify({ ...kept, expiresAt: 1_700_000_000_000 }));
      await site.forget();
      const { code, stderr } = await run(site, ['namespace', 'list']);
      expect([code, await site.requests()]).toEqual([3, []]);
      expect(stderr).toMatch(/the login to context "prod" expired at 2023-11-1[45] \d\d:\d\d /u);
      expect(stderr).toContain('cdapctl login --context prod');
    }));

  it('goes to the address of its context only, follows a new name, and ends with the context', () =>
    withSite(async (site) => {
      await logIn(site, '--context', 'prod');
      const elsewhere = await startRecordingProxy(site.url);
      const authorizations = async () => (await site.requests()).map(({ headers }) => headers['authorization']);
      await site.forget();
      expect((await run(site, ['namespace', 'list', '-u', elsewhere.url])).code).toBe(3);
      expect((await run(site, ['namespace', 'list', '--context', 'prod', '-u', elsewhere.url])).code).toBe(3);
      expect(await authorizations()).toEqual([undefined, undefined]);
      await elsewhere.close();
      await run(site, ['context', 'rename', 'prod', 'live']);
      expect((await run(site, ['namespace', 'list'])).code).toBe(0);
      await run(site, ['context', 'remove', 'live', '-y']);
      expect(existsSync(join(logins(site), 'live.json'))).toBe(false);
    }));

  it('is used for the very address that a line names without its context', () =>
    withSite(async (site) => {
      await logIn(site, '--context', 'prod');
      await run(site, ['context', 'add', 'other', '-u', 'http://127.0.0.1:9']);
      const named = await run(site, ['whoami', '-u', `${site.url}/`, '-v']);
      expect([named.code, named.stderr]).toEqual([
        0,
        expect.stringContaining(`using the login to context "prod" for ${site.url}`),
      ]);
      const spelled = [site.url.replace('127.0.0.1', 'localhost'), `${site.url}/v2`];
      for (const line of spelled.flatMap((url) => [[url], [url, '--context', 'prod']])) {
        await site.forget();
        expect((await run(site, ['whoami', '-u', ...line])).code).not.toBe(0);
        expect((await site.requests()).map(({ headers }) => headers['authorization'])).not.toContain(
          `Bearer ${ALICE.token}`,
        );
      }
      await run(site, ['context', 'add', 'twin', '-u', site.url]);
      await logIn(site, '--context', 'twin');
      const ofCurrent = await run(site, ['whoami', '-u', site.url, '-v']);
      expect([ofCurrent.code, ofCurrent.stderr]).toEqual([0, expect.stringContaining('the login to context "prod"')]);
      await run(site, ['context', 'use', 'other']);
      const { code, stderr } = await run(site, ['pipeline', 'list', '-u', site.url, '-n', 'etl']);
      expect([code, stderr]).toEqual([3, expect.stringContaining('several contexts have this URL: prod, twin')]);
      expect(stderr).toContain('cdapctl pipeline list -n etl --context prod');
    }));

  it('may be in a file that its context names, for the URL of the context only', () =>
    withUpgradeSite({ auth: [{ ...ALICE, seconds: undefined }] }, async (site) => {
      writeFileSync(join(site.home, 'token'), ALICE.token, { mode: 0o600 });
      await run(site, ['context', 'add', 'prod', '-u', site.url, '--token-file', 'token']);
      expect((await run(site, ['namespace', 'list', '-o', 'name'])).stdout).toBe('default\n');
      await site.forget();
      const elsewhere = site.url.replace('127.0.0.1', 'localhost');
      expect((await run(site, ['namespace', 'list', '--context', 'prod', '-u', elsewhere])).code).toBe(3);
      expect((await site.requests()).map(({ headers }) => headers['authorization'])).not.toContain(
        `Bearer ${ALICE.token}`,
      );
    }));

  it('L13: is refused in a file that others can read', () =>
    withSite(async (site) => {
      await logIn(site, '--context', 'prod');
      chmodSync(join(logins(site), 'prod.json'), 0o644);
      const { code, stderr } = await run(site, ['namespace', 'list']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('chmod 600')]);
    }));

  it('is not used where another token is given', () =>
    withSite(async (site) => {
      await logIn(site, '--context', 'prod');
      const variable = await run(site, ['namespace', 'list'], { env: { CDAPCTL_TOKEN: 'another' } });
      expect([variable.code, variable.stderr]).toEqual([
        3,
        expect.stringContaining('# and then remove CDAPCTL_TOKEN\n'),
      ]);
      expect((await run(site, ['namespace', 'list', '--token-command', 'echo another'])).code).toBe(3);
      expect((await run(site, ['namespace', 'list'])).code).toBe(0);
    }));

  it('with a token from a file names the other token that is used in its place', () =>
    withUpgradeSite({ auth: [{ ...ALICE, seconds: undefined }] }, async (site) => {
      writeFileSync(join(site.home, 'token'), ALICE.token, { mode: 0o600 });
      const line = ['login', '-u', site.url, '--context', 'prod', '-a', 'token'];
      const alone = await run(site, line);
      expect([alone.code, alone.stderr]).toEqual([0, expect.not.stringContaining('instead of this login') as string]);
      const variable = await run(site, line, { env: { CDAPCTL_TOKEN: 'another' } });
      expect([variable.code, variable.stderr]).toEqual([
        0,
        expect.stringContaining('the token in CDAPCTL_TOKEN is used instead of this login'),
      ]);
      await run(site, ['context', 'set', 'prod', '--token-command', 'echo another']);
      expect((await run(site, line)).stderr).toContain('the token of echo (context "prod") is used instead of');
    }));

  it('takes the place of the rejected token of a context with the commands that the error prints', () =>
    withSite(async (site) => {
      await run(site, ['context', 'add', 'prod', '-u', site.url, '--token-command', 'echo another']);
      const rejected = await run(site, ['namespace', 'list']);
      const clear = "cdapctl context set prod --token-command ''";
      expect(rejected.stderr.replaceAll(/\n +/gu, '\n')).toContain(
        `${clear}  # to use a login in its place\ncdapctl login --context prod\n`,
      );
      expect((await logIn(site, '--context', 'prod')).stderr).toContain(
        `is used instead of this login; to use this login: ${clear}\n`,
      );
      expect((await run(site, ['context', 'set', 'prod', '--token-command', ''])).code).toBe(0);
      expect((await run(site, ['namespace', 'list'])).code).toBe(0);
    }));

  it('that is rejected names the login that is needed', () => {
    let time = Date.now();
    return withSite(
      async (site) => {
        await logIn(site, '--context', 'prod');
        // For the platform it is over, for this machine not yet: only a 401 tells.
        time += 3_700_000;
        expect((await run(site, ['namespace', 'list'])).stderr).toContain('was rejected');
        expect((await run(site, ['whoami'])).stderr).toContain('cdapctl login --context prod');
        expect((await logIn(site, '--context', 'prod')).code).toBe(0);
        expect((await run(site, ['namespace', 'list'])).code).toBe(0);
      },
      () => time,
    );
  });

  it('P40: that was renewed by another login is taken up in mid run', () => {
    let time = Date.now();
    return withSite(
      async (site) => {
        let isCurrent = true;
        const proxy = await startStallingProxy(site.url, undefined, async (method, path) => {
          if (isCurrent || `${method} ${path}` !== 'GET /v3/namespaces') return;
          // The token of the request that is held is over meanwhile, and the login has another one.
          isCurrent = true;
          time += 3_700_000;
          const renewed = await run(site, ['login', '--context', 'prod', '--username', 'alice', '--password-stdin'], {
            stdin: `${PASSWORD}\n`,
          });
          expect(renewed.code, renewed.stderr).toBe(0);
        });
        try {
          const at = { ...site, url: proxy.url };
          expect((await logIn(at, '--context', 'prod')).code).toBe(0);
          isCurrent = false;
          void proxy.arm();
          const { code, stdout, stderr } = await run(site, ['namespace', 'list', '-o', 'name']);
          expect([code, stdout], stderr).toEqual([0, 'default\n']);
          expect(proxy.requests.filter((request) => request === 'GET /v3/namespaces').length).toBeGreaterThan(1);
        } finally {
          await proxy.close();
        }
      },
      () => time,
    );
  });
});
