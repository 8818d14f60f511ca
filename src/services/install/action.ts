import type { Clock } from '../../core/clock.js';
import type { CliError } from '../../core/errors.js';
import type { Jar } from '../../core/files/jar.js';
import type { Warnings } from '../../core/events.js';
import type { Capabilities } from '../../platform/capabilities.js';
import type { Platform } from '../../platform/client.js';

import type { Kind } from './thing-kind.js';

/** Where a JAR comes from: a file of the person, or a file of the package. */
export type JarSource =
  { readonly kind: 'local'; readonly file: string } | { readonly kind: 'hub'; readonly name: string };

/** A file that lies on disk, whole, verified where it came from a hub, and digested. */
export interface StagedFile {
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A staged file that is a JAR. */
export type StagedJar = StagedFile;

/** What an action touches on the platform. */
export interface Target {
  readonly kind: Kind | 'none';
  readonly name: string;
  readonly version?: string;
}

/**
 * What the journal knows of a step with the same key. `begun` and `done` tell how far it got. `facts` are notes of
 * attempts that did not end well.
 */
export interface StepHistory {
  readonly begun: boolean;
  readonly done: boolean;
  readonly facts: ReadonlyMap<string, unknown>;
}

/** Commands about the package of an install, complete with where and as whom, for hints. */
export interface PackageCommands {
  /** Removes what the install made. */
  readonly uninstall: string;
  /** Lists the versions of the package. */
  readonly versions: string;
  /** Numbers its actions. */
  readonly actions: string;
}

/** What a step may use: reads while it observes, writes only while it applies or settles. */
export interface StepContext extends Warnings {
  readonly platform: Platform;
  readonly namespace: string;
  readonly capabilities: Capabilities;
  readonly force: boolean;
  /** The person wants it done once more, whatever was done before. */
  readonly again: boolean;
  /** What earlier steps of the same plan will have made; empty while executing. */
  readonly upcoming: readonly Target[];
  readonly commands: PackageCommands;
  readonly history: StepHistory;
  /** Undefined until the files of the package are staged, and for steps without a JAR. */
  readonly jar: StagedJar | undefined;
  readonly signal: AbortSignal;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Waits between read-backs, in milliseconds. */
  readonly wait: (milliseconds: number) => Promise<void>;
  /** Writes a fact into the journal before it returns. */
  readonly note: (name: string, value: FactValue) => Promise<void>;
}

/** What a step may write into the journal. */
export type FactValue = string | number | boolean | Record<string, string>;

/**
 * How the platform stands to a step: what applying it would do, or why it must not be applied. What only `appends`
 * takes nothing away and may go on although nobody was asked: the stream was empty when the plan was shown. `unproven`
 * is content that is there already and that no record shows to be ours.
 */
export type Observation =
  | { readonly state: 'absent' | 'incomplete' | 'done'; readonly effect: string; readonly unproven?: boolean }
  | { readonly state: 'differs'; readonly effect: string; readonly consent: string; readonly appends?: true }
  | { readonly state: 'refused'; readonly effect: string; readonly error: CliError };

/** One change of the platform that knows its own requests and how to see that it is already there. */
export interface Step {
  readonly title: string;
  readonly target: Target;
  /**
   * Everything that makes this step what it is. With the digest of the JAR it becomes the journal's key
   * (docs/conventions.md D11).
   */
  readonly material: unknown;
  readonly jar?: JarSource;
  observe(context: StepContext): Promise<Observation>;
  /** Makes the change; must not write over what is there now although it was observed to be absent. */
  apply(context: StepContext, observed: Observation): Promise<void>;
  /**
   * Ends what a killed run began after its write (schedules, say). Called after `apply` and when a begun step is found
   * done.
   */
  settle?(context: StepContext): Promise<void>;
}

/** An action of a package, ready to be planned. */
export interface PreparedAction {
  readonly n: number;
  readonly type: string;
  readonly label: string;
  readonly target: Target;
  /** What a person reads: the steps of an informational action. */
  readonly texts: readonly string[];
  readonly notices: readonly string[];
  /** The arguments as they will be used, for the plan and the result. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly step?: Step;
}

/** An action with its arguments as they stand after the person's changes. */
export interface ResolvedAction {
  readonly n: number;
  readonly type: string;
  readonly label: string;
  readonly arguments: ReadonlyMap<string, unknown>;
  /** Names of the arguments that the package fixes: they are changed only with `--force-set`. */
  readonly fixed: ReadonlySet<string>;
  readonly jar?: JarSource;
}

/** What preparing may use. */
export interface PrepareContext {
  readonly namespace: string;
  /** A small resource of the package, verified. */
  readonly resource: (name: string) => Promise<Uint8Array>;
  /** Stages a large resource of the package. */
  readonly file: (name: string) => Promise<StagedFile>;
  /** Stages a JAR and reads its directory and manifest. */
  readonly inspect: (jar: JarSource) => Promise<Jar>;
  /** Reads parents without a scope as `system:`. */
  readonly assumeSystem: boolean;
}

/** Implements one action type. A new one is a file that exports this, and a line in `actions/index.ts`. */
export interface ActionType {
  /** Refuses a JAR that a person brings with BAD_JAR, or tells what was found in it. */
  checkJar?(jar: Jar): string;
  /** What is wrong with a text that a person gives for an argument. Undefined where nothing is known against it. */
  faultOf?(name: string, text: string): string | undefined;
  prepare(action: ResolvedAction, context: PrepareContext): Promise<PreparedAction>;
}
