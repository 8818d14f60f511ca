import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsOf, lend, openSite, PORT, type HostSite } from './site.js';

const LIMIT = 600_000;
const [ONCE, PUBLISH, PRUNE] = commandsOf('On object storage');
const PRINTED = 'https://example-hub.s3.eu-central-1.amazonaws.com/v2';
const SERVER = `http://127.0.0.1:${PORT}`;
const HUB = `${SERVER}/example-hub/v2`;

describe('a hub on object storage', () => {
  let site: HostSite;
  let server: ChildProcess;
  let log = '';

  beforeAll(async () => {
    site = await openSite();
    lend(site, 'aws', join(site.tools, 'aws'));
    server = spawn(join(site.tools, 'moto_server'), ['-H', '127.0.0.1', '-p', String(PORT)], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    while (!log.includes('Running on')) await Promise.race([once(server.stderr ?? server, 'data'), failed(server)]);
  }, LIMIT);
  afterAll(async () => {
    server.kill();
    await once(server, 'exit');
    await site.close();
  });

  const failed = async (child: ChildProcess): Promise<never> => {
    await once(child, 'exit');
    throw new Error(log);
  };
  const paste = (commands: string | undefined, swaps = {}): Promise<string> =>
    site.paste(commands, swaps, {
      AWS_ENDPOINT_URL: SERVER,
      AWS_ACCESS_KEY_ID: 'publisher',
      AWS_SECRET_ACCESS_KEY: 'unused',
      AWS_DEFAULT_REGION: 'eu-central-1',
    });
  /** What was asked of the server to change since the last call, in order. */
  const changes = (): readonly string[] => {
    const asked = [...log.matchAll(/"(PUT|DELETE|POST) \/example-hub\/v2\/(\S+) HTTP\/1.1" 20/gu)];
    log = '';
    return asked.map(([, method = '', path = '']) => `${method} ${path}`);
  };
  /** What the server lists for everyone. */
  const stored = async (): Promise<readonly string[]> => {
    const list = await (await fetch(`${SERVER}/example-hub?list-type=2`)).text();
    return [...list.matchAll(/<Key>v2\/([^<]+)/gu)].map(([, path = '']) => path).sort();
  };

  it(
    'is made, published, changed and pruned by the commands of the page, and a client has all of it',
    async () => {
      await paste(ONCE);
      await paste(PUBLISH, { [PRINTED]: HUB });
      expect(await stored()).toEqual(site.filesOf(join(site.home, 'my-hub')));
      await site.visit(HUB);

      changes();
      site.add('my-plugin', '1.1.0');
      await site.make();
      const reader = site.readAgain();
      await paste(PUBLISH, { [PRINTED]: HUB });
      const { reads, wrong } = await reader.stop();
      expect(wrong).toEqual([]);
      expect(reads).toBeGreaterThan(3);
      const added = changes();
      expect(added.slice(0, 2).toSorted()).toEqual(
        ['spec.json', 'spec.json.asc'].map((file) => `PUT packages/my-plugin/1.1.0/${file}`),
      );
      expect(added.slice(2)).toEqual(['packages.json', 'index.json.asc', 'index.json'].map((file) => `PUT ${file}`));

      site.remove('my-plugin', '1.0.0');
      await site.make();
      await paste(PRUNE, { [PRINTED]: HUB, '--grace 1h': '--grace 1s' });
      const removed = changes();
      expect(removed.slice(0, 3)).toEqual(
        ['packages.json', 'index.json.asc', 'index.json'].map((file) => `PUT ${file}`),
      );
      for (const step of removed.slice(3)) expect(step).toMatch(/^DELETE packages\/my-plugin\/1\.0\.0\//u);
      expect(await stored()).toEqual(site.filesOf(join(site.home, 'my-hub')));
      await site.visit(HUB);
    },
    LIMIT,
  );

  it('has files as they are, with the type and the age that the page says', async () => {
    const heads = async (path: string): Promise<readonly (string | null)[]> => {
      const { headers } = await fetch(`${HUB}/${path}`, { headers: { 'accept-encoding': 'gzip' } });
      return ['content-type', 'cache-control', 'content-encoding'].map((name) => headers.get(name));
    };
    const day = 'public, max-age=86400';
    const json = 'application/json; charset=utf-8';
    const text = 'text/plain; charset=utf-8';
    expect(await heads('index.json')).toEqual([json, 'no-cache', null]);
    expect(await heads('index.json.asc')).toEqual([text, 'no-cache', null]);
    expect(await heads('packages.json')).toEqual([json, 'no-cache', null]);
    expect(await heads('packages/my-plugin/1.1.0/spec.json')).toEqual([json, day, null]);
    expect(await heads('packages/my-plugin/1.1.0/spec.json.asc')).toEqual([text, day, null]);
  });
});
