import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { WrittenCall } from '../../../../src/platform/access/any-call.js';
import { sendCall } from '../../../../src/services/api/send-call.js';
import { NEVER } from '../../../support/clock.js';
import { failure, platformWith, type Reply } from '../pipelines/support.js';

const send = (method: WrittenCall['method'], reply: Reply) => {
  const { platform, asked } = platformWith({ [`${method} /v3/x`]: reply });
  return { sent: sendCall(platform, { method, path: '/v3/x', headers: {} }, NEVER), asked };
};
const lost = (sent: 'no' | 'unknown') => new CliError('NET_RESET', 'the connection broke', { sent, serverSaid: 'x' });

describe('a request that a person wrote', () => {
  it('is answered with what came back', async () => {
    const { sent } = send('PUT', { status: 200, text: 'done' });
    expect(await sent).toEqual({ status: 200, bytes: Buffer.from('done') });
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
    ['it is refused', 'POST', { status: 403 }, 'FORBIDDEN'],
  ])('ends with its own error where %s', async (_, method, reply, code) => {
    expect(await failure(send(method, reply).sent)).toMatchObject({ code });
  });
});
