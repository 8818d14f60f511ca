import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect } from 'vitest';
import { documentOf, openSite, sampleHub, type Install, type Site } from '../support/sites/install-site.js';
import { chance, DEPTH } from './depth.js';
import { STORE, STUDIO } from '../support/sites/draft-site.js';
import type { RunOptions, RunResult } from '../support/processes/run-cli.js';

/** The access token of every judged run; it may come out nowhere. */
export const CANARY = 'canary-7f3a9e51c0d2b846';

type OpenSite = Awaited<ReturnType<typeof openSite>>;

/** A row of the fault matrix; `site` is always the one of the run, each run has its own. */
export interface Fault {
  /** The command, without `--json`. */
  readonly line: (site: Site) => readonly string[];
  /** The world without the fault; trusts the key of the sample hub unless told otherwise. */
  readonly prepare?: (site: Site) => Promise<void>;
  /** Makes the fault. */
  readonly fault: (site: Site) => Promise<void> | void;
  /** Takes it away again; `false` leaves out the run afterwards. Heals the emulator and calls `prepare` again unless told otherwise. */
  readonly mend?: ((site: Site) => Promise<void> | void) | false;
  readonly exit: number;
  /** The stable code; left out where the run succeeds. */
  readonly code?: string;
  /** What both forms have to say. */
  readonly says?: readonly (string | RegExp)[];
  /** A no write, B nothing applied twice, D trust store, journal and locks as before. C is always judged. */
  readonly holds?: string;
  /** Milliseconds within which each run has to end (20,000). */
  readonly deadline?: number;
  readonly options?: RunOptions;
  /** Opens the site; the usual one with the sample hub unless told otherwise. */
  readonly open?: () => Promise<OpenSite>;
  /** Looks closer at the run with `--json`, before the fault is mended. */
  readonly look?: (result: Install, site: Site) => Promise<void> | void;
  /** Looks closer at the run without. */
  readonly read?: (result: RunResult, site: Site) => Promise<void> | void;
}

/** The full run takes both forms of every command and runs each again without its fault; `npm test` leaves out the form for people where nothing of it is looked at closer, and the run afterwards where nothing had been sent; the long run does so in every second row. */
const isWhole = (fault: Fault, what: string): boolean => {
  if (DEPTH !== 'drawn') return DEPTH === 'all';
  return chance(`${expect.getState().currentTestName ?? ''} ${what} ${fault.code ?? ''}`, 2) === 0;
};

/** Runs a faulty command with and without `--json`, then again without the fault, and compares with a run that never saw it. */
export async function judge(fault: Fault): Promise<void> {
  if (fault.mend === false && fault.holds?.includes('B') === true)
    throw new Error('B is judged after the run afterwards, which `mend: false` leaves out');
  const isRepeated = fault.mend !== false && (fault.holds?.includes('A') !== true || isWhole(fault, 'again'));
  const undisturbed = isRepeated ? await calmState(fault) : undefined;
  for (const form of ['json', 'text'] as const) {
    if (form === 'text' && fault.read === undefined && !isWhole(fault, form)) continue;
    await onSite(fault, async (site) => {
      await prepare(fault, site);
      await faultyRun(fault, site, form);
      // How a run words its end does not change what it leaves behind.
      if (undisturbed === undefined || form === 'text') return;
      await mend(fault, site);
      const again = await run(fault, site, ['--json']);
      expect(again.code, `the run afterwards: ${again.stdout}${again.stderr}`).toBe(0);
      expect(await platformState(site)).toEqual(undisturbed);
      expect(await temporaries(site)).toEqual([]);
      if (fault.holds?.includes('B') === true) expect(await appliedTwice(site)).toEqual([]);
    });
  }
}

async function onSite(fault: Fault, use: (site: Site) => Promise<void>): Promise<void> {
  const site = await (fault.open ?? openSite)();
  try {
    await use(site);
  } finally {
    await site.close();
  }
}

async function prepare({ prepare: own }: Fault, site: Site): Promise<void> {
  if (own === undefined) await site.pin(await sampleHub());
  else await own(site);
}

async function mend(fault: Fault, site: Site): Promise<void> {
  if (typeof fault.mend === 'function') return fault.mend(site);
  await site.heal();
  await prepare(fault, site);
}

const calm: { readonly of: Fault; readonly state: Promise<unknown> }[] = [];

/** The state after an undisturbed run; rows that share their command and their world share that run. */
function calmState(fault: Fault): Promise<unknown> {
  const { line, prepare: own, open, options } = fault;
  const known = calm.find(
    ({ of }) => of.line === line && of.prepare === own && of.open === open && of.options === options,
  );
  const state = known?.state ?? calmRun(fault);
  if (known === undefined) calm.push({ of: fault, state });
  return state;
}

async function calmRun(fault: Fault): Promise<unknown> {
  let state: unknown;
  await onSite(fault, async (site) => {
    await prepare(fault, site);
    const { code, stdout, stderr } = await run(fault, site, ['--json']);
    expect(code, `without the fault: ${stdout}${stderr}`).toBe(0);
    state = await platformState(site);
  });
  return state;
}

function run({ line, options, deadline }: Fault, site: Site, more: readonly string[]): Promise<RunResult> {
  return site.cdapctl([...line(site), ...more], {
    ...options,
    timeout: deadline ?? 20_000,
    env: { CDAPCTL_TOKEN: CANARY, ...options?.env },
  });
}

