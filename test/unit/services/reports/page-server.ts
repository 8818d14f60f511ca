import { CliError } from '../../../../src/core/errors.js';
import type { Transport } from '../../../../src/http/transport.js';
import { platformClient, type Platform } from '../../../../src/platform/client.js';

/** What a request for a page asked. */
export interface PageAsked {
  readonly id: string | null;
  readonly shareId: string | null;
  readonly offset: number;
  readonly limit: number;
  /** 1 for the first request. */
  readonly n: number;
}

export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  /** The body breaks off after so many bytes. */
  readonly cutAt?: number;
}

export type Row = Readonly<Record<string, unknown>>;

/** A page as the service writes it. */
export function pageOf(rows: readonly Row[], { offset, limit }: PageAsked, total = rows.length): PageAnswer {
  const details = rows.slice(offset, offset + limit).map((row) => JSON.stringify(row));
  return {
    status: 200,
    text: `{"offset":${offset}, "limit":${limit}, "total":${total}, "details":[${details.join()}]}`,
  };
}

/** Rows of a report. */
export function rowsOf(count: number): Row[] {
  return Array.from({ length: count }, (_, at) => ({
    run: `run-${at}`,
    program: 'phase-1',
    end: at % 7 === 0 ? null : at,
  }));
}

/** A platform whose report service is a function; `asked` has every request. */
export function pageServer(answer: (asked: PageAsked) => PageAnswer): { platform: Platform; asked: PageAsked[] } {
  const asked: PageAsked[] = [];
  const transport: Transport<'platform'> = {
    peer: 'platform',
    base: 'http://platform.example',
    close: async () => undefined,
    send: async ({ path, query, signal }) => {
      signal.throwIfAborted();
      const values = new URLSearchParams((query ?? []).map(([name, value]): [string, string] => [name, value]));
      const one = {
        id: values.get('report-id'),
        shareId: values.get('share-id'),
        offset: Number(values.get('offset')),
        limit: Number(values.get('limit')),
        n: asked.length + 1,
      };
      asked.push(one);
      const { status, text, cutAt } = answer(one);
      const facts = { method: 'GET', url: `http://platform.example${path}`, attempts: 1 };
      const body = (async function* () {
        yield Buffer.from(text).subarray(0, cutAt);
        if (cutAt !== undefined)
          throw new CliError('NET_SHORT', 'it ended too early', { request: { ...facts, status } });
      })();
      return { status, headers: { 'content-length': '1' }, body, ...facts, discard: async () => undefined };
    },
  };
  return { platform: platformClient(transport), asked };
}
