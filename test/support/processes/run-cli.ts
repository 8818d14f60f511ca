import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { areHostsBusy, runInHost, type HostOrder } from './cli-host.js';
import { keepCode, lendCode } from './compiled-code.js';

export const ROOT = resolve(import.meta.dirname, '../../..');

/** The program as it is shipped. */
export const STARTER = join(ROOT, 'bin', 'run.js');

export interface RunOptions {
  /** Text for stdin; without it stdin is empty. */
  readonly stdin?: string;
  /** Added to a small fixed environment; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Kills the process after this many milliseconds (default 60,000). */
  readonly timeout?: number;
  /** The `bin/run.js` to start; that of the project unless given. */
  readonly starter?: string;
  /** Home of the run; without it a private one that is removed afterwards. */
  readonly home?: string;
  /** Starts without the compiled code of earlier runs in other homes. */
  readonly cold?: boolean;
  /** Starts a process for this run alone, where it is about the process itself. */
  readonly alone?: boolean;
}

export interface RunResult {
  /** Exit code; undefined when a signal ended the process. */
  readonly code: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `bin/run.js` as a user would, with folders of its own and nothing from the environment of the tests. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  if (options.home !== undefined) return run(args, options, options.home);
  return withTempDir((home) => run(args, options, home));
}

/** Calls with a new folder and removes it, whatever happens. */
export async function withTempDir<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cdapctl-test-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The environment of a run below a home folder. */
export function environmentOf(home: string, env: RunOptions['env'] = {}): NodeJS.ProcessEnv {
  const base = {
    PATH: process.env['PATH'],
    HOME: home,
    USERPROFILE: home,
    SYSTEMROOT: process.env['SYSTEMROOT'],
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_STATE_HOME: join(home, '.local', 'state'),
    XDG_CACHE_HOME: join(home, '.cache'),
    LANG: 'C.UTF-8',
    TZ: 'UTC',
  };
  return Object.fromEntries(Object.entries({ ...base, ...env }).filter(([, value]) => value !== undefined));
}

async function run(args: readonly string[], options: RunOptions, home: string): Promise<RunResult> {
  await mkdir(home, { recursive: true });
  if (!isAlone(options) && !areHostsBusy()) return runInHost(STARTER, orderOf(args, options, home));
  const shares = options.cold !== true && options.starter === undefined;
  if (shares) await lendCode(home);
  const result = await runAlone(args, options, home);
  if (shares) await keepCode(home);
  return result;
}

/** What Node itself reads when it starts. */
const AT_START = /^(?:NODE_|LANG|LC_)/u;

/** Whether a run needs a process of its own; `CDAPCTL_PROCESSES=1` gives one to each. */
function isAlone({ starter, cold, alone, env = {} }: RunOptions): boolean {
  const isAsked = starter !== undefined || cold === true || alone === true || process.env['CDAPCTL_PROCESSES'] === '1';
  return isAsked || Object.keys(env).some((name) => AT_START.test(name));
}

function orderOf(args: readonly string[], { cwd, env, stdin, timeout }: RunOptions, home: string): HostOrder {
  const order = { args, env: environmentOf(home, env), cwd: cwd ?? home };
  return { ...order, stdin: stdin ?? '', timeout: timeout ?? 60_000 };
}

async function runAlone(args: readonly string[], options: RunOptions, home: string): Promise<RunResult> {
  const { stdin, timeout, ...order } = orderOf(args, options, home);
  const child = spawn(process.execPath, [options.starter ?? STARTER, ...args], {
    ...order,
    timeout,
    killSignal: 'SIGKILL',
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (text: string) => {
      texts[name] += text;
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  return new Promise<RunResult>((done, failed) => {
    child.on('error', failed);
    child.on('close', (code, signal) => {
      done({ code: code ?? undefined, signal: signal ?? undefined, ...texts });
    });
  });
}
