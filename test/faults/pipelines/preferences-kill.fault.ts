import { describe, expect, it } from 'vitest';
import { startCli } from '../../support/processes/running-cli.js';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';
import { openSettingsSite } from '../../support/sites/settings-site.js';
import { startStallingProxy, type StallPoint } from '../../support/stalling-proxy.js';
import { DEPTH, draw } from '../depth.js';

const PATH = '/namespaces/etl/preferences';
const LINE = ['preferences', 'set', '-n', 'etl', '--set', 'ours=1', '--set', 'old=2', '-y'];
const REQUESTS = 5;
const POINTS = Array.from({ length: REQUESTS }, (_, at) => at + 1).flatMap((n) =>
  (['unsent', 'unanswered', 'half'] as const).map((stall): StallPoint => ({ n, stall })),
);
/** The write is the fourth. */
const TRIED = {
  sample: POINTS.filter(({ n, stall }) => n >= 4 && stall !== 'half'),
  drawn: draw(POINTS, 6, 'preferences set'),
  all: POINTS,
}[DEPTH];

describe('a change of preferences that is killed', () => {
  it.each(TRIED)('L43: at request $n, $stall, comes to the same end when it is run again', ({ n, stall }) =>
    withTempDir(async (home) => {
      const site = await openSettingsSite();
      const proxy = await startStallingProxy(site.emulator.url);
      try {
        await site.call('PUT', PATH, { kept: '1', old: '1' });
        const line = [...LINE, '-u', proxy.url];
        const reached = proxy.arm({ n, stall });
        const first = startCli(line, { home, env: {} });
        await Promise.race([reached, first.ended]);
        first.kill('SIGKILL');
        expect((await first.ended).signal, 'the run ended before it was killed').toBe('SIGKILL');
        // Somebody else, before the run is repeated.
        const now = await site.call<object>('GET', PATH);
        await site.call('PUT', PATH, { ...now, theirs: '3' });
        void proxy.arm();
        expect((await runCli(line, { home })).code).toBe(0);
        expect(await site.call('GET', PATH)).toEqual({ kept: '1', old: '2', ours: '1', theirs: '3' });
        const sent = (await site.writes()).length;
        void proxy.arm();
        expect((await runCli(line, { home })).code).toBe(0);
        expect((await site.writes()).length, 'a third run has nothing to do').toBe(sent);
      } finally {
        await proxy.close();
        await site.close();
      }
    }),
  );

  it('asks for all that is counted here', async () => {
    const site = await openSettingsSite();
    const proxy = await startStallingProxy(site.emulator.url);
    void proxy.arm();
    expect((await runCli([...LINE, '-u', proxy.url])).code).toBe(0);
    expect(proxy.requests).toEqual([
      'GET /v3/version',
      ...['GET', 'GET', 'PUT', 'GET'].map((verb) => `${verb} /v3${PATH}`),
    ]);
    await proxy.close();
    await site.close();
  });
});
