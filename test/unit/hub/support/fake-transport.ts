import type { HttpAnswer, HttpRequest, Transport } from '../../../../src/http/transport.js';

/** What a path of the fake hub answers. */
export interface Scripted {
  readonly status?: number;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A transport that answers from a table of paths (404 for the rest) and remembers what was asked and what was left unread. */
export function fakeTransport(table: Readonly<Record<string, Scripted>>, base = 'http://hub.example') {
  const sent: HttpRequest[] = [];
  const open = new Set<string>();
  const send = async (request: HttpRequest): Promise<HttpAnswer> => {
    sent.push(request);
    const { status = 200, body = '', headers = {} } = table[request.path] ?? { status: 404, body: 'no' };
    open.add(request.path);
    return {
      status,
      headers,
      url: base + request.path,
      method: request.method,
      attempts: 1,
      body: (async function* () {
        yield Buffer.from(body);
        open.delete(request.path);
      })(),
      discard: async () => void open.delete(request.path),
    };
  };
  const transport: Transport<'hub'> = { peer: 'hub', base, send, close: async () => undefined };
  return { transport, sent, paths: () => sent.map(({ path }) => String(path)), open };
}
