import { CliError } from '../core/errors.js';
import { refuseCut } from '../http/answers.js';
import { below, path, type UrlPath } from '../http/path.js';
import type { HttpAnswer, Transport } from '../http/transport.js';
import { wordsOf } from '../core/secrets/words.js';
import { readCatalog, type Catalog, type CatalogOptions } from './catalog.js';
import {
  LIMITS,
  readAll,
  segmentsOf,
  tooLarge,
  type CatalogAnswer,
  type ChangeTime,
  type FilePlace,
  type HubFile,
  type HubSource,
} from './source.js';

const ABSENT = [404, 410];
/** Part of a file, or no such part of it. */
const OF_RANGES = [206, 416];
const RANGE = /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15})$/u;
const STRONG_TAG = /^"[\x21\x23-\x7e]{1,256}"$/u;
/** Object stores answer 403 for what does not exist when listing is not allowed. */
const MAYBE_ABSENT = [403, ...ABSENT];

/**
 * A hub at an http(s) address. The base may hold the version part (`.../v2`) or not: then `/v2` is tried first, and
 * what was found is remembered (docs/hub-format.md 8).
 */
export function httpSource(transport: Transport<'hub'>, label: string): HubSource {
  const layout = layoutOf(transport);
  return {
    base: transport.base,
    kind: 'http',
    label,
    async catalog({ etag, ...options }, signal) {
      const answer = await layout.catalog(etag === undefined ? {} : { 'if-none-match': etag }, signal);
      return answer.status === 304 && etag !== undefined ? unchanged(answer) : readAnswer(answer, options);
    },
    async open(place: FilePlace, { maxBytes, fresh, rest, unless }, signal) {
      const segments = segmentsOf(place);
      const target = under(await layout.prefix(signal), segments);
      const past = {
        ...(fresh === true && { 'cache-control': 'no-cache' }),
        ...(unless !== undefined && { 'if-none-match': unless }),
      };
      const ask = (headers: Readonly<Record<string, string>>): Promise<HttpAnswer> =>
        transport.send({ method: 'GET', path: target, headers: { ...past, ...headers }, maxBytes, signal });
      let answer = await ask(rest === undefined ? {} : { range: `bytes=${rest.from}-`, 'if-range': rest.etag });
      if (rest !== undefined && isRest(answer, rest)) return restOf(answer, rest.from, maxBytes);
      if (rest !== undefined && OF_RANGES.includes(answer.status)) {
        await answer.discard();
        answer = await ask({});
      }
      if (answer.status === 200) return fileOf(answer);
      await answer.discard();
      if (answer.status === 304 && unless !== undefined) return { ...fileOf(answer), isUnchanged: true };
      if (ABSENT.includes(answer.status)) return undefined;
      throw refusal(answer);
    },
  };
}

