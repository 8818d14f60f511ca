import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/cli/config.js';

const BUILD = { root: process.cwd(), version: '1.2.3', commit: '', node: process.versions.node, system: 'linux x64' };
const NAMES = ['SHELL', 'HOME', 'USERPROFILE'] as const;
let before: (string | undefined)[] = [];

beforeEach(() => {
  before = NAMES.map((name) => process.env[name]);
});
afterEach(() => {
  for (const [at, name] of NAMES.entries()) {
    const value = before[at];
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
});

describe("oclif's configuration", () => {
  it('is loaded without a shell that the environment names', async () => {
    for (const name of NAMES) Reflect.deleteProperty(process.env, name);
    const config = await loadConfig(BUILD);
    expect([config.shell, config.version]).toEqual(['unknown', '1.2.3']);
  });

  it('leaves the shell and the home of a user alone', async () => {
    process.env['SHELL'] = '/bin/zsh';
    process.env['HOME'] = '/home/somebody';
    const config = await loadConfig(BUILD);
    expect([config.shell, process.env['SHELL'], process.env['HOME']]).toEqual(['zsh', '/bin/zsh', '/home/somebody']);
  });
});
