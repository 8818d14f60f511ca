import { join } from 'node:path';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { mirrorFolder } from '../../services/hosting/mirror/folder/mirror-folder.js';
import { forgetRemovals, keepRemovals, ownRemovals } from '../../services/hosting/mirror/folder/mirror-removals.js';
import type { MirrorRequest, MirrorResult } from '../../services/hosting/mirror/mirror-plan.js';
import { isPublished, withResult } from '../../services/hosting/mirror/mirror-result.js';
import { folderTarget } from '../../services/hosting/publish/folder-target.js';
import { planPublication } from '../../services/hosting/publish/plan.js';
import { publish } from '../../services/hosting/publish/publish.js';
import { readTreeFiles } from '../../services/hosting/publish/tree-files.js';
import type { SignedHub } from '../../services/hosting/sign/sign-hub.js';
import { publishedIn } from '../../services/hosting/tree/published-files.js';
import { mirrorAgreed, type AgreeDeps } from './mirror-agreed.js';
import { realMade } from './real-folder.js';
import { signFor, type OpenedKeys } from './sign.js';

type SignedContext = Pick<CommandContext, 'asker' | 'consent' | 'emit' | 'hubs' | 'stateFolder'>;
type SignedSession = Pick<Session, 'argv' | 'build' | 'clock' | 'env' | 'signal' | 'terminal'>;

/** The keys that sign the mirror of a part of a hub. */
export interface MirrorKeys {
  readonly keyFiles: readonly string[];
  readonly passphraseFiles: readonly string[];
}

interface SignedMirrorOptions extends MirrorKeys {
  readonly opened: OpenedKeys;
  /** The folder as it was named on the line. */
  readonly folder: string;
}

const DAY = 86_400_000;
const VALIDITY = 30 * DAY;

/** Where a signed mirror is put together. */
const signedIn = (root: string): string => join(mirrorFolder(root).own, 'signed');

/**
 * Mirrors a part of a hub with signatures and an index of one's own. It is mirrored and signed beside the folder of the
 * mirror, and published from there in the steps of `hub publish`, so that readers meet no half of it.
 */
export async function mirrorSigned(
  request: MirrorRequest,
  keys: SignedMirrorOptions,
  context: SignedContext,
  session: SignedSession,
): Promise<MirrorResult> {
  const { root, prune, grace, emit } = request;
  const { signal, clock } = session;
  const source = await realMade(signedIn(root));
  const own = await besideOf(request, source);
  const finish = async (): Promise<SignedHub> => {
    const signed = await signAll(source, keys, context, session).catch((error: unknown) => {
      throw ofMirror(error);
    });
    const target = folderTarget(source, root);
    const published = await target.published(signal);
    const planned = planPublication(await readTreeFiles(source, signal), published);
    const plan = { ...planned, removals: await ownRemovals(root, planned.removals, published) };
    if (prune && plan.removals.length > 0) await keepRemovals(root, plan.removals);
    await publish(plan, target, { prune, grace: grace?.time ?? 0, concurrency: 4, clock, emit }, signal);
    if (prune) forgetRemovals(root);
    return signed;
  };
  try {
    const result = await mirrorAgreed(own, { folder: keys.folder, consent: context.consent }, signal);
    return { ...result, folder: root, signed: factsOf(await finish()) };
  } catch (error) {
    // What could be mirrored is published.
    if (isPublished(error)) throw withResult(error, { folder: root, signed: factsOf(await finish()) });
    throw withResult(error, { folder: root });
  }
}

/** What `mirrorSigned` would fetch and remove. */
export async function previewSigned(
  request: MirrorRequest,
  deps: AgreeDeps,
  signal: AbortSignal,
): Promise<MirrorResult> {
  const { root } = request;
  const own = await besideOf(request, signedIn(root));
  try {
    return { ...(await mirrorAgreed(own, deps, signal)), folder: root };
  } catch (error) {
    throw withResult(error, { folder: root });
  }
}

/** The mirror that is put together beside the folder, where no published version may change. */
async function besideOf(request: MirrorRequest, source: string): Promise<MirrorRequest> {
  const { root } = request;
  const taken = ['packages', 'packages.json'].some((name) => isThere(join(root, name)));
  if (isThere(mirrorFolder(root).state) || (taken && !isThere(mirrorFolder(source).state)))
    throw new CliError('EXISTS', `${root} has a hub that this command did not sign`, {
      hints: ['use another folder'],
      target: { file: root },
    });
  const published = await publishedIn(source, []);
  return { ...request, root: source, signatures: false, published, grace: undefined };
}

const factsOf = ({ keys, sequence, expires }: SignedHub): NonNullable<MirrorResult['signed']> => ({
  keys,
  sequence,
  expires,
});

/** Signs what is new, and renews the index in time where nothing is. */
async function signAll(
  folder: string,
  keys: SignedMirrorOptions,
  context: SignedContext,
  session: SignedSession,
): Promise<SignedHub> {
  const plain = { check: false, against: false, force: false, indexOnly: false, recheck: false, forced: [] };
  const options = { ...plain, ...keys, folder, program: undefined, validity: VALIDITY };
  const signed = await signFor({ ...options, refresh: false }, context, session);
  const isLate = Date.parse(signed.expires) - session.clock.now() < VALIDITY / 2;
  return signed.index === 'unchanged' && isLate ? signFor({ ...options, refresh: true }, context, session) : signed;
}

/** What signing refuses, with the next step of who mirrors in place of that of who signs. */
function ofMirror(error: unknown): unknown {
  if (!(error instanceof CliError)) return error;
  const isOfIndex = error.details.isOfOwnIndex === true;
  if (error.code !== 'REPUBLISH' && !isOfIndex) return error;
  const hints = isOfIndex
    ? ['also specify the key that signed this mirror, or use another folder']
    : ['the hub has changed files of published versions: use another folder to mirror them'];
  return new CliError(error.code, error.message, { ...error.details, hints });
}
