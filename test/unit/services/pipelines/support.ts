import type { Clock } from '../../../../src/core/clock.js';
import { unlessAborted } from '../../../../src/core/unless-aborted.js';
import type { RunDeps } from '../../../../src/services/pipelines/wait.js';
import { NEVER } from '../../../support/clock.js';
import { errorOf } from '../../../support/errors.js';
import type { Transport } from '../../../../src/http/transport.js';
import { CliError } from '../../../../src/core/errors.js';
import { platformClient, type Platform } from '../../../../src/platform/client.js';
import { PIPELINE_KINDS } from '../../../../src/platform/pipeline-kinds.js';
import type { FoundPipeline } from '../../../../src/services/pipelines/find.js';

/** What is answered: a value as JSON, a status without one, or an error in its place. */
export type Reply = { readonly json: unknown } | { readonly status: number; readonly text?: string } | CliError;

/** Replies by `METHOD path?query`; several for one are given one after the other, the last one for good. */
export type Replies = Readonly<Record<string, Reply | readonly Reply[]>>;

/** A platform that answers from a table and has nothing else; `asked` has each request, with its body if it has one. */
export function platformWith(replies: Replies): { readonly platform: Platform; readonly asked: string[] } {
  const asked: string[] = [];
  const left = new Map(Object.entries(replies).map(([line, all]) => [line, [all].flat()]));
  const transport: Transport<'platform'> = {
    peer: 'platform',
    base: 'http://platform.example',
    close: async () => undefined,
    send: async ({ method, path, query = [], body, maxBytes }) => {
      const search = query.map(([name, value]) => `${name}=${value}`).join('&');
      const line = `${method} ${path}${search === '' ? '' : `?${search}`}`;
      asked.push(body?.kind === 'text' ? `${line} ${body.text}` : line);
      const all = left.get(line) ?? [];
      const reply = (all.length > 1 ? all.shift() : all[0]) ?? { status: 404 };
      if (reply instanceof CliError) throw reply;
      const text = 'json' in reply ? JSON.stringify(reply.json) : (reply.text ?? '');
      if (text.length > maxBytes) throw new CliError('TOO_LARGE', `larger than ${maxBytes} bytes`);
      const bytes = (async function* () {
        yield Buffer.from(text);
      })();
      const facts = { headers: {}, url: `http://platform.example${path}`, method, attempts: 1 };
      return { ...facts, status: 'json' in reply ? 200 : reply.status, body: bytes, discard: async () => undefined };
    },
  };
  return { platform: platformClient(transport), asked };
}

/** A batch pipeline `etl/orders` that was found. */
export function foundPipeline(configuration?: string): FoundPipeline {
  const [kind] = PIPELINE_KINDS;
  if (kind === undefined) throw new Error('no kind');
  return {
    ...{ namespace: 'etl', name: 'orders', kind },
    detail: {
      name: 'orders',
      artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
      ...(configuration !== undefined && { configuration }),
    },
    place: { namespace: 'etl', app: 'orders', type: 'workflows', program: 'DataPipelineWorkflow' },
  };
}

/** Where its program is. */
export const ORDERS = '/v3/namespaces/etl/apps/orders/workflows/DataPipelineWorkflow';
/** A run of it. */
export const RUN = '5933a68e-e569-11f1-ab56-acde48001122';

/** All that an error says: its code, its message and its details, of which those about the request are left out. */
export function told({ code, message, details }: CliError): object {
  const left = Object.entries(details).filter(([name]) => name !== 'request' && name !== 'cause');
  return { code, message, ...Object.fromEntries(left) };
}

/** All that the error says that a piece of work ends with. */
export const failure = async (work: Promise<unknown>): Promise<object> => told(await errorOf(work));

/** What waiting needs: a clock that moves on while it is slept, and what is told; `naps` are how long it slept. */
export function waitingOn(platform: Platform) {
  const told: object[] = [];
  const naps: number[] = [];
  // No time is nothing.
  const begun = 1_000_000;
  let now = begun;
  const clock: Clock = {
    now: () => now,
    monotonic: () => now,
    sleep: async (milliseconds, signal) => {
      // A limit of something that is answered at once, not a nap.
      if (signal !== NEVER) return unlessAborted(new Promise<never>(() => undefined), signal);
      naps.push(milliseconds);
      now += milliseconds;
    },
  };
  const waiting: RunDeps = { platform, clock, emit: (event) => void told.push(event), signal: NEVER };
  return { waiting, told, naps, passed: () => now - begun };
}
