import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { classesJar } from '../../contract/jars.js';
import { startRecordingProxy, type RecordingProxy } from '../../support/recording-proxy.js';
import { removeNamespace } from '../../support/remove-namespace.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';

/** A platform with two generations of pipeline artifacts: which ones, and how it takes a configuration. */
export interface Generation {
  readonly platform: string;
  readonly url: string;
  /** The pipeline of the older artifacts that runs to its end there. */
  readonly file: string;
  /** Versions of the pipeline artifact and of the plugins. */
  readonly old: readonly [pipeline: string, plugins: string];
  readonly now: readonly [pipeline: string, plugins: string];
  /** Keeps a configuration that is sent as a text byte for byte. */
  readonly keepsText: boolean;
  /** Property of the sink that names where it writes. */
  readonly sink: 'path' | 'name';
  /** What the platform's own upgrade drops of a pipeline (docs/platform.md 5.4); undefined: it has no such upgrade. */
  readonly drops?: readonly string[];
  /** Takes a plugin of the user with the name and type of one of the system, which its own upgrade then prefers. */
  readonly movesPlugins: boolean;
}

const address = (name: string): string => (process.env[name] ?? '').replace(/\/+$/u, '');

export const GENERATIONS: readonly Generation[] = [
  {
    platform: '6.11.0',
    url: address('CDAPCTL_CONTRACT_URL'),
    file: 'csv-to-csv-6.10.0.json',
    old: ['6.10.0', '2.12.0'],
    now: ['6.11.0', '2.13.0'],
    keepsText: true,
    sink: 'path',
    drops: ['__ui__', 'kept', 'rangeRecordsPreview'],
    movesPlugins: true,
  },
  {
    platform: '6.4.1',
    url: address('CDAPCTL_CONTRACT_URL_6_4'),
    file: 'xml-to-table-6.0.0.json',
    old: ['6.2.0', '2.4.0'],
    now: ['6.4.1', '2.6.0'],
    keepsText: true,
    sink: 'name',
    drops: ['__ui__', 'kept', 'description'],
    movesPlugins: false,
  },
  {
    platform: '6.1.1',
    url: address('CDAPCTL_CONTRACT_URL_6_1'),
    file: 'xml-to-table-6.0.0.json',
    old: ['6.0.0', '2.2.0'],
    now: ['6.1.1', '2.3.4'],
    keepsText: false,
    sink: 'name',
    movesPlugins: false,
  },
];

interface Artifact {
  readonly name: string;
  readonly version: string;
  readonly scope: string;
}
interface Stage {
  readonly name: string;
  readonly plugin: {
    readonly name: string;
    readonly artifact: Artifact;
    readonly properties: Readonly<Record<string, string>>;
  };
}
interface Config {
  readonly [member: string]: unknown;
  readonly stages: readonly Stage[];
  readonly connections: readonly { readonly from: string; readonly to: string }[];
}
interface Request {
  readonly artifact: Artifact;
  readonly config: Config;
}

/** What the tool says of one pipeline. */
export interface Upgraded {
  readonly name: string;
  readonly state: string;
  readonly verdict?: string;
  readonly detail?: string;
  readonly errorFile?: string;
  readonly changes: readonly { readonly stage: string; readonly from: string; readonly to: string }[];
  readonly findings: readonly { readonly level: string; readonly stage: string; readonly reason: string }[];
  readonly notes: readonly { readonly stage?: string; readonly message: string }[];
}
export interface UpgradeItem {
  readonly state: string;
  readonly summary: Readonly<Record<string, number>>;
  readonly pipelines: readonly Upgraded[];
  readonly journal?: string;
}

export interface Detail {
  readonly appVersion: string;
  readonly configuration: string;
  readonly artifact: { readonly version: string };
}
export interface Schedule {
  readonly name: string;
  readonly status: string;
}

