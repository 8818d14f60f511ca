import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { completePath } from '../../../../src/cli/line/local-path.js';

const home = mkdtempSync(join(tmpdir(), 'cdapctl-complete-'));
mkdirSync(join(home, 'drivers'));
for (const name of ['a-1.jar', 'a-2.JAR', 'a-notes.txt', '.a.jar']) writeFileSync(join(home, 'drivers', name), '');
writeFileSync(join(home, 'driver.txt'), '');
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

describe('Tab at a path of a JAR', () => {
  it.each([
    ['~/dri', '~/drivers/', []],
    ['~/drivers/', '~/drivers/a-', ['a-1.jar', 'a-2.JAR']],
    ['~/drivers/a-1', '~/drivers/a-1.jar', []],
    ['~/drivers/a-n', '~/drivers/a-n', []],
    ['~/driver.', '~/driver.', []],
  ])('%s counts folders and JARs only', (typed, text, candidates) => {
    expect(completePath(typed, home)).toEqual({ text, candidates });
  });
});
