import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { afterAll } from 'vitest';

/** A real temporary folder that goes away after the file of tests. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'cdapctl-unit-')));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Makes a program for a child process out of lines that import from `src/state`. */
export function childProgram(folder: string, name: string, source: string): string {
  const outfile = join(folder, `${name}.mjs`);
  const stdin = {
    contents: source,
    resolveDir: resolve(import.meta.dirname, '../../../src/state'),
    loader: 'ts' as const,
  };
  buildSync({ stdin, bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' });
  return outfile;
}

/** Starts such a program; its words come on stdout. */
export function startChild(program: string, ...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
}

/** Waits until a child has said `count` lines, and gives them. */
export function linesOf(child: ChildProcess, count: number): Promise<string[]> {
  return new Promise((done, failed) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const lines = text.split('\n');
      if (lines.length > count) done(lines.slice(0, count));
    });
    child.once('close', () => {
      failed(new Error(`the child ended after ${JSON.stringify(text)}`));
    });
  });
}

/** Ends a child without mercy and waits until it is gone. */
export async function killChild(child: ChildProcess): Promise<void> {
  const gone = new Promise((done) => child.once('close', done));
  child.kill('SIGKILL');
  await gone;
}

/** Makes a named pipe. */
export function makePipe(path: string): void {
  execFileSync('mkfifo', [path]);
}
