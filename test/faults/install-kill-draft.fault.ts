import { beforeAll, describe, expect, it } from 'vitest';
import type { Platform } from '../../src/emulator/generation.js';
import { draftsAt, openDraftSite, PACKAGE, STORE, STUDIO, textOf } from '../support/draft-site.js';
import { startStallingProxy } from '../support/stalling-proxy.js';
import {
  eachPoint,
  expectFinished,
  POINTS,
  requestPoints,
  undisturbedRun,
  writePoints,
  type KillCase,
  type Scene,
  type Undisturbed,
} from './kill.js';

const PLATFORMS = ['6.11.0', '6.1.1'] as const;
const OTHERS = '{"choice":512.0,"hydratorDrafts":{"default":{"d1":{"name":"mine","big":12345678901234567890}}}}';

async function scene(platform: Platform): Promise<Scene> {
  const site = await openDraftSite(platform);
  await site.putSettings(OTHERS);
  await site.forget();
  const proxy = await startStallingProxy(site.url);
  site.through = proxy.url;
  return {
    site,
    proxy,
    words: site.line([`${PACKAGE}@1.0.0`, '-y', '--json']),
    close: async () => {
      await proxy.close();
      await site.close();
    },
  };
}

const caseOf = (platform: Platform): KillCase => ({
  scene: () => scene(platform),
  stateOf: async ({ url }) => ({
    drafts: (await draftsAt(url, platform)).map(({ id, name, artifact, config }) => ({ id, name, artifact, config })),
    settings: await textOf(url + STORE),
  }),
});

describe.for(PLATFORMS)('the install of a draft that is killed, on a platform %s', (platform) => {
  const tried = caseOf(platform);
  let undisturbed: Undisturbed;

  beforeAll(async () => {
    undisturbed = await undisturbedRun(tried);
  });

  it('is judged by an undisturbed one that sent one write', () => {
    const [send = '', ...more] = undisturbed.sends;
    expect(more).toEqual([]);
    expect(send.startsWith(platform === '6.11.0' ? `PUT ${STUDIO}/` : `PUT ${STORE} `)).toBe(true);
    expect(undisturbed.state).toMatchObject({ settings: expect.stringContaining('"choice":512.0') as string });
  });

  it(
    `at a request is finished by the same command, and nothing is sent twice (${POINTS} points)`,
    { timeout: 1_200_000 },
    async () => {
      const points = requestPoints(undisturbed);
      expect(points.map(({ stall }) => stall)).toEqual(expect.arrayContaining(['unsent', 'unanswered']));
      await eachPoint(points, (point) => expectFinished(tried, undisturbed, point));
    },
  );

  it(
    `at a write of its journal is finished by the same command, and nothing is sent twice (${POINTS} points)`,
    { timeout: 1_200_000 },
    async () => {
      await eachPoint(writePoints(undisturbed), (point) => expectFinished(tried, undisturbed, point));
    },
  );
});
