import { describe, expect, it } from 'vitest';
import { errorOf, hintsOf } from '../../support/errors.js';
import type { Transport } from '../../../src/http/transport.js';
import { platformClient } from '../../../src/platform/client.js';
import { getVersion } from '../../../src/platform/system.js';

const signal = new AbortController().signal;

function answering(status: number, text: string): Transport<'platform'> {
  const url = 'http://platform.example/v3/version';
  const body = (async function* () {
    yield Buffer.from(text);
  })();
  const answer = { status, headers: {}, body, url, method: 'GET', attempts: 1, discard: async () => undefined };
  return {
    peer: 'platform',
    base: 'http://platform.example',
    send: async () => answer,
    close: async () => undefined,
  };
}

describe('the caller of endpoints', () => {
  it('gives what the platform answers', async () => {
    const client = platformClient(answering(200, '{"version":"6.11.0"}'));
    expect(await client.call(getVersion, undefined, signal)).toEqual({ version: '6.11.0' });
  });

  it.each([
    [401, '{"auth_uri":["http://localhost:10009/token"]}', 'AUTH'],
    [500, 'Illegal base64 character 2e', 'AUTH'],
    [500, 'Last unit does not have enough valid bits', 'AUTH'],
    [500, 'Input byte array has wrong 4-byte ending unit', 'AUTH'],
    [500, 'Input byte[] should at least have 2 bytes for base64 bytes', 'AUTH'],
    [500, 'The base64 of the input is bad', 'REMOTE_FAILED'],
    [400, 'Illegal base64 character 2e', 'REMOTE_FAILED'],
    [404, '', 'NOT_FOUND'],
  ])('calls %i "%s" %s', async (status, text, code) => {
    const client = platformClient(answering(status, text));
    await expect(client.call(getVersion, undefined, signal)).rejects.toMatchObject({ code });
  });

  it.each([
    [undefined, [{ next: 'give-token-file' }]],
    [
      'in t.txt (CDAPCTL_TOKEN_FILE)',
      [
        'the token in t.txt (CDAPCTL_TOKEN_FILE) was rejected: it has expired or is for another platform; get a new one',
      ],
    ],
  ])('says with a token %s what to do about a 401', async (from, hints) => {
    const client = platformClient(answering(401, ''), from);
    await expect(client.call(getVersion, undefined, signal)).rejects.toMatchObject({
      code: 'AUTH',
      details: { hints },
    });
  });

  it.each([
    ['http://auth.example:10009/token', ['curl -u USER http://auth.example:10009/token > token.json']],
    ['https://x.example/$(touch pwned);ls', ["curl -u USER 'https://x.example/$(touch pwned);ls' > token.json"]],
    ["https://x.example/a'b", ["curl -u USER 'https://x.example/a'\\''b' > token.json"]],
    ['-o/etc/x http://x.example', []],
    ['file:///etc/passwd', []],
  ])('names %s of a 401 so that a shell takes it for one word', async (server, commands) => {
    const client = platformClient(answering(401, JSON.stringify({ auth_uri: [server] })), undefined);
    const hints = hintsOf(await errorOf(client.call(getVersion, undefined, signal)));
    expect(hints.slice(1).map((hint) => hint.replace(/ {2}.*$/u, ''))).toEqual(commands);
  });

  it('finds nothing where the platform answers 404', async () => {
    expect(await platformClient(answering(404, '')).find(getVersion, undefined, signal)).toBeUndefined();
  });
});
