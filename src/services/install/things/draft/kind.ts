import { hasStudio } from '../../../../platform/capabilities.js';
import { deleteDraft, getDraft, listDrafts } from '../../../../platform/drafts.js';
import { draftTexts, getUserSettings } from '../../../../platform/user-store.js';
import type { Thing } from '../../../../state/ledger.js';
import { removeOnce } from '../../remove-once.js';
import { comparable, present, type ThingState } from '../../thing-state.js';
import type { LookDeps, RemovalDeps, ThingKind } from '../../thing-kind.js';
import { removeStoredDraft } from './remove-stored-draft.js';

/** A draft with its id, which is all that its place keeps of it under the same name. */
interface FoundDraft {
  readonly id: string;
  readonly studio: boolean;
  readonly content: unknown;
}

/** The drafts of a name, wherever the platform keeps drafts; two may share one. */
async function draftsNamed(name: string, deps: LookDeps): Promise<readonly FoundDraft[]> {
  const { platform, namespace, capabilities, signal } = deps;
  const found: FoundDraft[] = [];
  if (await hasStudio(platform, capabilities, signal)) {
    for (const listed of await platform.call(listDrafts, { namespace }, signal)) {
      if (listed.name !== name) continue;
      const draft = await platform.find(getDraft, { namespace, id: listed.id }, signal);
      if (draft !== undefined)
        found.push({ id: listed.id, studio: true, content: { artifact: draft.artifact, config: draft.config } });
    }
    return found;
  }
  for (const [id, text] of draftTexts(await platform.call(getUserSettings, {}, signal), namespace)) {
    const value = comparable(text);
    if (typeof value !== 'object' || value === null) continue;
    const draft: Readonly<Record<string, unknown>> = { ...value };
    if (draft['name'] === name)
      found.push({ id, studio: false, content: { artifact: draft['artifact'], config: draft['config'] } });
  }
  return found;
}

async function look({ name }: Thing, deps: LookDeps): Promise<ThingState> {
  const found = await draftsNamed(name, deps);
  if (found.length === 0) return { state: 'absent' };
  return present(found.map(({ id, content }) => ({ id, content })).sort((a, b) => (a.id < b.id ? -1 : 1)));
}

async function remove({ name }: Thing, deps: RemovalDeps): Promise<void> {
  const { platform, namespace, signal } = deps;
  for (const { id, studio } of await draftsNamed(name, deps)) {
    if (!studio) {
      await removeStoredDraft(name, id, deps);
      continue;
    }
    const gone = async (): Promise<boolean> => !(await draftsNamed(name, deps)).some((one) => one.id === id);
    const send = (): Promise<unknown> => platform.call(deleteDraft, { namespace, id }, signal);
    await removeOnce(`draft ${name}`, send, gone, deps);
  }
}

/** The draft of a pipeline, which nothing else needs. */
export const draftKind: ThingKind = { order: 3, look, applications: async () => [], remove };
