import type { Transport } from '../../../../src/http/transport.js';
import { platformClient, type Platform } from '../../../../src/platform/client.js';

/** An answer of a fake platform: a text, or a value that goes as JSON. */
export interface FakeAnswer {
  readonly status?: number;
  readonly body?: unknown;
}

/** Answers a request `METHOD /path`; undefined: 404. `query` and `sent` are what came with it. */
export type FakeRoutes = (
  request: string,
  query: URLSearchParams,
  sent: string | undefined,
) => FakeAnswer | undefined | Promise<FakeAnswer | undefined>;

/** A platform that answers by a function, with the real client in front; `asked` are the requests in order, with their queries. */
export function fakePlatform(routes: FakeRoutes): { readonly platform: Platform; readonly asked: string[] } {
  const asked: string[] = [];
  const transport: Transport<'platform'> = {
    peer: 'platform',
    base: 'http://platform.example',
    async send({ method, path, query = [], body: sent, signal }) {
      signal.throwIfAborted();
      const search = new URLSearchParams(query.map(([name, value]) => [name, value]));
      const url = `${path}${query.length === 0 ? '' : `?${search.toString()}`}`;
      asked.push(`${method} ${url}`);
      const text = sent?.kind === 'text' ? sent.text : undefined;
      const answer = (await routes(`${method} ${path}`, search, text)) ?? { status: 404, body: 'not found' };
      const { status = 200, body = '' } = answer;
      const bytes = (async function* () {
        yield Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      })();
      return {
        status,
        headers: {},
        body: bytes,
        url: `http://platform.example${url}`,
        method,
        attempts: 1,
        discard: async () => undefined,
      };
    },
    close: async () => undefined,
  };
  return { platform: platformClient(transport), asked };
}
