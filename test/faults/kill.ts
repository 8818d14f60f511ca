import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, expect, it } from 'vitest';
import type { Logged, Site } from '../support/sites/install-site.js';
import { environmentOf, ROOT, STARTER } from '../support/processes/run-cli.js';
import { DEPTH, draw } from './depth.js';
import type { StallingProxy, StallPoint } from '../support/stalling-proxy.js';

/** A run ready to start: a platform with what the package finds there, and the command through a proxy that can stop it. */
export interface Scene {
  readonly site: Site;
  readonly proxy: StallingProxy;
  /** The whole command line. */
  readonly words: readonly string[];
  close(): Promise<void>;
}

/** A point in the life of the journal: before its `write`-th operation on the disk (from 1), half way through it, or when it is done and the tool has not heard of it. */
export interface WritePoint {
  readonly write: number;
  readonly moment: 'before' | 'half' | 'after';
}

export type KillPoint = StallPoint | WritePoint;

/** A run that is killed in tests. */
export interface KillCase {
  scene(): Promise<Scene>;
  /** All on the platform that the install is for, without what differs from run to run (times, version ids). */
  stateOf(site: Site): Promise<unknown>;
  /** The folder of its journal below the state folder; `installs` unless given. */
  readonly journals?: string;
  /** What tells a send from another one beside method and path; the digest of its body unless given. */
  contentOf?(logged: Logged): string;
}

/** What an undisturbed run made, sent and wrote; the measure for all others. */
export interface Undisturbed {
  readonly state: unknown;
  readonly sends: readonly string[];
  /** `METHOD path` of every request to the platform, reads too. */
  readonly requests: readonly string[];
  /** The operations on the journal: `write`, `sync`, `rename`, `link`, `rm`. */
  readonly writes: readonly string[];
}

const PRELOAD = join(ROOT, 'test/support/processes/kill-at-write.cjs');
const folderOf = (site: Site, { journals = 'installs' }: Pick<KillCase, 'journals'>): string =>
  join(site.home, '.local', 'state', 'cdapctl', journals);

/** All that the tool has sent to the platform beside reads, whatever the answer was, with what it held. */
export async function sendsOf({ contentOf }: Pick<KillCase, 'contentOf'>, site: Site): Promise<readonly string[]> {
  return (await site.requests())
    .filter(({ method, headers }) => method !== 'GET' && headers['user-agent']?.startsWith('cdapctl/'))
    .map((logged) => {
      const { method, path, headers, bodySha256, status } = logged;
      const content = contentOf === undefined ? bodySha256 : contentOf(logged);
      return `${method} ${path} ${headers['artifact-version'] ?? ''} ${content} ${status}`;
    });
}

function start({ site, words }: Scene, env: Readonly<Record<string, string>> = {}): ReturnType<typeof spawn> {
  return spawn(process.execPath, [STARTER, ...words], { env: environmentOf(site.home, env), stdio: 'ignore' });
}

/** Runs the command of a scene and kills it at a point; fails where the run ended by itself. */
export async function killAt(scene: Scene, point: KillPoint, tried: Pick<KillCase, 'journals'> = {}): Promise<void> {
  if ('write' in point) {
    void scene.proxy.arm();
    const preload = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folderOf(scene.site, tried) };
    const child = start(scene, { ...preload, KILL_N: String(point.write), KILL_MOMENT: point.moment });
    await once(child, 'exit');
    expect(child.signalCode, 'the run ended before it was killed').toBe('SIGKILL');
    return;
  }
  const reached = scene.proxy.arm(point);
  const child = start(scene);
  const ended = once(child, 'exit');
  await Promise.race([reached, ended]);
  expect(child.exitCode, 'the run ended before it was killed').toBe(null);
  child.kill('SIGKILL');
  await ended;
}

/** Runs a case to its end and remembers everything that the other runs are judged by. */
export async function undisturbedRun(tried: KillCase): Promise<Undisturbed> {
  const calm = await tried.scene();
  try {
    void calm.proxy.arm();
    const log = join(calm.site.home, 'writes.log');
    const env = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folderOf(calm.site, tried), KILL_LOG: log };
    const { code, stdout } = await calm.site.cdapctl(calm.words, { env });
    expect(code, stdout).toBe(0);
    const writes = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
    const requests = [...calm.proxy.requests];
    return { state: await tried.stateOf(calm.site), sends: await sendsOf(tried, calm.site), requests, writes };
  } finally {
    await calm.close();
  }
}

/** How many points of one sweep are drawn. */
const DRAWN = { requests: 9, writes: 6 } as const;

