import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMessage, readKey, readSignature, verify } from 'openpgp';
import { describe, expect, it } from 'vitest';
import {
  flipByte,
  HUB_TIME,
  hubKey,
  hubPackage,
  type KeyState,
  serveHub,
  signedHub,
  writeHubTree,
} from '../../support/sites/hub-tree.js';

const SPEC = 'packages/test-package/1.0.0/spec.json';

async function verdict(files: ReadonlyMap<string, Buffer>, publicKey: string): Promise<unknown> {
  const verificationKeys = (await readKey({ armoredKey: publicKey })).toPublic();
  await verificationKeys.verifyPrimaryKey(new Date(HUB_TIME));
  const signature = await readSignature({ armoredSignature: files.get(`${SPEC}.asc`)?.toString() ?? '' });
  const message = await createMessage({ binary: files.get(SPEC) ?? Buffer.alloc(0) });
  await verify({ message, signature, verificationKeys, date: new Date(HUB_TIME), expectSigned: true });
  return 'good';
}

describe('hubs of tests', () => {
  it.each<[KeyState, string]>([
    ['good', 'good'],
    ['expired', 'Primary key is expired'],
    ['revoked', 'Primary key is revoked'],
  ])('are signed by a key that is %s', async (state, expected) => {
    const { files, key } = await signedHub({ packages: [hubPackage()], key: await hubKey({ state }) });
    expect(await verdict(files, key.publicKey).catch((error: unknown) => (error as Error).message)).toBe(expected);
  });

  it('can be tampered with', async () => {
    const jar = 'packages/test-package/1.0.0/x.jar';
    const tamper = { [SPEC]: (bytes: Buffer) => flipByte(bytes), [`${jar}.asc`]: () => undefined };
    const { files, key } = await signedHub({
      packages: [hubPackage({ resources: { 'x.jar': 'not a jar' } })],
      tamper,
      index: false,
    });
    await expect(verdict(files, key.publicKey)).rejects.toThrow(/Signed digest did not match/u);
    expect([files.has(jar), files.has(`${jar}.asc`), files.has('index.json')]).toEqual([true, false, false]);
    await expect(signedHub({ packages: [], tamper: { nowhere: () => undefined } })).rejects.toThrow('no file nowhere');
  });

  it('can be written to a folder', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hub-tree-'));
    try {
      const { files } = await signedHub({ packages: [hubPackage({ spec: { created: 'late', label: undefined } })] });
      await writeHubTree(folder, files);
      const spec = JSON.parse(await readFile(join(folder, SPEC), 'utf8')) as object;
      expect(spec).toMatchObject({ created: 'late' });
      expect(spec).not.toHaveProperty('label');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('can be served, and tell what was asked', async () => {
    const { files } = await signedHub({ packages: [hubPackage()] });
    const hub = await serveHub(files);
    try {
      const answer = await fetch(`${hub.url}/v2/packages.json?x=1`, { headers: { 'X-Note': 'seen' } });
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(files.get('packages.json'));
      expect((await fetch(`${hub.url}/nothing`, { method: 'HEAD' })).status).toBe(404);
      expect(hub.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'GET /v2/packages.json?x=1',
        'HEAD /nothing',
      ]);
      expect(hub.requests[0]?.headers['x-note']).toBe('seen');
    } finally {
      await hub.close();
    }
  });
});
