import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentOf, STARTER } from '../support/processes/run-cli.js';
import { withUpgradeSite, type UpgradeSite } from '../support/sites/upgrade-site.js';

const TOKEN = 'Pl4nted-token';
const api = (site: UpgradeSite, ...words: readonly string[]) => site.cdapctl(['api', ...words, '-u', site.url]);
const NEW = '/v3/namespaces/made';

describe('api', () => {
  it('prints what a GET answers, as it is or with its status for programs', () =>
    withUpgradeSite({}, async (site) => {
      const plain = await api(site, 'get', '/v3/version');
      expect([plain.code, plain.stdout.trim()]).toEqual([0, '{"version":"6.11.0"}']);
      expect((await api(site, 'GET', '/v3/version', '--raw')).stdout).toBe('{"version":"6.11.0"}');
      expect(JSON.parse((await api(site, 'GET', '/v3/version', '--json')).stdout)).toMatchObject({
        kind: 'ApiResponse',
        item: { method: 'GET', path: '/v3/version', status: 200, body: { version: '6.11.0' } },
      });
      const found = await api(site, 'POST', '/v3/metrics/search?target=tag', '-y');
      expect([found.code, found.stdout.startsWith('[')]).toEqual([0, true]);
    }));

  it('prints status and headers in front of the body with --include', () =>
    withUpgradeSite({}, async (site) => {
      const { stdout } = await api(site, 'GET', '/v3/version', '--include');
      expect(stdout).toMatch(/^HTTP\/1\.1 200\n(?:[\w-]+: .*\n)+\n\{"version":"6\.11\.0"\}\n$/u);
      expect((await api(site, 'GET', '/v3/version', '--include', '--raw')).stdout).toMatch(/^HTTP.*\n\n\{[^\n]*\}$/su);
      const { item } = JSON.parse((await api(site, 'GET', '/v3/version', '--include', '--json')).stdout) as {
        item: { headers: Record<string, string> };
      };
      expect(item.headers['content-type']).toContain('json');
    }));

  it('follows the pages of a GET with --paginate', () =>
    withUpgradeSite({ seed: { pipelines: [{ count: 7 }] } }, async (site) => {
      const path = '/v3/namespaces/default/apps?pageSize=3';
      const { stdout } = await api(site, 'GET', path, '--paginate', '--json');
      const { item } = JSON.parse(stdout) as { item: { body: { applications: { name: string }[] }[] } };
      const names = item.body.flatMap(({ applications }) => applications.map(({ name }) => name));
      expect([names.length, new Set(names).size, item.body.length]).toEqual([7, 7, 3]);
      const plain = (await api(site, 'GET', path, '--paginate')).stdout.trim().split('\n');
      expect(plain.map((line) => (JSON.parse(line) as { applications: unknown[] }).applications.length)).toEqual([
        3, 3, 1,
      ]);
      expect((await api(site, 'GET', '/v3/namespaces', '--paginate')).code).toBe(0);
      const write = await api(site, 'PUT', NEW, '--paginate', '-y');
      expect([write.code, await site.writes()]).toEqual([2, []]);
    }));

  it.each([
    ['text', ['--data', '{"description":"by hand"}'], undefined],
    ['a file', ['--data', '@body.json'], undefined],
    ['stdin', ['--data', '-'], '{"description":"by hand"}'],
  ])('sends a write with %s once, after a yes', (_, data, stdin) =>
    withUpgradeSite({}, async (site) => {
      writeFileSync(join(site.home, 'body.json'), '{"description":"by hand"}');
      const line = ['api', 'PUT', NEW, ...data, '-u', site.url];
      const given = stdin === undefined ? {} : { stdin };
      expect((await site.cdapctl(line, given)).code).toBe(13);
      expect(await site.writes()).toEqual([]);
      expect((await site.cdapctl([...line, '-y'], given)).code).toBe(0);
      expect(await site.writes()).toEqual([`PUT ${NEW}`]);
      expect((await api(site, 'GET', NEW)).stdout).toContain('by hand');
    }),
  );

  it('sends bytes from stdin as they are', () =>
    withUpgradeSite({}, async (site) => {
      const bytes = Buffer.from([0x50, 0x4b, 0x03, 0x04, 0xff, 0xfe, 0x00, 0x80, 0x0a]);
      const line = ['api', 'POST', '/v3/namespaces/default/artifacts/x', '--data', '-', '-y', '-u', site.url];
      const run = execFile(process.execPath, [STARTER, ...line], { cwd: site.home, env: environmentOf(site.home) });
      run.stdin?.end(bytes);
      await once(run, 'close');
      const sent = (await site.requests()).find(({ method }) => method === 'POST');
      expect(sent).toMatchObject({ bodySha256: createHash('sha256').update(bytes).digest('hex') });
    }));

  it('wants the name of a protected context', () =>
    withUpgradeSite({}, async (site) => {
      await site.cdapctl(['context', 'add', 'prod', '-u', site.url, '--protected']);
      expect((await site.cdapctl(['api', 'PUT', NEW, '-y'])).code).toBe(13);
      expect(await site.writes()).toEqual([]);
      expect((await site.cdapctl(['api', 'PUT', NEW, '--confirm', 'prod'])).code).toBe(0);
    }));

  it.each([
    ['a path that is absent', ['GET', '/v3/namespaces/nowhere'], 5, 'nowhere'],
    ['a bad request', ['PUT', '/v3/namespaces/a-b', '-y'], 11, 'with status 400'],
    ['another method', ['PATCH', '/v3/version'], 2, 'unknown method'],
    ['a path without a slash', ['GET', 'v3/version'], 2, 'begins with /'],
    ['another host', ['GET', '//example.com/x'], 2, 'begins with /'],
    ['a path that leads up', ['GET', '/v3/../x'], 2, 'begins with /'],
    ['a path that leads up in disguise', ['GET', '/v3/%2E%2e/x'], 2, 'begins with /'],
    ['a token on the line', ['GET', '/v3/version', '--header', `Authorization: Bearer ${TOKEN}`], 2, '-a FILE'],
    ['a header whose name is none', ['PUT', NEW, '--header', 'a(b: c', '-y'], 2, '--header takes NAME:VALUE'],
    ['a header of two lines', ['PUT', NEW, '--header', 'x-a: b\r\nx-c: d', '-y'], 2, '--header takes NAME:VALUE'],
    ['data of a GET', ['GET', '/v3/version', '--data', '{}'], 2, 'a GET request has no data'],
  ])('refuses %s', (_, words, code, says) =>
    withUpgradeSite({}, async (site) => {
      const result = await api(site, ...words);
      expect([result.code, result.stderr]).toEqual([code, expect.stringContaining(says)]);
      expect(`${result.stdout}${result.stderr}`).not.toContain(TOKEN);
    }),
  );

  it('prints the body of a refusal, with its code', () =>
    withUpgradeSite({}, async (site) => {
      const line = ['GET', '/v3/namespaces/nowhere'];
      const plain = await api(site, ...line);
      expect([plain.code, plain.stdout]).toEqual([5, expect.stringMatching(/nowhere.*\n$/u)]);
      expect(plain.stderr).not.toContain('server said');
      const raw = await api(site, ...line, '--raw', '--include');
      expect([raw.code, raw.stdout]).toEqual([5, expect.stringMatching(/^HTTP\/1\.1 404\n.*\n\n.*nowhere/su)]);
      const { error, item } = JSON.parse((await api(site, ...line, '--json')).stdout) as Record<string, object>;
      expect(error).toMatchObject({ code: 'NOT_FOUND' });
      expect(item).toMatchObject({ status: 404, path: line[1], body: expect.anything() as unknown });
    }));

  it('ends with 16 when the answer to a write is lost, and does not send it again', () =>
    withUpgradeSite({}, async (site) => {
      await site.fail({ match: { path: NEW }, kind: 'reset', when: 'after', times: 9 });
      const { code, stderr } = await api(site, 'PUT', NEW, '-y');
      expect([code, await site.writes()]).toEqual([16, [`PUT ${NEW}`]]);
      expect(stderr).toContain('check on the platform before you send it again');
    }));

  it('hides secrets in the body and in traces, but for --raw', () =>
    withUpgradeSite({ auth: [{ user: 'a', password: 'b', token: TOKEN }] }, async (site) => {
      const env = { CDAPCTL_TOKEN: TOKEN };
      const body = JSON.stringify({ seen: TOKEN, password: 'Pl4nted-word' });
      const fault = { match: { path: '/v3/version' }, kind: 'status', status: 200, when: 'before', body };
      const run = async (...words: readonly string[]) => {
        await site.fail({ ...fault, times: 1, match: { path: '/v3/profiles' } });
        return site.cdapctl(['api', 'GET', '/v3/profiles', '-u', site.url, ...words], { env });
      };
      const quiet = await run('--debug');
      expect([quiet.code, `${quiet.stdout}${quiet.stderr}`]).toEqual([0, expect.not.stringContaining('Pl4nted')]);
      expect((await run('--raw')).stdout).toBe(body);
      const line = ['api', 'GET', `/v3/version?access_token=${TOKEN}`, '-u', site.url, '--json'];
      const typed = await site.cdapctl(line, { env });
      expect([typed.code, typed.stdout]).toEqual([0, expect.not.stringContaining('Pl4nted')]);
    }));
});
