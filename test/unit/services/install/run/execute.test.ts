import { describe, expect, it } from 'vitest';
import { parseRange } from '../../../../../src/core/version-range.js';
import { putApplication } from '../../../../../src/platform/apps.js';
import type { Observation, PreparedAction, Step } from '../../../../../src/services/install/action.js';
import { executePlan, type ExecuteDeps } from '../../../../../src/services/install/run/execute.js';
import { pipelineStep } from '../../../../../src/services/install/things/pipeline/step.js';
import { InstallEntry } from '../../../../../src/state/install-journal.js';
import { oneStep, stepArtifacts } from '../../../../support/sites/upgrade-seed.js';
import { answer, CLOCK, inMemory, NEVER, type InMemory } from '../../in-memory-platform.js';
import { COMMANDS, errorWith, prepared } from '../support.js';

const ARTIFACT = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' } as const;
const CONFIG = oneStep('Copy', {}, '2.0.0');
const OTHER = { ...CONFIG, description: 'somebody else made it' };

/** A platform with the plugin of the pipelines, and with pipelines of this configuration. */
const platformWith = (config: unknown = OTHER, ...names: readonly string[]): InMemory =>
  inMemory({
    artifacts: stepArtifacts('6.11.0'),
    applications: names.map((name) => ({ namespace: 'default', name, artifact: ARTIFACT, config })),
  });

const unasked = async (): Promise<never> => Promise.reject(new Error('no file is asked for'));

/** A journal in memory; `refuses` says which entries the disk does not take. */
function journalOf(entries: InstallEntry[], refuses: (entry: InstallEntry) => boolean = () => false) {
  const append = async (entry: InstallEntry): Promise<void> => {
    InstallEntry.parse(entry);
    if (refuses(entry)) throw errorWith('DISK_FULL');
    entries.push(entry);
  };
  return { file: '', entries, append, close: async () => undefined };
}

const execute = (site: InMemory, actions: readonly PreparedAction[], changes: Partial<ExecuteDeps> = {}) =>
  executePlan(actions, {
    platform: site.platform,
    namespace: 'default',
    capabilities: site.capabilities,
    staging: { resource: unasked, file: unasked, jar: unasked },
    journal: journalOf([]),
    leftOut: [],
    again: false,
    force: false,
    verified: true,
    agreed: new Set(),
    commands: COMMANDS,
    clock: CLOCK,
    emit: () => undefined,
    signal: NEVER,
    stop: NEVER,
    ...changes,
  });

const states = ({ outcomes }: Awaited<ReturnType<typeof execute>>): string =>
  outcomes.map(({ n, state, error }) => `${n} ${state}${error === undefined ? '' : ` ${error.code}`}`).join(', ');
const linesOf = (entries: readonly InstallEntry[]): readonly string[] =>
  entries.map((entry) =>
    [entry.type, ...('n' in entry ? [entry.n] : []), ...('state' in entry ? [entry.state] : [])].join(' '),
  );

/** The action that deploys a pipeline, by its real step. */
function pipeline(n: number, name: string, changes: Partial<Step> = {}): PreparedAction {
  const range = parseRange(ARTIFACT.version);
  if (range === undefined) throw new Error('the range cannot be read');
  const wanted = { n, name, artifact: { ...ARTIFACT, range }, configuration: JSON.stringify(CONFIG) };
  const step = { ...pipelineStep(wanted), ...changes };
  return { ...prepared(n, name), step };
}

/** An action that only the journal knows of whether it was done, as a load of data. */
const load = (n: number): PreparedAction =>
  pipeline(n, `p${n}`, {
    observe: async ({ history }) =>
      history.done ? { state: 'done', effect: '' } : { state: 'differs', effect: '', consent: '', appends: true },
    apply: async ({ platform, signal }) => {
      const request = JSON.stringify({ artifact: ARTIFACT, config: CONFIG });
      await platform.call(putApplication, { namespace: 'default', application: `p${n}`, request }, signal);
    },
  });

