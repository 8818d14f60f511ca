import { readFile } from 'node:fs/promises';
import type { EmulatorAnswer } from '../../../src/emulator/http/exchange.js';
import { generationOf, type Platform as PlatformVersion } from '../../../src/emulator/store/generation.js';
import { routesOf } from '../../../src/emulator/router.js';
import { platformRoutes } from '../../../src/emulator/routes.js';
import { applySeed, type Seed } from '../../../src/emulator/seed/apply-seed.js';
import { Store } from '../../../src/emulator/store/store.js';
import type { Clock } from '../../../src/core/clock.js';
import { redactor } from '../../../src/core/secrets/redact.js';
import type { HttpAnswer, HttpRequest, Transport } from '../../../src/http/transport.js';
import { capabilitiesOf } from '../../../src/platform/capabilities.js';
import { platformClient } from '../../../src/platform/client.js';

/** Answers in the place of the platform, before or after it does what it is asked; undefined: it answers itself. */
type Instead = (request: Asked, itself: () => Promise<EmulatorAnswer>) => Promise<EmulatorAnswer | undefined>;

/** A request that was made: `PUT /v3/...`, with its body. */
export interface Asked {
  readonly line: string;
  readonly body: string;
}

export const NEVER = new AbortController().signal;
export const CLOCK: Clock = {
  now: () => Date.UTC(2024, 4, 2, 22),
  monotonic: () => 0,
  sleep: () => Promise.resolve(),
};

/** A secret that the tool knows. */
export const SECRET = 's3cretword';
const hide = redactor([SECRET]);

export const answer = (status: number, body = ''): EmulatorAnswer => ({ status, headers: {}, body });

/** The emulated platform without a network: requests are answered in this process, and `instead` may break them. */
export function inMemory(seed: Seed, version: PlatformVersion = '6.11.0') {
  const store = new Store({ generation: generationOf(version), now: () => CLOCK.now() }, undefined, () => undefined);
  applySeed(store, seed);
  const routes = routesOf(platformRoutes(store.generation), { store, hub: () => '' });
  const asked: Asked[] = [];
  const broken: { instead: Instead } = { instead: async () => undefined };
  const ask = async (
    method: string,
    uri: string,
    body: string | Buffer = '',
    named: Readonly<Record<string, string>> = {},
  ): Promise<EmulatorAnswer> => {
    const [path = '', query = ''] = uri.split('?');
    const headers = Object.fromEntries(Object.entries(named).map(([name, value]) => [name.toLowerCase(), value]));
    return routes({ method, path, uri, query: new URLSearchParams(query), headers, body: Buffer.from(body) });
  };
  async function send({ method, path, query = [], headers: named = {}, body: sent }: HttpRequest): Promise<HttpAnswer> {
    const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
    const uri = `${path}${text === '' ? '' : `?${text}`}`;
    const request = { line: `${method} ${uri}`, body: sent?.kind === 'text' ? sent.text : '' };
    asked.push(request);
    const content = sent?.kind === 'file' ? await readFile(sent.file) : request.body;
    const type = sent === undefined ? {} : { 'content-type': sent.contentType };
    const itself = (): Promise<EmulatorAnswer> => ask(method, uri, content, { ...named, ...type });
    const { status, headers, body: answered } = (await broken.instead(request, itself)) ?? (await itself());
    const body = (async function* () {
      yield Buffer.from(answered);
    })();
    return {
      status,
      headers,
      body,
      url: `http://platform.example${uri}`,
      method,
      attempts: 1,
      hide,
      discard: async () => undefined,
    };
  }
  const transport: Transport<'platform'> = {
    peer: 'platform',
    base: 'http://platform.example',
    send,
    close: async () => undefined,
  };
  const platform = platformClient(transport);
  return {
    platform,
    asked,
    /** What was asked that changes something. */
    writes: (): readonly string[] =>
      asked.map(({ line }) => line).filter((line) => !line.startsWith('GET ') && !line.endsWith('/status')),
    /** Breaks requests from now on. */
    breaking: (instead: Instead): void => {
      broken.instead = instead;
    },
    /** Asks as somebody else. */
    call: async <T>(method: string, uri: string, body?: unknown): Promise<T> => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const { status, body: answered } = await ask(method, `/v3/namespaces/${uri}`, text);
      if (status > 299) throw new Error(`${method} ${uri}: ${status} ${answered.toString()}`);
      const said = answered.toString();
      return (/^[[{]/u.test(said) ? JSON.parse(said) : said) as T;
    },
    capabilities: capabilitiesOf(version),
  };
}

export type InMemory = ReturnType<typeof inMemory>;

/** Loses the first answer to requests that begin so; the request itself arrives, or does not. */
export function loseAnswer(site: InMemory, line: string, arrives: boolean): void {
  let lost = 0;
  site.breaking(async (asked, itself) => {
    if (!asked.line.startsWith(line) || (lost += 1) > 1) return undefined;
    if (arrives) await itself();
    return answer(502);
  });
}

/** What a pipeline is made from now. */
export async function shownAs(site: InMemory, place: string): Promise<{ version: string; configuration: string }> {
  const [namespace, name] = place.split('/');
  const shown = await site.call<{ artifact: { version: string }; configuration: string }>(
    'GET',
    `${namespace ?? ''}/apps/${name ?? ''}`,
  );
  return { version: shown.artifact.version, configuration: shown.configuration };
}
