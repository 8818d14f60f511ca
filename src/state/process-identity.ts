import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
// Files of other users and of dead runs can only be told apart with the process table; nothing else in this room knows the process.
import process from 'node:process';

interface Stat {
  readonly state: string;
  readonly start: string;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}

function statOf(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the name of the program in parentheses and may itself hold blanks and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const boot = read('/proc/sys/kernel/random/boot_id') ?? '';
  const start = createHash('sha256')
    .update(`${boot} ${fields[19] ?? ''}`)
    .digest('hex')
    .slice(0, 16);
  return { state: fields[0] ?? '', start };
}

/** The user whose files this process makes; undefined where users have no numbers (Windows). */
export function ownUser(): number | undefined {
  return process.geteuid?.();
}

interface OwnProcess {
  readonly pid: number;
  readonly start: string;
  readonly host: string;
}

let own: OwnProcess | undefined;

/** Number, start mark and host of this process, as they stand in the names of its temporary files. */
export function ownProcess(): OwnProcess {
  own ??= { pid: process.pid, start: startOf(process.pid) ?? '', host: hostname() };
  return own;
}

/**
 * A text that differs between two processes that had the same number; undefined without /proc. It also differs across a
 * reboot.
 */
export function startOf(pid: number): string | undefined {
  return statOf(pid)?.start;
}

/**
 * Whether a process of this host lives; with a start mark, whether it is still the same one. A zombie does not live.
 */
export function isRunning(pid: number, start: string | undefined): boolean {
  const stat = statOf(pid);
  if (stat !== undefined) {
    if (stat.state === 'Z' || stat.state === 'X') return false;
    return start === undefined || start === '' || stat.start === start;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
