import * as z from 'zod/mini';
import { CliError } from '../../../../core/errors.js';
import { parseJson } from '../../../../core/json/json.js';
import { memberTexts } from '../../../../core/json/members.js';
import { sameJson } from '../../../../core/json/same.js';
import { warn } from '../../../../core/events.js';
import {
  draftTexts,
  getUserSettings,
  goneFrom,
  putUserSettings,
  withDraft,
  withParts,
  type SettingsPart,
} from '../../../../platform/user-store.js';
import type { StepContext } from '../../action.js';
import { draftArtifact, isOfArtifact, type DraftPlace, type DraftTarget, type SeenDrafts } from './drafts.js';
import { overdue, pathsOf, warnLate } from '../../../writing/merge-settings.js';
import { sendOnce } from '../../../writing/send.js';

const MOST_MERGES = 10;
/** Milliseconds from a write to the look at it: by then everybody has written who read before it. */
const SETTLED = 1500;

const StoredDraft = z.looseObject({
  name: z.string(),
  artifact: z.optional(
    z.looseObject({ name: z.string(), version: z.optional(z.string()), scope: z.optional(z.string()) }),
  ),
});

const read = ({ platform, signal }: StepContext): Promise<string> => platform.call(getUserSettings, {}, signal);

const draftsIn = (settings: string, { namespace }: StepContext): ReadonlyMap<string, string> =>
  draftTexts(settings, namespace);

function readDraft(text: string): z.infer<typeof StoredDraft> | undefined {
  return z.safeParse(StoredDraft, parseJson(Buffer.from(text), 'a draft')).data;
}

function isWanted(wanted: DraftTarget, text: string): boolean {
  const draft = readDraft(text);
  if (draft?.name !== wanted.name || draft.artifact === undefined || !isOfArtifact(wanted, draft.artifact))
    return false;
  return sameJson(memberTexts(text).get('config') ?? '', wanted.configuration);
}

async function look(wanted: DraftTarget, context: StepContext): Promise<SeenDrafts> {
  const drafts = draftsIn(await read(context), context);
  const named = [...drafts].filter(([, text]) => readDraft(text)?.name === wanted.name);
  return {
    named: named.map(([id, text]) => ({ id, isSame: isWanted(wanted, text) })),
    ids: new Set(drafts.keys()),
  };
}

/** The draft as the user interface of these platforms keeps it. The configuration goes as the package wrote it. */
function draftText(wanted: DraftTarget, id: string): string {
  const head = JSON.stringify({ artifact: draftArtifact(wanted), name: wanted.name, __ui__: { draftId: id } });
  return `${head.slice(0, -1)},"config":${wanted.configuration}}`;
}

/** A draft on its way into the store, which others may write at the same time. */
interface Merge {
  readonly wanted: DraftTarget;
  readonly id: string;
  readonly context: StepContext;
  /** What stood under the id at first; only that may be written over. */
  held?: string;
  /** The settings that the draft was last added to. */
  before?: string;
  isLate: () => boolean;
}

const stands = ({ wanted, id, context }: Merge, settings: string): boolean => {
  const draft = draftsIn(settings, context).get(id);
  return draft !== undefined && isWanted(wanted, draft);
};

/** Of what was there the parts that a write out of an older state has undone. Settings that were all wiped stay so. */
function lostSince({ before }: Merge, settings: string): readonly SettingsPart[] {
  return before === undefined || memberTexts(settings).size === 0 ? [] : goneFrom(before, settings);
}

/** Reads, adds the draft and writes at once; a second call starts from a new reading. */
async function mergeNow(merge: Merge): Promise<void> {
  const { wanted, id, context } = merge;
  merge.isLate = overdue(context);
  const settings = await read(context);
  if (stands(merge, settings)) return;
  const there = draftsIn(settings, context).get(id);
  if (merge.before === undefined && there !== undefined) merge.held = there;
  if (there !== undefined && there !== merge.held)
    throw new CliError('CONFLICT', `someone else is writing draft ${wanted.name} with other content`, {
      hints: ['run the same command again when no one else is changing drafts'],
    });
  const lost = lostSince(merge, settings);
  if (lost.length > 0) warn(context, `someone else wrote an older state of the user store; restored: ${pathsOf(lost)}`);
  merge.before = withParts(settings, lost);
  const next = withDraft(merge.before, context.namespace, id, draftText(wanted, id));
  await context.platform.call(putUserSettings, { settings: next }, context.signal);
}

/** Writes once and looks whether draft and settings have stayed. */
async function writeAndLook(merge: Merge): Promise<boolean> {
  const { wanted, context } = merge;
  await sendOnce(
    `draft ${wanted.name}`,
    context,
    () => mergeNow(merge),
    async () => stands(merge, await read(context)),
  );
  if (merge.isLate()) warnLate(context);
  await context.wait(SETTLED);
  const settings = await read(context);
  if (!stands(merge, settings)) return false;
  const lost = lostSince(merge, settings);
  if (lost.length > 0) warn(context, `someone else removed from the user store: ${pathsOf(lost)}`);
  return true;
}

/**
 * Writes the draft again until no other write undoes it. Reads, merges, writes and reads again, as the store compares
 * no versions (docs/platform.md 6.1).
 * @throws CONFLICT when every write was undone
 */
async function put(merge: Merge): Promise<void> {
  const { wanted, context } = merge;
  for (let count = 1; count <= MOST_MERGES; count++) {
    if (await writeAndLook(merge)) return;
    warn(context, `draft ${wanted.name} was overwritten by someone else writing the user store`);
  }
  throw new CliError('CONFLICT', `draft ${wanted.name} was written ${MOST_MERGES} times and overwritten every time`, {
    hints: ['run the same command again when no one else is changing drafts or settings'],
    target: { draft: wanted.name, namespace: context.namespace },
  });
}

/** The drafts in the user store. It is one document with everything of a user; nothing else in it is changed. */
export function userStoreDrafts(wanted: DraftTarget, context: StepContext): DraftPlace {
  return {
    title: 'the user store',
    look: () => look(wanted, context),
    put: (id) => put({ wanted, id, context, isLate: () => false }),
  };
}
