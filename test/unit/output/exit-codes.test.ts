import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CommandClass } from '../../../src/cli/program.js';
import { exitCodesOf } from '../../../src/output/exit-codes.js';

const FOLDER = join(import.meta.dirname, '../../../src/commands');

/** What each command can end with beyond 0, 1, 2, 15 and the codes of signals; codes 3, 4, 7, 8 and 11 come with requests. */
const OWN: Readonly<Record<string, readonly number[]>> = {
  'config/list': [5],
  'config/path': [],
  'context/add': [5, 6],
  'context/list': [5],
  'context/remove': [5, 6, 13],
  'context/rename': [5, 6, 13],
  'context/set': [5, 6, 13],
  'context/show': [5],
  'context/use': [5, 6],
  'emulator/start': [6, 12],
  'hub/add': [5, 6],
  'hub/download': [3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
  'hub/key/add': [3, 4, 5, 6, 7, 8, 9, 11, 12, 13],
  'hub/key/export': [5, 6, 9],
  'hub/key/list': [5, 9],
  'hub/key/remove': [5, 6, 9, 13],
  'hub/key/show': [5, 9],
  'hub/list': [3, 4, 5, 7, 8, 11, 12],
  'hub/remove': [5, 6, 13],
  'hub/search': [3, 4, 5, 7, 8, 11, 12],
  'hub/show': [3, 4, 5, 6, 7, 8, 11, 12],
  'hub/sources': [5],
  'hub/verify': [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14],
  install: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16],
  'installed/list': [3, 4, 5, 7, 8, 11, 12],
  'installed/show': [3, 4, 5, 7, 8, 11, 12],
  'installed/uninstall': [3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16],
  schema: [5],
  version: [],
};
const ids = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).flatMap((name) =>
  name.endsWith('.ts') ? [name.replaceAll('\\', '/').slice(0, -3)] : [],
);

describe('the exit codes in help', () => {
  it.each(ids.filter((id) => id in OWN))('of %s are those that it can end with', async (id) => {
    const { default: command } = (await import(join(FOLDER, `${id}.ts`))) as { readonly default: CommandClass };
    const requests = command.requests && 'token-file' in command.flags;
    const codes = exitCodesOf(command.failures, requests).filter(
      (code) => ![0, 1, 2, 15, 129, 130, 143].includes(code),
    );
    expect(codes).toEqual(OWN[id]);
  });

  it('name those of every command', () => {
    expect(exitCodesOf([], false)).toEqual([0, 1, 2, 15, 129, 130, 143]);
    expect(ids).toEqual(expect.arrayContaining(Object.keys(OWN)));
  });
});
