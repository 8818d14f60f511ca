import { asError } from '../../../core/errors.js';
import { timestamp, type Clock } from '../../../core/clock.js';
import { warn, type Emit } from '../../../core/events.js';
import type { Capabilities } from '../../../platform/capabilities.js';
import type { Platform } from '../../../platform/client.js';
import type { InstallEntry } from '../../../state/install-journal.js';
import type { Journal } from '../../../state/journal.js';
import type { FactValue, Observation, PackageCommands, PreparedAction, Step, StepContext } from '../action.js';
import { endsAgain, goesOn, isSettled } from '../journal/again.js';
import { claimsOf, type Claims } from './ledger-claims.js';
import { historyOf, stepKey } from '../journal/step-history.js';
import { notAgreed } from '../changed-since-plan.js';
import { patientPlatform } from '../../writing/patient-platform.js';
import { recordWrites, type RequestRecord } from '../../writing/record-writes.js';
import { mayHaveChanged, type ActionOutcome, type ExecutionResult } from './result.js';
import type { StagedFiles } from '../package/stage.js';

/** The platform that a plan is applied to, its staged files and its journal. */
export interface ExecuteDeps {
  readonly platform: Platform;
  readonly namespace: string;
  readonly capabilities: Capabilities;
  readonly staging: StagedFiles;
  readonly journal: Journal<InstallEntry>;
  /** Numbers of the actions with a step that are not to run. */
  readonly leftOut: readonly number[];
  /** Ignores earlier runs in the journal, except an interrupted one with the same actions. */
  readonly again: boolean;
  readonly force: boolean;
  /** Whether every file of the package was verified, for the journal. */
  readonly verified: boolean;
  /** Numbers of the actions whose overwriting was agreed to. */
  readonly agreed: ReadonlySet<number>;
  readonly commands: PackageCommands;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Ends what is in flight. */
  readonly signal: AbortSignal;
  /** Lets what is in flight end and begins nothing new (docs/faults.md L26). */
  readonly stop: AbortSignal;
}

interface StepRun {
  readonly context: StepContext;
  readonly claims: Claims;
  /** Whether it may overwrite what is there. */
  readonly agreed: boolean;
  readonly mark: (state: 'started' | 'done' | 'failed' | 'unknown') => Promise<void>;
}

async function openStep(action: PreparedAction, execution: ExecuteDeps, requests: RequestRecord[]): Promise<StepRun> {
  const { journal, clock, signal, stop, emit, namespace, capabilities, force } = execution;
  const jar = action.step?.jar && (await execution.staging.jar(action.step.jar));
  const key = stepKey(action, jar);
  const history = historyOf(journal.entries, action.n, key);
  const warnings = { emit, warnAs: 'INSTALL' };
  const patient = patientPlatform(execution.platform, (milliseconds) => clock.sleep(milliseconds, stop), warnings);
  const note = async (name: string, value: FactValue): Promise<void> => {
    await journal.append({ v: 1, type: 'fact', n: action.n, name, value, at: timestamp(clock) });
    history.facts.set(name, value);
  };
  const context: StepContext = {
    platform: recordWrites(patient, clock, requests),
    namespace,
    capabilities,
    force,
    again: execution.again,
    upcoming: [],
    commands: execution.commands,
    history,
    jar,
    signal,
    clock,
    note,
    wait: (milliseconds) => clock.sleep(milliseconds, signal),
    ...warnings,
  };
  const claiming = { platform: patient, namespace, capabilities, signal, journal, clock, requests };
  return {
    context,
    claims: claimsOf(action, claiming),
    agreed: execution.agreed.has(action.n),
    mark: (state) => journal.append({ v: 1, type: 'step', n: action.n, key, state, at: timestamp(clock) }),
  };
}

async function change(step: Step, run: StepRun, observation: Observation): Promise<void> {
  const { context, claims, mark, agreed } = run;
  if (observation.state === 'refused') throw observation.error;
  if (observation.state === 'differs' && observation.appends !== true && !agreed) throw notAgreed(step.target);
  await claims.begin(observation);
  await mark('started');
  await step.apply(context, observation);
  await step.settle?.(context);
  await claims.settle(true);
  await mark('done');
}

