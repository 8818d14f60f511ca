import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { startCli, type RunningCli } from '../../support/processes/running-cli.js';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

const TLS = resolve(import.meta.dirname, '../../fixtures/tls');
const SAMPLES = resolve(import.meta.dirname, '../../fixtures/hub/packages');
const SECRET = 'SECRET OUTSIDE OF THE HUB';

interface Served {
  readonly home: string;
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  readonly running: RunningCli;
}

/** A hub of the sample packages that is served, beside a secret. */
async function serving(test: (served: Served) => Promise<void>, ...flags: readonly string[]): Promise<void> {
  await withTempDir(async (home) => {
    const folder = join(home, 'hub');
    cpSync(SAMPLES, join(folder, 'packages'), { recursive: true });
    expect((await runCli(['hub', 'build', './hub'], { home, cwd: home })).code).toBe(0);
    // A folder that the catalog does not list, which is not counted.
    mkdirSync(join(folder, 'packages/unlisted/1.0.0'), { recursive: true });
    for (const path of ['secret.txt', 'hub/hub.key', 'hub/packages/.hidden']) writeFileSync(join(home, path), SECRET);
    for (const name of ['good', 'self']) copyPair(name, home, name);
    const running = startCli(['hub', 'serve', './hub', '--port', '0', '--json', ...flags], {
      home,
      env: {},
      timeout: 50_000,
    });
    await running.see('to stop it');
    rmSync(join(folder, 'packages/unlisted'), { recursive: true });
    const port = Number(/:(\d+)\/v2/u.exec(running.said())?.[1]);
    try {
      await test({ home, folder, port, url: `http://127.0.0.1:${port}/v2`, running });
    } finally {
      running.kill('SIGTERM');
    }
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'HubServer', item: { port, packages: 12 } });
  });
}

/** Puts a certificate and its key, which only its owner may read, into a folder under a name. */
function copyPair(from: string, folder: string, name: string): void {
  copyFileSync(join(TLS, `${from}.pem`), join(folder, `${name}.pem`));
  copyFileSync(join(TLS, `${from}.key`), join(folder, `${name}.key`));
  chmodSync(join(folder, `${name}.key`), 0o600);
}

/** A connection over TLS to a port of this machine; whose certificate it has. */
async function secured(port: number): Promise<readonly [TLSSocket, string]> {
  const socket = tlsConnect({ port, host: '127.0.0.1', rejectUnauthorized: false }).setEncoding('latin1');
  await once(socket, 'secureConnect');
  return [socket, socket.getPeerCertificate().fingerprint256];
}

/** Asks for the catalog over a connection that stays open; the status. */
async function askAgain(socket: TLSSocket): Promise<number> {
  let answer = '';
  const take = (piece: string): void => void (answer += piece);
  socket.on('data', take);
  socket.write('GET /v2/categories.json HTTP/1.1\r\nhost: x\r\n\r\n');
  while (!answer.trimEnd().endsWith(']')) await once(socket, 'data');
  socket.off('data', take);
  return statusOf(answer);
}

/** Sends bytes and reads all that comes back until the server closes. */
async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (piece: string) => (answer += piece)).on('error', () => undefined);
  socket.write(text);
  await new Promise((done) => socket.once('close', done));
  return answer;
}

async function bytesOf(answer: AsyncIterable<unknown>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/u.exec(answer)?.[1]);
const get = (target: string, more = ''): string =>
  `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${more}\r\n`;

