import type { Thing } from '../../../state/ledger.js';
import { applicationKind } from './application/kind.js';
import { artifactKind } from './artifact/kind.js';
import { draftKind } from './draft/kind.js';
import { pipelineKind } from './pipeline/kind.js';
import type { ThingState } from '../thing-state.js';
import { streamKind } from './stream/kind.js';
import type { Kind, LookDeps, ThingKind } from '../thing-kind.js';

const ALL = {
  artifact: artifactKind,
  application: applicationKind,
  pipeline: pipelineKind,
  draft: draftKind,
  stream: streamKind,
} satisfies Record<Kind, ThingKind>;

const KINDS: ReadonlyMap<string, ThingKind> = new Map(Object.entries(ALL));

/**
 * What is known of a kind. Undefined for one that this version does not know, which a journal of a newer one may name.
 */
export const kindOf = (kind: string): ThingKind | undefined => KINDS.get(kind);

/** Looks whether a thing is there and what it is like; only reads. */
export async function standingOf(thing: Thing, deps: LookDeps): Promise<ThingState> {
  return (await kindOf(thing.kind)?.look(thing, deps)) ?? { state: 'unknown' };
}
