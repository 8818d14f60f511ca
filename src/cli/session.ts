import { hostname } from 'node:os';
import type { Clock } from '../core/clock.js';
import type { Terminal } from './terminal/terminal.js';

/** What the build knows about itself. */
export interface Build {
  readonly version: string;
  /** Commit that it was built from; empty when unknown. */
  readonly commit: string;
  /** Folder of the package, with `package.json` and `oclif.manifest.json`. */
  readonly root: string;
  /** Version of Node, without the `v`. */
  readonly node: string;
  /** Operating system and processor. */
  readonly system: string;
}

/** What a command gets from the process: made once, in `main`. */
export interface Session {
  /** The whole command line, for errors and for checks before it is parsed. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  readonly clock: Clock;
  /** Aborted by Ctrl-C and by signals, with the error that ends the process. */
  readonly signal: AbortSignal;
  /** What SIGHUP does in place of ending the run: what a server reads again. */
  readonly reload: Set<() => void>;
  readonly build: Build;
  /** Commands that go on with what is being written right now, for an end in the middle of it. */
  readonly writing: Set<string>;
}

/** Who holds a lock of this run. */
export const lockOwner = ({ clock }: Pick<Session, 'clock'>): { pid: number; host: string; clock: Clock } => ({
  pid: process.pid,
  host: hostname(),
  clock,
});