async function faultyRun(fault: Fault, site: Site, form: 'json' | 'text'): Promise<void> {
  await fault.fault(site);
  await site.forget();
  const before = await filesOf(site);
  const result = await run(fault, site, form === 'json' ? ['--json'] : []);
  const { stdout, stderr } = result;
  expect(result, `${stdout}${stderr}`).toMatchObject({ code: fault.exit, signal: undefined });
  expect(`${stdout}${stderr}`, 'a stack trace').not.toMatch(/^\s+at .+:\d+:\d+\)?$/mu);
  const after = await filesOf(site);
  for (const secret of [CANARY, Buffer.from(CANARY).toString('base64')]) {
    expect(`${stdout}${stderr}`).not.toContain(secret);
    expect([...after].filter(([, text]) => text.includes(secret)).map(([name]) => name)).toEqual([]);
  }
  if (fault.holds?.includes('A') === true) expect(await site.writes()).toEqual([]);
  if (fault.holds?.includes('D') === true) expect(stateFiles(after)).toEqual(stateFiles(before));
  if (form === 'text') {
    if (fault.code !== undefined) expect(stderr).toContain(`[${fault.code}]`);
    says(fault, `${stdout}${stderr}`);
    await fault.read?.(result, site);
    return;
  }
  const document = await documentOf(result);
  if (fault.code !== undefined) expect(document.error).toMatchObject({ code: fault.code, exitCode: fault.exit });
  else expect(document.kind).not.toBe('Error');
  says(fault, [stderr, ...textsOf(document)].join('\n'));
  await fault.look?.(document, site);
}

/** Lines may be broken anywhere between words. */
function says({ says: wanted = [] }: Fault, text: string): void {
  const flat = text.replaceAll(/\s+/gu, ' ');
  for (const one of wanted) expect(flat).toMatch(one);
}

/** Every text in a document, with its escapes read. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

async function namesBelow(site: Site): Promise<string[]> {
  const entries = await readdir(site.home, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(site.home, join(entry.parentPath, entry.name)));
}

async function filesOf(site: Site): Promise<ReadonlyMap<string, string>> {
  const names = await namesBelow(site);
  const pairs = names.map(async (name): Promise<[string, string]> => [
    name,
    await readFile(join(site.home, name), 'latin1'),
  ]);
  return new Map((await Promise.all(pairs)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function stateFiles(files: ReadonlyMap<string, string>): [string, string][] {
  return [...files].filter(([name]) => name.startsWith('.local'));
}

/** What no run may leave behind: our temporary names, and files of packages in our own folders. */
async function temporaries(site: Site): Promise<string[]> {
  return (await namesBelow(site)).filter((name) => name.endsWith('.tmp') || /^\..*\.jar$/u.test(name));
}

async function appliedTwice(site: Site): Promise<string[]> {
  const applied = (await site.requests())
    .filter(({ applied: had, headers }) => had && headers['user-agent']?.startsWith('cdapctl/') === true)
    .map(({ method, path, headers }) => `${method} ${path} ${headers['artifact-version'] ?? ''}`);
  return applied.filter((line, at) => applied.indexOf(line) !== at);
}

/** What the platform holds, without its own times and ids. */
export async function platformState(site: Site): Promise<unknown> {
  const listed = await site.call<{ name: string; version: string }[]>('GET', '/artifacts?scope=user');
  const artifacts = listed.map(({ name, version }) =>
    site.call<object>('GET', `/artifacts/${name}/versions/${version}`),
  );
  const apps = (await site.call<{ name: string }[]>('GET', '/apps')).map(async ({ name }) => ({
    name,
    configuration: (await site.pipeline(name)).configuration,
    schedules: await site.schedules(name),
  }));
  const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return {
    artifacts: (await Promise.all(artifacts)).sort(byText),
    apps: (await Promise.all(apps)).sort(byText),
    drafts: (await foundAt(site, `${STUDIO}?includeConfig=true`, (text) => JSON.parse(text) as Draft[]))
      ?.map(withoutTimes)
      .sort(byText),
    settings: await foundAt(site, STORE, settingsOf),
    streams: await streamsOf(site),
  };
}

interface Draft {
  readonly name: string;
  readonly artifact: unknown;
  readonly config: unknown;
}

const withoutTimes = ({ name, artifact, config }: Draft): Draft => ({ name, artifact, config });

/** What a platform has at a path; undefined where it does not have such things. */
async function foundAt<T>(site: Site, path: string, read: (text: string) => T): Promise<T | undefined> {
  const answer = await fetch(site.url + path);
  const text = await answer.text();
  return answer.status === 200 ? read(text) : undefined;
}

/** The user store; the drafts in it without their ids and times. */
function settingsOf(text: string): unknown {
  const { property } = JSON.parse(text) as { property?: { hydratorDrafts?: Record<string, Record<string, Draft>> } };
  const drafts = Object.entries(property?.hydratorDrafts ?? {}).map(([space, inside]) => [
    space,
    Object.values(inside)
      .map((one) => JSON.stringify(withoutTimes(one)))
      .sort(),
  ]);
  return { ...property, hydratorDrafts: drafts };
}

/** Streams with their properties and the bodies of their events, in their order. */
async function streamsOf(site: Site): Promise<unknown> {
  const names = (text: string): string[] => (JSON.parse(text) as { name: string }[]).map(({ name }) => name).sort();
  const bodies = (text: string): string[] => (JSON.parse(text) as { body: string }[]).map(({ body }) => body);
  const found = (await foundAt(site, '/v3/namespaces/default/streams', names)) ?? [];
  return Promise.all(
    found.map(async (name) => ({
      name,
      properties: await site.call('GET', `/streams/${name}`),
      events: await foundAt(site, `/v3/namespaces/default/streams/${name}/events`, bodies),
    })),
  );
}
