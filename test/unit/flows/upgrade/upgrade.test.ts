import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endUpgrade } from '../../../../src/flows/upgrade/end.js';
import { agreeTo } from '../../../../src/flows/upgrade/consent.js';
import { runRollback } from '../../../../src/flows/upgrade/rollback.js';
import { findUpgrade } from '../../../../src/services/upgrade/journals/rollback-journals.js';
import type { UpgradeRequest } from '../../../../src/flows/upgrade/request.js';
import { runUpgrade } from '../../../../src/flows/upgrade/upgrade.js';
import { KeptErrors } from '../../../../src/services/upgrade/files/local-failures.js';
import { CliError } from '../../../../src/core/errors.js';
import type { Emit } from '../../../../src/core/events.js';
import { junitXml } from '../../../../src/output/junit.js';
import { readAgreedUpgrade, type AgreedUpgrade } from '../../../../src/services/upgrade/plan/agreed-plan.js';
import type { UpgradeResult } from '../../../../src/services/upgrade/upgrade-result.js';
import { runLockFile } from '../../../../src/state/lock.js';
import { readUpgrade, type ReadUpgrade } from '../../../../src/state/read-upgrade-journal.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { answer, CLOCK, inMemory, NEVER, SELECTION, type InMemory } from '../../services/upgrade/in-memory.js';
import { temporaryFolder } from '../../state/support.js';
import { codeOf, errorOf } from '../../../support/errors.js';

const root = temporaryFolder();
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(root, 'flow-'));
});

function siteOf(...names: readonly string[]): InMemory {
  const applications = names.map((name) => olderPipeline('6.11.0', 'etl', name, oneStep('Copy')));
  return inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications });
}

/** What a command of upgrades gives its flow. */
function baseOf({ platform, capabilities }: InMemory, command: 'upgrade' | 'rollback', argv: readonly string[] = []) {
  const terminal = fakeTerminal();
  const writing = new Set<string>();
  const session = { argv: [command, ...argv], terminal, clock: CLOCK, signal: NEVER, writing };
  const warnings: string[] = [];
  const emit: Emit = (event) => {
    if (event.type === 'warning') {
      warnings.push(event.message);
      terminal.warn(event.code, event.message);
    } else if (event.type === 'note') terminal.note(event.message);
  };
  const consent = { ask: () => Promise.resolve() };
  const target = { platform, capabilities, url: platform.base, version: '6.11.0', namespace: 'etl' };
  return {
    session,
    context: { emit, stateFolder: join(home, 'state'), consent },
    target: { ...target, namespaceFrom: 'flag', context: undefined },
    namespace: 'etl',
    command,
    engine: 'client',
    keeping: new KeptErrors(emit),
    isWhole: false,
    warnings,
  } as const;
}

const REQUEST: UpgradeRequest = {
  selection: { ...SELECTION, namespace: 'etl' },
  plugins: [],
  lookOnly: false,
  dir: undefined,
  errorDir: undefined,
  concurrency: 2,
  maxFailures: undefined,
  force: false,
  previous: undefined,
  left: new Map(),
  onlyFailed: false,
  agreed: undefined,
};

async function upgrade(site: InMemory, request: Partial<UpgradeRequest> = {}, argv: readonly string[] = []) {
  const base = baseOf(site, 'upgrade', argv);
  const result = await runUpgrade({ ...base, request: { ...REQUEST, ...request } });
  return { result, ...base };
}

const journalOf = ({ journal = '' }: UpgradeResult): Promise<ReadUpgrade> => readUpgrade(journal);
const statesOf = ({ pipelines }: UpgradeResult) =>
  pipelines.map(({ name, state, error }) => [name, error?.code ?? state].join(' '));

async function planOf(site: InMemory): Promise<AgreedUpgrade> {
  const { result: item } = await upgrade(site, { lookOnly: true });
  return readAgreedUpgrade(JSON.stringify({ kind: 'UpgradeResult', item }), 'plan.json');
}

/** Refuses writes of a pipeline. */
const refuse = (site: InMemory, name: string): void => {
  site.breaking(async ({ line }) => (line === `PUT /v3/namespaces/etl/apps/${name}` ? answer(403, 'no') : undefined));
};
const mend = (site: InMemory): void => {
  site.breaking(async () => undefined);
};

