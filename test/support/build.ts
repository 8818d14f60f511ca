import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Builds the bundle once, before the tests that start it. */
export default function setup(): void {
  if (process.env['CDAPCTL_BUILT'] === '1') return;
  const root = resolve(import.meta.dirname, '../..');
  execFileSync(process.execPath, ['.ci/build.mjs'], { cwd: root, stdio: 'inherit' });
}
