import { CliError, ERRORS, type ErrorCode } from '../../core/errors.js';

const SIGNALS = {
  SIGINT: ['INTERRUPTED', 'stopped by Ctrl-C'],
  SIGTERM: ['TERMINATED', 'stopped by a signal (SIGTERM)'],
  SIGHUP: ['HANGUP', 'the terminal was closed'],
} as const satisfies Partial<Record<NodeJS.Signals, readonly [ErrorCode, string]>>;

/** Milliseconds that work in progress may take after the first signal (docs/faults.md L26). */
const GRACE = 30_000;

/**
 * Aborts the run on the first signal, with the error that ends it. A second signal, or 30 seconds, ends it at once.
 * With something in `reload`, SIGHUP calls that instead.
 */
export function watchSignals(
  endNow: (error: CliError) => void,
  tell: (line: string) => void,
  reload: ReadonlySet<() => void>,
): AbortSignal {
  const controller = new AbortController();
  for (const [name, [code, message]] of Object.entries(SIGNALS)) {
    process.on(name, () => {
      const error = new CliError(code, message);
      if (controller.signal.aborted) {
        endNow(error);
        return;
      }
      if (name === 'SIGHUP' && reload.size > 0) {
        for (const again of reload) again();
        return;
      }
      tell(`stopping after the current requests${name === 'SIGINT' ? '; press Ctrl-C again to stop now' : ''}`);
      controller.abort(error);
      setTimeout(endNow, GRACE, error).unref();
    });
  }
  return controller.signal;
}

/** Longest time that a call to the file system may hold the end of the run, in milliseconds. */
const HELD = 200;

/**
 * Ends the process with a code. Node waits for calls to the file system, and one on a disk that stalls never comes
 * back: a run that a signal stopped is then ended by that signal, which is the same code in a shell.
 */
export function leave(code: number, leaveWith: (code: number) => void): void {
  const signal = Object.entries(SIGNALS).find(([, [name]]) => ERRORS[name].exit === code)?.[0];
  if (signal === undefined || !isHeld()) {
    leaveWith(code);
    return;
  }
  setTimeout(() => {
    if (!isHeld()) leaveWith(code);
    process.emit('exit', code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }, HELD);
}

const isHeld = (): boolean => process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
