import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../../src/core/events.js';
import { capabilitiesOf } from '../../../../../src/platform/capabilities.js';
import { KeptErrors } from '../../../../../src/services/upgrade/files/local-failures.js';
import { openFailedRequests } from '../../../../../src/services/upgrade/files/save-requests.js';
import type { SavedRequest } from '../../../../../src/services/upgrade/files/error-files.js';
import type { UpgradedPipeline, UpgradeResult } from '../../../../../src/services/upgrade/upgrade-result.js';
import { writePreview } from '../../../../../src/services/upgrade/run/preview.js';
import { verdictSeed } from '../../../../support/sites/upgrade-seed.js';
import { temporaryFolder } from '../../../state/support.js';
import { answer, CLOCK, inMemory, NEVER, SECRET, upgradeOf } from '../in-memory.js';

const root = temporaryFolder();
let made = 0;
let [stateFolder, folder] = ['', ''];
beforeEach(() => {
  made += 1;
  stateFolder = join(root, `state${made}`);
  folder = join(root, `failed${made}`);
});

const place = (name: string, namespace = 'etl') => ({ namespace, name });
const PLACES = [place('a'), place('b'), place('a', 'default')];
const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' } as const;
const configuration = '{\n\t"a": "\u00e9"}';
const MADE: SavedRequest = {
  change: { engine: 'client', made: { artifact, configuration } },
  message: 'no \u00fc',
  serverSaid: undefined,
};
const UNMADE: SavedRequest = { change: undefined, message: 'gone \u00fc', serverSaid: undefined };
const UNKEPT = 'upgrades/unkept';

function opened(command: 'upgrade' | 'rollback' = 'upgrade', isWanted = true) {
  const events: ServiceEvent[] = [];
  const emit = (event: ServiceEvent): void => void events.push(event);
  const keeping = new KeptErrors(emit);
  const capabilities = capabilitiesOf('6.11.0');
  const deps = { stateFolder, url: 'http://platform:11015/', command, capabilities, clock: CLOCK, emit, keeping };
  const said = () => events.map((event) => ('message' in event ? `${event.type} ${event.message}` : event.type));
  return { requests: openFailedRequests(isWanted ? folder : undefined, PLACES, deps), keeping, said };
}

const resultOf = (...pipelines: readonly [string, UpgradedPipeline['state'], string?][]): UpgradeResult =>
  ({ pipelines: pipelines.map(([name, state, namespace]) => ({ ...place(name, namespace), state })) }) as never;

/** Makes the folder of what failed one that takes nothing more. */
function spoil(): void {
  for (const name of ['etl-a.json', 'etl-b.json', 'default-a.json']) mkdirSync(join(folder, name));
}

/** The folders of what the folder of failures did not take, with their files. */
function unkept(): Readonly<Record<string, readonly string[]>> {
  const path = join(stateFolder, UNKEPT);
  const [platform = ''] = existsSync(path) ? readdirSync(path) : [];
  const names = platform === '' ? [] : readdirSync(join(path, platform)).sort();
  return Object.fromEntries(names.map((name) => [name, readdirSync(join(path, platform, name)).sort()]));
}

