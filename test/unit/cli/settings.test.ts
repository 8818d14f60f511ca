import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findSettings } from '../../../src/cli/settings.js';
import type { Session } from '../../../src/cli/session.js';
import { fakeTerminal } from '../../support/processes/terminal.js';

const home = mkdtempSync(join(tmpdir(), 'settings-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

const sessionWith = (env: Record<string, string>): Session => ({
  reload: new Set(),
  writing: new Set(),
  argv: [],
  env: { HOME: home, ...env },
  terminal: fakeTerminal(),
  clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
  signal: new AbortController().signal,
  build: { version: '0.0.0', commit: '', root: home, node: '', system: '' },
});

/** What oclif hands over: the value of the line, or else the one of the environment. */
const cases: [flag: string, onLine: unknown, environment: string, setting: string, value: unknown][] = [
  ['url', 'http://line.example', 'http://env.example', 'url', 'http://line.example'],
  ['hub', ['./line'], 'http://env.example/v2', 'hubs', ['./line']],
  ['retries', 0, '7', 'retries', 0],
  ['connect-timeout', 2000, '9s', 'connectTimeout', 2000],
  ['request-timeout', 3000, '9s', 'requestTimeout', 3000],
  ['insecure-skip-tls-verify', true, 'false', 'insecureSkipTlsVerify', true],
  ['allow-http-token', false, 'true', 'allowHttpToken', false],
  ['verify', 'require', 'off', 'verify', 'require'],
];

describe('a setting', () => {
  it.each(cases)('--%s of the line wins over the environment', async (flag, given, text, member, value) => {
    const twin = `CDAPCTL_${flag.replaceAll('-', '_').toUpperCase()}`;
    const { settings } = await findSettings({ [flag]: given }, sessionWith({ [twin]: text }), new Set([flag]));
    expect(settings[member as 'url']).toMatchObject({ value, origin: 'flag' });
  });

  it.each(cases)(
    '--%s that only the environment gives counts as the environment',
    async (flag, given, text, member) => {
      const twin = `CDAPCTL_${flag.replaceAll('-', '_').toUpperCase()}`;
      const { settings } = await findSettings({ [flag]: given }, sessionWith({ [twin]: text }), new Set());
      expect(settings[member as 'url']).toMatchObject({ origin: 'environment' });
    },
  );
});
