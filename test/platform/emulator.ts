import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { environmentOf, STARTER } from '../support/processes/run-cli.js';

/** An emulator started by the tool, and the hub of sample packages that it serves. */
export interface Emulator {
  readonly url: string;
  readonly hub: string;
  readonly keyFile: string;
  readonly fingerprint: string;
  /** Ends it by SIGTERM and gives its exit code. */
  stop(): Promise<number | null>;
}

/** Runs `cdapctl emulator start` with a home of the tool, on free ports. */
export async function startEmulatorProcess(home: string, ...flags: readonly string[]): Promise<Emulator> {
  const keyFile = join(home, 'sample-hub.asc');
  const args = [STARTER, 'emulator', 'start', '--key-out', keyFile, '--json', ...flags];
  const child = spawn(process.execPath, args, { env: environmentOf(home), stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit') as Promise<[number | null]>;
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    ended.then(([code]) => {
      throw new Error(`the emulator ended with ${code ?? 'a signal'}`);
    }),
  ]);
  const { item } = JSON.parse(line) as { item: { url: string; hub: string; fingerprint: string } };
  return {
    ...item,
    keyFile,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = await ended;
      return code;
    },
  };
}
