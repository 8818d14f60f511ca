import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocks, chapter, GUIDES, read } from '../support/documents.js';
import {
  LONGEST,
  openShell,
  startEmulatorProcess,
  stopEmulatorProcess,
  type Shell,
} from '../support/processes/shell.js';

let shell: Shell;

beforeAll(async () => {
  shell = await openShell();
});

afterAll(async () => {
  await shell.close();
});

describe('the later examples', () => {
  /** A gate and a look at what could be upgraded say with 11 that there is something. */
  const codesOf = (line: string): readonly number[] => (/--fail-if|--check/u.test(line) ? [0, 11] : [0]);
  const shown = ['Operating pipelines', 'The dashboard', 'Metrics of pipelines', 'Preferences'];
  const chapters = ['Upgrading pipelines', 'Reports', ...shown];
  const texts = [
    ['README.md', chapters.map((title) => chapter(title)).join('\n')],
    ...GUIDES.map(([file]) => [file, read(file)] as const),
  ] as const;

  it.concurrent.each(texts)(
    'of %s run as printed against the emulator of the tour',
    async (file, text) => {
      const lines = blocks(text)
        .filter(({ language }) => language === 'sh')
        .flatMap(({ content }) => content.trimEnd().split('\n'))
        .filter((line) => !line.includes('--watch'));
      expect(lines.length).toBeGreaterThan(5);
      const home = join(shell.root, file.replaceAll('/', '-'));
      await mkdir(home);
      const emulator = await startEmulatorProcess(home, '--pipelines', '60', '--runs', '3000');
      const script = lines.map((line) => `${line} > /dev/null; echo "@@ $?"`).join('\n');
      const { output, stdout } = await shell.run(script, home, { CDAPCTL_URL: emulator.url, URL: emulator.url });
      const codes = stdout
        .split('\n')
        .filter((line) => line.startsWith('@@ '))
        .map((line) => Number(line.slice(3)));
      expect(await stopEmulatorProcess(emulator)).toEqual([0, null]);
      expect(codes, output).toHaveLength(lines.length);
      for (const [at, line] of lines.entries()) expect(codesOf(line), `${line}\n${output}`).toContain(codes[at]);
    },
    LONGEST,
  );
});
