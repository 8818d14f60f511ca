import { shareReport } from '../../../platform/reports.js';
import { answerLost } from '../../writing/send.js';
import type { PlatformReports } from './platform-source.js';

/**
 * The id under which everybody may read a report. Always the same one, so that a lost answer is asked for once more.
 * @throws NOT_FOUND
 */
export async function shareIdOf({ service }: PlatformReports, id: string, signal: AbortSignal): Promise<string> {
  const ask = async (): Promise<string> => (await service.call(shareReport, { id }, signal)).shareId;
  try {
    return await ask();
  } catch (error) {
    signal.throwIfAborted();
    if (!answerLost(error)) throw error;
    return ask();
  }
}
