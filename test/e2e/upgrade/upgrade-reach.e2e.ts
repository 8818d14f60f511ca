import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { verdictSeed } from '../../support/sites/upgrade-seed.js';
import { withUpgradeSite, type UpgradeSite } from '../../support/sites/upgrade-site.js';

const PREFIX = '/gateway/cdap';

/** A gateway that knows the platform below a path and nothing else; paths that were asked for beside it. */
async function startGateway(platform: string) {
  const astray: string[] = [];
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    if (!url.startsWith(`${PREFIX}/`)) {
      astray.push(url);
      outgoing.writeHead(404).end();
      return;
    }
    const onward = request(new URL(url.slice(PREFIX.length), platform), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    url: `http://127.0.0.1:${port}${PREFIX}`,
    astray,
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

const statesOf = ({ item }: Awaited<ReturnType<UpgradeSite['upgrade']>>): object =>
  Object.fromEntries((item?.pipelines ?? []).map(({ name, state }) => [name, state]));

describe.concurrent('what an upgrade reaches', () => {
  it.each(['', '/'])('a platform behind a path, written with "%s" at its end', async (end) => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const gateway = await startGateway(site.url);
      const words = ['upgrade', '-u', `${gateway.url}${end}`, '-n', 'etl', '-p', 'orders'];
      const run = await site.cdapctl(words);
      expect(run.code, run.stderr).toBe(0);
      expect((await site.pipeline('etl', 'orders')).artifact.version).toBe('6.11.0');
      const back = await site.cdapctl(['upgrade', 'rollback', '-y', '-u', gateway.url]);
      expect(back.code, back.stderr).toBe(0);
      expect((await site.pipeline('etl', 'orders')).artifact.version).toBe('6.10.0');
      expect(gateway.astray).toEqual([]);
      await gateway.close();
    });
  });

  it('--max-failures starts nothing new after more failures, and --resume does the rest', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const line = ['-n', 'etl', '--concurrency', '1', '--max-failures'];
      const first = await site.upgrade(...line, '10%');
      expect(first).toMatchObject({ code: 10, error: { code: 'PARTIAL' }, item: { summary: { notRun: 1 } } });
      expect(statesOf(first)).toEqual({ clicks: 'upgraded', legacy: 'blocked', orders: 'not-run' });
      expect(first.item?.retry).toContain('--resume --journal ');
      const second = await site.upgrade('--resume', '--concurrency', '1', '--max-failures', '1');
      expect(second.code).toBe(10);
      expect(statesOf(second)).toEqual({ clicks: 'upgraded', legacy: 'blocked', orders: 'upgraded' });
      expect(await site.writes()).toHaveLength(2);
    });
  });

  it('--resume says which run it resumes, and wants a yes where a newer one worked in the same namespace', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const line = ['-n', 'etl', '--concurrency', '1', '--max-failures', '10%'];
      const { item: stopped } = await site.upgrade(...line);
      const older = stopped?.journal ?? '';
      const words = ['upgrade', '--resume', '--dry-run', '-u', site.url];
      const said = await site.cdapctl(words);
      expect(said.stderr).toMatch(
        /^Resuming the upgrade of \d{4}-\S+ \S+: namespace etl, 1 pipeline done \(journal \S+\)$/mu,
      );
      expect(said.stderr).not.toContain('newer');

      const refusal = { kind: 'status', status: 403, when: 'before', times: 1 };
      await site.fail({ match: { method: 'PUT', path: 'orders' }, ...refusal });
      const { item: newer } = await site.upgrade('-n', 'etl', '-p', 'orders');
      const writes = await site.writes();
      const refused = await site.upgrade('--resume', '--journal', older);
      expect(refused).toMatchObject({ code: 13, error: { code: 'CONSENT_MISSING' } });
      expect(refused.warnings).toEqual([
        { code: 'UPGRADE', message: expect.stringContaining(`a newer upgrade`) as string },
      ]);
      expect(refused.warnings[0]?.message).toContain(newer?.journal ?? '?');
      expect(await site.writes()).toEqual(writes);
      expect((await site.upgrade('--resume', '--journal', older, '-y')).code).toBe(10);
    });
  });

  it('--resume wants a yes for what was rolled back since, and never begins anew with it', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      await site.upgrade('-n', 'etl', '--concurrency', '1', '--max-failures', '10%');
      expect((await site.cdapctl(['upgrade', 'rollback', '-u', site.url, '-y'])).code).toBe(0);
      const refused = await site.upgrade('--resume');
      expect(refused).toMatchObject({ code: 13, error: { code: 'CONSENT_MISSING' } });
      expect(refused.warnings[0]?.message).toContain('was rolled back');
      expect((await site.pipeline('etl', 'clicks')).artifact.version).toBe('6.10.0');
      expect((await site.upgrade('-n', 'etl', '-p', 'clicks')).code).toBe(0);
      const first = await site.cdapctl(['upgrade', '-n', 'etl', '-p', 'orders', '--resume', '-u', site.url]);
      expect(first.stderr).toContain('nothing to resume: this is a new upgrade');
      expect((await site.cdapctl(['upgrade', 'rollback', '-u', site.url, '-y'])).code).toBe(0);
      const writes = await site.writes();
      const again = await site.upgrade('-n', 'etl', '-p', 'orders', '--resume');
      expect(again).toMatchObject({ code: 5, error: { code: 'NOT_FOUND' } });
      expect(JSON.stringify(again.error)).toMatch(/nothing to resume.*was rolled back since/u);
      expect(await site.writes()).toEqual(writes);
    });
  });

  it('a deploy with unknown outcome is told of its pipeline with 16, and the others are upgraded', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      await site.fail({ match: { method: 'PUT', path: 'clicks' }, kind: 'status', status: 504, when: 'before' });
      const first = await site.upgrade('-n', 'etl', '--exclude', 'legacy', '--concurrency', '1');
      expect(first).toMatchObject({ code: 16, error: { code: 'UNKNOWN_OUTCOME' } });
      expect(statesOf(first)).toEqual({ clicks: 'unknown', orders: 'upgraded' });
      const second = await site.upgrade('--only-failed');
      expect([second.code, statesOf(second)]).toEqual([0, { clicks: 'upgraded' }]);
    });
  });

  it.each([[[]], [['rollback']]])(
    '%j -p with what can be no pipeline is refused before anything is asked',
    async (words) => {
      await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
        const run = await site.upgrade(...words, '-n', 'etl', '-p', 'orders *');
        expect(run).toMatchObject({ code: 2, error: { code: 'USAGE' } });
        expect((await site.requests()).filter(({ headers }) => headers['user-agent']?.startsWith('cdapctl/'))).toEqual(
          [],
        );
      });
    },
  );

  it('--plugin names artifacts that are there', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const wrong = await site.upgrade('-n', 'etl', '--plugin', 'exmple-steps', '--check');
      expect(wrong).toMatchObject({ code: 5, error: { code: 'NOT_FOUND' } });
      expect(wrong.error.hints[0]).toBe('Did you mean "example-steps"?');
      const right = await site.upgrade('-n', 'etl', '--plugin', 'example-steps@2.0.0', '-p', 'orders', '--check');
      expect(right).toMatchObject({ code: 0, item: { pipelines: [{ changes: [{ to: '2.0.0' }] }] } });
    });
  });
});