const PUT = (name: string): string => `PUT /v3/namespaces/default/apps/${name}`;
const MADE = (n: number): readonly string[] => [
  `target ${n} creating`,
  `step ${n} started`,
  `target ${n} created`,
  `step ${n} done`,
];
const text: PreparedAction = {
  n: 3,
  type: 'informational',
  label: 'read',
  target: { kind: 'none', name: '' },
  texts: [],
  notices: [],
  inputs: {},
};

/** The entries of a run over an empty platform that came to its end. */
async function journalOfRun(site: InMemory, actions: readonly PreparedAction[]): Promise<InstallEntry[]> {
  const entries: InstallEntry[] = [];
  await execute(site, actions, { journal: journalOf(entries) });
  site.asked.length = 0;
  return entries;
}

describe('the actions of a plan', () => {
  it('are carried out in order, each with its marks in the journal before and after', async () => {
    const site = platformWith();
    const entries: InstallEntry[] = [];
    const executed = await execute(site, [pipeline(1, 'p1'), pipeline(2, 'p2'), text], { journal: journalOf(entries) });
    expect(states(executed)).toBe('1 done, 2 done, 3 done');
    expect(site.writes()).toEqual([PUT('p1'), PUT('p2')]);
    expect(linesOf(entries)).toEqual([...MADE(1), ...MADE(2), 'finished']);
  });

  it('are told of as they begin and end', async () => {
    const told: unknown[] = [];
    const seen = pipeline(2, 'p2', { observe: async () => ({ state: 'done', effect: '' }) });
    const broken = pipeline(4, 'p4', { observe: async () => Promise.reject(errorWith('INCOMPATIBLE', 'too old')) });
    const actions = [pipeline(1, 'p1'), seen, text, broken, pipeline(5, 'p5')];
    const { outcomes } = await execute(platformWith(), actions, { emit: (event) => void told.push(event) });
    const begun = (n: number) => ({ type: 'stepStarted', n, of: 5, title: `pipeline p${n}` });
    expect(told).toEqual([
      begun(1),
      { type: 'stepDone', n: 1, title: 'pipeline p1', milliseconds: 0 },
      begun(2),
      { type: 'stepSkipped', n: 2, title: 'pipeline p2', reason: 'already exists' },
      begun(4),
      { type: 'stepFailed', n: 4, title: 'pipeline p4', message: 'too old' },
    ]);
    expect(outcomes.map(({ state, message, durationMs }) => [state, message, durationMs])).toEqual([
      ['done', undefined, 0],
      ['already-present', undefined, 0],
      ['done', undefined, 0],
      ['failed', 'too old', 0],
      ['not-run', undefined, 0],
    ]);
  });

  const refused: Observation = { state: 'refused', effect: '', error: errorWith('INCOMPATIBLE') };
  const unknown = async (): Promise<never> => Promise.reject(errorWith('UNKNOWN_OUTCOME'));
  it.each<[string, Partial<Step>, number, string, readonly string[]]>([
    [
      'is refused by the platform',
      {},
      403,
      'FORBIDDEN',
      ['target 1 creating', 'step 1 started', 'target 1 absent', 'step 1 failed'],
    ],
    ['cannot be done', { observe: async () => refused }, 200, 'INCOMPATIBLE', []],
    [
      'has an outcome that nobody knows',
      { settle: unknown },
      200,
      'UNKNOWN_OUTCOME',
      ['target 1 creating', 'step 1 started', 'target 1 created', 'step 1 unknown'],
    ],
  ])('stop at the first that %s', async (_, changes, status, code, lines) => {
    const site = platformWith();
    site.breaking(async ({ line }) => (line === PUT('p1') && status !== 200 ? answer(status) : undefined));
    const entries: InstallEntry[] = [];
    const executed = await execute(site, [pipeline(1, 'p1', changes), pipeline(2, 'p2')], {
      journal: journalOf(entries),
    });
    expect(states(executed)).toBe(`1 failed ${code}, 2 not-run`);
    expect(linesOf(entries)).toEqual(lines);
  });
});

