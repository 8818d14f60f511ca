import { beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '../../../src/emulator/store/generation.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { DEPTH } from '../depth.js';
import {
  eachPoint,
  killAt,
  placeOf,
  requestPoints,
  undisturbedRun,
  writePoints,
  type KillCase,
  type KillPoint,
  type Scene,
  type Undisturbed,
} from '../kill.js';
import {
  deploysOf,
  loseSchedules,
  named,
  oldOnes,
  openUpgradeSite,
  upgradeLine,
  upgradeState,
} from './upgrade-site.js';

const COUNT = 20;
const OLD = oldOnes(COUNT).map(named);
/** Many runs in a row share the machine. */
const PATIENT = { timeout: 60_000 };

/** A platform that loses schedules with every deploy, and an upgrade of its pipelines, so many at once. */
async function scene(platform: Platform, concurrency: number): Promise<Scene> {
  const site = await openUpgradeSite(COUNT, platform);
  const proxy = await startStallingProxy(site.url, (method, path) => loseSchedules(site, method, path));
  site.through = proxy.url;
  return {
    site,
    proxy,
    words: upgradeLine(site, '--concurrency', String(concurrency), '--json'),
    close: async () => {
      await proxy.close();
      await site.close();
    },
  };
}

const caseOf = (platform: Platform, concurrency: number): KillCase => ({
  scene: () => scene(platform, concurrency),
  stateOf: upgradeState,
  journals: 'upgrades',
});

/** How a killed upgrade goes on: it is resumed, or begun anew and then rolled back. */
type GoingOn = '--resume' | 'anew, and back';

/** Kills at a point and goes on: the same end, each pipeline deployed once, and nothing left to do; rolled back, all is as it was before. */
async function expectResumed(
  tried: KillCase,
  undisturbed: Undisturbed,
  point: KillPoint,
  how: GoingOn = '--resume',
): Promise<void> {
  const place = 'write' in point ? placeOf(point, undisturbed) : `request ${point.n} of ${point.of} ${point.stall}`;
  const killed = await tried.scene();
  const { site, proxy, words } = killed;
  const before = await tried.stateOf(site);
  const more = how === '--resume' ? [how] : [];
  try {
    await killAt(killed, point, tried);
    void proxy.arm();
    const { code, stdout, stderr } = await site.cdapctl([...words, ...more], PATIENT);
    // While its last line is brought to the disk an upgrade is complete: nothing is left to resume.
    const isComplete = 'write' in point && point.write === undisturbed.writes.length;
    expect(code, `${place}: ${stdout}${stderr}`).toBe(isComplete ? 5 : 0);
    if (isComplete) expect(stdout, place).toContain('is complete; nothing to resume');
    expect(await tried.stateOf(site), place).toEqual(undisturbed.state);
    expect(await deploysOf(site), place).toEqual(OLD);
    if (DEPTH !== 'sample') {
      await site.forget();
      void proxy.arm();
      expect((await site.cdapctl(words, PATIENT)).code, place).toBe(0);
      expect(await deploysOf(site, 'all'), `${place}: a third run`).toEqual([]);
    }
    if (how === '--resume') return;
    void proxy.arm();
    const back = await site.cdapctl(['upgrade', 'rollback', '-u', site.through, '-y', '--json'], PATIENT);
    expect(back.code, `${place}: ${back.stdout}${back.stderr}`).toBe(0);
    expect(await tried.stateOf(site), `${place}: rolled back`).toEqual(before);
  } finally {
    await killed.close();
  }
}

const DEPLOY = /^PUT .*\/apps\/[^/]+$/u;
const RESUME = /\/resume$/u;
const BACK = /^PUT .*\/schedules\//u;
const READ = /^GET .*\/apps\/[^/?]+$/u;
const SCHEDULES = /^GET .*\/schedules$/u;

/** What every change is tried with: deploys and what follows them. */
const SAMPLE: readonly KillPoint[] = [
  { n: 1, of: DEPLOY, stall: 'unsent' },
  { n: 7, of: DEPLOY, stall: 'unanswered' },
  { n: OLD.length, of: DEPLOY, stall: 'half' },
  { n: 1, of: RESUME, stall: 'unanswered' },
  { n: 1, of: BACK, stall: 'unsent' },
  { n: 2 * OLD.length + 5, of: READ, stall: 'unsent' },
];

/** The points at requests; with several at once their order differs from run to run, their number does not. */
function requestsOf(undisturbed: Undisturbed, sample: readonly KillPoint[]): readonly KillPoint[] {
  return DEPTH === 'sample' ? sample : requestPoints(undisturbed);
}

describe.for([
  ['6.11.0', SAMPLE],
  ['6.1.1', SAMPLE.slice(1, 2)],
] as const)('L25: an upgrade that is killed on a platform %s', ([platform, sample]) => {
  const tried = caseOf(platform, 4);
  let undisturbed: Undisturbed;
  beforeAll(async () => {
    undisturbed = await undisturbedRun(tried);
  });

  it('is judged by one that deployed each old pipeline once and kept all schedules', () => {
    const { sends, state } = undisturbed;
    const count = (pattern: RegExp): number => sends.filter((line) => pattern.test(line)).length;
    expect(count(/^PUT \S+\/apps\/[^/ ]+ /u)).toBe(OLD.length);
    // 1, 5, 11 and 15 had an active schedule, 1 one more that was gone.
    expect(count(/\/dataPipelineSchedule\/resume /u)).toBe(4);
    expect(undisturbed.requests.filter((request) => SCHEDULES.test(request)).length).toBeGreaterThan(2 * OLD.length);
    expect(state).toContainEqual(
      expect.objectContaining({
        name: named(1),
        schedules: [
          expect.objectContaining({ schedule: 'by-hand', status: 'SCHEDULED', properties: { made: 'by hand' } }),
          expect.objectContaining({ schedule: 'dataPipelineSchedule', status: 'SCHEDULED' }),
        ],
      }),
    );
  });

  it(
    `at a request is finished with --resume, and no pipeline is deployed twice (${DEPTH} points)`,
    {
      timeout: 2_400_000,
    },
    async () => {
      const points = requestsOf(undisturbed, sample);
      await eachPoint(points, (point) => expectResumed(tried, undisturbed, point));
    },
  );
});

describe('L25: an upgrade that is killed, and a run that begins anew', () => {
  const tried = caseOf('6.11.0', 4);

  it(
    'has the schedules as before, no pipeline deployed twice, and is rolled back as a whole',
    { timeout: 600_000 },
    async () => {
      const undisturbed = await undisturbedRun(tried);
      const points: readonly KillPoint[] = [
        { n: 7, of: DEPLOY, stall: 'unanswered' },
        { n: 1, of: RESUME, stall: 'unsent' },
        { n: 1, of: BACK, stall: 'unsent' },
      ];
      await eachPoint(points, (point) => expectResumed(tried, undisturbed, point, 'anew, and back'));
    },
  );
});

describe('L25: an upgrade that is killed at its journal', () => {
  // One pipeline at a time writes each line alone, so that every run has the same operations.
  const tried = caseOf('6.11.0', 1);
  let undisturbed: Undisturbed;
  beforeAll(async () => {
    undisturbed = await undisturbedRun(tried);
  });

  it(
    `is finished with --resume, and no pipeline is deployed twice (${DEPTH} points)`,
    {
      timeout: 1_200_000,
    },
    async () => {
      const all = writePoints(undisturbed, 'all');
      // Each line of the journal is a write and a wait for the disk, each with two moments.
      expect(all.length).toBeGreaterThan(4 * (2 * OLD.length + 2) - 1);
      const sample = [6, 61, 64].flatMap((at) => all.slice(at, at + 1));
      const points = DEPTH === 'sample' ? sample : writePoints(undisturbed);
      await eachPoint(points, (point) => expectResumed(tried, undisturbed, point));
    },
  );
});