async function runStep(step: Step, run: StepRun): Promise<ActionOutcome['state']> {
  const { context, claims, mark } = run;
  const observation = await step.observe(context);
  if ('unproven' in observation && observation.unproven)
    warn(
      context,
      `${step.title} already exists, and no journal of this package shows that it is from here; content not compared`,
    );
  if (observation.state !== 'done') {
    await change(step, run, observation);
    return 'done';
  }
  const unfinished = context.history.begun && !context.history.done;
  if (unfinished) await step.settle?.(context);
  await claims.settle(false);
  if (unfinished) await mark('done');
  return 'already-present';
}

async function runAction(action: PreparedAction, of: number, execution: ExecuteDeps): Promise<ActionOutcome> {
  const { clock, emit } = execution;
  const from = clock.monotonic();
  const { step } = action;
  if (step === undefined) return { n: action.n, state: 'done', requests: [], durationMs: 0 };
  const { title } = step;
  const took = (): number => Math.round(clock.monotonic() - from);
  emit({ type: 'stepStarted', n: action.n, of, title });
  const requests: RequestRecord[] = [];
  let run: StepRun | undefined;
  try {
    run = await openStep(action, execution, requests);
    const state = await runStep(step, run);
    if (state === 'done') emit({ type: 'stepDone', n: action.n, title, milliseconds: took() });
    else emit({ type: 'stepSkipped', n: action.n, title, reason: 'already exists' });
    return { n: action.n, state, requests, durationMs: took() };
  } catch (cause) {
    if (requests.length === 0 && execution.stop.aborted && cause === execution.stop.reason)
      return { n: action.n, state: 'not-run', requests, durationMs: took() };
    const error = asError(cause);
    await noteFailure(run, { state: 'failed', requests, error });
    emit({ type: 'stepFailed', n: action.n, title, message: error.message });
    return { n: action.n, state: 'failed', requests, durationMs: took(), message: error.message, error };
  }
}

async function noteFailure(run: StepRun | undefined, outcome: Parameters<typeof mayHaveChanged>[0]): Promise<void> {
  try {
    await run?.claims.fail(mayHaveChanged(outcome));
    if (outcome.requests.length === 0) return;
    await run?.mark(outcome.error?.code === 'UNKNOWN_OUTCOME' ? 'unknown' : 'failed');
  } catch {
    // The journal cannot be written; "started" stands there, which the next run takes as unknown.
  }
}

/** Writes into the journal what has come to its end. */
async function noteEnd(steps: readonly number[], { journal, verified, clock, leftOut }: ExecuteDeps): Promise<void> {
  if (endsAgain(journal.entries, steps))
    await journal.append({ v: 1, type: 'again', state: 'ended', actions: steps.slice(), at: timestamp(clock) });
  const whole = leftOut.every((n) => isSettled(journal.entries, n));
  if (whole && !['finished', undefined].includes(journal.entries.at(-1)?.type))
    await journal.append({ v: 1, type: 'finished', verified, at: timestamp(clock) });
}

/**
 * Runs the prepared actions in order and stops at the first failure. The only place that writes on the platform. Order,
 * journal and resume are decided here, requests by the steps.
 */
export async function executePlan(
  actions: readonly PreparedAction[],
  execution: ExecuteDeps,
): Promise<ExecutionResult> {
  const outcomes: ActionOutcome[] = [];
  const { journal, clock } = execution;
  const steps = actions.flatMap(({ n, step }) => (step === undefined ? [] : n));
  if (execution.again && !goesOn(journal.entries, steps))
    await journal.append({ v: 1, type: 'again', state: 'begun', actions: steps, at: timestamp(clock) });
  for (const action of actions) {
    const stopped = execution.stop.aborted || outcomes.some(({ state }) => state === 'failed');
    outcomes.push(
      stopped
        ? { n: action.n, state: 'not-run', requests: [], durationMs: 0 }
        : await runAction(action, actions.length, execution),
    );
  }
  const ended = outcomes.every(({ state }) => state === 'done' || state === 'already-present');
  if (!ended) return { outcomes };
  // What was done is told also where the journal cannot take it.
  return noteEnd(steps, execution).then(
    () => ({ outcomes }),
    (cause: unknown) => ({ outcomes, unwritten: asError(cause) }),
  );
}
