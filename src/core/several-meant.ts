import { CliError } from './errors.js';

/** One of several things whose ids begin alike. */
export interface Alike {
  readonly id: string;
  readonly status: string;
  /** When it was made or started, in seconds since the epoch. */
  readonly at?: number | undefined;
  readonly name?: string | undefined;
}

/** The beginning of an id fits several things, of which a person has to choose one. */
export class SeveralMeant extends CliError {
  readonly all: readonly Alike[];

  constructor(problem: string, all: readonly Alike[]) {
    super('USAGE', problem);
    this.all = all;
  }
}
