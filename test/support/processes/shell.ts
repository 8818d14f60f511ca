import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { environmentOf, runCli, STARTER } from './run-cli.js';

/** What a script printed: both streams in `output`. */
export interface ShellRun {
  readonly code: number | null;
  readonly output: string;
  readonly stdout: string;
}

/** Milliseconds after which a script is killed. */
export const LONGEST = 120_000;

type Environment = Readonly<Record<string, string>>;

/** A shell that finds `cdapctl` by its name, as a person has it. */
export interface Shell {
  /** A folder that goes with the shell. */
  readonly root: string;
  /** Runs a script as a person would paste it, in a folder that is its home, too; only the script says whether it stops at what fails. */
  run(script: string, home: string, env?: Environment): Promise<ShellRun>;
  /** Like `run`, but stops at what fails; a script of plain lines, of this program alone, needs no shell. */
  runStrictly(script: string, home: string, env?: Environment): Promise<ShellRun>;
  close(): Promise<void>;
}

/** Makes a shell. */
export async function openShell(): Promise<Shell> {
  const root = await mkdtemp(join(tmpdir(), 'cdapctl-shell-'));
  const bin = join(root, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'cdapctl'), `#!/bin/sh\nexec '${process.execPath}' '${STARTER}' "$@"\n`);
  await chmod(join(bin, 'cdapctl'), 0o755);
  const run: Shell['run'] = (script, home, env = {}) =>
    runBash(script, home, { PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`, ...env });
  return {
    root,
    run,
    async runStrictly(script, home, env) {
      const lines = script
        .replaceAll(/^#.*\n?/gmu, '')
        .trim()
        .split('\n')
        .map(plainWords);
      if (lines.every((words) => words !== undefined)) return runPlain(lines, home, env);
      return run(`set -e -o pipefail\n${script}`, home, env);
    },
    close: () => rm(root, { recursive: true, force: true }),
  };
}

const WORD = /(?:[\w\-./:@%+,=]|'[^']*'|"[^"$`\\!]*")+/u;
const PLAIN = new RegExp(`^cdapctl(?: +${WORD.source})+$`, 'u');

/** The arguments in a line of this program in which a shell would do nothing but take off quotes; undefined for other lines. */
export function plainWords(line: string): string[] | undefined {
  if (!PLAIN.test(line)) return undefined;
  const [, ...words] = line.match(new RegExp(WORD, 'gu')) ?? [];
  return words.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/gu, '$1$2'));
}

async function runPlain(lines: readonly string[][], home: string, env?: Environment): Promise<ShellRun> {
  const run = { code: 0 as number | null, output: '', stdout: '' };
  for (const args of lines) {
    const { code, stdout, stderr } = await runCli(args, { home, cwd: home, timeout: LONGEST, ...(env && { env }) });
    Object.assign(run, { code, output: run.output + stdout + stderr, stdout: run.stdout + stdout });
    if (code !== 0) break;
  }
  return run;
}

async function runBash(script: string, home: string, env: Environment): Promise<ShellRun> {
  const child = spawn('bash', ['-c', script], {
    cwd: home,
    env: environmentOf(home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST,
    killSignal: 'SIGKILL',
  });
  let [output, stdout] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, stdout };
}

/** `cdapctl emulator start` at work. */
export interface EmulatorProcess {
  readonly url: string;
  readonly hub: string;
  readonly fingerprint: string;
  readonly child: ChildProcess;
}

/** Starts the emulator as a user does, and waits until it answers. */
export async function startEmulatorProcess(home: string, ...flags: string[]): Promise<EmulatorProcess> {
  const args = ['emulator', 'start', '--json', ...flags];
  const child = spawn(process.execPath, [STARTER, ...args], { cwd: home, env: environmentOf(home) });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { item } = JSON.parse(line) as { item: Omit<EmulatorProcess, 'child'> };
  return { ...item, child };
}

/** Stops it, and gives its exit code and the signal that ended it. */
export async function stopEmulatorProcess({ child }: EmulatorProcess): Promise<readonly unknown[]> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  return ended;
}