it.each([
  [0, []],
  [1, ['1 is running']],
  [2, ['2 are running']],
])('the question tells of %i running pipelines', async (running, remarks) => {
  const site = siteOf('a', 'b', 'c');
  const { result, ...base } = await upgrade(site, { lookOnly: true });
  const pipelines = result.pipelines.map((one, at) => (at < running ? { ...one, running: true as const } : one));
  const asked: unknown[] = [];
  const consent = { ask: async (change: object): Promise<void> => void asked.push(change) };
  await agreeTo({ ...base, context: { ...base.context, consent } }, { ...result, pipelines });
  expect(asked).toEqual([expect.objectContaining({ deed: 'upgrade 3 pipelines', remarks })]);
});

describe('what would be sent', () => {
  it('is written although a pipeline is deleted meanwhile, which the index tells', async () => {
    const site = siteOf('a', 'b', 'c');
    let reads = 0;
    site.breaking(async ({ line }) => (line.endsWith('/apps/b') && ++reads > 1 ? answer(404) : undefined));
    const folder = join(home, 'preview');
    const { result, warnings } = await upgrade(site, { lookOnly: true, dir: folder });
    expect(result.summary.planned).toBe(3);
    expect(readdirSync(folder).sort()).toEqual(['etl-a.json', 'etl-c.json', 'index.json']);
    expect(readFileSync(join(folder, 'index.json'), 'utf8')).toContain('pipeline b was deleted');
    expect(warnings).toEqual([expect.stringContaining('pipeline b was deleted')]);
  });
});

it('the index of what failed has hints in words', async () => {
  const site = siteOf('a');
  const rejected = new CliError('AUTH', 'rejected', { hints: [{ next: 'give-token-file' }] });
  site.breaking(({ line }) => (line.startsWith('PUT') ? Promise.reject(rejected) : Promise.resolve(undefined)));
  const errorDir = join(home, 'failed');
  await upgrade(site, { errorDir });
  expect(readFileSync(join(errorDir, 'index.json'), 'utf8')).toContain('"hint": "use a token file: -a FILE, or');
});

describe('the order of pipelines', () => {
  const NAMES = ['b', 'B', 'a10', 'a', 'a-b', 'a9', 'a_b'];
  const ORDERED = ['etl/B', 'etl/a', 'etl/a-b', 'etl/a10', 'etl/a9', 'etl/a_b', 'etl/b', 'lab/a'];

  const namesOf = ({ pipelines }: UpgradeResult) => pipelines.map(({ namespace, name }) => `${namespace}/${name}`);
  const refusal = async ({ line }: { readonly line: string }) =>
    line.startsWith('PUT') ? answer(403, 'no') : undefined;
  let written: readonly string[] = [];
  let index = '';
  let first: UpgradeResult;
  let again: UpgradeResult;
  let back: UpgradeResult;

  beforeAll(async () => {
    home = mkdtempSync(join(root, 'order-'));
    const made = (namespace: string, name: string) => olderPipeline('6.11.0', namespace, name, oneStep('Copy'));
    const applications = [made('lab', 'a'), ...NAMES.map((name) => made('etl', name))];
    const site = inMemory({ namespaces: ['lab', 'etl'], artifacts: stepArtifacts('6.11.0'), applications });
    site.breaking(refusal);
    const errorDir = join(home, 'failed');
    first = (await upgrade(site, { selection: SELECTION, errorDir, concurrency: 1 })).result;
    written = site.writes();
    index = readFileSync(join(errorDir, 'index.json'), 'utf8');
    await site.call('DELETE', 'etl/apps/a9');
    mend(site);
    const failed = { selection: SELECTION, previous: await journalOf(first), onlyFailed: true };
    again = (await upgrade(site, failed)).result;
    const rollback = { ...baseOf(site, 'rollback'), namespace: undefined, pipelines: [], lookOnly: true };
    const upgraded = await findUpgrade(
      again.journal,
      join(home, 'state'),
      { url: site.platform.base, namespace: undefined },
      () => undefined,
    );
    const limits = { concurrency: 8, maxFailures: undefined, errorDir: undefined };
    back = await runRollback({ ...rollback, ...limits, upgrade: upgraded });
  });

  it('is that of namespace and name in a result', () => {
    expect(namesOf(first)).toEqual(ORDERED);
  });

  it('is the same for the requests', () => {
    expect(written.map((line) => line.replace(/^.*namespaces.(.*).apps/u, '$1'))).toEqual(ORDERED);
  });

  it('is the same in the index of what failed', () => {
    expect([...index.matchAll(/"pipeline": "(.*)"/gu)].map(([, name]) => name)).toEqual(
      ORDERED.map((name) => name.slice(4)),
    );
  });

  it('is the same in JUnit', () => {
    const cases = [...junitXml(first, 0).matchAll(/classname="(.*?)" name="(.*?)"/gu)];
    expect(cases.map(([, namespace, name]) => `${namespace ?? ''}/${name ?? ''}`)).toEqual(ORDERED);
  });

  it('is the same when failed ones are retried, also for one that is gone', () => {
    expect(statesOf(again)[4]).toBe('a9 GONE');
    expect(namesOf(again)).toEqual(ORDERED);
  });

  it('is the same in a rollback', () => {
    expect(namesOf(back)).toEqual(ORDERED);
  });
});