it('waits for a platform that is away, and warns of it as an install', async () => {
  const site = platformWith();
  let away = true;
  site.breaking(async () => {
    const gone = away;
    away = false;
    return gone ? answer(503) : undefined;
  });
  const told: unknown[] = [];
  const one = pipeline(1, 'p1');
  expect(states(await execute(site, [one], { emit: (event) => void told.push(event) }))).toBe('1 done');
  expect(told).toContainEqual({
    type: 'warning',
    code: 'INSTALL',
    message: expect.stringContaining('the platform does not respond, retrying in 1 s: ') as string,
  });
});

describe('an install that is run once more', () => {
  const actions = [pipeline(1, 'p1'), pipeline(2, 'p2')];
  it.each<[string, number, readonly string[], string]>([
    ['nothing where it came to its end', 9, [], '1 already-present, 2 already-present'],
    ['only the end where that alone is missing', 8, ['finished'], '1 already-present, 2 already-present'],
    [
      'what was written but not noted',
      6,
      ['target 2 created', 'step 2 done', 'finished'],
      '1 already-present, 2 already-present',
    ],
  ])('notes %s', async (_, known, lines, expected) => {
    const site = platformWith();
    const entries = (await journalOfRun(site, actions)).slice(0, known);
    expect(states(await execute(site, actions, { journal: journalOf(entries) }))).toBe(expected);
    expect(site.writes()).toEqual([]);
    expect(linesOf(entries.slice(known))).toEqual(lines);
  });

  it('writes what was announced and not made', async () => {
    const site = platformWith();
    const entries = (await journalOfRun(platformWith(), actions)).slice(0, 2);
    expect(states(await execute(site, actions, { journal: journalOf(entries) }))).toBe('1 done, 2 done');
    expect(linesOf(entries.slice(2))).toEqual([...MADE(1), ...MADE(2), 'finished']);
  });

  it.each([
    [true, false, 1],
    [true, true, 0],
    [false, false, 0],
  ])('settles a step that was begun (%s) and not done (done: %s): %i', async (begun, done, count) => {
    const site = platformWith();
    let settled = 0;
    const one = pipeline(1, 'p1', { settle: async () => void (settled += 1) });
    const all = await journalOfRun(site, [one]);
    settled = 0;
    const entries = begun ? all.slice(0, done ? 4 : 2) : [];
    expect(states(await execute(site, [one], { journal: journalOf(entries) }))).toBe('1 already-present');
    expect(settled).toBe(count);
  });
});

describe('--again', () => {
  const loads = [load(1), load(2)];
  const ONCE_MORE = [
    'again begun',
    'step 1 started',
    'step 1 done',
    'step 2 started',
    'step 2 done',
    'again ended',
    'finished',
  ];

  it('does once more what the journal knows as done', async () => {
    const site = platformWith();
    const entries = await journalOfRun(site, loads);
    const known = entries.length;
    expect(states(await execute(site, loads, { journal: journalOf(entries) }))).toBe(
      '1 already-present, 2 already-present',
    );
    expect(states(await execute(site, loads, { journal: journalOf(entries), again: true }))).toBe('1 done, 2 done');
    expect(site.writes()).toEqual([PUT('p1'), PUT('p2')]);
    expect(linesOf(entries.slice(known))).toEqual(ONCE_MORE);
  });

  it.each([
    ['with it', true],
    ['without it', false],
  ])('that stopped half way is continued by the same install %s', async (_, again) => {
    const site = platformWith();
    const entries = await journalOfRun(site, loads);
    const stop = new AbortController();
    site.breaking(async () => {
      stop.abort();
      return undefined;
    });
    await execute(site, loads, { journal: journalOf(entries), again: true, stop: stop.signal });
    site.asked.length = 0;
    const known = entries.length;
    expect(states(await execute(site, loads, { journal: journalOf(entries), again }))).toBe(
      '1 already-present, 2 done',
    );
    expect(site.writes()).toEqual([PUT('p2')]);
    expect(linesOf(entries.slice(known))).toEqual(['step 2 started', 'step 2 done', 'again ended', 'finished']);
  });

  it('is begun anew where it is of other actions than the one that stopped', async () => {
    const site = platformWith();
    const at = '2024-05-02T22:00:00.000Z';
    const entries: InstallEntry[] = [{ v: 1, type: 'again', state: 'begun', actions: [1], at }];
    await execute(site, loads, { journal: journalOf(entries), again: true });
    const lines = linesOf(entries).filter((line) => !line.startsWith('target '));
    expect(lines).toEqual(['again begun', ...ONCE_MORE]);
  });
});

