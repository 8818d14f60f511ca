import { describe, expect, it } from 'vitest';
import { writeHelp } from '../../../src/cli/help.js';
import type { Session } from '../../../src/cli/session.js';
import Install from '../../../src/commands/install.js';
import Upgrade from '../../../src/commands/upgrade.js';

async function linesOf(id: 'install' | 'upgrade'): Promise<readonly string[]> {
  let text = '';
  const terminal = { write: async (part: string) => void (text += part) };
  const table = { install: async () => ({ default: Install }), upgrade: async () => ({ default: Upgrade }) };
  await writeHelp([id], table, { terminal } as unknown as Session);
  return text.split('\n').map((line) => line.trim().replace(/ {2,}/gu, '  '));
}

describe('the help of a flag', () => {
  it.each([
    ['install', '--dry-run[=online|offline]  show the plan and change nothing'],
    ['upgrade', '--dry-run[=online]  read the platform, show the plan and change nothing'],
    ['upgrade', '--kind batch|realtime  only pipelines of this kind'],
    ['upgrade', '-D, --dir DIR  with --dry-run: write'],
    ['upgrade', '-A, --all-namespaces  all namespaces'],
  ] as const)('of %s: %s', async (id, beginning) => {
    expect((await linesOf(id)).filter((line) => line.startsWith(beginning))).toHaveLength(1);
  });

  it('names the values that its label does not', async () => {
    const lines = (await linesOf('upgrade')).join('\n');
    expect(lines).toContain('(auto, always,\nnever)');
    expect(lines).not.toMatch(/\(online\)|\(batch, realtime\)|\(client, server\)/u);
  });
});