/** Where below the base the hub begins; found with the first request. */
function layoutOf(transport: Transport<'hub'>) {
  const versioned = /\/v\d+\/*$/u.test(new URL(transport.base).pathname);
  let candidates: readonly (UrlPath | undefined)[] = versioned ? [undefined] : [path`/v2`, undefined];

  const catalog = async (headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer> => {
    const refusals: HttpAnswer[] = [];
    for (const prefix of candidates) {
      const target = under(prefix, ['packages.json']);
      const answer = await transport.send({ method: 'GET', path: target, headers, maxBytes: LIMITS.catalog, signal });
      if (!MAYBE_ABSENT.includes(answer.status)) {
        if (answer.status === 200 || answer.status === 304) candidates = [prefix];
        return answer;
      }
      await answer.discard();
      refusals.push(answer);
    }
    throw noCatalog(refusals, transport.base);
  };
  const prefix = async (signal: AbortSignal): Promise<UrlPath | undefined> => {
    if (candidates.length > 1) {
      const answer = await catalog({}, signal);
      await answer.discard();
      if (candidates.length > 1) throw refusal(answer);
    }
    return candidates[0];
  };
  return { catalog, prefix };
}

function under(prefix: UrlPath | undefined, [first = '', ...rest]: readonly string[]): UrlPath {
  return prefix === undefined ? below(path`/${first}`, ...rest) : below(prefix, first, ...rest);
}

async function unchanged(answer: HttpAnswer): Promise<CatalogAnswer> {
  await answer.discard();
  const nothing: Catalog = { entries: [], problems: [] };
  const etag = answer.headers['etag'];
  return { catalog: nothing, bytes: new Uint8Array(), etag, notModified: true, synthesized: false };
}

async function readAnswer(answer: HttpAnswer, options: CatalogOptions): Promise<CatalogAnswer> {
  const etag = answer.headers['etag'];
  if (answer.status !== 200) {
    await answer.discard();
    throw refusal(answer);
  }
  const bytes = await readAll(fileOf(answer), LIMITS.catalog);
  return { catalog: readNamed(bytes, answer, options), bytes, etag, notModified: false, synthesized: false };
}

function readNamed(bytes: Uint8Array, answer: HttpAnswer, options: CatalogOptions): Catalog {
  try {
    return readCatalog(bytes, answer.url, options);
  } catch (error) {
    refuseCut(error, answer);
    const type = answer.headers['content-type'] ?? 'none';
    if (!(error instanceof CliError) || error.code !== 'BAD_JSON' || /json/iu.test(type)) throw error;
    throw new CliError('BAD_JSON', `${error.message}; its content type is ${wordsOf(type, 80, answer.hide)}`, {
      hints: ['the URL of a hub is the parent of packages.json or v2/packages.json'],
      request: factsOf(answer),
      cause: error,
    });
  }
}

function isEncoded({ headers }: HttpAnswer): boolean {
  return (headers['content-encoding'] ?? 'identity') !== 'identity';
}

function changeTime({ headers }: HttpAnswer): ChangeTime | undefined {
  const [at, answered] = ['last-modified', 'date'].map((name) => Date.parse(headers[name] ?? ''));
  return at === undefined || answered === undefined || Number.isNaN(answered - at) ? undefined : { at, answered };
}

function fileOf(answer: HttpAnswer): HubFile {
  const { 'content-length': length, etag } = answer.headers;
  const encoded = isEncoded(answer);
  return {
    what: answer.url,
    etag: encoded || etag === undefined || !STRONG_TAG.test(etag) ? undefined : etag,
    changed: changeTime(answer),
    bytes: length === undefined || encoded || !/^\d{1,15}$/u.test(length) ? undefined : Number(length),
    body: answer.body,
    discard: () => answer.discard(),
  };
}

/** Whether an answer is the rest of the same file, and to its end. */
function isRest(answer: HttpAnswer, { from, etag }: { readonly from: number; readonly etag: string }): boolean {
  if (answer.status !== 206 || isEncoded(answer) || (answer.headers['etag'] ?? etag) !== etag) return false;
  const [, start, end, total] = RANGE.exec(answer.headers['content-range'] ?? '') ?? [];
  return Number(start) === from && Number(end) === Number(total) - 1;
}

async function restOf(answer: HttpAnswer, from: number, maxBytes: number): Promise<HubFile> {
  const total = Number(RANGE.exec(answer.headers['content-range'] ?? '')?.[3]);
  if (total > maxBytes) {
    await answer.discard();
    throw tooLarge(answer.url, maxBytes);
  }
  return { ...fileOf(answer), bytes: total, from };
}

const factsOf = ({ method, url, status, attempts }: HttpAnswer) => ({ method, url, status, attempts });

function noCatalog(refusals: readonly HttpAnswer[], base: string): CliError {
  const forbidden = refusals.find(({ status }) => status === 403);
  if (forbidden !== undefined) return refusal(forbidden);
  return new CliError('HUB_NOT_FOUND', `no hub catalog at ${base}`, {
    lines: refusals.map(({ url, status }) => `GET ${url} answered ${status}`),
    hints: ['the URL of a hub is the parent of packages.json or v2/packages.json'],
  });
}

function refusal(answer: HttpAnswer): CliError {
  const { status, url } = answer;
  const details = { request: factsOf(answer) };
  if (status === 401 || status === 403)
    return new CliError('FORBIDDEN', `the hub denied access to ${url} (${status})`, details);
  if (status === 408 || status === 429 || status >= 500)
    return new CliError('UNAVAILABLE', `the hub cannot serve ${url} now (${status})`, details);
  return new CliError('BAD_ANSWER', `the hub responded with ${status} for ${url}`, details);
}
