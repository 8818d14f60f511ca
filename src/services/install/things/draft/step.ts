import { createHash } from 'node:crypto';
import { CliError } from '../../../../core/errors.js';
import { hasStudio } from '../../../../platform/capabilities.js';
import type { Observation, Step, StepContext, Target } from '../../action.js';
import { draftArtifact, type DraftPlace, type DraftTarget, type SeenDrafts } from './drafts.js';
import { notAgreed } from '../../changed-since-plan.js';
import { studioDrafts } from './studio-drafts.js';
import { userStoreDrafts } from './user-store-drafts.js';

/** Namespace of the ids that are made here (RFC 9562, version 5). */
const OURS = Buffer.from('6d1c3a0b8f5e4c1f9a7d2b64e0c95b13', 'hex');

async function placeOf(wanted: DraftTarget, context: StepContext): Promise<DraftPlace> {
  const { platform, capabilities, signal } = context;
  const studio = await hasStudio(platform, capabilities, signal);
  return studio ? studioDrafts(wanted, context) : userStoreDrafts(wanted, context);
}

/** The id of a draft, equal on every run and machine. A repeated write thus makes no second draft. */
function idOf(name: string, namespace: string, attempt: number): string {
  const hash = createHash('sha1').update(OURS);
  const bytes = hash
    .update(JSON.stringify([namespace, name, attempt]))
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => hex.slice(from, to)).join('-');
}

/** A free id: ours may be held by a draft that somebody renamed since, who would lose it. */
function freeId({ name }: DraftTarget, { ids }: SeenDrafts, namespace: string): string {
  for (let attempt = 1; ; attempt++) {
    const id = idOf(name, namespace, attempt);
    if (!ids.has(id)) return id;
  }
}

/**
 * The id to write under.
 * @throws CONFLICT when another draft of the name must not be written over
 */
function idFor(wanted: DraftTarget, drafts: SeenDrafts, context: StepContext): string {
  const [first, second] = drafts.named;
  if (first === undefined) return freeId(wanted, drafts, context.namespace);
  const { name } = wanted;
  const target = { draft: name, namespace: context.namespace };
  if (second !== undefined)
    throw new CliError('CONFLICT', `there are ${drafts.named.length} other drafts with the name ${name}`, {
      hints: [{ next: 'rename-thing', n: wanted.n }],
      final: true,
      target,
    });
  if (!context.force)
    throw new CliError('CONFLICT', `draft ${name} already exists with other content`, {
      hints: [{ next: 'rename-thing', n: wanted.n, mayForce: true }],
      final: true,
      target,
    });
  return first.id;
}

async function observe(wanted: DraftTarget, context: StepContext): Promise<Observation> {
  const place = await placeOf(wanted, context);
  const drafts = await place.look();
  if (drafts.named.some(({ isSame }) => isSame))
    return { state: 'done', effect: 'already exists with this configuration' };
  if (drafts.named.length === 0) return { state: 'absent', effect: `create in ${place.title}` };
  try {
    idFor(wanted, drafts, context);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return { state: 'refused', effect: 'another draft has this name', error };
  }
  return { state: 'differs', effect: `overwrite in ${place.title}`, consent: `overwrite draft ${wanted.name}` };
}

const target = ({ name }: DraftTarget): Target => ({ kind: 'draft', name });

async function apply(wanted: DraftTarget, context: StepContext, observed: Observation): Promise<void> {
  const place = await placeOf(wanted, context);
  const drafts = await place.look();
  if (drafts.named.some(({ isSame }) => isSame)) return;
  if (observed.state === 'absent' && drafts.named.length > 0) throw notAgreed(target(wanted));
  await place.put(idFor(wanted, drafts, context));
}

/**
 * The step that puts the draft of a pipeline where the platform keeps drafts. A draft is known by its name
 * (docs/hub-format.md 3.10).
 */
export function draftStep(wanted: DraftTarget): Step {
  const { name, configuration } = wanted;
  return {
    title: `draft ${name}`,
    target: target(wanted),
    material: { name, artifact: draftArtifact(wanted), configuration },
    observe: (context) => observe(wanted, context),
    apply: (context, observed) => apply(wanted, context, observed),
  };
}