describe('a state folder that vanishes while pipelines are written', () => {
  it('ends as a local fault, sends nothing new, and names no journal that is not there', async () => {
    const site = siteOf('a', 'b', 'c', 'd');
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT ')) rmSync(join(home, 'state'), { recursive: true, force: true });
      return undefined;
    });
    const { result, keeping } = await upgrade(site, { concurrency: 1 });
    expect(keeping.error?.code).toBe('LOCAL_IO');
    expect(result).not.toHaveProperty('journal');
    expect(site.writes().filter((line) => line.startsWith('PUT '))).toHaveLength(1);
    expect(result.summary).toMatchObject({ notRun: 3 });
  });
});

describe('trying again what failed', () => {
  it('tells of a pipeline that was deleted since (P20)', async () => {
    const site = siteOf('a', 'b', 'c');
    refuse(site, 'b');
    const { result: first } = await upgrade(site);
    expect(statesOf(first)).toEqual(['a upgraded', 'b FORBIDDEN', 'c upgraded']);
    await site.call('DELETE', 'etl/apps/b');
    mend(site);
    for (const onlyFailed of [true, false]) {
      const { result } = await upgrade(site, { onlyFailed, previous: await journalOf(first) });
      expect(statesOf(result).filter((line) => line.startsWith('b'))).toEqual(['b GONE']);
      expect(result.state).toBe('partial');
    }
  });

  it('keeps to the plan, and so does the command that is told', async () => {
    const site = siteOf('a', 'b');
    const agreed = await planOf(site);
    refuse(site, 'b');
    const line = ['-n', 'etl', '--plan', 'p.json'];
    const { result: first } = await upgrade(site, { agreed }, line);
    const file = first.journal ?? '';
    expect(first.retry).toBe(`cdapctl upgrade -n etl --plan p.json --only-failed --journal ${file}`);
    mend(site);
    await site.call('PUT', 'etl/apps/new', olderPipeline('6.11.0', 'etl', 'new', oneStep('Copy')));
    const previous = await readUpgrade(file);
    const { result } = await upgrade(site, { agreed, previous, onlyFailed: true });
    expect(statesOf(result)).toEqual(['b upgraded']);
    const { result: all } = await upgrade(site, { agreed, previous: await readUpgrade(file) });
    expect(statesOf(all).sort()).toEqual(['a upgraded', 'b upgraded', 'new skipped']);
  });
});

const refusedError = (): CliError => new CliError('NET_REFUSED', 'nothing listens');
const late = (): CliError =>
  new CliError('NET_TIMEOUT', 'no response in time', { request: { method: 'GET', url: 'http://platform.example' } });

describe('a platform that goes away while an upgrade is planned', () => {
  it('is waited for (P16)', async () => {
    const site = siteOf('a');
    let left = 3;
    site.breaking(async ({ line }) => {
      if (line.endsWith('/apps/a') && left-- > 0) throw refusedError();
      return undefined;
    });
    const { result } = await upgrade(site);
    expect(statesOf(result)).toEqual(['a upgraded']);
  });

  it('has only been slow for one pipeline, which holds up no other', async () => {
    const site = siteOf('a', 'b', 'c');
    site.breaking(async ({ line }) => {
      if (line === 'GET /v3/namespaces/etl/apps/b') throw late();
      return undefined;
    });
    const { result } = await upgrade(site, { lookOnly: true });
    expect(statesOf(result)).toEqual(['a planned', 'b NET_TIMEOUT', 'c planned']);
  });

  it.each([
    ['does not come back', refusedError(), 1],
    ['answers nothing in time', late(), 8],
  ])('ends the planning when it %s, and nothing is written', async (_, error, most) => {
    const names = Array.from({ length: 40 }, (_, at) => `p${at}`);
    const site = siteOf(...names);
    site.breaking(async ({ line }) => {
      if (/\/apps\/p\d+$/u.test(line)) throw error;
      return undefined;
    });
    expect(await codeOf(() => upgrade(site))).toBe(error.code);
    const looked = new Set(site.asked.map(({ line }) => line).filter((line) => line.includes('/apps/p')));
    expect(looked.size).toBeLessThanOrEqual(REQUEST.concurrency + most);
    expect(site.writes()).toEqual([]);
  });
});

