import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SHARED_CODE } from './compiled-code.js';

/** Before the tests that start the bundle: builds it once, and makes the folder of the compiled code that their homes share. */
export default function setup(): () => void {
  if (process.env['CDAPCTL_BUILT'] !== '1') {
    const root = resolve(import.meta.dirname, '../..');
    execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: root, stdio: 'inherit' });
  }
  const code = mkdtempSync(join(tmpdir(), 'cdapctl-code-'));
  process.env[SHARED_CODE] = code;
  return () => {
    rmSync(code, { recursive: true, force: true });
  };
}
