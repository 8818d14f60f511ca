import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import { anyCall, type AnyAnswer, type WrittenCall } from '../../platform/access/any-call.js';
import type { Platform } from '../../platform/client.js';
import { answerLost, neverSent } from '../writing/send.js';

const Page = z.looseObject({ nextPageToken: z.optional(z.string()) });

/** What to do where nobody knows whether a write was applied. */
export const CHECK_FIRST = 'check on the platform before you send it again';

/**
 * Sends a request that a person wrote, once. An answer that is not a success comes with its error.
 * @throws UNKNOWN_OUTCOME for a write whose answer was lost: nothing here knows how to look whether it was applied
 */
export async function sendCall(platform: Platform, call: WrittenCall, signal: AbortSignal): Promise<AnyAnswer> {
  try {
    const answer = await platform.call(anyCall(call), {}, signal);
    return answer.failure === undefined ? answer : { ...answer, failure: outcomeOf(answer.failure, call) };
  } catch (error) {
    throw error instanceof CliError ? outcomeOf(error, call) : error;
  }
}

function outcomeOf(error: CliError, { method, path }: WrittenCall): CliError {
  if (method === 'GET' || !answerLost(error) || neverSent(error)) return error;
  const { request, serverSaid } = error.details;
  return new CliError(
    'UNKNOWN_OUTCOME',
    `${method} ${path} was sent, but it is unknown whether the platform applied it`,
    {
      cause: error,
      request,
      serverSaid,
      lines: [`the response was lost: ${error.message}`],
      hints: [CHECK_FIRST],
    },
  );
}

/** Most bytes of all pages together. */
const MOST = 64 * 1024 * 1024;

/** The path of the next page, where a page names one. */
function nextPath({ path }: WrittenCall, { bytes, failure }: AnyAnswer): string | undefined {
  if (failure !== undefined) return undefined;
  const { data } = Page.safeParse(parseJson(bytes, 'the page'));
  if (data?.nextPageToken === undefined || data.nextPageToken === '') return undefined;
  const bare = path.replace(/([?&])pageToken=[^&]*&?/u, '$1').replace(/[?&]$/u, '');
  return `${bare}${bare.includes('?') ? '&' : '?'}pageToken=${encodeURIComponent(data.nextPageToken)}`;
}

/**
 * Sends a GET, and another one for each further page that an answer names (docs/platform.md 5.2). Only the last one may
 * have an error.
 * @throws PAGING where a page leads back, TOO_LARGE
 */
export async function sendPages(
  platform: Platform,
  call: WrittenCall,
  signal: AbortSignal,
): Promise<readonly [AnyAnswer, ...AnyAnswer[]]> {
  const first = await sendCall(platform, call, signal);
  const pages: [AnyAnswer, ...AnyAnswer[]] = [first];
  const seen = new Set([call.path]);
  let size = first.bytes.length;
  for (let path = nextPath(call, first); path !== undefined;) {
    if (seen.has(path)) throw new CliError('PAGING', `the page ${path} refers to itself as the next one`);
    seen.add(path);
    const page = await sendCall(platform, { ...call, path }, signal);
    pages.push(page);
    size += page.bytes.length;
    if (size > MOST) throw new CliError('TOO_LARGE', `all pages together are larger than ${MOST} bytes`);
    path = nextPath(call, page);
  }
  return pages;
}
