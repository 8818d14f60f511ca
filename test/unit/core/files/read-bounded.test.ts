import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readBounded } from '../../../../src/core/files/read-bounded.js';

const folder = mkdtempSync(join(tmpdir(), 'cdapctl-unit-'));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});
const file = join(folder, 'file');
writeFileSync(file, 'x'.repeat(200_000));
const pipe = join(folder, 'pipe');
if (process.platform !== 'win32') execFileSync('mkfifo', [pipe]);

it('gives a file that is not too large', async () => {
  expect((await readBounded(file, 200_000)).toString()).toBe('x'.repeat(200_000));
});

it.runIf(process.platform === 'linux')('reads files of the system, which say that they are empty', async () => {
  expect((await readBounded('/proc/self/status', 1_000_000)).length).toBeGreaterThan(100);
});

it.runIf(process.platform !== 'win32').each([
  { what: 'a file that is too large', path: file, says: 'is larger than 100 bytes' },
  { what: 'a device without an end', path: '/dev/zero', says: 'it is not a regular file' },
  { what: 'a pipe that nobody writes to', path: pipe, says: 'it is not a regular file' },
  { what: 'a folder', path: folder, says: 'it is a folder' },
  { what: 'a file that is not there', path: join(folder, 'none'), says: 'does not exist' },
  { what: 'a file below a file', path: '/dev/null/none', says: 'part of the path is not a folder' },
])('refuses $what', async ({ path, says }) => {
  await expect(readBounded(path, 100)).rejects.toMatchObject({
    code: 'LOCAL_IO',
    message: expect.stringContaining(says) as unknown,
  });
});
