import { describe, expect, it } from 'vitest';
import { parseParent, type Parent } from '../../../../../src/hub/resource-config.js';
import {
  draftOf,
  parentsIn,
  rangeProblem,
  versionProblem,
  type PackedJar,
  type PackWishes,
} from '../../../../../src/services/hosting/pack/draft.js';
import { saidBy, thrownBy } from '../../../../support/errors.js';
import { pomOf } from '../../../../support/sites/pack-jars.js';

const parentOf = (text: string): Parent => parseParent(text) ?? expect.fail(text);
const [PIPELINE, STREAMS] = ['system:cdap-data-pipeline[6.1.0,7.0.0)', 'system:cdap-data-streams(6.1.0,7.0.0]'];
const PROJECT = { artifactId: 'acme', version: '12c', pom: '' };
const PLUGIN = { name: 'Trim', type: 'transform', className: 'org.example.Trim', description: '' };

/** A plugin JAR whose pom names a parent, with changes. */
function jarOf(changes: Partial<PackedJar> = {}): PackedJar {
  return {
    file: '/jars/acme.jar',
    shown: 'acme.jar',
    bytes: 1,
    sha256: '',
    manifest: new Map([['bundle-version', '1.2.0']]),
    project: { artifactId: 'acme', version: '1.3.0', pom: pomOf([PIPELINE]) },
    plugins: [PLUGIN],
    hasOlderApi: false,
    drivers: [],
    application: 'none',
    hasClass: (name) => name.startsWith('org.example.'),
    beside: undefined,
    ...changes,
  };
}

/** The config beside a JAR. */
const besideOf = (parents: readonly string[], types: readonly string[] = []): PackedJar['beside'] => ({
  file: '/jars/acme.json',
  raw: {},
  parents: parents.map(parentOf),
  plugins: types.map((type) => ({ name: type, type, className: `org.example.${type}`, description: '', raw: {} })),
  properties: {},
  notes: [],
});

function drafted(changes: Partial<PackedJar>, wishes: Partial<PackWishes> = {}): unknown {
  const draft = draftOf(jarOf(changes), { parents: [], ...wishes });
  if (!('jar' in draft)) return draft;
  const { type, name, version, parents, driverClass } = draft;
  return [type, name, version, parents.map(({ text }) => text), driverClass];
}

const BARE = { plugins: [], project: undefined, manifest: new Map<string, string>() };
const DRIVERS = ['org.example.A', 'org.example.B'];

