import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { hasBecome } from '../../../../src/services/upgrade/deployed-state.js';
import type { UpgradeEntry } from '../../../../src/state/upgrade-journal.js';
import { GENERATIONS, olderPipeline, oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { inMemory, shownAs, upgradeOf, type InMemory } from './in-memory.js';
import { artifact } from './support.js';

type Version = keyof typeof GENERATIONS;

const ORDERS = 'etl/apps/orders';

function one(version: Version): InMemory {
  const applications = [olderPipeline(version, 'etl', 'orders', oneStep('Copy'))];
  return inMemory({ namespaces: ['etl'], artifacts: stepArtifacts(version), applications }, version);
}

const isDeploy = (line: string): boolean => line.startsWith('PUT ') || line.includes('/upgrade');
const deploys = (site: InMemory): number => site.writes().filter(isDeploy).length;

/** Loses the first deploy before it has an effect, while somebody else does something. */
function losing(site: InMemory, meanwhile: () => Promise<unknown>): void {
  let isLost = false;
  site.breaking(async ({ line }) => {
    if (isLost || !isDeploy(line)) return undefined;
    isLost = true;
    await meanwhile();
    throw new CliError('NET_RESET', 'the answer did not come');
  });
}

describe('somebody who is at work while an answer is lost', () => {
  it.each([
    ['6.1.1', 'client'],
    ['6.11.0', 'client'],
    ['6.11.0', 'server'],
  ] as const)('P21: and changes the pipeline is not written over: %s, engine %s', async (version, engine) => {
    const site = one(version);
    const theirs = olderPipeline(version, 'etl', 'orders', oneStep('Copy', { since: 'then' }));
    losing(site, () => site.call('PUT', ORDERS, theirs));
    const { plan, execute } = await upgradeOf(site);
    expect(await execute(await plan(), { engine })).toEqual([['orders', 'CHANGED_MEANWHILE']]);
    expect(deploys(site)).toBe(1);
    expect((await shownAs(site, 'etl/orders')).configuration).toContain('since');
  });

  it.each(['6.1.1', '6.11.0'] as const)('P20: and deletes the pipeline does not get it back on %s', async (version) => {
    const site = one(version);
    losing(site, () => site.call('DELETE', ORDERS));
    const { plan, execute, journal } = await upgradeOf(site);
    expect(await execute(await plan())).toEqual([['orders', 'GONE']]);
    expect(deploys(site)).toBe(1);
    expect(journal.at(-1)).not.toHaveProperty('schedules');
  });
});

describe('an upgrade by the platform itself', () => {
  it('is journalled with the artifact that it goes to', async () => {
    const site = one('6.11.0');
    const { plan, execute, journal } = await upgradeOf(site);
    expect(await execute(await plan(), { engine: 'server' })).toEqual([['orders', 'upgraded']]);
    expect(journal[0]).toMatchObject({ to: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' } });
    expect(journal[0]).not.toHaveProperty('sent');
  });

  const older = artifact('cdap-data-pipeline 6.10.0');
  const newer = artifact('cdap-data-pipeline 6.11.0');
  it.each([
    ['it is what it was to become', newer, 'a', 'v2', true],
    ['it is of another version than it was to become', artifact('cdap-data-pipeline 6.10.1'), 'a', 'v2', false],
    ['it is of another scope', artifact('cdap-data-pipeline 6.11.0 user'), 'a', 'v2', false],
    ['it is what it was', older, 'a', 'v1', false],
    ['no new version of the application was made', newer, 'a', 'v1', false],
    ['no version is told, and it is what it was to become', newer, 'a', undefined, true],
    ['no version is told, and it is what it was', older, 'a', undefined, false],
  ] as const)('has had its effect or not, where %s', (_, now, configuration, appVersion, expected) => {
    const version = appVersion === undefined ? {} : { version: 'v1' };
    const before = { artifact: older, configuration: 'a', ...version };
    const shown = { name: 'orders', artifact: now, configuration, ...(appVersion !== undefined && { appVersion }) };
    expect(hasBecome(shown as never, { before, to: newer })).toBe(expected);
  });

  it.each([
    ['it is what it was to become', newer, 'a', '-SNAPSHOT', true],
    ['it is what it was', older, 'a', '-SNAPSHOT', false],
    ['only plugins changed', older, 'b', '-SNAPSHOT', true],
    ['it was made before the platform had versions', newer, 'a', 'v2', true],
  ] as const)('has had its effect or not where a deploy replaces what is there (up to 6.8), where %s', (...row) => {
    const [, now, configuration, appVersion, expected] = row;
    const before = { artifact: older, configuration: 'a', version: '-SNAPSHOT' };
    const to = configuration === 'b' ? older : newer;
    expect(hasBecome({ name: 'orders', artifact: { ...now }, configuration, appVersion }, { before, to })).toBe(
      expected,
    );
  });

  it.each([
    [undefined, 'b', true],
    [undefined, 'a', false],
    ['v1', 'a', true],
  ])('that changes only plugins has had its effect where something changed (version %s)', (version, now, expected) => {
    const before = { artifact: newer, configuration: 'a', ...(version !== undefined && { version }) };
    const shown = { name: 'orders', artifact: newer, configuration: now, ...(version && { appVersion: 'v2' }) };
    expect(hasBecome(shown as never, { before, to: newer })).toBe(expected);
  });
});

describe('a journal that takes no more', () => {
  it('does not make an unknown outcome a full disk', async () => {
    const site = one('6.11.0');
    const entries: UpgradeEntry[] = [];
    const append = async (entry: UpgradeEntry): Promise<void> => {
      if (entry.type === 'ended') throw new CliError('DISK_FULL', 'the disk is full');
      entries.push(entry);
    };
    site.breaking(async ({ line }) => {
      if (isDeploy(line)) throw new CliError('NET_TIMEOUT', 'the answer did not come');
      return undefined;
    });
    const { plan, execute, warnings } = await upgradeOf(site);
    expect(await execute(await plan(), { journal: { append } })).toEqual([['orders', 'UNKNOWN_OUTCOME']]);
    expect(entries.map(({ type }) => type)).toEqual(['sending']);
    expect(warnings).toEqual(['the result of pipeline orders cannot be recorded: the disk is full']);
  });
});