/** A namespace of a platform, the tool pointed at it through a proxy, and what it takes to make pipelines there. */
export interface UpgradeSite {
  readonly generation: Generation;
  readonly namespace: string;
  readonly home: string;
  readonly proxy: RecordingProxy;
  /** Calls the platform itself with a path behind the namespace; gives the JSON of a 200. */
  readonly call: <T>(method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<T>;
  readonly cdapctl: (...args: readonly string[]) => Promise<RunResult>;
  readonly close: () => Promise<void>;
}

/** Makes a namespace of its own; `token` is for a platform that wants one. */
export async function openUpgradeSite(generation: Generation, token?: string): Promise<UpgradeSite> {
  const { url } = generation;
  const namespace = `upgrade_${randomBytes(5).toString('hex')}`;
  const signed = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const send = async <T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> => {
    const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const answer = await fetch(url + path, {
      method,
      headers: { ...signed, ...headers },
      body: isRaw ? ((body ?? null) as BodyInit | null) : JSON.stringify(body),
    });
    const text = await answer.text();
    expect(answer.status, `${method} ${path}: ${text}`).toBe(200);
    return (/^[[{]/u.test(text) ? JSON.parse(text) : undefined) as T;
  };
  await send('PUT', `/v3/namespaces/${namespace}`, {});
  const home = await mkdtemp(join(tmpdir(), 'cdapctl-upgrade-'));
  const proxy = await startRecordingProxy(url);
  return {
    generation,
    namespace,
    home,
    proxy,
    call: (method, path, body, headers) => send(method, `/v3/namespaces/${namespace}${path}`, body, headers),
    cdapctl: (...args) => runCli(args, { home, timeout: 300_000 }),
    close: async () => {
      await proxy.close();
      await rm(home, { recursive: true, force: true });
      await removeNamespace(url, namespace, signed);
    },
  };
}

/** Runs `upgrade ... --json` with nothing but short options for where, and gives the words and the result, also that of a failure. */
export async function upgrade(
  { cdapctl, proxy, namespace }: UpgradeSite,
  code: number,
  ...flags: readonly string[]
): Promise<UpgradeItem> {
  const run = await cdapctl('upgrade', ...flags, '-u', proxy.url, '-n', namespace, '--json');
  expect(run.code, `${run.stderr}${run.stdout}`).toBe(code);
  return (JSON.parse(run.stdout) as { item: UpgradeItem }).item;
}

/** The older pipeline under a name of its own: what it writes meets nothing that another one writes. */
export function pipelineOf(
  { file, sink, old }: Generation,
  name: string,
  more: Readonly<Record<string, unknown>>,
): Request {
  const path = join(import.meta.dirname, '../pipelines', file);
  const { artifact: given, config } = JSON.parse(readFileSync(path, 'utf8')) as Request;
  const artifact = { ...given, version: old[0] };
  const own = { name: 'core-plugins', version: old[1], scope: 'SYSTEM' };
  // A folder for each run: two within the minute of the original suffix would be one too many for the sink.
  const place =
    sink === 'path'
      ? { path: `file:///cdap/output/${randomBytes(5).toString('hex')}`, suffix: 'yyyy-MM-dd-HH-mm-ss' }
      : { name };
  const stages = config.stages.map((stage) => {
    const properties = { ...stage.plugin.properties, ...(stage.name === 'sink' && place) };
    return { ...stage, plugin: { ...stage.plugin, artifact: own, properties } };
  });
  return { artifact, config: { ...config, ...more, stages } };
}

/** The pipeline with a transform of the user before its sink, from version 1.0.0 of the artifact of that name. */
export function through(
  request: Request,
  plugin: string,
  properties: Readonly<Record<string, string>> = { colour: 'red' },
): Request {
  const { config } = request;
  const last = config.connections.at(-1)?.from ?? '';
  const artifact = { name: plugin.toLowerCase(), version: '1.0.0', scope: 'USER' };
  const pass = { name: 'pass', plugin: { name: plugin, type: 'transform', label: 'pass', artifact, properties } };
  const connections = [...config.connections.slice(0, -1), { from: last, to: 'pass' }, { from: 'pass', to: 'sink' }];
  return { ...request, config: { ...config, stages: [...config.stages, pass], connections } };
}

/** The configuration as no program writes it: odd blanks, numbers of every kind, members that nobody knows, versions where none belong. */
export function oddText({ config }: Request, version: string): string {
  const odd = String.raw`{ "__ui__" : {"one":1, "whole":1.0,"exp":1E3 ,"big":12345678901234567890, "none":null,"esc":"\u00e9\/<&='>"},
  "kept" :[ {"artifact":{"version":"VERSION","name":"core-plugins"}}, "\"name\":\"core-plugins\",\"version\":\"VERSION\"" ],`;
  const text = JSON.stringify(config, undefined, '\t').replace('"memoryMB": 512', '"memoryMB" :\r\n 512.0');
  return `\n${odd.replaceAll('VERSION', version)}${text.slice(1)} \n\n`;
}

/** Makes a pipeline; a configuration that is given goes as it is, as a text where the platform keeps it. */
export async function makePipeline(site: UpgradeSite, name: string, request: Request, text?: string): Promise<void> {
  const { artifact } = request;
  const config = text !== undefined && site.generation.keepsText ? JSON.stringify(text) : text;
  const body = config === undefined ? request : `{"artifact":${JSON.stringify(artifact)},"config":${config}}`;
  await site.call('PUT', `/apps/${name}`, body);
}

/** Uploads an artifact of the user with one plugin, which hands everything on: a transform that can run, or one of another type that can be deployed. */
export async function uploadPlugin(
  { call }: UpgradeSite,
  name: string,
  version: string,
  type = 'transform',
): Promise<void> {
  const headers = {
    'Artifact-Extends': 'system:cdap-data-pipeline[6.0.0,7.0.0)',
    'Artifact-Version': version,
  };
  const jar = classesJar({ 'Export-Package': 'example' }, { passThrough: true, name, type });
  await call('POST', `/artifacts/${name.toLowerCase()}`, jar, headers);
}

export const detailOf = ({ call }: UpgradeSite, name: string): Promise<Detail> => call('GET', `/apps/${name}`);

/** Everything beside the pipeline itself that an upgrade may not touch. */
export async function surroundings({ call }: UpgradeSite, name: string): Promise<Readonly<Record<string, unknown>>> {
  const app = `/apps/${name}`;
  const workflow = `${app}/workflows/DataPipelineWorkflow`;
  const schedules = await call<Schedule[]>('GET', `${app}/schedules`);
  return {
    schedules: schedules.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    preferences: await call('GET', `${app}/preferences`),
    runtimeArguments: await call('GET', `${workflow}/runtimeargs`),
  };
}

/** Every value that differs between two JSON documents, by its path. */
export function differences(before: unknown, after: unknown, path = ''): readonly string[] {
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return Object.is(before, after) ? [] : [`${path} ${JSON.stringify(before)} -> ${JSON.stringify(after)}`];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) =>
    differences((before as Record<string, unknown>)[name], (after as Record<string, unknown>)[name], `${path}/${name}`),
  );
}
