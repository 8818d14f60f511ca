import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { redactor } from '../../../src/core/secrets/redact.js';
import { httpSource } from '../../../src/hub/http-source.js';
import type { Transport, TransportOptions } from '../../../src/http/transport.js';
import { platformClient } from '../../../src/platform/client.js';
import { getPreferences, putPreferences } from '../../../src/platform/preferences.js';
import { getReport } from '../../../src/platform/reports.js';
import { errorOf, saidBy } from '../../support/errors.js';
import { rawAnswer } from '../../support/raw-server.js';
import { get, hub, never, platform, serve } from './support.js';

const SECRET = 'Pl4nted/Secret+Text==';
const hide = redactor([SECRET]);
const OPTIONS: Partial<TransportOptions> = { hide, retries: 1 };
const PLACE = { level: 'instance' } as const;

/** A text with the secret across the place where it is cut. */
const cutAt = (most: number, begin: string): string => begin.padEnd(most - 8, 'x') + SECRET;

const read = (to: Transport<'platform'>) => platformClient(to).call(getPreferences, PLACE, never);
const write = (to: Transport<'platform'>) =>
  platformClient(to).call(putPreferences, { place: PLACE, values: {} }, never);

describe('words of a server in an error', () => {
  it.each<[string, (to: Transport<'platform'>) => Promise<unknown>, Buffer, string]>([
    [
      'the place of a redirect',
      read,
      rawAnswer(302, '', { Location: cutAt(300, 'http://b.example/') }),
      'REDIRECT_BAD',
    ],
    ['no place at all', read, rawAnswer(302, '', { Location: `http://[${SECRET}` }), 'REDIRECT_BAD'],
    [
      'the place of a write',
      write,
      rawAnswer(307, '', { Location: cutAt(300, 'http://b.example/') }),
      'REDIRECT_WRITE',
    ],
    ['an encoding', read, rawAnswer(200, 'x', { 'Content-Encoding': cutAt(80, 'x') }), 'BAD_ENCODING'],
    ['a type of content', read, rawAnswer(200, 'x', { 'Content-Type': cutAt(80, 'x') }), 'BAD_ANSWER'],
    ['the name of a member', read, rawAnswer(200, JSON.stringify({ [SECRET]: {} })), 'BAD_ANSWER'],
    ['a page', read, rawAnswer(500, `<p>${SECRET}</p>`), 'REMOTE_FAILED'],
    ['a server of tokens', read, rawAnswer(401, `{"auth_uri":["http://a/${SECRET}"]}`), 'AUTH'],
  ])('have no secret: %s', async (_, call, answer, code) => {
    const server = await serve((socket) => {
      socket.write(answer);
    });
    const error = await errorOf(call(platform(server.url, OPTIONS)));
    expect(error.code).toBe(code);
    expect(JSON.stringify(saidBy(error))).not.toMatch(/pl4n|secret/iu);
  });

  it.each<[string, (n: number) => Buffer]>([
    ['the type of a page', () => rawAnswer(200, '<p>', { 'Content-Type': cutAt(80, 'text/html; ') })],
    [
      'the address that a redirect led to',
      (n: number) => (n === 1 ? rawAnswer(302, '', { Location: `/x?y=${SECRET}` }) : rawAnswer(403)),
    ],
  ])('of a hub have none either: %s', async (_, answer) => {
    const server = await serve((socket, { n }) => {
      socket.write(answer(n));
    });
    const error = await errorOf(httpSource(hub(`${server.url}/v2`, OPTIONS), 'corp').catalog({}, never));
    expect(JSON.stringify(saidBy(error))).not.toMatch(/pl4n|secret/iu);
  });

  it('are none where they are part of a result: why a report failed', async () => {
    const info = { request: {}, created: 1, status: 'FAILED', error: `java.lang.Exception: ${SECRET}\n\tat a.b` };
    const server = await serve((socket) => {
      socket.write(rawAnswer(200, JSON.stringify(info)));
    });
    const report = await platformClient(platform(server.url, OPTIONS)).call(getReport, { id: 'x' }, never);
    expect(report).toMatchObject({ ...info, error: 'java.lang.Exception: ***\n\tat a.b' });
  });

  it('leave the reason of a signal what it is', async () => {
    const reason = new CliError('INTERRUPTED', 'stopped');
    const request = get({ signal: AbortSignal.abort(reason) });
    await expect(platform('http://127.0.0.1:1', OPTIONS).send(request)).rejects.toBe(reason);
  });
});