describe('hub serve', () => {
  it('serves a hub that our own client lists and verifies', () =>
    serving(
      async ({ home, url, running }) => {
        expect(running.said()).toContain(`<name>market.base.url</name><value>${url}</value>`);
        const list = await runCli(['hub', 'list', '--hub', url, '--json'], { home });
        expect([list.code, list.stderr]).toEqual([0, '12 packages\n']);
        expect((JSON.parse(list.stdout) as { items: unknown[] }).items).not.toEqual([]);
        const answer = await fetch(`${url}/packages.json`);
        expect([answer.status, answer.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
        const again = await fetch(`${url}/packages.json`, {
          headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
        });
        expect(again.status).toBe(304);
        expect(await (await fetch(`${url}/metadata.json`)).json()).toEqual({ marketName: 'Example hub' });
      },
      '--name',
      'Example hub',
    ));

  it('V16 V18 V21: sends no file from elsewhere, whatever is asked, 50 at a time', () =>
    serving(async ({ home, folder, port, running }) => {
      // Nothing can open a socket as a file.
      const place = join(folder, 'packages/odd/1.0.0');
      mkdirSync(place, { recursive: true });
      mkdirSync(join(home, '1.0.0'));
      writeFileSync(join(home, '1.0.0/secret.txt'), SECRET);
      const unreadable = createServer().listen(join(place, 'socket'));
      symlinkSync(join(home, 'secret.txt'), join(place, 'link.txt'));
      symlinkSync(home, join(folder, 'packages/out'));
      writeFileSync(join(folder, 'packages/odd/hub.key'), SECRET);
      const long = 'x'.repeat(1_000_000);
      const rows: readonly (readonly [string, number])[] = [
        [get('/packages.json'), 200],
        [get('/packages/odd/1.0.0/link.txt'), 404],
        [get('/packages/out/1.0.0/secret.txt'), 404],
        [get('/packages/odd/hub.key'), 404],
        [get('/packages/odd/1.0.0/socket'), 500],
        [get('/v2/packages/odd/1.0.0/socket?x=1'), 500],
        [get('/packages'), 404],
        [get('/packages/.hidden'), 404],
        [get('/hub.key'), 404],
        [get('/../secret.txt'), 404],
        [get('/packages/..%2f..%2fsecret.txt'), 404],
        [get('/packages/%2e%2e/hub.key'), 404],
        [get('/packages/..;/hub.key'), 404],
        [get('/packages\\..\\hub.key'), 404],
        [get('/packages/a%00'), 404],
        [get('//secret.txt'), 404],
        [get('http://x/packages.json'), 400],
        [get('/packages.json', `a: ${long}\r\n`), 431],
        [get('/packages.json', `a: ${long.slice(0, 17_000)}\r\n`), 431],
        [get('/packages.json', 'content-length: 3\r\n') + 'abc', 400],
        ['TRACE /packages.json HTTP/1.1\r\nhost: x\r\n\r\n', 405],
        ['PUT /packages.json HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\n\r\nx', 405],
        ['no http\r\n\r\n', 400],
      ];
      const all = Array.from({ length: 10 }, () => rows).flat();
      for (let at = 0; at < all.length; at += 50)
        await Promise.all(
          all.slice(at, at + 50).map(async ([text, status]) => {
            const answer = await raw(port, text);
            // A client that still sends when it is refused may lose the answer.
            if (text.length > 1_000_000) expect([431, Number.NaN]).toContain(statusOf(answer));
            else expect([text, statusOf(answer)]).toEqual([text, status]);
            expect(answer).not.toContain(SECRET);
          }),
        );
      unreadable.close();
      await running.see('clients get status 500');
      expect(running.said().match(/^warning.*$/gmu)).toEqual([
        'warning: cannot read hub/packages/odd/1.0.0/socket: ENXIO; clients get status 500 (further errors of this kind are not shown)',
      ]);
    }));

  it('V20: sends the old file to its end after it was replaced', () =>
    serving(async ({ folder, port }) => {
      const place = join(folder, 'packages/large/1.0.0');
      mkdirSync(place, { recursive: true });
      const [old, fresh] = [Buffer.alloc(30_000_000, 'old.'), Buffer.alloc(20_000_000, 'new!')];
      writeFileSync(join(place, 'a.jar'), old);
      const ask = async () => {
        const sent = request({ port, path: '/packages/large/1.0.0/a.jar' }).end();
        const [answer] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { headers: { etag?: string } }];
        return answer;
      };
      const first = await ask();
      writeFileSync(join(place, 'b'), fresh);
      renameSync(join(place, 'b'), join(place, 'a.jar'));
      const second = await ask();
      expect(first.headers.etag).not.toBe(second.headers.etag);
      expect((await bytesOf(first)).equals(old)).toBe(true);
      expect((await bytesOf(second)).equals(fresh)).toBe(true);
    }));

  it('V20: sends one whole catalog per ETag while the hub is built again and again', () =>
    serving(async ({ home, folder, url }) => {
      rmSync(join(folder, 'packages/.hidden'));
      const [extra, catalog] = [join(folder, 'packages/extra'), join(folder, 'packages.json')];
      const built = new Set([readFileSync(catalog, 'utf8')]);
      const sent = new Map<string | null, Set<string>>();
      let isBuilding = true;
      const look = async (): Promise<void> => {
        const answer = await fetch(`${url}/packages.json`);
        const tag = answer.headers.get('etag');
        sent.set(tag, (sent.get(tag) ?? new Set()).add(await answer.text()));
      };
      const read = async (): Promise<void> => {
        while (isBuilding) await look();
      };
      const build = async (): Promise<void> => {
        for (let round = 0; round < 4; round++) {
          if (round % 2 === 0) cpSync(join(SAMPLES, 'plugin-pivot'), extra, { recursive: true });
          else rmSync(extra, { recursive: true });
          expect((await runCli(['hub', 'build', './hub'], { home, cwd: home })).code).toBe(0);
          built.add(readFileSync(catalog, 'utf8'));
          await look();
        }
      };
      await Promise.all([read(), build().finally(() => (isBuilding = false))]);
      const texts = [...sent.values()].map((each) => [...each]);
      expect(texts.every((each) => each.length === 1)).toBe(true);
      expect(new Set(texts.flat())).toEqual(built);
      expect(built.size).toBe(2);
    }));

  it('V22: says that its port is taken', () =>
    serving(async ({ home, port }) => {
      const { code, stderr } = await runCli(['hub', 'serve', './hub', '--port', String(port)], { home, cwd: home });
      expect([code, stderr]).toEqual([6, expect.stringContaining('[IN_USE]')]);
    }));

  it('names an address that clients can use, and what is missing', () =>
    withTempDir(async (home) => {
      cpSync(SAMPLES, join(home, 'hub/packages'), { recursive: true });
      const none = await runCli(['hub', 'serve', './hub', '--host', 'nosuch.invalid'], { home, cwd: home });
      expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is not an address of this machine')]);
      const times = { created: '2020-01-01T00:00:00Z', expires: '2020-01-02T00:00:00Z' };
      const index = { format: 1, sequence: 1, ...times, keys: [], files: [], packages: [] };
      writeFileSync(join(home, 'hub/index.json'), JSON.stringify(index));
      const told = async (): Promise<string> => {
        const running = startCli(['hub', 'serve', './hub', '--port', '0', '--host', '0.0.0.0'], { home, env: {} });
        await running.see('to stop it');
        running.kill('SIGTERM');
        return (await running.ended).stderr;
      };
      const stderr = await told();
      expect(stderr).toContain(`hub add NAME http://${hostname()}:`);
      expect(stderr).toContain('no signed index, so clients cannot verify it: sign the tree that this folder');
      expect(stderr).toContain('or if it is that tree: cdapctl hub sign ./hub --key FILE');
      expect(stderr).toContain('cdapctl hub build ./hub');
      expect(stderr).toContain('or if it is that tree: cdapctl hub sign ./hub --refresh --key FILE');
      mkdirSync(join(home, 'hub/.cdapctl-mirror'));
      const ofMirror = await told();
      expect(ofMirror).toContain('clients reject it: sign the hub that this folder mirrors, and mirror it again');
      expect(ofMirror).not.toContain('cdapctl hub sign');
    }));

  it('refuses swapped files of a certificate and its key, whoever can read them', () =>
    withTempDir(async (home) => {
      mkdirSync(join(home, 'hub/packages'), { recursive: true });
      copyPair('good', home, 'good');
      const line = ['hub', 'serve', './hub', '--tls-cert', 'good.key', '--tls-key', 'good.pem', '--port', '0'];
      const { code, stderr } = await runCli(line, { home, cwd: home });
      expect([code, stderr]).toEqual([2, expect.stringContaining('good.pem is not a secret key')]);
    }));

  it('V18: sends files over TLS, and takes another certificate on SIGHUP without closing connections', () =>
    serving(
      async ({ home, url, port, running }) => {
        const secure = url.replace('http:', 'https:');
        expect(running.said()).toContain(secure);
        const list = await runCli(['hub', 'list', '--hub', secure, '--ca-file', join(TLS, 'root.pem')], { home });
        expect([list.code, list.stderr]).toEqual([0, '12 packages\n']);
        const [kept, first] = await secured(port);
        expect(await askAgain(kept)).toBe(200);

        copyPair('self', home, 'good');
        running.kill('SIGHUP');
        await running.see('new connections use');
        const [other, second] = await secured(port);
        expect(second).not.toBe(first);

        writeFileSync(join(home, 'good.pem'), 'no certificate');
        running.kill('SIGHUP');
        await running.see('the previous certificate remains in use');
        const [last, third] = await secured(port);
        expect(third).toBe(second);
        for (const socket of [kept, other, last]) {
          expect(await askAgain(socket)).toBe(200);
          socket.destroy();
        }
      },
      '--tls-cert',
      './good.pem',
      '--tls-key',
      './good.key',
    ));

  it.each([
    ['KEY_PERMS', 'other users can read', 'good.pem', 'open.key', 2],
    ['CONFIG', 'is not the key of the certificate', 'good.pem', 'self.key', 2],
    ['CONFIG', 'are not a certificate and its key', 'hub.key', 'good.key', 2],
    ['LOCAL_IO', 'does not exist', 'none.pem', 'good.key', 15],
  ])('refuses a certificate and key with %s: %s', (code, message, cert, key, exit) =>
    withTempDir(async (home) => {
      mkdirSync(join(home, 'hub/packages'), { recursive: true });
      for (const name of ['good', 'self']) copyPair(name, home, name);
      copyFileSync(join(TLS, 'good.key'), join(home, 'open.key'));
      chmodSync(join(home, 'open.key'), 0o644);
      writeFileSync(join(home, 'hub.key'), 'x');
      const line = ['hub', 'serve', './hub', '--port', '0', '--tls-cert', `./${cert}`, '--tls-key', `./${key}`];
      const result = await runCli(line, { home, cwd: home });
      expect([result.code, result.stderr]).toEqual([exit, expect.stringContaining(`[${code}]`)]);
      expect(result.stderr).toContain(message);
    }),
  );

  it('logs each request on one line, and goes on in a new file on SIGHUP', () =>
    serving(
      async ({ home, port, url, running }) => {
        await fetch(`${url}/packages.json?token=hunter2`);
        renameSync(join(home, 'access.log'), join(home, 'access.log.1'));
        running.kill('SIGHUP');
        await running.see('opened');
        for (const text of [get('/%0a/../x'), get('/\u001b[31m'), 'no http\r\n\r\n', get('/packages.json')])
          await raw(port, text);
        const bytes = readFileSync(join(home, 'hub/packages.json')).length;
        running.kill('SIGTERM');
        await running.ended;
        const parts = (name: string) =>
          readFileSync(join(home, name), 'utf8')
            .trimEnd()
            .split('\n')
            .map((line) => /^127\.0\.0\.1 - - \[[^\]]+\] (".*" \d+ [-\d]+)$/u.exec(line)?.[1] ?? line);
        expect(parts('access.log.1')).toEqual([`"GET /v2/packages.json?*** HTTP/1.1" 200 ${bytes}`]);
        expect(parts('access.log')).toEqual([
          '"GET /%0a/../x HTTP/1.1" 404 -',
          '"-" 400 -',
          '"-" 400 -',
          `"GET /packages.json HTTP/1.1" 200 ${bytes}`,
        ]);
      },
      '--access-log',
      './access.log',
    ));

  it('sends the start page of hub build --site to browsers, and no other page', () =>
    serving(async ({ home, folder, port }) => {
      const address = `http://127.0.0.1:${port}`;
      expect((await fetch(`${address}/`)).status).toBe(404);
      rmSync(join(folder, 'packages/.hidden'));
      const build = async (...more: readonly string[]) =>
        runCli(['hub', 'build', './hub', '--site', ...more, '--json'], { home, cwd: home });
      expect((await build('--check')).code).toBe(14);
      const first = await build();
      const states = (stdout: string) =>
        (JSON.parse(stdout) as { item: { files: { name: string; state: string }[] } }).item.files.map(
          ({ name, state }) => `${name} ${state}`,
        );
      expect([first.code, states(first.stdout)]).toEqual([
        0,
        ['categories.json unchanged', 'index.html written', 'packages.json unchanged'],
      ]);
      expect(states((await build()).stdout)[1]).toBe('index.html unchanged');
      const page = await fetch(`${address}/`);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(await page.text()).toBe(readFileSync(join(folder, 'index.html'), 'utf8'));
      expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('my-hub/solution-sms-spam-pipeline@1.3.0');
      mkdirSync(join(folder, 'packages/page/1.0.0'), { recursive: true });
      writeFileSync(join(folder, 'packages/page/1.0.0/index.html'), '<script>alert(1)</script>');
      const other = await fetch(`${address}/packages/page/1.0.0/index.html`);
      expect([other.status, other.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    }));

  it('logs to stdout, unless the result is a document there', () =>
    withTempDir(async (home) => {
      mkdirSync(join(home, 'hub/packages'), { recursive: true });
      writeFileSync(join(home, 'hub/packages.json'), '[]');
      const line = ['hub', 'serve', './hub', '--port', '0', '--access-log', '-'];
      const refused = await runCli([...line, '--json'], { home, cwd: home });
      expect([refused.code, refused.stdout]).toEqual([2, expect.stringContaining('--access-log FILE')]);
      const running = startCli(line, { home, env: {}, timeout: 50_000 });
      await running.see('to stop it');
      const port = Number(/:(\d+)\/v2/u.exec(running.said())?.[1]);
      expect((await fetch(`http://127.0.0.1:${port}/packages.json`)).status).toBe(200);
      running.kill('SIGTERM');
      const { code, stdout } = await running.ended;
      expect([code, stdout.trimEnd().split('\n').slice(1)]).toEqual([
        0,
        [expect.stringMatching(/^127\.0\.0\.1 - - \[.+\] "GET \/packages\.json HTTP\/1\.1" 200 2$/u)],
      ]);
    }));
});
