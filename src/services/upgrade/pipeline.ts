import type { CliError } from '../../core/errors.js';
import type { TextPlace } from '../../core/json/text.js';
import type { MadePipeline } from '../../state/upgrade-journal.js';

/** An artifact by name, version and scope, as the platform writes them. */
export interface ArtifactName {
  readonly name: string;
  readonly version: string;
  readonly scope: 'SYSTEM' | 'USER';
}

/** Which pipeline. */
export interface PipelinePlace {
  readonly namespace: string;
  readonly name: string;
}

/** A pipeline as a list shows it. `version` is that of the application, undefined where the platform names none. */
export interface PipelineRef {
  readonly namespace: string;
  readonly name: string;
  readonly artifact: ArtifactName;
  readonly version: string | undefined;
  /** Further versions that somebody named, which no upgrade changes. */
  readonly named?: readonly { readonly version: string; readonly artifact: ArtifactName }[];
}

/**
 * Orders pipelines by namespace and name, capitals first, whatever the order of the platform's list. Plans, results and
 * the files about them have this order.
 */
export function byName(
  one: Pick<PipelineRef, 'namespace' | 'name'>,
  other: Pick<PipelineRef, 'namespace' | 'name'>,
): number {
  const compare = (left: string, right: string): number => (left === right ? 0 : left < right ? -1 : 1);
  return compare(one.namespace, other.namespace) || compare(one.name, other.name);
}

/** A pipeline by its name for people: with its namespace. */
export const fullName = ({ namespace, name }: Pick<PipelineRef, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;

/** An artifact as a stage names it; without a scope the platform looks in both. */
export interface UsedArtifact {
  readonly name: string;
  readonly version: string;
  readonly scope: ArtifactName['scope'] | undefined;
}

/** A plugin that a stage or a post-action of a configuration uses. */
export interface PluginUse {
  readonly place: 'stage' | 'post-action';
  /** Name of the stage or of the post-action. */
  readonly stage: string;
  readonly plugin: string;
  readonly type: string;
  /** Undefined: the configuration names none and the platform chooses; `version` can be a range. */
  readonly artifact: UsedArtifact | undefined;
  /** Where the version of the artifact stands in the text of the configuration, quotes included. */
  readonly version: TextPlace | undefined;
  /** The properties that are set, as they stand in the configuration. */
  readonly properties: ReadonlyMap<string, unknown>;
}

/** A version of a plugin's artifact that an upgrade or its rollback changes. */
export interface PluginChange {
  readonly stage: string;
  readonly plugin: string;
  readonly type: string;
  readonly artifact: string;
  /** Empty: none was named. */
  readonly from: string;
  readonly to: string;
  /** The artifact that it is of afterwards, where that is another one. */
  readonly toArtifact?: { readonly name: string; readonly scope?: ArtifactName['scope'] };
}

/** What the pre-check found in a stage: `risky` goes on with a warning, `blocked` is not sent. */
export interface StageFinding {
  readonly level: 'risky' | 'blocked';
  readonly stage: string;
  readonly plugin: string;
  /** Undefined when the plugin as a whole is meant. */
  readonly property?: string;
  readonly reason: string;
}

/** Something that an upgrade leaves as it is, and why a person should know. */
export interface Note {
  readonly stage?: string;
  readonly message: string;
}

/** The change to a pipeline: made here from something else, or upgraded by the platform to an artifact. */
export type Change =
  | { readonly engine: 'client'; readonly made: MadePipeline }
  | { readonly engine: 'server'; readonly to: MadePipeline['artifact']; readonly snapshots: boolean };

/** How one pipeline ended. */
export interface PipelineOutcome {
  readonly state: 'upgraded' | 'rolled-back' | 'failed' | 'blocked' | 'unknown' | 'current' | 'skipped' | 'not-run';
  readonly error?: CliError;
  /** Why it is skipped. */
  readonly reason?: string;
  /** An earlier run had sent it. */
  readonly settled?: true;
  readonly errorFile?: string;
  /** What it really became, where another than this tool chose that. */
  readonly changes?: readonly PluginChange[];
  readonly notes?: readonly Note[];
  readonly durationMs: number;
}
