import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { hintText } from '../../../src/output/next-steps.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { ROOT, withTempDir } from '../../support/processes/run-cli.js';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly args: Readonly<Record<string, { required?: boolean }>> }>>;
}

const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as Manifest;
/** Every command about something that is not there; one that starts a server would go on, one makes what it names. */
const LINES = Object.entries(commands)
  .filter(([id]) => id !== 'emulator:start' && id !== 'hub:init')
  .map(([id, { args }]) => [
    id,
    ...Object.values(args)
      .filter(({ required }) => required === true)
      .map(() => 'nosuch'),
  ]);

const PLACE = / (?:-u|--url|--context|-n|--namespace) \S+/gu;
const sorted = (line: string): string => line.replaceAll(PLACE, '').split(' ').sort().join(' ');

/** Whether a hint is the line itself, perhaps without the words that say where. */
function isAgain(hint: string, line: string): boolean {
  const command = /(?:^|: )(cdapctl .*?)(?: {2,}#.*)?$/u.exec(hint)?.[1];
  if (command === undefined || sorted(command) !== sorted(line)) return false;
  return command.split(' ').every((word) => line.split(' ').includes(word));
}

let platform: Awaited<ReturnType<typeof startEmulator>>;
beforeAll(async () => {
  platform = await startEmulator({ port: 0, hubPort: 0 });
});
afterAll(() => platform.close());

it('no hint is the command that failed', { timeout: 60_000 }, async () => {
  let hints = 0;
  const again: string[] = [];
  const unpasteable: string[] = [];
  for (const [id = '', ...words] of LINES)
    for (const where of [[], ['-u', platform.url, '-n', 'nosuch']]) {
      const { error } = await withTempDir((home) => runInProcess(id, [...words, ...where], home));
      const failed = ['cdapctl', ...id.split(':'), ...words, ...where].join(' ');
      const texts = (error?.details.hints ?? []).map(hintText);
      hints += texts.length;
      unpasteable.push(...texts.filter((text) => /^(?:cdapctl|curl|chmod|mkdir|rm) .*\(/u.test(text)));
      again.push(...texts.filter((text) => isAgain(text, failed)).map((text) => `${failed}: ${text}`));
    }
  expect([again, unpasteable]).toEqual([[], []]);
  expect(hints).toBeGreaterThan(LINES.length);
});
