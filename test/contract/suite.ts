import { randomBytes } from 'node:crypto';
import { expect, test as base, vi } from 'vitest';
import { removeNamespace } from '../support/remove-namespace.js';
import { contractTarget, type ContractTarget } from '../support/target.js';

// The first deploy on a cold platform takes a minute.
const REAL = ['CDAPCTL_CONTRACT_URL', 'CDAPCTL_CONTRACT_URL_4_3', 'CDAPCTL_CONTRACT_URL_6_1'];
if (REAL.some((name) => process.env[name])) vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

/** The content types that the platform uses; errors of its HTTP layer and empty answers have none. */
export const JSON_TYPE = 'application/json';
export const TEXT_TYPE = 'text/plain; charset=utf-8';
export const STREAM_TYPE = 'application/octet-stream';
export const NO_TYPE = '';

/** One answer: `type` is empty when the header is absent. */
export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** What a request carries: an object is sent as JSON, text and bytes are sent as they are. */
export interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Call = (method: string, path: string, sent?: Sent) => Promise<Answer>;

/** A namespace of one case: `call` takes paths that start behind the namespace. */
export interface Space {
  readonly name: string;
  readonly call: Call;
}

function caller(base: string): Call {
  return async (method, path, { body, headers = {} } = {}) => {
    const plain = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const answer = await fetch(base + path, {
      method,
      headers,
      body: plain ? ((body ?? null) as BodyInit | null) : JSON.stringify(body),
    });
    return { status: answer.status, type: answer.headers.get('content-type') ?? NO_TYPE, text: await answer.text() };
  };
}

/** Cases on the platform that `open` gives: each has a namespace that nobody else uses and that is removed afterwards. */
export const casesOn = (open: () => Promise<ContractTarget>) =>
  base.extend<{ target: ContractTarget; call: Call; space: Space }>({
    target: [
      // oxlint-disable-next-line no-empty-pattern -- the fixture depends on nothing, and vitest reads the pattern
      async ({}, use) => {
        const target = await open();
        await use(target);
        await target.close();
      },
      { scope: 'file' },
    ],
    call: async ({ target }, use) => use(caller(target.url)),
    space: async ({ target, call }, use) => {
      const name = `contract_${randomBytes(5).toString('hex')}`;
      const path = `/v3/namespaces/${name}`;
      expect(await call('PUT', path, { body: {} })).toEqual({
        status: 200,
        type: TEXT_TYPE,
        text: `Namespace '${name}' created successfully.`,
      });
      await use({ name, call: caller(target.url + path) });
      if (target.real) await removeNamespace(target.url, name);
    },
  });

/** A case of the contract on the newest platform. */
export const it = casesOn(contractTarget);

/** Asserts a success that is JSON and gives the value of its body. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names what it expects to read
export function json<T>(answer: Answer, type = JSON_TYPE): T {
  expect({ status: answer.status, type: answer.type }, answer.text).toEqual({ status: 200, type });
  return JSON.parse(answer.text) as T;
}

/** Asserts an answer without a body, as the platform gives after many writes. */
export function expectEmpty(answer: Answer, status = 200): void {
  expect(answer).toEqual({ status, type: NO_TYPE, text: '' });
}

/** Asserts the text that a client shows or reads, usually the reason of a refusal. */
export function expectText(answer: Answer, status: number, text: string | RegExp): void {
  expect(answer).toEqual({
    status,
    type: TEXT_TYPE,
    text: typeof text === 'string' ? text : (expect.stringMatching(text) as string),
  });
}