/** The requests of a run as points to kill at; the sample has every write before and after its effect and leaves out most reads. */
export function requestPoints({ requests }: Undisturbed, depth = DEPTH): readonly StallPoint[] {
  const stalls = ['unsent', 'unanswered', 'half'] as const;
  const all = requests.flatMap((request, at) => stalls.map((stall) => ({ n: at + 1, stall, request })));
  if (depth === 'all') return all;
  if (depth === 'drawn') return draw(all, DRAWN.requests, requests.join());
  return all.filter(({ n, stall, request }) =>
    request.startsWith('GET ') ? stall === 'unsent' && n % 12 === 0 : stall !== 'half' || request.includes('/apps/'),
  );
}

/** The operations on the journal as points to kill at; the sample takes every seventh, so that each moment has its turn. */
export function writePoints({ writes }: Undisturbed, depth = DEPTH): readonly WritePoint[] {
  const all = writes.flatMap((kind, at): WritePoint[] => {
    const moments = kind === 'write' ? (['before', 'half'] as const) : (['before', 'after'] as const);
    return moments.map((moment) => ({ write: at + 1, moment }));
  });
  if (depth === 'all') return all;
  return depth === 'drawn' ? draw(all, DRAWN.writes, writes.join()) : all.filter((_, at) => at % 7 === 1);
}

/** How a point is called in messages. */
export function placeOf(point: KillPoint, { requests, writes }: Undisturbed): string {
  return 'write' in point
    ? `${point.moment} operation ${point.write} on the journal (${writes[point.write - 1] ?? ''})`
    : `request ${point.n} (${requests[point.n - 1] ?? ''}) ${point.stall}`;
}

/** Kills at a point, runs the same command to its end and a third time: the same state, nothing sent twice, in the end nothing to do. */
export async function expectFinished(tried: KillCase, undisturbed: Undisturbed, point: KillPoint): Promise<void> {
  const place = placeOf(point, undisturbed);
  const scene = await tried.scene();
  const { site, proxy, words } = scene;
  try {
    await killAt(scene, point, tried);
    void proxy.arm();
    const { code, stdout } = await site.cdapctl(words);
    expect(code, `${place}: ${stdout}`).toBe(0);
    expect(await tried.stateOf(site), place).toEqual(undisturbed.state);
    expect(await sendsOf(tried, site), place).toEqual(undisturbed.sends);
    void proxy.arm();
    await site.forget();
    expect((await site.cdapctl(words)).code, place).toBe(0);
    expect(await sendsOf(tried, site), `${place}: a third run`).toEqual([]);
  } finally {
    await scene.close();
  }
}

/** Tries points a few at a time; the first that fails ends it. */
export async function eachPoint(
  points: readonly KillPoint[],
  attempt: (point: KillPoint) => Promise<void>,
): Promise<void> {
  const waiting = [...points];
  const lane = async (): Promise<void> => {
    for (let point = waiting.pop(); point !== undefined; point = waiting.pop()) await attempt(point);
  };
  await Promise.all([lane(), lane()]);
}

/** What the tests of a killed run are about. */
export interface KilledRun {
  readonly tried: KillCase;
  /** Looks whether the undisturbed run did what it should. */
  readonly judge: (undisturbed: Undisturbed) => void;
  /** What a run that is killed at a point and repeated has to come to; the state and the sends of the undisturbed one unless given. */
  readonly expectEnd?: (point: KillPoint, undisturbed: Undisturbed) => Promise<void>;
}

/** The tests of a killed run: the undisturbed one, then a run killed at each request and one at each operation on the journal. */
export function itIsFinished({ tried, judge, expectEnd }: KilledRun): void {
  let undisturbed: Undisturbed;

  beforeAll(async () => {
    undisturbed = await undisturbedRun(tried);
  });

  it('is judged by an undisturbed one that did what it should', () => {
    judge(undisturbed);
  });

  const finish = (point: KillPoint): Promise<void> => expectFinished(tried, undisturbed, point);
  const kinds = [
    ['a request', requestPoints],
    ['a write of its journal', writePoints],
  ] as const;
  it.each(kinds)(
    `at %s is finished by the same command, and nothing is sent twice (${DEPTH} points)`,
    { timeout: 1_200_000 },
    async (_, pointsOf) => {
      const points = pointsOf(undisturbed);
      expect(points.length).toBeGreaterThan(DEPTH === 'all' ? 8 : 1);
      await eachPoint(points, (point) => (expectEnd ?? finish)(point, undisturbed));
    },
  );
}
