import { CliError } from '../../core/errors.js';
import { anyCall, type AnyAnswer, type WrittenCall } from '../../platform/access/any-call.js';
import type { Platform } from '../../platform/client.js';
import { answerLost, neverSent } from '../writing/send.js';

/**
 * Sends a request that a person wrote, once.
 * @throws UNKNOWN_OUTCOME for a write whose answer was lost: nothing here knows how to look whether it was applied
 */
export async function sendCall(platform: Platform, call: WrittenCall, signal: AbortSignal): Promise<AnyAnswer> {
  try {
    return await platform.call(anyCall(call), {}, signal);
  } catch (error) {
    if (call.method === 'GET' || !answerLost(error) || neverSent(error)) throw error;
    const message = `${call.method} ${call.path} was sent, but it is unknown whether the platform applied it`;
    const { request, serverSaid } = error.details;
    throw new CliError('UNKNOWN_OUTCOME', message, {
      cause: error,
      request,
      serverSaid,
      lines: [`the response was lost: ${error.message}`],
      hints: ['check on the platform before you send it again'],
    });
  }
}
