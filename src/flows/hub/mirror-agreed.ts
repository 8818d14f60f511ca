import type { CommandContext } from '../../cli/context-types.js';
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
  await agreeToRemove(chosen, deps);
  return runMirror(chosen, signal);
}
