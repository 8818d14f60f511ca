import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { samplePackages } from '../../../src/emulator/hub/packages.js';
import { startEmulatorProcess, type Emulator } from '../emulator.js';
import { DRIVER_JAR, fetchJars } from './packages.js';
import { callPlatform, installJson, PLATFORM, trustHub, withNamespace } from '../site.js';

interface Case {
  readonly name: string;
  readonly flags?: readonly string[];
  /** Exit codes of a first run and of the same again. */
  readonly codes: readonly [number, number];
}

interface Named {
  readonly name: string;
  readonly version: string;
  readonly artifact?: object;
}

interface Detail extends Named {
  readonly properties: object;
  readonly parents: readonly object[];
  readonly classes: {
    readonly plugins: readonly { readonly type: string; readonly name: string; readonly className: string }[];
  };
}

const DRIVER = 'example-memory-driver-1.0.0.jar';
/** Packages that need flags or do not end well; every other one is installed as it is. */
const SPECIAL: readonly Case[] = [
  { name: 'example-address-check@1.2.0', codes: [2, 2] },
  { name: 'example-address-check@1.2.0', flags: ['--accept-license'], codes: [0, 0] },
  { name: 'example-postgres-driver@42.7.0', codes: [2, 2] },
  { name: 'example-postgres-driver@42.7.0', flags: ['--jar', `2=${DRIVER}`], codes: [12, 12] },
  { name: 'example-postgres-driver@42.7.0', flags: ['--jar', `2=${DRIVER_JAR}`], codes: [0, 0] },
  { name: 'example-csv-copy@1.0.0', flags: ['--set', '1.name=Renamed'], codes: [0, 0] },
  { name: 'example-order-import@2.0.0', codes: [2, 2] },
  { name: 'example-order-import@2.0.0', flags: ['--jar', `2=${DRIVER}`], codes: [0, 0] },
  { name: 'example-order-import@2.0.0', flags: ['--only', '4'], codes: [11, 11] },
  { name: 'example-hidden-plugin@1.0.0', codes: [6, 6] },
  { name: 'example-hidden-plugin@1.0.0', flags: ['--force'], codes: [0, 0] },
  { name: 'example-bare-parent@1.0.0', codes: [6, 6] },
  { name: 'example-bare-parent@1.0.0', flags: ['--assume-system'], codes: [0, 0] },
  { name: 'example-old-interface@1.0.0', codes: [10, 11] },
  { name: 'example-click-stream@1.0.0', codes: [6, 6] },
  { name: 'example-click-stream@1.0.0', flags: ['--force'], codes: [6, 6] },
];
const ALL = samplePackages().map(({ name, version }) => `${name}@${version}`);
const isPlain = (name: string): boolean => !SPECIAL.some((one) => one.name === name && one.flags === undefined);
const CASES: readonly Case[] = [...ALL.filter(isPlain).map((name): Case => ({ name, codes: [0, 0] })), ...SPECIAL];

let folder: string;
let emulator: Emulator;

/** Ids of drafts are made of the namespace. */
const general = (path: string, namespace: string): string =>
  path.replace(namespace, '{}').replace(/(?<=\/drafts\/)[0-9a-f-]{36}$/u, '{}');

/** What a run did, without what differs between any two: times, addresses and the namespace. */
async function outcome(url: string, namespace: string, { name, flags = [] }: Case): Promise<object> {
  const given = flags.map((flag) => flag.replace(/[^=]+\.jar$/u, (name) => join(folder, name)));
  const { run, document } = await installJson(folder, url, [`samples/${name}`, '-n', namespace, '-y', ...given]);
  const actions = document.item?.actions?.map(({ n, type, state, requests }) => ({
    step: `${n} ${type} ${state}`,
    requests: requests.map(({ method, path, status }) => `${method} ${general(path, namespace)} ${status}`),
  }));
  return {
    code: run.code,
    kind: document.kind,
    error: document.error?.code,
    message: document.error?.message.replaceAll(namespace, '{}').replace(new URL(url).host, '{host}'),
    state: document.item?.state,
    actions,
  };
}

/** What of the user is there: artifacts with their properties, and applications with their artifacts. */
async function contents(url: string, namespace: string): Promise<object> {
  const path = `${url}/v3/namespaces/${namespace}`;
  const artifacts = await callPlatform<Named[]>(`${path}/artifacts?scope=USER`, 'GET');
  const details = artifacts.map(({ name, version }) =>
    callPlatform<Detail>(`${path}/artifacts/${name}/versions/${version}`, 'GET'),
  );
  const apps = await callPlatform<Named[]>(`${path}/apps`, 'GET');
  return {
    artifacts: (await Promise.all(details)).map(({ name, version, properties, classes, parents }) => ({
      name,
      version,
      properties,
      // A set on the platform, in an order of its own.
      parents: parents.map((parent) => JSON.stringify(parent)).sort(),
      plugins: classes.plugins.map((plugin) => `${plugin.type} ${plugin.name} ${plugin.className}`).sort(),
    })),
    apps: apps.map(({ name, artifact }) => ({ name, artifact })),
  };
}

function twice(url: string, one: Case): Promise<{ readonly runs: readonly object[]; readonly contents: object }> {
  return withNamespace(url, async (namespace) => {
    const first = await outcome(url, namespace, one);
    const second = await outcome(url, namespace, one);
    return { runs: [first, second], contents: await contents(url, namespace) };
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cdapctl-samples-'));
  const memory = samplePackages().find(({ name }) => name === 'example-memory-driver');
  await writeFile(join(folder, DRIVER), memory?.resources[DRIVER] ?? '');
  await fetchJars(folder);
  emulator = await startEmulatorProcess(folder);
  await trustHub(folder, 'samples', emulator.hub, emulator);
});

afterAll(async () => {
  expect(await emulator.stop()).toBe(0);
  await rm(folder, { recursive: true, force: true });
});

describe('a sample package ends on a real platform as on the emulator', () => {
  it('every one of them', () => {
    expect([...new Set(CASES.map(({ name }) => name))].sort()).toEqual(ALL.toSorted());
  });

  it.each(CASES.map((one) => ({ ...one, given: (one.flags ?? []).join(' ') })))('$name $given', async (one) => {
    const [real, emulated] = [await twice(PLATFORM, one), await twice(emulator.url, one)];
    expect(real).toEqual(emulated);
    expect(real.runs).toMatchObject(one.codes.map((code) => ({ code })));
  });
});
