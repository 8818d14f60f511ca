import { gsonText, json, Refusal } from '../http/answers.js';
import type { EmulatorAnswer } from '../http/exchange.js';
import { isObject, objectComplaint, parseJson, stringOf, type JsonObject } from '../http/json.js';
import type { Draft } from '../store/model.js';
import { route, type Route, type RouteRequest } from '../http/route.js';
import { isWritable } from './system/namespaces.js';
import { typedConfig } from './apps/typed-config.js';

const DRAFTS = '/v3/namespaces/system/apps/pipeline/services/studio/methods/v1/contexts/{context}/drafts';
const DRAFT = `${DRAFTS}/{draft}`;
const ARTIFACTS = ['cdap-data-pipeline', 'cdap-data-streams'];
const STORED: EmulatorAnswer = { status: 200, headers: { 'content-type': 'text/plain' }, body: '' };
const FAULT = 'Exception occurred while handling request: string';

/** Drafts of the studio service (docs/platform.md 6.2). */
export const studioDraftRoutes: readonly Route[] = [
  route('GET', DRAFTS, listDrafts),
  route('GET', DRAFT, (request) => json(described(draftAt(request), true))),
  route('PUT', DRAFT, (request) => {
    checkContext(request);
    request.store.putDraft(readDraft(request));
    return STORED;
  }),
  route('DELETE', DRAFT, (request) => {
    request.store.deleteDraft(draftAt(request));
    return STORED;
  }),
];

function fail(status: number, sentence: string): never {
  throw new Refusal({ status, headers: { 'content-type': 'text/plain; charset=UTF-8' }, body: sentence });
}

/** An unknown namespace is the one error that the service answers as JSON. */
function checkContext({ store, param }: RouteRequest): void {
  if (isWritable(store, param('context'))) return;
  const body = gsonText(`Namespace '${param('context')}' does not exist`);
  throw new Refusal({ status: 404, headers: { 'content-type': 'application/json' }, body });
}

function draftAt(request: RouteRequest): Draft {
  checkContext(request);
  const [namespace, id] = [request.param('context'), request.param('draft')];
  return request.store.draft(namespace, id) ?? fail(404, `Draft '${id}' in namespace '${namespace}' not found.`);
}

function listDrafts(request: RouteRequest): EmulatorAnswer {
  checkContext(request);
  const { query, store } = request;
  const sortBy = query.get('sortBy') ?? 'name';
  if (sortBy !== 'name' && sortBy !== 'id') {
    fail(400, `Invalid value '${sortBy}' for sortBy. This field does not exist in the Drafts table.`);
  }
  const order = query.get('sortOrder') ?? 'ASC';
  if (!/^(?:asc|desc)$/iu.test(order)) {
    fail(400, `Sort order '${order}' is not valid. Valid options are [ASC, DESC]`);
  }
  const drafts = store.drafts(request.param('context'));
  if (drafts.some(({ name }) => name === undefined)) fail(500, FAULT);
  const prefix = (query.get('filter') ?? '').toLowerCase();
  const found = drafts.filter(({ name = '' }) => name.toLowerCase().startsWith(prefix));
  const direction = /^desc$/iu.test(order) ? -1 : 1;
  found.sort((a, b) => direction * compare(a[sortBy] ?? '', b[sortBy] ?? ''));
  const withConfig = (query.get('includeConfig') ?? '').toLowerCase() === 'true';
  return json(found.map((draft) => described(draft, withConfig)));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function described(draft: Draft, withConfig: boolean): unknown {
  const { id, created, updated, name = '', description, config, artifact } = draft;
  return {
    id,
    createdTimeMillis: created,
    updatedTimeMillis: updated,
    configHash: withConfig && config !== undefined ? javaHash(JSON.stringify(config)) : 0,
    previousHash: '',
    ...(name === '' ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    revision: 0,
    ...(draft.parentVersion === undefined ? {} : { parentVersion: draft.parentVersion }),
    artifact,
    ...(withConfig && config !== undefined ? { config } : {}),
  };
}

function javaHash(text: string): number {
  let hash = 7;
  for (const character of text) hash = (Math.imul(31, hash) + (character.codePointAt(0) ?? 0)) | 0;
  return hash;
}

function readDraft(request: RouteRequest): Draft {
  const body = request.text();
  const value = parseJson(body);
  if (body === '' || value === null) fail(500, FAULT);
  if (!isObject(value)) fail(400, `Unable to decode request body: ${objectComplaint(body)}`);
  const { store } = request;
  const [namespace, id] = [request.param('context'), request.param('draft')];
  const artifact = artifactOf(value);
  const config = configOf(value, body, artifact.name);
  const now = store.now();
  const [name, description, parentVersion] = ['name', 'description', 'parentVersion'].map((key) =>
    stringOf(value, key),
  );
  return {
    namespace,
    id,
    created: store.draft(namespace, id)?.created ?? now,
    updated: now,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(parentVersion === undefined ? {} : { parentVersion }),
    artifact,
    ...(config === undefined ? {} : { config }),
  };
}

function artifactOf(value: JsonObject): Draft['artifact'] {
  const named = value['artifact'];
  if (!isObject(named)) fail(400, 'artifact is null');
  const name = stringOf(named, 'name') ?? 'null';
  if (!ARTIFACTS.includes(name)) {
    const valid = ARTIFACTS.map((known) => `'${known}'`).join(' or ');
    fail(400, `Invalid config: artifact '${name}' is not supported, valid options are: ${valid}`);
  }
  const version = stringOf(named, 'version');
  const scope = named['scope'];
  return {
    name,
    ...(version === undefined ? {} : { version }),
    ...(scope === 'SYSTEM' || scope === 'USER' ? { scope } : {}),
  };
}

function configOf(value: JsonObject, body: string, artifact: string): Record<string, unknown> | undefined {
  const config = value['config'];
  if (config === undefined || config === null) return undefined;
  if (!isObject(config)) fail(400, wrongType(body, 'config', '$.config', 'BEGIN_OBJECT', config));
  const stages = config['stages'];
  if (stages !== undefined && stages !== null && !Array.isArray(stages)) {
    fail(400, wrongType(body, 'stages', '$.config.stages', 'BEGIN_ARRAY', stages));
  }
  return typedConfig(config, artifact === 'cdap-data-streams');
}

/** The parser's sentence about a member; the column is that behind the first character of its value. */
function wrongType(body: string, member: string, path: string, wanted: string, found: unknown): string {
  const start = new RegExp(`"${member}"\\s*:\\s*`, 'u').exec(body);
  const column = start === null ? 1 : start.index + start[0].length + 2;
  const complaint = `Expected ${wanted} but was ${kindOf(found)} at line 1 column ${column} path ${path}`;
  return `Unable to decode request body: java.lang.IllegalStateException: ${complaint}`;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'BEGIN_ARRAY';
  return isObject(value) ? 'BEGIN_OBJECT' : (typeof value).toUpperCase();
}