describe('what is there already', () => {
  const appends: Observation = { state: 'differs', effect: '', consent: '', appends: true };
  it.each<[string, readonly number[], Partial<Step>, string, readonly string[]]>([
    ['is overwritten where that was agreed to', [1], {}, '1 done', [PUT('p1')]],
    ['is left alone where it was not', [2], {}, '1 failed CONFLICT', []],
    ['is added to without a question', [], { observe: async () => appends }, '1 done', [PUT('p1')]],
  ])('%s', async (_, agreed, changes, expected, writes) => {
    const site = platformWith(OTHER, 'p1');
    const entries: InstallEntry[] = [];
    const journal = journalOf(entries);
    expect(states(await execute(site, [pipeline(1, 'p1', changes)], { journal, agreed: new Set(agreed) }))).toBe(
      expected,
    );
    expect(site.writes()).toEqual(writes);
    expect(linesOf(entries).includes('finished')).toBe(writes.length > 0);
  });

  it('gets its schedules back from the run that follows a kill', async () => {
    const site = platformWith(OTHER, 'p1');
    const schedule = 'default/apps/p1/schedules/dataPipelineSchedule';
    await site.call('POST', `${schedule}/resume`);
    const entries: InstallEntry[] = [];
    const agreed = new Set([1]);
    await execute(site, [pipeline(1, 'p1')], { journal: journalOf(entries), agreed });
    const killed = entries.slice(0, entries.findIndex(({ type }) => type === 'fact') + 1);
    await site.call('POST', `${schedule}/suspend`);
    site.asked.length = 0;
    const executed = await execute(site, [pipeline(1, 'p1')], { journal: journalOf(killed), agreed });
    expect(states(executed)).toBe('1 already-present');
    expect(site.writes()).toEqual([`POST /v3/namespaces/${schedule}/resume`]);
  });
});

describe('a stop', () => {
  it('before the first action leaves all as it is', async () => {
    const site = platformWith();
    const entries: InstallEntry[] = [];
    const stop = AbortSignal.abort();
    const executed = await execute(site, [pipeline(1, 'p1'), text], { journal: journalOf(entries), stop });
    expect([states(executed), site.asked, entries]).toEqual(['1 not-run, 3 not-run', [], []]);
  });

  it('lets what was sent come to its end, and begins nothing new', async () => {
    const site = platformWith();
    const entries: InstallEntry[] = [];
    const stop = new AbortController();
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT')) stop.abort();
      return undefined;
    });
    const actions = [pipeline(1, 'p1'), pipeline(2, 'p2')];
    const executed = await execute(site, actions, { journal: journalOf(entries), stop: stop.signal });
    expect(states(executed)).toBe('1 done, 2 not-run');
    expect(linesOf(entries)).toEqual(MADE(1));
  });
});

describe('the end', () => {
  it.each([
    ['is noted where nothing was left out', [], ['finished']],
    ['is not noted while an action that was left out is not done', [2], []],
    ['is noted where it was done before', [1], ['finished']],
  ])('%s', async (_, leftOut, lines) => {
    const site = platformWith();
    const entries = (await journalOfRun(site, [pipeline(1, 'p1')])).slice(0, 4);
    await execute(site, [pipeline(3, 'p3')], { journal: journalOf(entries), leftOut });
    expect(linesOf(entries.slice(4))).toEqual([...MADE(3), ...lines]);
  });

  it.each([
    ['the end of it all', 'finished', false],
    ['the end of what was done once more', 'again ended', true],
  ])('is told also where the journal cannot take %s', async (_, refused, again) => {
    const journal = journalOf([], (entry) => linesOf([entry]).includes(refused));
    const executed = await execute(platformWith(), [pipeline(1, 'p1')], { journal, again });
    expect(states(executed)).toBe('1 done');
    expect(executed.unwritten?.code).toBe('DISK_FULL');
  });
});