describe('a JAR', () => {
  it.each<[string, Partial<PackedJar>, Partial<PackWishes>, readonly unknown[]]>([
    ['with plugins', {}, {}, ['plugin', 'acme', '1.2.0', [PIPELINE], undefined]],
    [
      'with what is given',
      {},
      { type: 'artifact', name: 'x', version: '2.0.0', parents: [parentOf(STREAMS)] },
      [...['artifact', 'x', '2.0.0', [STREAMS], undefined]],
    ],
    [
      'whose manifest has no version that a platform reads',
      { manifest: new Map([['bundle-version', '12c']]) },
      {},
      [...['plugin', 'acme', '1.3.0', [PIPELINE], undefined]],
    ],
    ['with parents beside it', { beside: besideOf([STREAMS]) }, {}, ['plugin', 'acme', '1.2.0', [STREAMS], undefined]],
    [
      'with a config that has no parents',
      { beside: besideOf([]) },
      {},
      [...['plugin', 'acme', '1.2.0', [PIPELINE], undefined]],
    ],
    [
      'with a config only',
      { plugins: [], beside: besideOf([STREAMS]) },
      {},
      [...['plugin', 'acme', '1.2.0', [STREAMS], undefined]],
    ],
    [
      'with one driver',
      { plugins: [], drivers: ['org.example.A'] },
      {},
      [...['driver', 'acme', '1.2.0', [PIPELINE], 'org.example.A']],
    ],
    [
      'with one driver and a config without any',
      { plugins: [], drivers: ['org.example.A'], beside: besideOf([STREAMS]) },
      {},
      ['driver', 'acme', '1.2.0', [STREAMS], 'org.example.A'],
    ],
    [
      'with a driver that only its config names',
      { plugins: [], beside: besideOf([STREAMS], ['jdbc', 'action']) },
      {},
      ['driver', 'acme', '1.2.0', [STREAMS], 'org.example.jdbc'],
    ],
    [
      'with a driver in its config',
      { plugins: [], drivers: DRIVERS, beside: besideOf([STREAMS], ['jdbc']) },
      {},
      [...['driver', 'acme', '1.2.0', [STREAMS], 'org.example.jdbc']],
    ],
    [
      'with other plugins in its config',
      { plugins: [], beside: besideOf([STREAMS], ['action']) },
      {},
      [...['plugin', 'acme', '1.2.0', [STREAMS], undefined]],
    ],
    [
      'whose driver is given',
      { drivers: DRIVERS },
      { driverClass: 'org.example.B' },
      [...['driver', 'acme', '1.2.0', [PIPELINE], 'org.example.B']],
    ],
    [
      'that is called a plugin though its driver is given',
      {},
      { type: 'plugin', driverClass: 'org.example.B' },
      [...['plugin', 'acme', '1.2.0', [PIPELINE], undefined]],
    ],
    ['with an application', { application: 'plain' }, {}, ['app', 'acme', '1.2.0', [], undefined]],
    [
      'that is uploaded only, without parents',
      { ...BARE },
      { type: 'artifact', name: 'x', version: '1.0.0' },
      [...['artifact', 'x', '1.0.0', [], undefined]],
    ],
    [
      'whose pom has a parent without a namespace',
      { project: { artifactId: 'acme', version: undefined, pom: pomOf(['cdap-etl[1.0,2.0)', STREAMS]) } },
      {},
      ['plugin', 'acme', '1.2.0', [STREAMS], undefined],
    ],
  ])('%s is packed as what it is', (_, changes, wishes, expected) => {
    expect(drafted(changes, wishes)).toEqual(expected);
  });

  const gap = (need: string, why: string, choices: readonly string[] = []): object => ({
    ...{ jar: 'acme.jar', need, why, choices },
  });
  const TYPE = gap('type', 'no plugin, driver or application was found in it', ['plugin', 'driver', 'app', 'artifact']);
  const NAME = gap('name', 'its Maven project cannot be determined');
  const VERSION = gap('version', 'its manifest has no Bundle-Version');
  const PARENTS = gap('parents', 'neither a config next to it nor the pom in it names them');
  const CONFIGURED = gap(
    'type',
    'its application takes a configuration: app deploys it without one, artifact only uploads it',
    ['app', 'artifact'],
  );

  it.each<[string, Partial<PackedJar>, Partial<PackWishes>, readonly object[]]>([
    ['of which nothing is known', BARE, {}, [TYPE, NAME, VERSION]],
    ['of an unknown type with a pom that is no XML', { plugins: [], project: { ...PROJECT, pom: '<a' } }, {}, [TYPE]],
    ['of which only its type is known', BARE, { type: 'plugin' }, [NAME, VERSION, PARENTS]],
    ['whose application takes a configuration', { application: 'configured' }, {}, [CONFIGURED]],
    [
      'without a driver',
      BARE,
      { type: 'driver', name: 'x', version: '1.0.0', parents: [parentOf(STREAMS)] },
      [gap('driverClass', 'it registers none')],
    ],
    [
      'with several drivers and no pom',
      { plugins: [], drivers: DRIVERS, project: { ...PROJECT, pom: undefined } },
      {},
      [gap('driverClass', 'it registers several', DRIVERS), PARENTS],
    ],
    [
      'whose names and versions no platform takes',
      { manifest: new Map(), project: { ...PROJECT, artifactId: 'a b' } },
      {
        parents: [parentOf(STREAMS)],
      },
      [NAME, VERSION],
    ],
  ])('%s lacks just that', (_, changes, wishes, gaps) => {
    expect(drafted(changes, wishes)).toEqual(gaps);
  });

  it.each<[string, Partial<PackedJar>, Partial<PackWishes>, string]>([
    [
      'without the driver that is given',
      {},
      { driverClass: 'com.example.A' },
      'acme.jar does not contain the class com.example.A',
    ],
    [
      'with a pom that is no XML',
      { project: { ...PROJECT, pom: '<project>' } },
      {},
      'acme.jar is not a valid JAR: its pom.xml is not XML that can be read',
    ],
  ])('%s is rejected', (_, changes, wishes, message) => {
    expect(saidBy(thrownBy(() => drafted(changes, wishes)))).toEqual({
      code: 'BAD_JAR',
      message,
      target: { file: 'acme.jar' },
    });
  });
});

describe('parents in a text', () => {
  it.each([
    [PIPELINE, [PIPELINE]],
    [`  ${PIPELINE} ${STREAMS}  `, [PIPELINE, STREAMS]],
    [`${PIPELINE},${STREAMS}`, [PIPELINE, STREAMS]],
    [`${PIPELINE} , ${STREAMS}`, [PIPELINE, STREAMS]],
    ['', undefined],
    [`${PIPELINE} and more`, undefined],
    ['system:cdap-data-pipeline[6.1.0,', undefined],
    ['system:cdap-data-pipeline', undefined],
    [`${PIPELINE} cdap-data-streams[6.1.0,7.0.0)`, undefined],
    [`${PIPELINE} system:a b[6.1.0,7.0.0)`, undefined],
  ])('of %j are %j', (text, parents) => {
    expect(parentsIn(text)?.map((parent) => parent.text)).toEqual(parents);
  });
});

describe('what is typed for a package', () => {
  const PLAIN = 'may have letters, digits, ".", "_" and "-" only';
  it.each([
    ['1.2.0-SNAPSHOT', undefined],
    ['latest', 'is not a valid version'],
    ['1.2.0 x', 'is not a valid version'],
    ['1.2.0-ä', PLAIN],
  ])('the version %j: %s', (version, problem) => {
    expect(versionProblem(version)).toBe(problem);
  });

  const RANGE = 'is not a version range such as [6.1.0,7.0.0-SNAPSHOT)';
  it.each([
    ['[6.1.0,7.0.0)', undefined],
    [' [6.1.0,6.1.0] ', undefined],
    [' 6.1.0 ', RANGE],
    ['[6.1.0', RANGE],
  ])('the range %j: %s', (text, problem) => {
    expect(rangeProblem(text)).toBe(problem);
  });
});
