import { describe, expect } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import type { ContractTarget } from '../../support/target.js';
import { casesOn, expectEmpty, expectText, json, NO_TYPE, type Call, type Space } from '../suite.js';

interface Event {
  readonly timestamp: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const EVENTS_TYPE = 'application/json; charset=utf-8';
const FOREVER = 9_223_372_036_854_776;
const TEXT_FORMAT = {
  name: 'text',
  schema: { type: 'record', name: 'stringBody', fields: [{ name: 'body', type: 'string' }] },
  settings: {},
};
const NEW = { ttl: FOREVER, format: TEXT_FORMAT, 'notification.threshold.mb': 1024 };

/** The platform 4.3.5 at `CDAPCTL_CONTRACT_URL_4_3`, or an emulated one: the newest has no streams. */
async function platformWithStreams(): Promise<ContractTarget> {
  const url = process.env['CDAPCTL_CONTRACT_URL_4_3'];
  if (url !== undefined && url !== '') return { url, real: true, close: async () => undefined };
  const emulator = await startEmulator({ port: 0, hubPort: 0, platform: '4.3.5' });
  return { url: emulator.url, real: false, hub: emulator.hub, close: () => emulator.close() };
}

const it = casesOn(platformWithStreams).extend<{ streams: Call }>({
  streams: async ({ space }: { space: Space }, use: (streams: Call) => Promise<void>) => {
    await use((method, path, sent) => space.call(method, `/streams${path}`, sent));
  },
});

const created = async (streams: Call, body?: object): Promise<void> => {
  expectEmpty(await streams('PUT', '/texts', { body }));
};
const events = async (streams: Call, query = ''): Promise<Event[]> =>
  json<Event[]>(await streams('GET', `/texts/events${query}`), EVENTS_TYPE);
const lines = (streams: Call, body: string, type = 'text/csv') =>
  streams('POST', '/texts/batch', { body, headers: { 'Content-Type': type } });

describe('streams', () => {
  it('are listed by name, none in a new namespace', async ({ streams }) => {
    expect(json(await streams('GET', ''))).toEqual([]);
    await created(streams);
    expect(json(await streams('GET', ''))).toEqual([{ name: 'texts' }]);
  });

  it('are made with properties of their own, and without', async ({ streams }) => {
    await created(streams);
    expect(json(await streams('GET', '/texts'))).toEqual(NEW);
    expectEmpty(await streams('PUT', '/rows', { body: { ttl: 100, format: { name: 'csv' } } }));
    expect(json(await streams('GET', '/rows'))).toMatchObject({ ttl: 100, format: { name: 'csv', settings: {} } });
  });

  it('stay as they are when they are made again', async ({ streams }) => {
    await created(streams);
    await lines(streams, 'a\n');
    await created(streams, { ttl: 5 });
    expect(json(await streams('GET', '/texts'))).toEqual(NEW);
    expect(await events(streams)).toHaveLength(1);
  });

  it('take properties, of which the others stay', async ({ streams }) => {
    await created(streams);
    expectEmpty(await streams('PUT', '/texts/properties', { body: { ttl: 100, description: 'short messages' } }));
    expectEmpty(await streams('PUT', '/texts/properties', { body: { 'notification.threshold.mb': 7 } }));
    const told = json(await streams('GET', '/texts'));
    expect(told).toEqual({ ...NEW, ttl: 100, description: 'short messages', 'notification.threshold.mb': 7 });
  });

  it.for([
    [{ ttl: 'soon' }, /^Invalid stream configuration\. .* Cause: For input string: "soon"$/u],
    ['{', /^Invalid stream configuration\. .* Cause: java\.io\.EOFException: End of input at line 1 column 2$/u],
    [{ ttl: -1 }, /^Invalid TTL -1000\. TTL value should be positive\.$/u],
    [{ 'notification.threshold.mb': 0 }, /^Invalid threshold 0\. Threshold value should be greater than zero\.$/u],
    [{ format: { name: 'nope' } }, /^Invalid format, unable to instantiate format nope$/u],
    [{ format: {} }, /^A format name must be specified\.$/u],
  ] as const)('refuse the properties %j', async ([body, text], { streams }) => {
    await created(streams);
    expectText(await streams('PUT', '/texts/properties', { body }), 400, text);
    expect(json(await streams('GET', '/texts'))).toEqual(NEW);
  });

  it('take events one by one, and headers that begin with the name of the stream', async ({ streams }) => {
    await created(streams);
    const headers = { 'texts.k': 'v', 'other.k': 'w' };
    expectEmpty(await streams('POST', '/texts', { body: 'one', headers }));
    expectEmpty(await streams('POST', '/texts/async', { body: 'two' }), 202);
    expect(await events(streams)).toMatchObject([
      { headers: { k: 'v' }, body: 'one' },
      { headers: {}, body: 'two' },
    ]);
  });

  it('take a file of lines, and take it again', async ({ streams }) => {
    await created(streams);
    expectEmpty(await lines(streams, 'a,1\nb,2\n'));
    expectEmpty(await lines(streams, 'a,1\nb,2\n'));
    expect((await events(streams)).map(({ body }) => body)).toEqual(['a,1', 'b,2', 'a,1', 'b,2']);
    expect((await events(streams, '?limit=1')).map(({ headers }) => headers)).toEqual([{ 'content.type': 'text/csv' }]);
  });

  it('leave out blank lines, ends of lines and nothing else', async ({ streams }) => {
    await created(streams);
    await lines(streams, 'a\r\nb\n\n c', 'text/plain; charset=utf-8');
    await lines(streams, '');
    await lines(streams, 'é\n');
    await lines(streams, 'd\re\r\r\nf\\x41\r');
    const bodies = (await events(streams)).map(({ body }) => body);
    expect(bodies).toEqual(['a', 'b', ' c', String.raw`\xC3\xA9`, 'd', 'e', String.raw`f\x41`]);
  });

  it.for([
    ['application/json', 'Unsupported content type application/json'],
    ['application/octet-stream', 'Unsupported content type application/octet-stream'],
    ['TEXT/CSV', 'Unsupported content type TEXT/CSV'],
  ] as const)('do not take a file of the type %s', async ([type, text], { streams }) => {
    await created(streams);
    expectText(await lines(streams, 'a\n', type), 406, text);
    expect(await streams('GET', '/texts/events')).toEqual({ status: 204, type: NO_TYPE, text: '' });
  });

  it('are emptied, and deleted', async ({ streams, space }) => {
    await created(streams);
    await lines(streams, 'a\n');
    expectEmpty(await streams('POST', '/texts/truncate'));
    expectEmpty(await streams('GET', '/texts/events'), 204);
    expectEmpty(await streams('DELETE', '/texts'));
    expectText(await streams('DELETE', '/texts'), 404, `'stream:${space.name}.texts' was not found.`);
  });

  it('tell of one that is not there, of a bad name and of an unknown namespace', async ({ streams, space, call }) => {
    const missing = `'stream:${space.name}.nope' was not found.`;
    expectText(await streams('GET', '/nope'), 404, missing);
    expectText(await streams('PUT', '/nope/properties', { body: { ttl: 1 } }), 404, missing);
    expectText(
      await streams('POST', '/nope/batch', { body: 'a', headers: { 'Content-Type': 'text/csv' } }),
      404,
      missing,
    );
    const rule = 'Should only contain alphanumeric characters and _ or -.';
    const told = `java.lang.IllegalArgumentException: Invalid stream ID: a.b. ${rule}`;
    expectText(await streams('PUT', '/a.b'), 400, told);
    expectText(await call('PUT', '/v3/namespaces/nope/streams/x'), 404, "'namespace:nope' was not found.");
  });
});
