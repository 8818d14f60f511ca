import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { rawServer } from '../support/raw-server.js';
import { startRecordingProxy } from '../support/recording-proxy.js';
import { ROOT, runCli, withTempDir, type RunResult } from '../support/processes/run-cli.js';
import { withUpgradeSite } from '../support/sites/upgrade-site.js';

const sampleHub = {
  files: new Map([['packages.json', Buffer.from('[]')]]),
  fingerprint: '0'.repeat(40),
  publicKey: '',
  sign: async () => '',
};

const TLS = join(ROOT, 'test', 'fixtures', 'tls');
const PRELOAD = join(ROOT, 'test/support/processes/fault-preload.cjs');

interface Finding {
  readonly id: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  readonly fix?: string;
}

/** What doctor found, by id; the document is an error where a check failed. */
function findings({ stdout }: RunResult): Readonly<Record<string, Finding>> {
  const { items, item } = JSON.parse(stdout) as { items?: Finding[]; item?: { items: Finding[] } };
  return Object.fromEntries((items ?? item?.items ?? []).map((one) => [one.id, one]));
}

describe('doctor', () => {
  it('finds a platform in order, and writes nothing on it', () =>
    withUpgradeSite({ sampleHub }, async (site) => {
      const result = await site.cdapctl(['doctor', '-u', site.url, '--json']);
      const found = findings(result);
      expect(result.code, result.stdout).toBe(0);
      const ids = ['runtime', 'config', 'files', 'token', 'network', 'platform', 'reports'];
      expect(Object.keys(found)).toEqual(expect.arrayContaining(ids));
      expect(found['platform']).toMatchObject({ state: 'ok', message: 'CDAP 6.11.0, all services OK' });
      expect((await site.requests()).filter(({ method }) => method !== 'GET')).toEqual([]);
      const table = await site.cdapctl(['doctor', '-u', site.url]);
      expect(table.stdout).toMatch(/^ok +network +http/mu);
      expect(table.stderr).toContain('0 failures');
    }));

  it('tells a login that has expired and the way out, and ends with 11', () =>
    withUpgradeSite({ sampleHub, auth: [{ user: 'a', password: 'b', token: 'Pl4nted' }] }, async (site) => {
      const line = ['login', '-u', site.url, '--context', 'prod', '--username', 'a', '--password-stdin'];
      expect((await site.cdapctl(line, { stdin: 'b' })).code).toBe(0);
      const good = await site.cdapctl(['doctor']);
      expect(good.code).toBe(0);
      expect(good.stderr).toContain('optional, for reports above: cdapctl report service enable\n');
      const file = join(site.home, '.local', 'state', 'cdapctl', 'logins', 'prod.json');
      const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
      writeFileSync(file, JSON.stringify({ ...kept, expiresAt: Date.now() - 3 * 3_600_000 }));
      const result = await site.cdapctl(['doctor', '--json']);
      expect(result.code).toBe(11);
      const expected = { state: 'fail', fix: 'cdapctl login --context prod' };
      expect(findings(result)['token']).toMatchObject({
        ...expected,
        message: expect.stringContaining('expired 3 h ago') as string,
      });
      expect(findings(result)['network']?.state).toBe('ok');
      const { stderr } = await site.cdapctl(['doctor']);
      expect(stderr).toContain('to fix token above: cdapctl login --context prod\n');
    }));

  it('tells how long the certificate is valid and how old the catalog is, also to a build server', () =>
    withUpgradeSite({ sampleHub }, async (site) => {
      const read = (name: string): Buffer => readFileSync(join(TLS, name));
      const tls = { key: read('good.key'), cert: read('good.pem') };
      const gateway = await startRecordingProxy(site.url, { prefix: '/api', tls });
      const line = ['doctor', '-u', gateway.url, '--ca-file', join(TLS, 'root.pem'), '--junit', 'doctor.xml', '--json'];
      try {
        const first = findings(await site.cdapctl(line));
        expect(first['tls']).toMatchObject({
          state: 'ok',
          message: expect.stringMatching(
            /^TLSv1\.[23], certificate valid for \d{5} d, issued by Test Authority \(--ca-file\)$/u,
          ) as string,
        });
        expect(first['clock']?.state).toBe('ok');
        const hub = Object.keys(first).find((id) => id.startsWith('hub ')) ?? '';
        expect(first[hub]?.message).toBe('0 packages, no trusted key');
        // A fortnight before the certificate ends, and two days after the catalog was fetched.
        const late = Date.UTC(2119, 11, 17, 12) - Date.now();
        const shifted = { NODE_OPTIONS: `--require=${PRELOAD}` };
        const near = await site.cdapctl(line, { env: { ...shifted, FAULT_CLOCK: String(late) } });
        expect(findings(near)['tls']).toMatchObject({
          state: 'warn',
          message: expect.stringContaining('for 14 d') as string,
        });
        const days = await site.cdapctl(line, { env: { ...shifted, FAULT_CLOCK: String(2 * 86_400_000) } });
        expect(findings(days)[hub]?.message).toContain('catalog age 2 d');
        expect(findings(days)['clock']).toMatchObject({
          state: 'warn',
          message: expect.stringMatching(/ 172[78]\d\d s /u) as string,
        });
        expect(readFileSync(join(site.home, 'doctor.xml'), 'utf8')).toContain(
          '<testcase classname="doctor" name="tls"',
        );
      } finally {
        await gateway.close();
      }
    }));

  it('checks each hub on its own, by its name', () =>
    withUpgradeSite({}, async (site) => {
      mkdirSync(join(site.home, 'hub'));
      writeFileSync(join(site.home, 'hub', 'packages.json'), '[]');
      await site.cdapctl(['hub', 'add', 'good', './hub']);
      await site.cdapctl(['hub', 'add', 'dead', 'http://127.0.0.1:1']);
      const result = await site.cdapctl(['doctor', '-u', site.url, '--retries', '0', '--json']);
      const found = findings(result);
      expect([result.code, found['hub good']?.state, found['hub dead']?.state]).toEqual([11, 'ok', 'fail']);
      expect(found['hub dead']?.message).toContain('127.0.0.1:1');
      const wrong = findings(await site.cdapctl(['doctor', '--hub', 'other', '--json']));
      expect(wrong['hubs']).toMatchObject({ state: 'fail', message: expect.stringContaining('other') as string });
    }));

  it('finds files that others can read, and mends them only with --fix', () =>
    withTempDir(async (home) => {
      const folder = join(home, '.local', 'state', 'cdapctl', 'logins');
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(join(folder, 'prod.json'), '{}');
      chmodSync(join(folder, 'prod.json'), 0o644);
      const first = findings(await runCli(['doctor', '--json'], { home }))['files'];
      expect(first).toMatchObject({ state: 'warn', fix: expect.stringContaining('chmod 600') as string });
      expect(statSync(join(folder, 'prod.json')).mode & 0o777).toBe(0o644);
      expect(findings(await runCli(['doctor', '--json', '--fix'], { home }))['files']?.state).toBe('ok');
      expect(statSync(join(folder, 'prod.json')).mode & 0o777).toBe(0o600);
    }));

  it('fails where files of ours cannot be written, makes nothing, and names the way out, as any other command does', () =>
    withTempDir(async (home) => {
      const open = join(home, 'open');
      mkdirSync(open);
      chmodSync(open, 0o777);
      chmodSync(home, 0o555);
      try {
        // No mode stops the administrator.
        const isRoot = process.getuid?.() === 0;
        const env = isRoot ? { NODE_OPTIONS: `--require=${PRELOAD}`, FAULT_USER: '54321' } : {};
        const result = await runCli(['doctor', '--json'], { home, env });
        const way = 'export CDAPCTL_STATE_DIR=/path/to/a/folder/of/yours';
        const message = `cannot write ${join(home, '.local/state/cdapctl')}: permission denied`;
        expect([result.code, findings(result)['files']]).toMatchObject([11, { state: 'fail', message, fix: way }]);
        // Settings may be given read-only, by those who run containers.
        const own = await runCli(['doctor', '--json'], {
          home,
          env: { ...env, CDAPCTL_STATE_DIR: join(open, 'state') },
        });
        expect(findings(own)['files']).toMatchObject({ state: 'warn', fix: way.replace('STATE', 'CONFIG') });
        expect(readdirSync(open)).toEqual([]);
        mkdirSync(join(open, 'packages'));
        for (const [line, next] of [
          [['hub', 'add', 'a', 'https://127.0.0.1:1'], way.replace('STATE', 'CONFIG')],
          [['hub', 'lint', open, '--fix'], way],
        ] as const) {
          const { code, stderr } = await runCli(line, { home, env });
          expect([code, stderr]).toEqual([15, expect.stringMatching(new RegExp(`try +${next}\n`, 'u'))]);
        }
      } finally {
        // The folder is removed.
        chmodSync(home, 0o755);
      }
    }));

  it('lets no check hold up another: each has its time', () =>
    withTempDir(async (home) => {
      const silent = await rawServer(() => undefined);
      const result = await runCli(['doctor', '-u', silent.url, '--json', '--request-timeout', '1s', '--retries', '0'], {
        home,
      });
      const found = findings(result);
      expect([result.code, found['network']?.state, found['runtime']?.state]).toEqual([11, 'fail', 'ok']);
      await silent.close();
    }));

  it('writes a bundle for its owner alone and without a secret, over another one where that is asked for', () =>
    withUpgradeSite({ auth: [{ user: 'a', password: 'b', token: 'Pl4nted-token' }] }, async (site) => {
      const env = {
        CDAPCTL_TOKEN: 'Pl4nted-token',
        CDAPCTL_PROXY: '',
        https_proxy: 'http://me:Pl4nted-pass@127.0.0.1:1',
        CDAPCTL_HUB: 'http://me:Pl4nted-pass@127.0.0.1:1',
      };
      const command = `print -su me:Pl4nted-user --password=Pl4nted-word`;
      await site.cdapctl(['context', 'add', 'prod', '-u', site.url, '--token-command', command]);
      await site.cdapctl(['doctor', '--bundle', 'b.json'], { env });
      const file = join(site.home, 'b.json');
      const text = readFileSync(file, 'utf8');
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(text).not.toMatch(/Pl4nted|UGw0bnRlZ/u);
      expect(JSON.parse(text)).toMatchObject({ environment: { CDAPCTL_TOKEN: '***', https_proxy: '(set)' } });
      const again = await site.cdapctl(['doctor', '--bundle', 'b.json'], { env });
      expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('--clobber')]);
      writeFileSync(file, 'old');
      await site.cdapctl(['doctor', '--bundle', 'b.json', '--clobber']);
      expect([statSync(file).mode & 0o777, readFileSync(file, 'utf8')]).toEqual([0o600, expect.stringContaining('{')]);
      expect(readFileSync(file, 'utf8')).toContain('print ***');
      expect(readFileSync(file, 'utf8')).not.toContain('Pl4nted');
    }));
});
