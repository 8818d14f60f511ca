import { CliError } from '../../core/errors.js';
import { deleteApplication } from '../../platform/apps.js';
import { deleteArtifact } from '../../platform/artifacts.js';
import type { Platform } from '../../platform/client.js';
import { deleteDraft } from '../../platform/drafts.js';
import { deleteStream } from '../../platform/streams.js';
import type { Thing } from '../../state/ledger.js';
import { sendOnce, type Sending } from '../writing/send.js';
import { draftsNamed, madeFrom, standingOf, type Looking } from '../install/standing.js';
import { removeStoredDraft } from './remove-stored-draft.js';

/** What removing needs; `platform` writes. */
export interface Removing extends Looking, Sending {
  readonly platform: Platform;
}

/** Sends a DELETE once; what is gone already is as good as deleted. */
async function remove(
  what: string,
  send: () => Promise<unknown>,
  gone: () => Promise<boolean>,
  removing: Removing,
): Promise<void> {
  const once = async (): Promise<void> => {
    try {
      await send();
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'NOT_FOUND')) throw error;
    }
  };
  await sendOnce(`the removal of ${what}`, removing, once, gone);
  if (!(await gone())) throw new CliError('BAD_ANSWER', `the platform removed ${what}, but still shows it`);
}

async function removeApplication(application: string, removing: Removing): Promise<void> {
  const { platform, namespace, signal } = removing;
  const gone = async (): Promise<boolean> =>
    (await standingOf({ kind: 'pipeline', name: application }, removing)).state === 'absent';
  const send = (): Promise<unknown> => platform.call(deleteApplication, { namespace, application }, signal);
  await remove(application, send, gone, removing);
}

async function removeArtifact({ name, version = '' }: Thing, removing: Removing): Promise<void> {
  const { platform, namespace, signal } = removing;
  const gone = async (): Promise<boolean> =>
    (await standingOf({ kind: 'artifact', name, version }, removing)).state === 'absent';
  const send = (): Promise<unknown> => platform.call(deleteArtifact, { namespace, name, version }, signal);
  await remove(`${name} ${version}`, send, gone, removing);
}

async function removeDraft({ name }: Thing, removing: Removing): Promise<void> {
  const { platform, namespace, signal } = removing;
  for (const { id, studio } of await draftsNamed(name, removing)) {
    if (!studio) {
      await removeStoredDraft(name, id, removing);
      continue;
    }
    const gone = async (): Promise<boolean> => !(await draftsNamed(name, removing)).some((one) => one.id === id);
    const send = (): Promise<unknown> => platform.call(deleteDraft, { namespace, id }, signal);
    await remove(`draft ${name}`, send, gone, removing);
  }
}

async function removeStream({ name }: Thing, removing: Removing): Promise<void> {
  const { platform, namespace, signal } = removing;
  const gone = async (): Promise<boolean> => (await standingOf({ kind: 'stream', name }, removing)).state === 'absent';
  const send = (): Promise<unknown> => platform.call(deleteStream, { namespace, stream: name }, signal);
  await remove(`stream ${name}`, send, gone, removing);
}

/** Removes one thing from the platform and sees that it is gone; a lost answer is decided by reading back (UNKNOWN_OUTCOME where that is impossible). */
export async function removeThing(thing: Thing, removing: Removing): Promise<void> {
  if (thing.kind === 'pipeline') return removeApplication(thing.name, removing);
  if (thing.kind === 'artifact') return removeArtifact(thing, removing);
  if (thing.kind === 'draft') return removeDraft(thing, removing);
  if (thing.kind === 'stream') return removeStream(thing, removing);
  if (thing.kind !== 'application') throw new Error(`a ${thing.kind} cannot be removed`);
  for (const name of await madeFrom(thing, removing)) await removeApplication(name, removing);
  return removeArtifact(thing, removing);
}
