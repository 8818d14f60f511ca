import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SHARED_CODE } from './compiled-code.js';
import { setup as ownTemporary } from '../temporary.js';

/** Before the tests that start the bundle: builds it once, and makes the folder of the compiled code that their homes share. */
export default function setup(): () => void {
  if (process.env['CDAPCTL_BUILT'] !== '1') {
    const root = resolve(import.meta.dirname, '../../..');
    execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: root, stdio: 'inherit' });
  }
  const removeTemporary = ownTemporary();
  process.env[SHARED_CODE] = mkdtempSync(join(tmpdir(), 'cdapctl-code-'));
  return removeTemporary;
}
