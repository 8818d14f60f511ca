import { describe, expect, it } from 'vitest';
import { withHubHints, withNextStep, tokenPlace } from '../../../src/cli/connection-hints.js';
import type { Hint } from '../../../src/core/next-step.js';
import { inContext } from '../../../src/config/setting.js';
import { CliError, type ErrorCode } from '../../../src/core/errors.js';
import { memoryHub } from '../services/catalog/support/memory-hub.js';

const { signal } = new AbortController();
const hintsOf = (error: unknown): readonly Hint[] =>
  (error instanceof CliError ? error : expect.fail('no error of ours')).details.hints ?? [];

describe('a platform that cannot be asked for its version', () => {
  const url = { value: 'http://cdap.example:1', origin: 'flag', from: '--url' } as const;
  const ofContext = { value: 'http://cdap.example:1', origin: 'user', ...inContext('our prod') } as const;

  it.each<[ErrorCode, RegExp]>([
    ['NET_REFUSED', /is the platform running, and is http:\/\/cdap\.example:1 \(--url\) its address\?/u],
    ['NET_DNS', /is the platform running/u],
    ['TLS', /is the platform running/u],
    ['NOT_FOUND', /does not respond like a CDAP platform/u],
    ['BAD_ANSWER', /does not respond like a CDAP platform/u],
  ])('%s says what to do next', (code, words) => {
    const error = withNextStep(new CliError(code, 'x', { hints: ['first'] }), url);
    expect(hintsOf(error)).toEqual(['first', expect.stringMatching(words)]);
    expect(hintsOf(withNextStep(new CliError(code, 'x'), ofContext)).slice(1)).toEqual([
      "cdapctl context show 'our prod'",
      'to use another address for one run: -u URL',
    ]);
  });

  it('takes no file for a context, however it is called', () => {
    const ofFile = { value: 'http://cdap.example:1', origin: 'user', from: 'context "prod"' } as const;
    expect(hintsOf(withNextStep(new CliError('TLS', 'x'), ofFile))).toHaveLength(1);
  });

  it.each<ErrorCode>(['AUTH', 'FORBIDDEN', 'INTERRUPTED'])('%s is left as it is', (code) => {
    const error = new CliError(code, 'x');
    expect(withNextStep(error, url)).toBe(error);
  });
});

describe('a hub whose catalog cannot be fetched', () => {
  it.each([
    ['corp', ['if the address has changed:', 'cdapctl hub remove corp', 'cdapctl hub add corp URL']],
    ['our hub', ['if the address has changed:', "cdapctl hub remove 'our hub'", "cdapctl hub add 'our hub' URL"]],
    [undefined, []],
  ])('called %s says what to do next, one command a hint', async (name, commands) => {
    const { source } = memoryHub('corp', new CliError('NET_DNS', 'the host name does not resolve'));
    const url = 'http://hub.example';
    const open = async () => Promise.reject(new CliError('NET_DNS', 'the host name does not resolve'));
    const none = withHubHints({ ...source, open }, { name, url }, []);
    const question = 'is the hub running, and is http://hub.example its address?';
    for (const failed of [none.catalog({}, signal), none.open({ file: 'index.json' }, { maxBytes: 1 }, signal)])
      expect(hintsOf(await failed.catch((error: unknown) => error))).toEqual([question, ...commands]);
    const others = ['dev', 'lab'].map((other) => ({ name: other, url }));
    const failed = withHubHints(source, { name, url }, others).catalog({}, signal);
    expect(hintsOf(await failed.catch((error: unknown) => error))).toEqual([
      question,
      'to use another hub: --hub dev, or --hub lab',
      ...commands,
    ]);
  });

  it('is left alone when somebody answered', async () => {
    const error = new CliError('BAD_JSON', 'x');
    const { source } = memoryHub('corp', error);
    await expect(
      withHubHints(source, { name: 'corp', url: 'http://hub.example' }, []).catalog({}, signal),
    ).rejects.toBe(error);
  });
});

describe('the place of a token', () => {
  const place = (tokenFile: string | undefined, from: string, env: Record<string, string>): string | undefined =>
    tokenPlace(
      {
        settings: {
          tokenFile: tokenFile === undefined ? undefined : { value: tokenFile, origin: 'flag', from },
          tokenCommand: undefined,
        },
      },
      { env },
    );

  it.each([
    ['t.txt', '--token-file', { CDAPCTL_TOKEN: 'x' }, 'in t.txt (--token-file)'],
    ['-', '--token-file', {}, 'in stdin (--token-file)'],
    [undefined, '', { CDAPCTL_TOKEN: 'x' }, 'in CDAPCTL_TOKEN'],
    [undefined, '', { CDAPCTL_TOKEN: '' }, undefined],
  ])('%s %s %j is %s', (file, from, env, expected) => {
    expect(place(file, from, env)).toBe(expected);
  });

  it('is the program of a command, without its words', () => {
    const tokenCommand = { value: "'/opt/my tools/get' --for me", origin: 'user', from: 'context "prod"' } as const;
    expect(tokenPlace({ settings: { tokenFile: undefined, tokenCommand } }, { env: { CDAPCTL_TOKEN: 'x' } })).toBe(
      'of /opt/my tools/get (context "prod")',
    );
  });
});
