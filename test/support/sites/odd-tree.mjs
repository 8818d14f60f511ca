// A source tree of a hub with every oddity of docs/hub-format.md 6: `node odd-tree.mjs FOLDER COUNT`; with a third argument specifications alone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CATEGORIES =
  'hydrator-plugin,usecase,EDW Offloading,pipeline,AWS,example,Azure,3rd-party-artifact,datapack,Directives,gcp'.split(
    ',',
  );
const VERSIONS = ['1.N.0', '1.N.1', '0.14.4.N', '1.N', '4.1.N.jre8', '12c-N', '1.0.N-2.11', '1.0.N-6.0.0'];
const RANGES = [
  '[6.1.0,7.0.0-SNAPSHOT)',
  '[4.3.0-SNAPSHOT, 5.2.0)',
  '[4.1.0,4.1.0]',
  '(6.1.0-SNAPSHOT, 6.1.0-SNAPSHOT)',
  '[6.0.0,6.0.0-SNAPSHOT)',
  undefined,
  '(5.0.0,6.0.0)',
];
const of = (list, at) => list[at % list.length];
const argument = (name, value, canModify) => ({ name, value, ...(canModify === undefined ? {} : { canModify }) });
const step = (type, ...args) => ({ type, label: `Step of ${type}`, arguments: args });
const artifact = argument(
  'artifact',
  { scope: 'system', name: 'cdap-data-pipeline', version: '[4.1.0, 6.0.0)' },
  false,
);

/** The actions of a package; `here` says how its files are called. */
const ACTIONS = [
  (here) => [step('one_step_deploy_plugin', ...plugin(here))],
  () => [step('informational', argument('steps', ['See https://example.com/?a=1&b=2', "Don't wait"]))],
  (here) => [
    step('create_stream', argument('name', 'texts'), argument('loadfiles', `${here}.txt`)),
    { type: 'load_datapack', arguments: [argument('files', [`${here}.txt`])] },
  ],
  (here) => [step('create_driver_artifact', ...plugin(here).slice(0, 4))],
  (here) => [step('create_pipeline', artifact, argument('name', 'P', true), argument('config', `${here}.json`))],
  (here) => [step('create_pipeline_draft', artifact, argument('name', 'P', true), argument('config', `${here}.json`))],
  () => [step('one_step_deploy_app', argument('jar', 'missing.jar', false))],
  (here) => [step('create_plugin_artifact', ...plugin(here)), step('deploy_app', argument('jar', `${here}.jar`))],
];

const plugin = (here) => [
  argument('name', 'shared-artifact', false),
  argument('version', '1.0.0-SNAPSHOT', false),
  argument('scope', 'user', false),
  argument('config', `${here}.json`, false),
  argument('jar', `${here}.jar`, false),
];

/** The specification of the package with a number; brief ones fit a catalog of 100,000 (docs/limits.md). */
function specification(at, here, brief) {
  const often = (every) => at % every === every - 1;
  return {
    specVersion: '1.0',
    label: of([`Kind ${at % 97} <of> 'it' & more`, `KIND ${at % 97} = other`, `Überall ${at}`, 'Same'], at),
    description: `Reads "${at}" and writes it.${!brief && often(5) ? ' Says so at length.'.repeat(24) : ''}`,
    author: 'Example Team',
    org: 'Example Org, Inc.',
    created: often(211) ? 15931029 : often(53) ? 1_593_102_900_000 : 1_450_000_000 + at * 1000,
    categories: Array.from({ length: 1 + (at % 3) }, (_, more) => of(CATEGORIES, at + more * more)),
    ...(of(RANGES, at) === undefined ? {} : { cdapVersion: of(RANGES, at) }),
    ...(often(26) ? { preview: true } : {}),
    ...(often(100) ? { paidLink: 'https://example.com/buy?x=1' } : {}),
    ...(often(40) ? { license: 'license.txt', licenseInfo: { url: 'https://example.com', name: 'Own' } } : {}),
    actions: of(ACTIONS, at)(here),
  };
}

/** Writes a tree of so many package versions, at most eight of a name; `bare` leaves all files out but brief specifications. */
export function makeOddTree(folder, count, bare = false) {
  for (let at = 0; at < count; at += 1) {
    const here = `kind-${at % 13}`;
    const [name, version] = [`package-${Math.floor(at / 8)}`, of(VERSIONS, at).replace('N', String(at % 20))];
    const place = join(folder, 'packages', name, version);
    mkdirSync(place, { recursive: true });
    const indent = at % 3 === 0 ? undefined : 2;
    writeFileSync(join(place, 'spec.json'), JSON.stringify(specification(at, here, bare), undefined, indent));
    if (bare) continue;
    const widgets = JSON.stringify({
      metadata: { 'spec-version': '1.5' },
      long: 'x'.repeat(at % 400 === 0 ? 150_000 : 40),
    });
    const config = { parents: ['system:cdap-data-pipeline[6.1.0, 7.0.0)'], properties: { 'widgets.A-batch': widgets } };
    writeFileSync(join(place, `${here}.json`), JSON.stringify(config));
    writeFileSync(join(place, `${here}.jar`), Buffer.alloc(2000 + (at % 7) * 1000, `jar ${at}`));
    writeFileSync(join(place, `${here}.txt`), `first\r\nsecond \u00e9\r\n${at}`);
    writeFileSync(join(place, 'icon.png'), `icon ${at}`);
  }
  writeFileSync(join(folder, 'packages', 'README.md'), 'not a package');
  for (const category of CATEGORIES.slice(0, 4)) {
    mkdirSync(join(folder, 'categories', category), { recursive: true });
    writeFileSync(join(folder, 'categories', category, 'icon.png'), category);
  }
}

const [, program = '', folder = '', count = ''] = process.argv;
if (program.endsWith('odd-tree.mjs')) makeOddTree(folder, Number(count), process.argv.length > 4);
