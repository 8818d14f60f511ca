import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { RunResult } from './run-cli.js';

/** A command line for a host; with the time, in milliseconds, after which it is killed. */
export interface HostOrder {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly stdin: string;
  readonly timeout: number;
}

interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly isClean: boolean;
}

const MOST = 4;
const idle: ChildProcess[] = [];
let busy = 0;

/** Whether another run would be one too many for the memory of the machine; it can have a process of its own. */
export const areHostsBusy = (): boolean => busy >= MOST;

/** Runs a command line in a process that ran others before, with nothing of theirs. */
export async function runInHost(starter: string, { timeout, ...order }: HostOrder): Promise<RunResult> {
  const host = idle.pop() ?? startHost(starter);
  const limit = setTimeout(() => host.kill('SIGKILL'), timeout);
  const heard = new AbortController();
  const answered = once(host, 'message', heard) as Promise<[Answer]>;
  const ended = once(host, 'exit', heard) as Promise<[number | null, NodeJS.Signals | null]>;
  hold(host, true);
  busy += 1;
  host.send(order);
  try {
    const first = await Promise.race([answered, ended]);
    const [answer] = first;
    if (typeof answer !== 'object' || answer === null)
      return {
        code: answer ?? undefined,
        signal: (first[1] as NodeJS.Signals | null) ?? undefined,
        stdout: '',
        stderr: '',
      };
    const { isClean, ...result } = answer;
    hold(host, false);
    if (isClean) idle.push(host);
    else host.disconnect();
    return { ...result, signal: undefined };
  } finally {
    busy -= 1;
    clearTimeout(limit);
    heard.abort();
    await Promise.allSettled([answered, ended]);
  }
}

function startHost(starter: string): ChildProcess {
  return fork(join(import.meta.dirname, 'cli-host.mjs'), [starter], {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** Only a host at work keeps the process of the tests alive. */
function hold(host: ChildProcess, isAtWork: boolean): void {
  const turn = isAtWork ? 'ref' : 'unref';
  host[turn]();
  host.channel?.[turn]();
}
