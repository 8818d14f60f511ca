import type { Platform } from '../../../src/emulator/store/generation.js';
import type { SampleHub } from '../../../src/emulator/hub/build.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import { shopJar } from './app-hub.js';
import { hubPackage, signedHub } from './hub-tree.js';
import { openSite, type Site } from './install-site.js';

/** An event as a platform shows it. */
export interface ShownEvent {
  readonly timestamp: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const STREAM = 'clicks';
export const PROPERTIES = {
  ttl: 86_400,
  format: { name: 'csv', schema: { type: 'record', name: 'click', fields: [{ name: 'page', type: 'string' }] } },
  'notification.threshold.mb': 100,
};
/** Lines as publishers write them: both kinds of ends, blank ones, other alphabets, a backslash, no end at the end. */
export const ODD_LINES = 'home,1\r\nprices,2\n\n \nüber,3\r\npath\\x41,4\tend';
export const ODD_EVENTS = ['home,1', 'prices,2', ' ', String.raw`\xC3\xBCber,3`, String.raw`path\x41,4\x09end`];
/** Five files of three lines each, all different. */
export const FIVE = [1, 2, 3, 4, 5].map((n) => `part-${n}.csv`);
export const linesOf = (file: string): string[] => [1, 2, 3].map((line) => `${file} ${line}`);

const given = (values: object, canModify = false): object[] =>
  Object.entries(values).map(([name, value]) => ({ name, value: value as unknown, canModify }));

/** An action that creates a stream. */
const create = (values: object): object => ({ type: 'create_stream', label: 'A', arguments: given(values) });

/** An action that loads files. */
const load = (files: readonly string[], name: string | null = STREAM): object => ({
  type: 'load_datapack',
  label: 'B',
  arguments: given(name === null ? { files } : { name, files }),
});

/** A package of data with a file for each name. */
function dataPackage(
  name: string,
  actions: readonly object[],
  resources: Readonly<Record<string, Buffer | string>> = {},
): SamplePackage {
  return hubPackage({ name, spec: { cdapVersion: '[4.0.0,7.0.0)', actions }, resources });
}

const five = Object.fromEntries(FIVE.map((file) => [file, `${linesOf(file).join('\n')}\n`]));

/** The packages of data, some of them with an application for a platform. */
function dataPackages(platform: Platform): readonly SamplePackage[] {
  const shop = { type: 'one_step_deploy_app', label: 'C', arguments: given({ jar: 'shop-1.0.0.jar' }) };
  const stream = create({ name: STREAM, description: 'Clicks of a day', properties: 'stream.json' });
  const properties = { 'stream.json': JSON.stringify(PROPERTIES) };
  return [
    dataPackage('stream', [stream], properties),
    dataPackage('clicks', [stream, load(['odd.csv'])], { ...properties, 'odd.csv': ODD_LINES }),
    dataPackage('five', [load(FIVE)], five),
    dataPackage('unnamed', [load(['part-1.csv'], null)], five),
    dataPackage('twice', [load(['part-1.csv']), load(['part-2.csv'])], five),
    dataPackage('kinds', [load(['a.accesslog', 'b.TXT', 'c', 'empty.csv', 'd.tsv'])], {
      'a.accesslog': 'a',
      'b.TXT': 'b',
      c: 'c',
      'empty.csv': '\n\r\n',
      'd.tsv': 'd',
    }),
    dataPackage('odd-name', [{ type: 'create_stream', label: 'A', arguments: given({ name: 'a.b' }, true) }]),
    dataPackage('all', [stream, load(['part-1.csv', 'odd.csv']), shop], {
      ...properties,
      ...five,
      'odd.csv': ODD_LINES,
      'shop-1.0.0.jar': shopJar(platform),
    }),
  ];
}

/** A site whose hub has packages of data. */
export interface DataSite extends Site {
  /** The bodies of the events, in their order; none where the stream is absent. */
  events(stream?: string): Promise<readonly string[]>;
  shown(stream?: string): Promise<readonly ShownEvent[]>;
  /** Appends an event as somebody else would. */
  append(body: string, stream?: string): Promise<void>;
  close(): Promise<void>;
}

const hubs = new Map<Platform, Promise<SampleHub>>();

async function makeHub(platform: Platform): Promise<SampleHub> {
  const { files, key } = await signedHub({ packages: dataPackages(platform), now: Date.now() });
  return { files, ...key };
}

/** The hub of packages of data, made once for a file of tests. */
export function dataHub(platform: Platform): Promise<SampleHub> {
  const made = hubs.get(platform) ?? makeHub(platform);
  hubs.set(platform, made);
  return made;
}

/** Opens a site of a platform; the key of its hub is trusted. */
export async function openDataSite(platform: Platform = '4.3.5'): Promise<DataSite> {
  const hub = await dataHub(platform);
  const site = await openSite(hub, platform);
  await site.pin(hub);
  const shown = async (stream = STREAM): Promise<readonly ShownEvent[]> => {
    const answer = await fetch(`${site.url}/v3/namespaces/default/streams/${stream}/events`);
    const text = await answer.text();
    return answer.status === 200 ? (JSON.parse(text) as ShownEvent[]) : [];
  };
  return Object.assign(site, {
    shown,
    events: async (stream?: string) => (await shown(stream)).map(({ body }) => body),
    append: async (body: string, stream = STREAM) => {
      await site.call('POST', `/streams/${stream}`, body);
    },
  });
}
