import type { CommandContext } from '../../cli/context-types.js';
import { CliError } from '../../core/errors.js';
import { someNames } from '../../services/hosting/mirror/failure-lines.js';
import { chooseMirror, runMirror } from '../../services/hosting/mirror/mirror.js';
import type { ChosenMirror, MirrorRequest, MirrorResult } from '../../services/hosting/mirror/mirror-plan.js';

/** So much of a mirror may be removed without confirmation. */
const HARMLESS = 0.1;

/** So many versions a question names. */
const MOST_NAMES = 5;

/** The folder as it was named on the line, and who is asked. */
export interface AgreeDeps extends Pick<CommandContext, 'consent'> {
  readonly folder: string;
}

/** Asks whether the versions that are not selected any more may be removed from a mirror. */
export async function agreeToRemove(
  { request, gone, all }: ChosenMirror,
  { folder, consent }: AgreeDeps,
): Promise<void> {
  if (request.dry || gone.length === 0) return;
  await consent.ask({
    deed: `remove ${gone.length} of ${all} package versions from ${folder}: ${someNames(gone, MOST_NAMES)}`,
    isHarmless: gone.length <= all * HARMLESS,
    count: gone.length,
  });
}

/** Mirrors a hub, once what it removes is confirmed. */
export async function mirrorAgreed(
  request: MirrorRequest,
  deps: AgreeDeps,
  signal: AbortSignal,
): Promise<MirrorResult> {
  const chosen = await chooseMirror(request, signal);
  tellUnsigned(chosen);
  await agreeToRemove(chosen, deps);
  return runMirror(chosen, signal);
}

/**
 * Warns of a mirror without signatures, of a hub that signs its index only.
 * @throws SIG_MISSING when signatures are required
 */
function tellUnsigned({ request: { setup, emit }, upstream, unsigned }: ChosenMirror): void {
  if (unsigned === undefined) return;
  const { name, version } = unsigned;
  const reason = `the hub ${upstream.hub} has no signature files for ${name} ${version}, only its index is signed`;
  const hint = 'to sign it: --key FILE';
  if (setup.policy !== 'require')
    emit({ type: 'warning', code: 'UNSIGNED', message: `${reason}: this mirror is unsigned`, hint });
  // Without a key nothing of the hub can be verified, which is told when it is fetched.
  else if (setup.pinned > 0)
    throw new CliError('SIG_MISSING', `${reason}: this mirror would be unsigned`, {
      hints: [hint, 'to mirror it unsigned: --verify warn'],
      target: { package: name, version },
    });
}
