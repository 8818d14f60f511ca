import type { ApplicationVersion } from './model.js';

/** The argument that lets a run fail, in the stage that it names. */
export const FAIL = 'emulator.fail';

/** How a run came to be started. */
export type StartMethod = 'MANUAL' | 'SCHEDULED' | 'TRIGGERED';

/**
 * One run of one program, including runs inside workflows; times in epoch seconds. Dashboard, run lists, metrics and
 * reports are made from it.
 */
export interface RunFact {
  readonly id: string;
  readonly namespace: string;
  readonly application: string;
  /** Version of the application that ran. */
  readonly version: string;
  readonly artifact: ApplicationVersion['artifact'];
  /** As in JSON answers: `Workflow`, `Spark`, `MapReduce`. */
  readonly type: string;
  readonly program: string;
  readonly status: string;
  readonly user?: string | undefined;
  readonly startMethod: StartMethod;
  /** When it was asked for. */
  readonly start: number;
  /** When it began to run; not of one that ended before. */
  readonly running?: number | undefined;
  /** Absent while it is active. */
  readonly end?: number | undefined;
  readonly runtimeArguments: Readonly<Record<string, string>>;
  /** Of a workflow: the run of its phase. */
  readonly inner?: string | undefined;
  /** Of a phase: the run of its workflow. */
  readonly outer?: string | undefined;
}
