import { describe, expect, it } from 'vitest';
import { fail, overSocket, requests, withEmulator } from './emulator.js';

const CREATE = 'PUT /v3/namespaces/etl HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}';
/** Promises 100 bytes and sends 4. */
const UNFINISHED = 'PUT /v3/namespaces/etl HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a"';
const SUCCESS = "Namespace 'etl' created successfully.";
const MATCH = { method: 'PUT', path: '^/v3/namespaces/etl$' };

async function exists(url: string): Promise<boolean> {
  return (await fetch(`${url}/v3/namespaces/etl`)).status === 200;
}

describe('a fault of the emulator', () => {
  it.each(['before', 'after'] as const)('that shows a status %s the effect', async (when) => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'status', when, status: 502, body: 'gone' });
      const answer = await overSocket(url, CREATE);
      expect(answer).toMatch(/^HTTP\/1\.1 502 /u);
      expect(answer).toMatch(/gone$/u);
      expect(await exists(url)).toBe(when === 'after');
    });
  });

  it.each(['before', 'after'] as const)('that resets the connection %s the effect', async (when) => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'reset', when });
      expect(await overSocket(url, CREATE)).toBe('<ECONNRESET>');
      expect(await exists(url)).toBe(when === 'after');
      expect((await requests(url))[0]).toMatchObject({ method: 'PUT', status: 0 });
    });
  });

  it('that cuts the answer sends half of what it promised', async () => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'cut', when: 'after' });
      const [head, body] = (await overSocket(url, CREATE)).split('\r\n\r\n');
      expect(head).toContain(`content-length: ${SUCCESS.length}`);
      expect(body).toBe(SUCCESS.slice(0, Math.floor(SUCCESS.length / 2)));
      expect(await exists(url)).toBe(true);
    });
  });

  it('that lies about the length promises more than it sends', async () => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'length', when: 'after', bytes: 5 });
      const [head, body] = (await overSocket(url, CREATE)).split('\r\n\r\n');
      expect(head).toContain(`content-length: ${SUCCESS.length + 5}`);
      expect(body).toBe(SUCCESS);
    });
  });

  it('that delays lets the request have its effect and its answer', async () => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'delay', when: 'before', milliseconds: 30 });
      const start = performance.now();
      expect(await overSocket(url, CREATE)).toContain(SUCCESS);
      expect(performance.now() - start).toBeGreaterThanOrEqual(29);
    });
  });

  it.each([
    ['reset', '<ECONNRESET>'],
    ['cut', ''],
  ] as const)('of the kind %s in the middle of a body ends the connection there', async (kind, seen) => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind, when: 'during', bytes: 2 });
      expect(await overSocket(url, UNFINISHED)).toBe(seen);
      expect(await exists(url)).toBe(false);
      expect((await requests(url))[0]).toMatchObject({ method: 'PUT', status: 0, bytes: 4 });
    });
  });

  it('in the middle of a body may answer before the rest has come', async () => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'status', when: 'during', status: 413, body: 'too much' });
      expect(await overSocket(url, UNFINISHED)).toMatch(/^HTTP\/1\.1 413 [^]*too much$/u);
      expect(await exists(url)).toBe(false);
    });
  });

  it('in the middle of a body waits for no more than there is', async () => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'reset', when: 'during', bytes: 1_000_000 });
      expect(await overSocket(url, CREATE)).toBe('<ECONNRESET>');
      expect(await exists(url)).toBe(false);
    });
  });

  it('that stops reading in the middle of a body goes on after its time', async () => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: MATCH, kind: 'delay', when: 'during', milliseconds: 30 });
      const start = performance.now();
      expect(await overSocket(url, CREATE)).toContain(SUCCESS);
      expect(performance.now() - start).toBeGreaterThanOrEqual(29);
    });
  });

  it('is shown as often as it was ordered, to the requests that match', async () => {
    await withEmulator(async ({ url, hub }) => {
      await fail(url, { match: { port: 'hub', path: 'packages' }, kind: 'status', when: 'before', times: 2 });
      const status = async (address: string): Promise<number> => (await fetch(address)).status;
      expect(await status(`${url}/v3/version`)).toBe(200);
      expect(await status(`${hub}/packages.json`)).toBe(503);
      expect(await (await fetch(`${url}/emulator/faults`)).json()).toMatchObject([{ times: 1, kind: 'status' }]);
      expect(await status(`${hub}/packages.json`)).toBe(503);
      expect(await status(`${hub}/packages.json`)).toBe(200);
    });
  });

  it('is forgotten after DELETE', async () => {
    await withEmulator(async ({ url }) => {
      await fail(url, { match: {}, kind: 'status', when: 'before', times: 9 });
      await fetch(`${url}/emulator/faults`, { method: 'DELETE' });
      expect((await fetch(`${url}/v3/version`)).status).toBe(200);
    });
  });

  it.each([
    ['an unknown kind', { match: {}, kind: 'explode', when: 'before' }],
    ['an unknown member', { match: { host: 'x' }, kind: 'reset', when: 'before' }],
    ['a pattern that is none', { match: { path: '(' }, kind: 'reset', when: 'before' }],
    ['no times', { match: {}, kind: 'reset', when: 'before', times: 0 }],
  ])('is refused when its order has %s', async (_what, order) => {
    await withEmulator(async ({ url }) => {
      expect((await fail(url, order)).status).toBe(400);
      expect((await fetch(`${url}/v3/version`)).status).toBe(200);
    });
  });
});
