import { mapConcurrent } from '../../../core/concurrency.js';
import { asError } from '../../../core/errors.js';
import { openErrorFiles } from '../files/error-files.js';
import type { JudgeOptions } from '../plan/judge.js';
import type { PlannedPipeline } from '../plan/plan.js';
import type { ExecuteDeps } from './execute.js';
import { previewRequest } from './run.js';

/** Writes into a folder what would be sent for each pipeline of a plan, or why nothing can be. */
export async function writePreview(
  planned: readonly PlannedPipeline[],
  {
    folder,
    judging,
    concurrency,
  }: { readonly folder: string; readonly judging: JudgeOptions; readonly concurrency: number },
  { platform, capabilities, clock, engine, stop: signal, emit }: ExecuteDeps,
): Promise<void> {
  const sent = planned.filter(({ state }) => state === 'upgrade' || state === 'blocked');
  const places = sent.map(({ ref }) => ref);
  const files = await openErrorFiles(folder, places, capabilities, clock);
  const write = async (one: PlannedPipeline): Promise<void> => {
    try {
      const change = await previewRequest(one, judging, { platform, signal, engine });
      if (change !== undefined) await files.save(one.ref, { change, message: 'planned', serverSaid: undefined });
    } catch (cause) {
      signal.throwIfAborted();
      const { code, message, details } = asError(cause);
      if (code === 'LOCAL_IO' || code === 'DISK_FULL') throw cause;
      await files.save(one.ref, { change: undefined, message, serverSaid: details.serverSaid });
      emit({ type: 'warning', code: 'UPGRADE', message });
    }
  };
  const written = mapConcurrent(sent, concurrency, write, signal);
  while ((await written.next()).done !== true) continue;
  await files.finish([]);
}