describe('a request that failed', () => {
  it('is kept in the folder for such, until its pipeline is upgraded', async () => {
    const { requests, said } = opened();
    const failed = await requests;
    expect(await failed.save(place('a'), MADE)).toBe(join(folder, 'etl-a.json'));
    await failed.save(place('b'), MADE);
    await failed.save(place('a', 'default'), MADE);
    await failed.finish(resultOf(['a', 'upgraded'], ['b', 'failed'], ['a', 'current', 'default']));
    expect(readdirSync(folder).sort()).toEqual(['etl-b.json', 'index.json']);
    expect([said(), unkept()]).toEqual([[], {}]);
  });

  it('is left by a rollback', async () => {
    const failed = await opened().requests;
    await failed.save(place('a'), MADE);
    await failed.finish(resultOf());
    await (await opened('rollback').requests).finish(resultOf(['a', 'rolled-back'], ['a', 'upgraded']));
    expect(readdirSync(folder)).toContain('etl-a.json');
  });

  it('is kept nowhere where nobody wants it', async () => {
    const { requests, said } = opened('upgrade', false);
    const failed = await requests;
    expect(await failed.save(place('a'), MADE)).toBeUndefined();
    await failed.finish(resultOf(['a', 'upgraded']));
    expect([said(), existsSync(folder)]).toEqual([[], false]);
  });

  it('goes to the state folder where its folder takes it no more, and ends the run', async () => {
    const { requests, keeping, said } = opened();
    const failed = await requests;
    spoil();
    const files = [
      await failed.save(place('a'), MADE),
      await failed.save(place('b'), MADE),
      await failed.save(place('a', 'default'), MADE),
    ];
    expect(files.map((file) => readFileSync(file ?? '', 'utf8').includes('cdap-data-pipeline'))).toEqual([
      ...[true, true, true],
    ]);
    expect([keeping.error?.code, keeping.halted.aborted]).toEqual(['LOCAL_IO', true]);
    expect(said().filter((line) => line.startsWith('note'))).toEqual(
      ['a', 'b', 'a'].map((name, at) => `note saved the request of pipeline ${name} in ${files[at] ?? ''}`),
    );
    expect(unkept()).toEqual({
      'upgrade-default': ['default-a.json', 'index.json'],
      'upgrade-etl': ['etl-a.json', 'etl-b.json', 'index.json'],
    });
    expect(await failed.save(place('b'), UNMADE)).toBeUndefined();
    await failed.finish(resultOf(['a', 'failed'], ['b', 'current'], ['a', 'upgraded', 'default']));
    expect(unkept()).toEqual({ 'upgrade-default': ['index.json'], 'upgrade-etl': ['etl-a.json', 'index.json'] });
  });

  it('of a rollback has its own place there, and is removed once it is rolled back', async () => {
    const failed = await opened('rollback').requests;
    spoil();
    await failed.save(place('a'), MADE);
    expect(unkept()).toEqual({ 'rollback-etl': ['etl-a.json', 'index.json'] });
    await failed.finish(resultOf(['a', 'rolled-back']));
    expect(unkept()).toEqual({ 'rollback-etl': ['index.json'] });
  });

  it('is told in one line of ASCII where nothing can be kept', async () => {
    const { requests, said } = opened();
    const failed = await requests;
    spoil();
    writeFileSync(stateFolder, 'a file');
    expect(await failed.save(place('a'), MADE)).toBeUndefined();
    const [line = ''] = said().filter((one) => one.startsWith('note'));
    expect(line).toMatch(/^note \{[\x20-\x7e]+\}$/u);
    expect(JSON.parse(line.slice(5))).toEqual({
      ...{ namespace: 'etl', pipeline: 'a', message: MADE.message },
      request: { artifact, 'app.deploy.update.schedules': false, config: configuration },
    });
    rmSync(join(folder, 'index.json'));
    mkdirSync(join(folder, 'index.json'));
    await failed.save(place('b'), { ...MADE, change: { engine: 'server', to: artifact, snapshots: false } });
    expect(said().at(-1)).toBe('note {"namespace":"etl","pipeline":"b","message":"no \\u00fc"}');
  });

  it('whose older copy cannot be removed is a warning', async () => {
    const { requests, said } = opened();
    const failed = await requests;
    spoil();
    const file = (await failed.save(place('a'), MADE)) ?? '';
    writeFileSync(join(file, '..', 'index.json'), 'no index');
    await failed.finish(resultOf(['a', 'upgraded']));
    expect(said().at(-1)).toMatch(/^warning .*index\.json is not an index of failed pipelines$/u);
  });
});

describe('the preview of an upgrade', () => {
  const preview = async ({ instead = '', status = 500 } = {}) => {
    const site = inMemory(verdictSeed('6.11.0'));
    const { plan, judging } = await upgradeOf(site);
    const planned = await plan();
    site.breaking(async ({ line }) => (line.endsWith(instead) ? answer(status, `it broke: ${SECRET}`) : undefined));
    const events: ServiceEvent[] = [];
    await writePreview(planned, { folder, judging, concurrency: 2 }, {
      ...{ platform: site.platform, capabilities: site.capabilities, clock: CLOCK, engine: 'client', stop: NEVER },
      emit: (event: ServiceEvent) => void events.push(event),
    } as never);
    const index = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { files: object[] };
    return { files: readdirSync(folder).sort(), index: index.files, events };
  };
  const NEVER_ASKED = { instead: 'nothing' };

  it('has what would be sent for each pipeline', async () => {
    const { files, index, events } = await preview(NEVER_ASKED);
    expect(files).toEqual(['etl-clicks.json', 'etl-legacy.json', 'etl-orders.json', 'index.json']);
    expect(index).toMatchObject([{ message: 'planned' }, { message: 'planned' }, { message: 'planned' }]);
    expect(index.some((one) => 'serverSaid' in one)).toBe(false);
    expect(events).toEqual([]);
  });

  it('has the reason where one cannot be read, without secrets', async () => {
    const { files, index, events } = await preview({ instead: '/apps/orders' });
    expect(files).toEqual(['etl-clicks.json', 'etl-legacy.json', 'index.json']);
    const message = expect.stringContaining('500') as string;
    expect(index.at(-1)).toMatchObject({ pipeline: 'orders', message, serverSaid: 'it broke: ***' });
    expect(events).toEqual([{ type: 'warning', code: 'UPGRADE', message }]);
  });

  it('has no words of the platform where there are none', async () => {
    const { index } = await preview({ instead: '/apps/orders', status: 404 });
    expect(index.at(-1)).toMatchObject({ pipeline: 'orders' });
    expect(index.at(-1)).not.toHaveProperty('serverSaid');
  });
});
