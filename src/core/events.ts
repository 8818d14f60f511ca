import type { Hint } from './next-step.js';

/**
 * A fact that a service reports while it works; words and bars are found in `output`. Times are not part of it: who
 * prints adds them.
 */
export type ServiceEvent =
  | { readonly type: 'stepStarted'; readonly n: number; readonly of: number; readonly title: string }
  | { readonly type: 'stepDone'; readonly n: number; readonly title: string; readonly milliseconds: number }
  | { readonly type: 'stepSkipped'; readonly n: number; readonly title: string; readonly reason: string }
  | { readonly type: 'stepFailed'; readonly n: number; readonly title: string; readonly message: string }
  | { readonly type: 'bytes'; readonly what: string; readonly done: number; readonly total: number | undefined }
  | {
      readonly type: 'state';
      readonly what: string;
      readonly state: string;
      readonly detail?: string | undefined;
      /** Milliseconds until a wait of a fixed length ends. */
      readonly left?: number | undefined;
    }
  | {
      readonly type: 'count';
      /** What is counted: `pipelines upgraded`. */
      readonly what: string;
      readonly done: number;
      readonly of: number | undefined;
      readonly failed: number;
    }
  | {
      readonly type: 'retry';
      readonly what: string;
      /** The try that comes after the wait, 2 or more. */
      readonly attempt: number;
      readonly milliseconds: number;
      readonly reason: string;
    }
  | {
      readonly type: 'warning';
      readonly code: string;
      readonly message: string;
      /** What to do about it, behind the message in parentheses. */
      readonly hint?: Hint | undefined;
    }
  /** A line for stderr, whatever else is shown and in every format. */
  | { readonly type: 'note'; readonly message: string };

/** Takes a fact; never throws, never waits. */
export type Emit = (event: ServiceEvent) => void;

/** Where the warnings about some work go, and the code that all of them have. */
export interface Warnings {
  readonly emit: Emit;
  readonly warnAs: string;
}

/** Reports a warning. */
export function warn({ emit, warnAs: code }: Warnings, message: string, hint?: Hint): void {
  emit({ type: 'warning', code, message, ...(hint !== undefined && { hint }) });
}

/**
 * One thing that happened on the wire. Headers have only values that are no secret, whatever else a value says is
 * `***`.
 */
export type TraceFact = { readonly method: string; readonly url: string } & (
  | {
      readonly type: 'request';
      /** 1 for the first try. */
      readonly attempt: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'answer';
      readonly status: number;
      readonly milliseconds: number;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly type: 'failure'; readonly milliseconds: number; readonly reason: string }
);
