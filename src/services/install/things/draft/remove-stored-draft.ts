import { CliError } from '../../../../core/errors.js';
import { warn } from '../../../../core/events.js';
import {
  draftTexts,
  getUserSettings,
  goneFrom,
  putUserSettings,
  withoutDraft,
} from '../../../../platform/user-store.js';
import type { RemovalDeps } from '../../thing-kind.js';
import { overdue, pathsOf, warnLate } from '../../../writing/merge-settings.js';
import { sendOnce } from '../../../writing/send.js';

const MOST_WRITES = 10;
/**
 * Milliseconds from a write to the check of its effect. By then, everyone who read before the write has written, and
 * others that check their writes have restored what those undid.
 */
const SETTLED = 3000;

interface Removal {
  readonly name: string;
  readonly id: string;
  readonly context: RemovalDeps;
  /** The draft as it stood there at first; only that may be removed. */
  held?: string;
  /** The settings that were written in this round. */
  written?: string;
  isLate: () => boolean;
}

const read = ({ context: { platform, signal } }: Removal): Promise<string> =>
  platform.call(getUserSettings, {}, signal);

const textIn = (settings: string, { id, context: { namespace } }: Removal): string | undefined =>
  draftTexts(settings, namespace).get(id);

async function writeWithout(removal: Removal): Promise<void> {
  const { name, id, context } = removal;
  removal.isLate = overdue(context);
  const settings = await read(removal);
  const there = textIn(settings, removal);
  if (there === undefined) return;
  removal.held ??= there;
  if (there !== removal.held)
    throw new CliError('CONFLICT', `someone else is changing draft ${name}`, {
      hints: ['run the same command again when no one else is changing drafts'],
      target: { draft: name },
    });
  removal.written = withoutDraft(settings, context.namespace, id);
  await context.platform.call(putUserSettings, { settings: removal.written }, context.signal);
}

/** Writes once and looks whether the draft stays away; tells what else is gone from what was written. */
async function writeAndLook(removal: Removal): Promise<boolean> {
  const { name, context } = removal;
  const isGone = async (): Promise<boolean> => textIn(await read(removal), removal) === undefined;
  await sendOnce(`the removal of draft ${name}`, context, () => writeWithout(removal), isGone);
  if (removal.isLate()) warnLate(context);
  if (removal.written === undefined) return true;
  await context.wait(SETTLED);
  const settings = await read(removal);
  const lost = pathsOf(goneFrom(removal.written, settings));
  if (lost !== '') warn(context, `someone else removed from the user store: ${lost}`);
  return textIn(settings, removal) === undefined;
}

/**
 * Removes one draft from the user store and changes nothing else there. Reads, writes without the draft and reads
 * again. Repeats this when another write brings the draft back (docs/platform.md 6.1).
 * @throws CONFLICT when someone else changes the draft or it comes back every time
 */
export async function removeStoredDraft(name: string, id: string, context: RemovalDeps): Promise<void> {
  const removal: Removal = { name, id, context, isLate: () => false };
  for (let count = 1; count <= MOST_WRITES; count++) {
    delete removal.written;
    if (await writeAndLook(removal)) return;
    warn(context, `draft ${name} was restored by someone else writing the user store`);
  }
  throw new CliError('CONFLICT', `draft ${name} was removed ${MOST_WRITES} times and restored every time`, {
    hints: ['run the same command again when no one else is changing drafts or settings'],
    target: { draft: name },
  });
}
