import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf, openSite, PORT, type HostSite } from './site.js';

const LIMIT = 600_000;
const PUBLICATIONS = 8;
const [ONCE, PUBLISH, PRUNE] = commandsOf('With nginx');
const OWN = PORT + 1;
const HUB = `http://127.0.0.1:${OWN}/v2`;

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Asks by a path as it is, which `fetch` would change. */
async function ask(path: string, method = 'GET'): Promise<Answer> {
  const asking = request({ port: OWN, host: '127.0.0.1', path, method, headers: { 'accept-encoding': 'gzip' } });
  asking.end();
  const [{ statusCode: status, headers }] = (await once(asking, 'response')) as [Answer & { statusCode: number }];
  asking.destroy();
  return { status, headers };
}

describe('a hub behind nginx', () => {
  let site: HostSite;
  let server: ChildProcess | undefined;
  let folder: string;
  let published: string;
  const swaps = { '/srv/hub': '' };

  beforeAll(async () => {
    site = await openSite();
    folder = join(site.home, 'nginx');
    swaps['/srv/hub'] = join(site.home, 'srv');
    published = join(site.home, 'srv/public');
    mkdirSync(join(folder, 'conf.d'), { recursive: true });
    // What is configured for other sites of the server may not change files of the hub.
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const paths = temporary.map((name) => `${name}_temp_path ${folder}/temp;`).join(' ');
    writeFileSync(
      join(folder, 'nginx.conf'),
      `user root; daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log; events {}
       http { access_log off; gzip on; gzip_types *; gzip_min_length 1; ${paths} include ${folder}/conf.d/*.conf; }`,
    );
    const program = join(site.shell.root, 'bin/nginx');
    writeFileSync(program, `#!/bin/sh\nexec /usr/sbin/nginx -c '${folder}/nginx.conf' "$@"\n`);
    chmodSync(program, 0o755);
    server = spawn(program, { stdio: 'ignore' });
    const isUp = (): boolean => statSync(join(folder, 'pid'), { throwIfNoEntry: false })?.size !== undefined;
    while (!isUp() && server.exitCode === null) await pause(10);
  }, LIMIT);
  afterAll(async () => {
    server?.kill();
    if (server?.exitCode === null) await once(server, 'exit');
    await site.close();
  });

  const inodes = (): ReadonlyMap<string, number> =>
    new Map(site.filesOf(published).map((path) => [path, statSync(join(published, path)).ino]));
  /** Publishes; the files that were put, and those of them that clients read first, in their order. */
  const publish = async (): Promise<{ readonly put: readonly string[]; readonly front: readonly string[] }> => {
    const before = inodes();
    const seen = new Set<string>();
    const watching = watch(published, (_, name) => name?.startsWith('.') === false && seen.add(name));
    await site.paste(PUBLISH, swaps);
    while (!seen.has('index.json')) await once(watching, 'change');
    watching.close();
    const put = [...inodes()].filter(([path, inode]) => before.get(path) !== inode).map(([path]) => path);
    return { put, front: [...seen].filter((name) => name.includes('.json')) };
  };

  it(
    'is made, published, changed and pruned by the commands of the page, and each time a client has all of it',
    async () => {
      await site.paste(ONCE, { ...swaps, '/etc/nginx': folder, 'listen 80;': `listen 127.0.0.1:${OWN};` });
      await site.paste(PUBLISH, swaps);
      // The new configuration is there when a new worker has taken over.
      while ((await ask('/v2/packages.json').catch(() => undefined)) === undefined) await pause(10);
      await site.visit(HUB);

      site.add('my-plugin', '1.1.0');
      await site.make();
      const { put, front } = await publish();
      expect(front).toEqual(['packages.json', 'index.json.asc', 'index.json']);
      const added = ['spec.json', 'spec.json.asc'].map((file) => `packages/my-plugin/1.1.0/${file}`);
      expect(put).toEqual([...front, ...added].sort());
      await site.visit(HUB);

      site.remove('my-plugin', '1.0.0');
      await site.make();
      await site.paste(PRUNE, { ...swaps, '--grace 10m': '--grace 1s' });
      expect(site.filesOf(published)).toEqual(site.filesOf(join(site.home, 'my-hub')));
      await site.visit(HUB);
    },
    LIMIT,
  );

  it('has files as they are, with the type and the age that the page says, and nothing else', async () => {
    const heads = async (path: string): Promise<readonly unknown[]> => {
      const { status, headers } = await ask(`/v2/${path}`);
      expect(status, path).toBe(200);
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'accept-ranges': 'bytes' });
      expect(headers['content-length']).toBe(String(statSync(join(published, path)).size));
      return ['content-type', 'cache-control', 'content-encoding'].map((name) => headers[name]);
    };
    const day = 'public, max-age=86400';
    const json = 'application/json; charset=utf-8';
    const text = 'text/plain; charset=utf-8';
    expect(await heads('index.json')).toEqual([json, 'no-cache', undefined]);
    expect(await heads('index.json.asc')).toEqual([text, 'no-cache', undefined]);
    expect(await heads('metadata.json')).toEqual([json, 'no-cache', undefined]);
    expect(await heads('packages/my-plugin/1.1.0/spec.json')).toEqual([json, day, undefined]);
    expect(await heads('packages/my-plugin/1.1.0/spec.json.asc')).toEqual([text, day, undefined]);
    writeFileSync(join(published, '.hidden'), 'a secret');
    symlinkSync('/etc/hostname', join(published, 'packages/my-plugin/1.1.0/link'));
    const refused = {
      '/v2/.hidden': 404,
      '/v2/%2ehidden': 404,
      '/v2/packages/.hidden/x': 404,
      '/v2/packages/my-plugin/1.1.0/link': 403,
      '/v2/': 403,
      '/v2/packages/': 403,
      '/v2/packages/my-plugin/1.1.0/': 403,
      '/v2/../hub.key': 404,
      '/v2/..%2f..%2fhub.key': 400,
      '/v2../hub.key': 404,
      '/': 404,
    };
    for (const [path, status] of Object.entries(refused)) expect((await ask(path)).status, path).toBe(status);
    expect((await ask('/v2/packages.json', 'POST')).status).toBe(405);
    rmSync(join(published, '.hidden'));
    rmSync(join(published, 'packages/my-plugin/1.1.0/link'));
  });

  it(
    'is never seen half published by somebody who reads while versions come and go',
    async () => {
      site.add('my-plugin', '1.0.0');
      await site.make();
      await site.paste(PUBLISH, swaps);
      const reader = site.readAgain();
      for (let major = 1; major <= PUBLICATIONS; major += 1) {
        site.add('other', `${major}.0.0`);
        await site.make();
        await site.paste(PUBLISH, swaps);
      }
      const { reads, wrong } = await reader.stop();
      expect(wrong).toEqual([]);
      expect(reads).toBeGreaterThan(PUBLICATIONS);
      expect(readFileSync(join(folder, 'error.log'), 'utf8')).not.toContain('[emerg]');
    },
    LIMIT,
  );
});
