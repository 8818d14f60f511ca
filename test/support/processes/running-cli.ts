import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { environmentOf, STARTER, type RunOptions, type RunResult } from './run-cli.js';

/** The tool at work, for tests that do something to it meanwhile. */
export interface RunningCli {
  readonly pid: number;
  /** Waits until stderr has a text; an end of the program without it is an error. */
  see(text: string): Promise<void>;
  /** What stderr has so far. */
  said(): string;
  kill(signal: NodeJS.Signals): void;
  /** Waits for the end. */
  readonly ended: Promise<RunResult>;
}

/** Starts the tool without stdin; it is killed after `timeout` milliseconds. */
export function startCli(
  args: readonly string[],
  { home, env, timeout }: Required<Pick<RunOptions, 'home' | 'env'>> & Pick<RunOptions, 'timeout'>,
): RunningCli {
  const child = spawn(process.execPath, [STARTER, ...args], {
    cwd: home,
    env: environmentOf(home, env),
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(timeout !== undefined && { timeout, killSignal: 'SIGKILL' }),
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  let open = true;
  const ended = once(child, 'close').then(([code, signal]): RunResult => {
    open = false;
    return {
      code: (code as number | null) ?? undefined,
      signal: (signal as NodeJS.Signals | null) ?? undefined,
      ...texts,
    };
  });
  return {
    pid: child.pid ?? 0,
    async see(text) {
      while (!texts.stderr.includes(text)) {
        if (!open) throw new Error(`the program ended without "${text}":\n${texts.stderr}`);
        await Promise.race([once(child.stderr, 'data'), ended]);
      }
    },
    said: () => texts.stderr,
    kill: (signal) => {
      child.kill(signal);
    },
    ended,
  };
}
