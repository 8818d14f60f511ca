import { describe, expect } from 'vitest';
import type { Platform } from '../../../src/emulator/store/generation.js';
import { draftsAt, openDraftSite, PACKAGE, STORE, STUDIO, textOf } from '../../support/sites/draft-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { itIsFinished, type KillCase, type Scene } from '../kill.js';

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

describe.for(PLATFORMS)('L24: the install of a draft that is killed, on a platform %s', (platform) => {
  itIsFinished({
    tried: caseOf(platform),
    judge: ({ sends: [send = '', ...more], state }) => {
      expect(more).toEqual([]);
      expect(send.startsWith(platform === '6.11.0' ? `PUT ${STUDIO}/` : `PUT ${STORE} `)).toBe(true);
      expect(state).toMatchObject({ settings: expect.stringContaining('"choice":512.0') as string });
    },
  });
});