describe('what cannot be kept of a run', () => {
  it('leaves its result as it is', async () => {
    const site = siteOf('a');
    const errorDir = join(home, 'failed');
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT')) {
        rmSync(errorDir, { recursive: true });
        writeFileSync(errorDir, '');
      }
      return undefined;
    });
    const { result, keeping, warnings } = await upgrade(site, { errorDir });
    expect(statesOf(result)).toEqual(['a upgraded']);
    expect([keeping.error?.code, warnings]).toEqual(['LOCAL_IO', [keeping.error?.message]]);
    expect((await journalOf(result)).finished).toBe(true);
  });
});

describe('L03: a request that the folder of -e does not take', () => {
  const errorDir = () => join(home, 'failed');
  const spare = () => join(home, 'state', 'upgrades', 'unkept');

  /** Refuses the write of `b`, and loses the folder at that moment. */
  function losing(site: InMemory): void {
    site.breaking(async ({ line }) => {
      if (line !== 'PUT /v3/namespaces/etl/apps/b') return undefined;
      rmSync(errorDir(), { recursive: true });
      writeFileSync(errorDir(), '');
      return answer(403, 'no');
    });
  }

  it('is kept in the state folder, and the run stops before the next write', async () => {
    const site = siteOf('a', 'b', 'c', 'd');
    losing(site);
    const { result, keeping, warnings } = await upgrade(site, { errorDir: errorDir(), concurrency: 1 });
    expect(statesOf(result)).toEqual(['a upgraded', 'b FORBIDDEN', 'c not-run', 'd not-run']);
    expect(site.writes()).toEqual(['PUT /v3/namespaces/etl/apps/a', 'PUT /v3/namespaces/etl/apps/b']);
    const file = result.pipelines[1]?.errorFile ?? '';
    expect(relative(spare(), file)).toMatch(/^http_platform\.example~[0-9a-f]{16}.upgrade-etl.etl-b\.json$/u);
    expect(readFileSync(file, 'utf8')).toContain('"version":"6.11.0"');
    expect(readFileSync(join(dirname(file), 'index.json'), 'utf8')).toContain('etl-b.json');
    expect(keeping.error?.code).toBe('LOCAL_IO');
    expect(warnings[0]).toContain(errorDir());
    expect(result.retry).toContain('--resume --journal');
    expect((await journalOf(result)).finished).toBe(false);
  });

  it('is kept until its pipeline is upgraded on this platform, and no longer', async () => {
    const site = siteOf('a', 'b', 'c', 'd');
    losing(site);
    const { result: first } = await upgrade(site, { errorDir: errorDir(), concurrency: 1 });
    const folder = dirname(first.pipelines[1]?.errorFile ?? '');
    await upgrade(site, { selection: { ...REQUEST.selection, pipeline: 'c' } });
    expect(readdirSync(folder)).toEqual(['etl-b.json', 'index.json']);
    mend(site);
    const elsewhere = siteOf('b');
    const other = { ...baseOf(elsewhere, 'upgrade'), request: REQUEST };
    await runUpgrade({ ...other, target: { ...other.target, url: 'http://another.example' } });
    expect(readdirSync(folder)).toEqual(['etl-b.json', 'index.json']);
    const { warnings } = await upgrade(site, { previous: await journalOf(first) });
    expect([warnings, readdirSync(folder)]).toEqual([[], ['index.json']]);
    expect(JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8'))).toMatchObject({ files: [] });
  });

  it('is written to stderr as JSON where that folder does not take it either', async () => {
    const site = siteOf('a', 'b', 'c');
    mkdirSync(join(home, 'state', 'upgrades'), { recursive: true, mode: 0o700 });
    writeFileSync(spare(), '');
    losing(site);
    const { result, session } = await upgrade(site, { errorDir: errorDir(), concurrency: 1 });
    expect(statesOf(result)).toEqual(['a upgraded', 'b FORBIDDEN', 'c not-run']);
    expect(result.pipelines[1]).not.toHaveProperty('errorFile');
    const { notes } = session.terminal;
    const line = notes.find((note) => note.startsWith('{')) ?? '';
    expect(line).toMatch(/^[\x20-\x7e]+$/u);
    expect(JSON.parse(line)).toMatchObject({
      namespace: 'etl',
      pipeline: 'b',
      message: expect.stringContaining('') as string,
      request: { artifact: { version: '6.11.0' }, config: expect.stringContaining('2.0.0') as string },
    });
  });
});

describe('a lock that cannot be released', () => {
  it('is a warning', async () => {
    const site = siteOf('a');
    const lock = runLockFile(join(home, 'state'), { kind: 'namespace', url: site.platform.base, namespace: 'etl' });
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT')) {
        rmSync(lock);
        mkdirSync(lock);
      }
      return undefined;
    });
    const { result, session } = await upgrade(site);
    expect(statesOf(result)).toEqual(['a upgraded']);
    expect(session.terminal.warnings).toMatchObject([{ code: 'LOCK' }]);
  });
});

