import { CliError } from '../core/errors.js';
import { withoutSecrets } from '../core/secrets/hide-error.js';
import { shellWord } from '../core/shell-word.js';
import { failureOf } from '../http/answers.js';
import type { HttpAnswer, Transport } from '../http/transport.js';
import type { Endpoint } from './endpoint.js';

/**
 * The platform as the services see it: endpoints go in, values or CliErrors come out. No text of such an error has a
 * secret, so that any result, journal or file may repeat it.
 */
export interface Platform {
  /** Base URL, for plans and journals. */
  readonly base: string;
  /** Calls an endpoint; any status above 299 is an error. */
  call<P, R>(endpoint: Endpoint<P, R>, parameters: P, signal: AbortSignal): Promise<R>;
  /** Calls an endpoint that may answer 404; undefined then. */
  find<P, R>(endpoint: Endpoint<P, R>, parameters: P, signal: AbortSignal): Promise<R | undefined>;
}

// The router decodes a token before it judges it, and answers what it cannot decode with 500 and Java's words (seen on 6.11.0).
const UNREADABLE_TOKEN = /^(?:Illegal base64 character|Last unit does not have|Input byte(?: array|\[\])) /u;

async function failure<P, R>(
  endpoint: Endpoint<P, R>,
  answer: HttpAnswer,
  tokenFrom: string | undefined,
): Promise<CliError> {
  const error = withoutSecrets(await failureOf(answer), answer.hide);
  const unreadable = answer.status === 500 && UNREADABLE_TOKEN.test(error.details.serverSaid ?? '');
  if (unreadable || error.code === 'AUTH') return unauthenticated(error, tokenFrom);
  const code = endpoint.statuses?.[answer.status];
  return code === undefined ? error : new CliError(code, error.message, error.details);
}

/** Adds hints on how to get a token, or a new one. The router's 401 names its auth servers (docs/platform.md 10.1). */
function unauthenticated({ message, details }: CliError, tokenFrom: string | undefined): CliError {
  const [server] = /"auth_uri":\["(https?:\/\/[^"\\]+)"/u.exec(details.serverSaid ?? '')?.slice(1) ?? [];
  const get =
    server === undefined ? [] : [`curl -u USER ${shellWord(server)} > token.json  # the response is a token file`];
  return new CliError('AUTH', message, {
    ...details,
    hints: [
      tokenFrom === undefined
        ? { next: 'give-token-file' }
        : `the token ${tokenFrom} was rejected: it has expired or is for another platform; get a new one`,
      ...get,
    ],
  });
}

/**
 * The one caller that turns endpoints into requests. `tokenFrom` completes "the token ..." when the platform rejects
 * the one that was given.
 */
export function platformClient(transport: Transport<'platform'>, tokenFrom?: string): Platform {
  async function send<P, R>(endpoint: Endpoint<P, R>, parameters: P, signal: AbortSignal): Promise<HttpAnswer> {
    const { method, asks, maxBytes, headersTimeout } = endpoint;
    const query = endpoint.query?.(parameters);
    const headers = endpoint.headers?.(parameters);
    const body = endpoint.body?.(parameters);
    return transport.send({
      method,
      asks,
      path: endpoint.path(parameters),
      maxBytes,
      signal,
      ...(query && { query }),
      ...(headers && { headers }),
      ...(body && { body }),
      ...(headersTimeout !== undefined && { headersTimeout }),
    });
  }
  async function read<P, R>(endpoint: Endpoint<P, R>, answer: HttpAnswer): Promise<R> {
    try {
      if (answer.status <= 299) return await endpoint.answer(answer);
      if (endpoint.refusal) return await endpoint.refusal(answer, (one) => failure(endpoint, one, tokenFrom));
      throw await failure(endpoint, answer, tokenFrom);
    } catch (error) {
      throw withoutSecrets(error, answer.hide);
    }
  }
  return {
    base: transport.base,
    async call(endpoint, parameters, signal) {
      return read(endpoint, await send(endpoint, parameters, signal));
    },
    async find(endpoint, parameters, signal) {
      const answer = await send(endpoint, parameters, signal);
      if (answer.status !== 404) return read(endpoint, answer);
      await answer.discard();
      return undefined;
    },
  };
}
