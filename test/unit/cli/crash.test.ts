import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/cli/clock.js';
import { writeCrashFile } from '../../../src/cli/crash.js';
import { fakeTerminal } from '../../support/processes/terminal.js';
import { withTempDir } from '../../support/processes/run-cli.js';

const build = { version: '1.0.0', commit: 'abc', root: '/', node: '20.18.1', system: 'linux x64' };

describe('a crash report', () => {
  it('hides what was named a secret', async () => {
    await withTempDir(async (folder) => {
      const terminal = fakeTerminal();
      terminal.secrets.add('canary-1234');
      const error = new Error('sent canary-1234', { cause: { token: 'other' } });
      const file = writeCrashFile(error, { env: { CDAPCTL_STATE_DIR: folder }, build, clock: systemClock, terminal });
      const text = await readFile(file ?? '', 'utf8');
      expect(text).toContain('sent ***');
      expect(text).not.toContain('canary');
    });
  });

  it('is given up where it cannot be written', async () => {
    await withTempDir(async (folder) => {
      const place = join(folder, 'file');
      await writeFile(place, '');
      expect(
        writeCrashFile(new Error('x'), {
          env: { CDAPCTL_STATE_DIR: place },
          build,
          clock: systemClock,
          terminal: fakeTerminal(),
        }),
      ).toBeUndefined();
    });
  });
});