/** Rolls back the newest upgrade, or that of a result. */
const back = async (
  site: InMemory,
  upgraded?: Pick<UpgradeResult, 'journal'>,
  pipelines: readonly string[] = [],
): Promise<UpgradeResult & { readonly warnings: readonly string[] }> => {
  const base = baseOf(site, 'rollback');
  const rolledBack = await runRollback({
    ...base,
    upgrade: await findUpgrade(
      upgraded?.journal,
      join(home, 'state'),
      { url: site.platform.base, namespace: undefined },
      () => undefined,
    ),
    pipelines,
    lookOnly: false,
    concurrency: 1,
    maxFailures: undefined,
    errorDir: undefined,
  });
  return { ...rolledBack, warnings: base.warnings };
};

describe('a resumed upgrade that skips a running pipeline', () => {
  it('does not finish while an earlier run has sent that pipeline and did not finish it', async () => {
    const site = inMemory({ namespaces: ['etl'], pipelines: [{ count: 10, namespace: 'etl' }] });
    const selection = { ...REQUEST.selection, match: ['*8', '*9'], running: 'skip' as const };
    const { result } = await upgrade(site, { selection });
    const { journal = '' } = result;
    await back(site);
    // As if the run had been killed before the request arrived.
    writeFileSync(journal, readFileSync(journal, 'utf8').replaceAll(/.*"type":"(?:ended|finished)".*\n/gu, ''));
    const program = 'etl/apps/pipeline-00009/spark/DataStreamsSparkStreaming';
    await site.call('POST', `${program}/start`);
    const resumed = async () => (await upgrade(site, { selection, previous: await readUpgrade(journal) })).result;
    expect(statesOf(await resumed())).toEqual(['pipeline-00008 upgraded', 'pipeline-00009 skipped']);
    expect((await readUpgrade(journal)).finished).toBe(false);
    await site.call('POST', `${program}/stop`);
    expect(statesOf(await resumed())).toEqual(['pipeline-00008 upgraded', 'pipeline-00009 upgraded']);
    expect((await readUpgrade(journal)).finished).toBe(true);
  });
});

describe('a rollback after a run that was cut off and chose otherwise', () => {
  /** Upgrades `a`, loses the last line of that journal, and upgrades the rest. */
  async function halves(site: InMemory): Promise<string> {
    const { result } = await upgrade(site, { selection: { ...REQUEST.selection, pipeline: 'a' } });
    const { journal = '' } = result;
    writeFileSync(journal, readFileSync(journal, 'utf8').replace(/.*"finished".*\n$/u, ''));
    expect(statesOf((await upgrade(site)).result)).toEqual(['a current', 'b upgraded']);
    return journal;
  }

  it('is partial, warns of what it left and names the journal that takes it back', async () => {
    const site = siteOf('a', 'b');
    const journal = await halves(site);
    const rolledBack = await back(site);
    expect(statesOf(rolledBack)).toEqual(['b rolled-back']);
    expect(rolledBack).toMatchObject({
      state: 'partial',
      elsewhere: [{ journal, pipelines: [{ namespace: 'etl', name: 'a' }] }],
      warnings: [`not rolled back because an interrupted run changed them: etl/a (journal ${journal})`],
    });
    const session = { argv: ['upgrade', 'rollback'], env: {}, terminal: fakeTerminal(), signal: NEVER };
    const ending = { session, keeping: new KeptErrors(() => undefined), flags: { diff: false } };
    const { error } = await endUpgrade(rolledBack, ending);
    expect([error?.code, error?.message]).toEqual([
      'PARTIAL',
      '1 rolled back, 0 failed, 1 of another run not rolled back',
    ]);
    expect(error?.details.hints).toContain(`cdapctl upgrade rollback ${journal}`);
    expect(statesOf(await back(site, { journal }))).toEqual(['a rolled-back']);
    expect(await back(site)).toMatchObject({ state: 'done', warnings: [] });
  });

  it('is done where only some pipelines are rolled back', async () => {
    const site = siteOf('a', 'b');
    await halves(site);
    const rolledBack = await back(site, undefined, ['b']);
    expect(rolledBack).toMatchObject({ state: 'done', warnings: [] });
    expect(rolledBack).not.toHaveProperty('elsewhere');
  });
});

