import { CliError } from '../../../../core/errors.js';
import { parseJson } from '../../../../core/json/json.js';
import { memberTexts, withMember } from '../../../../core/json/members.js';
import { getDraft, listDrafts, putDraft } from '../../../../platform/drafts.js';
import type { StepContext } from '../../action.js';
import { draftArtifact, isOfArtifact, type DraftPlace, type DraftTarget, type SeenDrafts } from './drafts.js';
import { sendOnce } from '../../../writing/send.js';
import { isKeptByStudio } from './studio-config.js';

/** All that the studio can open; it refuses others with 400. */
const ARTIFACTS = ['cdap-data-pipeline', 'cdap-data-streams'];
const NAMELESS = 'Exception occurred while handling request: string';

/** The configuration with its engine in upper case. The studio would drop it otherwise (docs/platform.md 6.2). */
function studioConfiguration({ configuration }: DraftTarget): string {
  const engine = memberTexts(configuration).get('engine');
  return engine?.startsWith('"') === true ? withMember(configuration, ['engine'], engine.toUpperCase()) : configuration;
}

async function listed(context: StepContext) {
  try {
    return await context.platform.call(listDrafts, { namespace: context.namespace }, context.signal);
  } catch (error) {
    if (!(error instanceof CliError) || error.details.serverSaid !== NAMELESS) throw error;
    const hints = ['a draft without a name breaks the list of a namespace until that draft is deleted by its id'];
    throw new CliError(error.code, error.message, { ...error.details, hints });
  }
}

async function isStored(wanted: DraftTarget, id: string, context: StepContext): Promise<boolean> {
  const draft = await context.platform.find(getDraft, { namespace: context.namespace, id }, context.signal);
  if (draft?.name !== wanted.name || !isOfArtifact(wanted, draft.artifact)) return false;
  const sent = parseJson(Buffer.from(studioConfiguration(wanted)), 'the configuration');
  return isKeptByStudio(sent, draft.config, wanted.artifact.name);
}

async function look(wanted: DraftTarget, context: StepContext): Promise<SeenDrafts> {
  const all = await listed(context);
  const same = all.filter(({ name }) => name === wanted.name);
  const named = await Promise.all(same.map(async ({ id }) => ({ id, isSame: await isStored(wanted, id, context) })));
  return { named, ids: new Set(all.map(({ id }) => id)) };
}

async function put(wanted: DraftTarget, id: string, context: StepContext): Promise<void> {
  const { name } = wanted;
  const head = JSON.stringify({ name, artifact: draftArtifact(wanted) });
  const draft = `${head.slice(0, -1)},"config":${studioConfiguration(wanted)}}`;
  await sendOnce(
    `draft ${name}`,
    context,
    () => context.platform.call(putDraft, { namespace: context.namespace, id, draft }, context.signal),
    () => isStored(wanted, id, context),
  );
  if (await isStored(wanted, id, context)) return;
  throw new CliError('BAD_ANSWER', `the platform accepted draft ${name}, but returns different content`);
}

/**
 * The drafts of the studio service, which are requests of their own each.
 * @throws INCOMPATIBLE for an artifact that it has no drafts of
 */
export function studioDrafts(wanted: DraftTarget, context: StepContext): DraftPlace {
  if (!ARTIFACTS.includes(wanted.artifact.name))
    throw new CliError(
      'INCOMPATIBLE',
      `this platform supports drafts of ${ARTIFACTS.join(' and ')}, not of ${wanted.artifact.name}`,
    );
  return {
    title: 'the studio',
    look: () => look(wanted, context),
    put: (id) => put(wanted, id, context),
  };
}
