import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { WrittenCall } from '../../../../src/platform/access/any-call.js';
import { sendCall, sendPages } from '../../../../src/services/api/send-call.js';
import { NEVER } from '../../../support/clock.js';
import { failure, platformWith, type Replies, type Reply } from '../pipelines/support.js';

const send = (method: WrittenCall['method'], reply: Reply) => {
  const { platform, asked } = platformWith({ [`${method} /v3/x`]: reply });
  return { sent: sendCall(platform, { method, path: '/v3/x', headers: {} }, NEVER), asked };
};
const lost = (sent: 'no' | 'unknown') => new CliError('NET_RESET', 'the connection broke', { sent, serverSaid: 'x' });

describe('a request that a person wrote', () => {
  it('is answered with what came back', async () => {
    const { sent } = send('PUT', { status: 200, text: 'done' });
    expect(await sent).toEqual({ status: 200, headers: {}, bytes: Buffer.from('done') });
  });

  it('has an unknown outcome where the answer to a write is lost, and is not sent again', async () => {
    const { sent, asked } = send('DELETE', lost('unknown'));
    expect(await failure(sent)).toEqual({
      code: 'UNKNOWN_OUTCOME',
      message: 'DELETE /v3/x was sent, but it is unknown whether the platform applied it',
      ...{ serverSaid: 'x', lines: ['the response was lost: the connection broke'] },
      hints: ['check on the platform before you send it again'],
    });
    expect(asked).toEqual(['DELETE /v3/x']);
  });

  it.each<[string, WrittenCall['method'], Reply, string]>([
    ['it only asks', 'GET', lost('unknown'), 'NET_RESET'],
    ['it never left', 'POST', lost('no'), 'NET_RESET'],
  ])('ends with its own error where %s', async (_, method, reply, code) => {
    expect(await failure(send(method, reply).sent)).toMatchObject({ code });
  });
});

describe('a request that is refused', () => {
  it.each<[WrittenCall['method'], number, string]>([
    ['GET', 404, 'NOT_FOUND'],
    ['POST', 403, 'FORBIDDEN'],
    ['GET', 503, 'UNAVAILABLE'],
    ['PUT', 503, 'UNKNOWN_OUTCOME'],
  ])('comes with its body and its error: %s %i', async (method, status, code) => {
    const { status: found, bytes, failure: error } = await send(method, { status, text: 'why' }).sent;
    expect([found, bytes.toString(), error?.code, error?.details.serverSaid]).toEqual([status, 'why', code, 'why']);
  });

  it('ends the pages', async () => {
    const { platform } = platformWith({
      'GET /v3/x': { json: { nextPageToken: 'a' } },
      'GET /v3/x?pageToken=a': { status: 500, text: '{"nextPageToken":"b"}' },
    });
    const pages = await sendPages(platform, { method: 'GET', path: '/v3/x', headers: {} }, NEVER);
    expect(pages.map(({ failure: error }) => error?.code)).toEqual([undefined, 'REMOTE_FAILED']);
  });
});

describe('the pages of a GET', () => {
  const get = (replies: Replies, path: string) => {
    const { platform, asked } = platformWith(replies);
    return { pages: sendPages(platform, { method: 'GET', path, headers: {} }, NEVER), asked };
  };

  it('are asked for until one names no other', async () => {
    const { pages, asked } = get(
      {
        'GET /v3/x?pageToken=old&pageSize=1': { json: { nextPageToken: 'a b' } },
        'GET /v3/x?pageSize=1&pageToken=a%20b': { json: { nextPageToken: '' } },
      },
      '/v3/x?pageToken=old&pageSize=1',
    );
    expect((await pages).length).toBe(2);
    expect(asked.length).toBe(2);
  });

  it('that lead back are an error', async () => {
    const page = { json: { nextPageToken: 'a' } };
    const { pages, asked } = get({ 'GET /v3/x': page, 'GET /v3/x?pageToken=a': page }, '/v3/x');
    expect(await failure(pages)).toMatchObject({ code: 'PAGING' });
    expect(asked.length).toBe(2);
  });
});