describe('a rollback that goes on', () => {
  const CRON = 'etl/apps/a/schedules/dataPipelineSchedule';
  const DEPLOY = 'PUT /v3/namespaces/etl/apps/a';

  /** A pipeline with an active schedule. */
  async function active(): Promise<InMemory> {
    const site = siteOf('a');
    await site.call('POST', `${CRON}/resume`);
    return site;
  }

  /** Leaves of a journal what was written until the answer of the deploy. */
  function cutOff({ journal = '' }: UpgradeResult): void {
    const [run, sending] = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, `${run ?? ''}\n${sending ?? ''}\n`);
  }

  const expectScheduled = async (site: InMemory): Promise<void> => {
    expect(await site.call('GET', 'etl/apps/a/schedules')).toMatchObject([{ status: 'SCHEDULED' }]);
  };

  it('names a pipeline that is like one that it does not know', async () => {
    const site = siteOf('orders');
    const { result: upgraded } = await upgrade(site);
    const { code, details } = await errorOf(() => back(site, upgraded, ['order']));
    expect([code, details.hints]).toEqual(['NOT_FOUND', ['Did you mean "orders"?', { next: 'list-upgrades' }]]);
  });

  it('ends what an earlier one began and proves the schedules', async () => {
    const site = await active();
    const { result: upgraded } = await upgrade(site);
    const first = await back(site, upgraded);
    expect(statesOf(first)).toEqual(['a rolled-back']);
    cutOff(first);
    await site.call('POST', `${CRON}/suspend`);
    expect(statesOf(await back(site, upgraded))).toEqual(['a rolled-back']);
    await expectScheduled(site);
    expect(statesOf(await back(site, upgraded))).toEqual(['a current']);
  });

  it.each([
    ['cannot read it', 'GET', 'REMOTE_FAILED'],
    ['is refused', 'PUT', 'FORBIDDEN'],
  ])('restores the schedules also where one between them %s', async (_, method, code) => {
    const site = await active();
    const { result: upgraded } = await upgrade(site);
    const isLost = (line: string): boolean => line.endsWith('/resume');
    // Suspends the schedule, has no other effect, and cannot make good for it.
    site.breaking(async ({ line }) => {
      if (line === DEPLOY) await site.call('POST', `${CRON}/suspend`);
      return line === DEPLOY || isLost(line) ? answer(500, 'no') : undefined;
    });
    expect(statesOf(await back(site, upgraded))).toEqual(['a REMOTE_FAILED']);
    site.breaking(async ({ line }) => {
      const isHit = line === DEPLOY.replace('PUT', method);
      return isHit || isLost(line) ? answer(method === 'GET' ? 500 : 403, 'no') : undefined;
    });
    expect(statesOf(await back(site, upgraded))).toEqual([`a ${code}`]);
    mend(site);
    expect(statesOf(await back(site, upgraded))).toEqual(['a rolled-back']);
    await expectScheduled(site);
  });

  it.each([
    ['after its deploy', true],
    ['before its deploy had an effect', false],
  ])('restores the schedules of an upgrade that was cut off %s', async (_, isDeployed) => {
    const site = await active();
    const { configuration: config } = await site.call<{ configuration: string }>('GET', 'etl/apps/a');
    const { result: upgraded } = await upgrade(site);
    cutOff(upgraded);
    const { artifact } = olderPipeline('6.11.0', 'etl', 'a', {});
    // This suspends the schedule.
    if (!isDeployed) await site.call('PUT', 'etl/apps/a', { artifact, config });
    else await site.call('POST', `${CRON}/suspend`);
    expect(statesOf(await back(site, upgraded))).toEqual(['a rolled-back']);
    await expectScheduled(site);
    expect(statesOf(await back(site, upgraded))).toEqual(['a current']);
  });
});
