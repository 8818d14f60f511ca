import { bare, json, notFound, Refusal, refuse, streamed } from '../../http/answers.js';
import { keyOrder } from '../../store/application-table.js';
import type { EmulatorAnswer } from '../../http/exchange.js';
import type { Generation } from '../../store/generation.js';
import type { Application, ApplicationVersion, ArtifactName } from '../../store/model.js';
import type { RouteRequest } from '../../http/route.js';
import { latestOf } from '../../store/store.js';
import { isWritable } from '../system/namespaces.js';

const FILTER_TYPES = ['CONTAINS', 'EQUALS', 'EQUALS_IGNORE_CASE'];
const ORDERS = ['ASC', 'DESC'];

interface ListedVersion {
  readonly application: Application;
  readonly version: ApplicationVersion;
}

/** An application as lists and deploys describe it: `id` up to 5.x, `change` since 6.8. */
export interface ApplicationRecord {
  readonly type: 'App';
  readonly id?: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly artifact: ArtifactName;
  readonly change?: Readonly<Record<string, unknown>>;
}

/** Describes a version; `change` are the members that depend on who asks. */
export function record(
  { platform, hasVersions }: Generation,
  name: string,
  version: ApplicationVersion,
  change: Readonly<Record<string, unknown>>,
): ApplicationRecord {
  const { description, artifact } = version;
  if (!hasVersions) {
    const id = platform === '4.3.5' ? { id: name } : {};
    return { type: 'App', ...id, name, version: version.version, description, artifact };
  }
  const described = version.changeDescription === undefined ? {} : { description: version.changeDescription };
  return {
    type: 'App',
    name,
    version: version.version,
    description,
    artifact,
    change: { author: 'root', creationTimeMillis: version.created, ...change, ...described },
  };
}

/** Lists applications with filters and pages; the order is that of the real store. */
export function listApplications(request: RouteRequest): EmulatorAnswer {
  const { store, param } = request;
  if (!store.generation.hasVersions) return listAll(request);
  const size = whole(request, 'pageSize');
  const descending = choice(request, 'orderBy', ORDERS, 'ASC') === 'DESC';
  const kind = choice(request, 'nameFilterType', FILTER_TYPES, 'CONTAINS');
  const keeps = filterOf(request, kind);
  if (!isWritable(store, param('namespace'))) notFound(`namespace:${param('namespace')}`);
  const found: ListedVersion[] = [];
  for (const entry of entriesOf(request, descending)) {
    if (size > 0 && found.length === size) break;
    if (keeps(entry)) found.push(entry);
  }
  const records = found.map(({ application, version }) =>
    record(store.generation, application.name, version, { latest: latestOf(application) === version }),
  );
  if (size <= 0) return streamed(records);
  const last = found.at(-1);
  const token = last === undefined || found.length < size ? {} : { nextPageToken: tokenOf(last) };
  return streamed({ applications: records, ...token });
}

function tokenOf({ application, version }: ListedVersion): string {
  return `${application.name}.${version.version}`;
}

/** The versions to list, from the page token on. One by one, since a page of thousands must not look at all. */
function* entriesOf({ query, store, param }: RouteRequest, descending: boolean): Generator<ListedVersion> {
  const all = (query.get('latestOnly') ?? 'true').toLowerCase() !== 'true';
  const token = query.get('pageToken') ?? '';
  if (token !== '' && !token.includes('.')) refuse(500, 'Missing field: version');
  const from = token === '' ? undefined : token.slice(0, token.indexOf('.'));
  for (const application of store.walkApplications(param('namespace'), { from, descending })) {
    const versions = all ? application.versions : [latestOf(application)];
    const ordered = descending ? versions.toReversed() : versions;
    const entries = ordered.map((version) => ({ application, version }));
    yield* application.name === from ? entriesBehind(entries, token, descending) : entries;
  }
}

/** A version that is no longer listed still marks a place: keys end with the version. */
function entriesBehind(
  entries: readonly ListedVersion[],
  token: string,
  descending: boolean,
): readonly ListedVersion[] {
  const place = entries.findIndex((entry) => tokenOf(entry) === token);
  if (place >= 0) return entries.slice(place + 1);
  return entries.filter((entry) => keyOrder(tokenOf(entry), token) > 0 !== descending);
}

/**
 * The list of platforms without pages: an array with every version. Of the parameters only those about the artifact
 * count (docs/platform.md 5.2).
 */
function listAll({ query, store, param }: RouteRequest): EmulatorAnswer {
  if (!isWritable(store, param('namespace'))) notFound(`namespace:${param('namespace')}`);
  const versions = store
    .applications(param('namespace'))
    .flatMap((application) => application.versions.map((version) => ({ application, version })));
  const found = versions.filter(({ version }) => fitsArtifact(query, version));
  return json(found.map(({ application, version }) => record(store.generation, application.name, version, {})));
}

function fitsArtifact(query: URLSearchParams, { artifact }: ApplicationVersion): boolean {
  const names = (query.get('artifactName') ?? '').split(',').filter((name) => name !== '');
  const wanted = query.get('artifactVersion') ?? '';
  return (names.length === 0 || names.includes(artifact.name)) && (wanted === '' || wanted === artifact.version);
}

function filterOf({ query }: RouteRequest, kind: string): (entry: ListedVersion) => boolean {
  const text = query.get('nameFilter') ?? '';
  const fitsName = (name: string): boolean => {
    if (kind === 'EQUALS') return name === text;
    if (kind === 'EQUALS_IGNORE_CASE') return name.toLowerCase() === text.toLowerCase();
    return name.toLowerCase().includes(text.toLowerCase());
  };
  return ({ application, version }) => (text === '' || fitsName(application.name)) && fitsArtifact(query, version);
}

function choice(request: RouteRequest, name: string, known: readonly string[], usual: string): string {
  const value = request.query.get(name) ?? usual;
  return known.includes(value) ? value : unconvertible(request);
}

function whole(request: RouteRequest, name: string): number {
  const value = request.query.get(name) ?? '0';
  return /^[+-]?\d+$/u.test(value) ? Number(value) : unconvertible(request);
}

/** Refuses a query parameter of the wrong type: a 500 of the HTTP layer (docs/platform.md 0.2). */
export function unconvertible({ method, uri }: RouteRequest): never {
  throw new Refusal(bare(500, `Error in executing request: ${method} ${uri}`));
}
