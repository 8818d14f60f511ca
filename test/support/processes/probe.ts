import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, STARTER } from './run-cli.js';

/** Builds a program around the commands of `probe/`, which do what no command of ours should; returns its starter. */
export function buildProbe(folder: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  cpSync(STARTER, join(folder, 'bin', 'run.js'));
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  execFileSync(process.execPath, ['.ci/build.mjs', join(folder, 'dist'), join(ROOT, 'test/support/processes/probe')], {
    cwd: ROOT,
  });
  return join(folder, 'bin', 'run.js');
}
