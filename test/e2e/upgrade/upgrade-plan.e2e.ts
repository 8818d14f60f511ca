import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ENTER, startPty } from '../../support/processes/pty.js';
import { oneStep, verdictSeed } from '../../support/sites/upgrade-seed.js';
import { withUpgradeSite } from '../../support/sites/upgrade-site.js';

describe.concurrent('an upgrade that is looked at first', () => {
  it('--dry-run writes what would be sent, --diff shows every version that changes, and neither changes anything', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const line = ['-n', 'etl', '--dry-run', '-D', 'preview', '--diff', '--detailed-exitcode'];
      const { code, stdout, stderr } = await site.cdapctl(['upgrade', ...line, '-u', site.url]);
      expect(code, stderr).toBe(14);
      expect(stdout).toContain(
        'etl/orders: cdap-data-pipeline 6.10.0 -> 6.11.0\n  stage "step": Copy (example-steps) 1.0.0 -> 2.0.0\n',
      );
      const request = await readFile(join(site.home, 'preview', 'etl-orders.json'), 'utf8');
      const { configuration } = await site.pipeline('etl', 'orders');
      expect((JSON.parse(request) as { config: string }).config).toBe(configuration.replace('"1.0.0"', '"2.0.0"'));
      const diff = await site.cdapctl(['upgrade', '-n', 'etl', '--diff', '-u', site.url]);
      expect(diff.stdout).toContain('etl/orders: cdap-data-pipeline 6.10.0 -> 6.11.0\n');
      const plan = await site.cdapctl(['upgrade', '-n', 'etl', '--dry-run', '-u', site.url]);
      expect(plan.stdout).toMatch(/^orders +6\.10\.0 +6\.11\.0 +1 +safe$/mu);
      const both = await site.cdapctl(['upgrade', '-n', 'etl', '--check', '--diff', '-u', site.url]);
      expect([both.code, both.stderr]).toEqual([
        2,
        expect.stringContaining('--check and --diff cannot be used together'),
      ]);
      expect(await site.writes()).toEqual([]);
    });
  });

  it('--plan does what --plan-out wrote, and nothing when a pipeline changed since', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const plan = (name: string) => ['-n', 'etl', '--exclude', 'legacy', '--plan-out', name];
      expect(await site.upgrade(...plan('first.json'))).toMatchObject({ code: 0, item: { state: 'planned' } });
      expect(await site.upgrade(...plan('first.json'))).toMatchObject({ code: 6, error: { code: 'EXISTS' } });
      const artifact = { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' };
      await site.call('PUT', 'etl/apps/orders', { artifact, config: oneStep('Copy', { more: 'x' }) });
      const refused = await site.upgrade('-n', 'etl', '--plan', 'first.json');
      expect(refused).toMatchObject({ code: 6, error: { code: 'PLAN_CHANGED' } });
      expect(refused.error.details).toBe('etl/orders was changed since the plan was made');
      expect(await site.writes()).toEqual([]);

      await site.upgrade(...plan('second.json'));
      const done = await site.upgrade('-n', 'etl', '--plan', 'second.json');
      expect(done).toMatchObject({ code: 0, item: { state: 'done', summary: { upgraded: 2, skipped: 1 } } });
      expect((await site.pipeline('etl', 'legacy')).artifact.version).toBe('6.10.0');
    });
  });

  it('is 10 where pipelines cannot be read, and a plan without them fails for them, which is 10, too', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const line = ['-n', 'etl', '--exclude', 'legacy'];
      const unread = { method: 'GET', path: 'apps/orders' };
      await site.fail({ match: unread, kind: 'status', status: 500, when: 'before', times: 99 });
      const planned = await site.upgrade(...line, '--plan-out', 'plan.json');
      expect(planned).toMatchObject({ code: 10, item: { state: 'planned', summary: { planned: 1, failed: 1 } } });
      expect((await site.upgrade(...line, '--dry-run', '--detailed-exitcode')).code).toBe(10);
      await site.heal();
      const done = await site.upgrade('-n', 'etl', '--plan', 'plan.json');
      expect(done).toMatchObject({ code: 10, item: { summary: { upgraded: 1, failed: 1, skipped: 1 } } });
      expect((await site.pipeline('etl', 'orders')).artifact.version).toBe('6.10.0');
    });
  });

  it('is refused where stdin is a pipe on a terminal: nobody can be asked, and somebody sits there', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const words = ['upgrade', '-u', site.url, '-n', 'etl', '-p', 'orders'];
      const piped = startPty(words, site.home, join(site.home, 'piped'), 0, 'n\n');
      expect(await piped.end(), piped.shown()).toBe(13);
      expect(piped.shown()).toMatch(/confirmation required: upgrade 1 pipeline in namespace etl[\s\S]* -p orders -y/u);
      expect(await site.writes()).toEqual([]);
    });
  });

  it('asks on a terminal, below the plan; no is 13 and changes nothing, yes does it', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const words = ['upgrade', '-u', site.url, '-n', 'etl', '-p', 'orders'];
      const no = startPty(words, site.home, join(site.home, 'no'));
      await no.see('orders    6.10.0  6.11.0        1  safe');
      await no.see('Upgrade 1 pipeline in namespace etl on ');
      no.type(`n${ENTER}`);
      expect(await no.end()).toBe(13);
      expect(await site.writes()).toEqual([]);
      const yes = startPty(words, site.home, join(site.home, 'yes'));
      await yes.see('Upgrade 1 pipeline in namespace etl on ');
      yes.type(`y${ENTER}`);
      expect(await yes.end()).toBe(0);
      expect(await readFile(join(site.home, 'yes'), 'utf8')).toMatch(/^orders .* upgraded$/mu);
    });
  });
});

describe.concurrent('what an upgrade refuses', () => {
  it('P23: lines that contradict themselves, names that are not there, before anything is sent', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const lines: readonly (readonly [number, string])[] = [
        [2, '-p orders'],
        [2, '-n etl -p dev/orders'],
        [2, '-n etl --max-failures some'],
        [2, '-n etl --engine server --to 6.11.0'],
        [5, '-n other'],
        [5, '-n etl -p other'],
        [5, '-p other -A'],
        [5, '--to 9.9.9'],
        [5, '--only-failed'],
        [5, 'rollback'],
      ];
      const codesOf = (some: typeof lines) =>
        Promise.all(some.map(async ([, line]) => [(await site.upgrade(...line.split(' '))).code, line]));
      const [wrong, absent] = [lines.filter(([code]) => code === 2), lines.filter(([code]) => code !== 2)];
      expect(await codesOf(wrong)).toEqual(wrong);
      expect((await site.requests()).filter(({ path }) => path.startsWith('/v3'))).toEqual([]);
      expect(await codesOf(absent)).toEqual(absent);
      expect(await site.writes()).toEqual([]);
    });
  });

  it('--engine server where the platform does not support it', async () => {
    await withUpgradeSite({ platform: '6.1.1', seed: verdictSeed('6.1.1') }, async (site) => {
      expect(await site.upgrade('--engine', 'server')).toMatchObject({ code: 6, error: { code: 'INCOMPATIBLE' } });
      expect(await site.writes()).toEqual([]);
    });
  });
});

describe.concurrent('the ways to go on', () => {
  it('--engine server lets the platform do it, also where the run goes on; --resume of a choice begins anew', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const call = { method: 'POST', path: 'orders/upgrade' };
      await site.fail({ match: call, kind: 'status', status: 403, when: 'before', times: 1 });
      const first = await site.upgrade('-n', 'etl', '-p', 'orders', '--engine', 'server', '--resume');
      expect(first).toMatchObject({ code: 10, item: { engine: 'server', summary: { failed: 1 } } });
      await site.forget();
      expect(await site.upgrade('--resume')).toMatchObject({ code: 5, error: { code: 'NOT_FOUND' } });
      const run = await site.upgrade('--only-failed');
      expect(run).toMatchObject({ code: 0, item: { engine: 'server', summary: { upgraded: 1 } } });
      expect(await site.writes()).toEqual(['POST /v3/namespaces/etl/apps/orders/upgrade']);
      const { artifact, configuration } = await site.pipeline('etl', 'orders');
      expect([artifact.version, configuration.includes('"2.0.0"')]).toEqual(['6.11.0', true]);
    });
  });

  it('--running fail upgrades the others; a retry may treat running pipelines in another way', async () => {
    await withUpgradeSite({ seed: { pipelines: [{ count: 20 }] } }, async (site) => {
      const { stdout } = await site.cdapctl(['pipeline', 'list', '-u', site.url, '--kind', 'realtime', '-o', 'name']);
      const [name = ''] = stdout.split('\n');
      await site.cdapctl(['pipeline', 'start', name, '-u', site.url, '-y', '--wait=running']);
      const some = ['-p', 'default/*'];
      const first = await site.upgrade(...some, '--running', 'fail');
      expect(first).toMatchObject({ code: 10, item: { summary: { failed: 1 } } });
      expect(first.item?.summary.upgraded).toBeGreaterThan(1);
      expect(first.item?.pipelines.find(({ state }) => state === 'failed')).toMatchObject({
        detail: expect.stringContaining('is running') as string,
      });
      expect(await site.upgrade('--only-failed')).toMatchObject({ code: 10, item: { summary: { failed: 1 } } });
      const retried = await site.upgrade('--only-failed', ...some, '--running', 'warn');
      expect(retried).toMatchObject({ code: 0, item: { summary: { total: 1, upgraded: 1 } } });
    });
  });

  it('--only-failed of a run that stopped tells what was not tried, and leaves it to --resume', async () => {
    await withUpgradeSite({ seed: { pipelines: [{ count: 12 }] } }, async (site) => {
      await site.fail({ match: { method: 'PUT' }, kind: 'status', status: 401, when: 'before', times: 1 });
      const first = await site.upgrade('-n', 'default', '--concurrency', '1');
      expect(first.item?.summary).toMatchObject({ upgraded: 0, failed: 1 });
      const left = first.item?.summary.notRun ?? 0;
      expect(left).toBeGreaterThan(1);
      const retried = await site.upgrade('--only-failed');
      expect(retried).toMatchObject({ code: 10, item: { state: 'partial', summary: { upgraded: 1, notRun: left } } });
      expect(retried.item?.retry).toContain('--resume --journal ');
      const again = await site.upgrade('--only-failed');
      expect(again).toMatchObject({ code: 10, item: { summary: { upgraded: 0, notRun: left } } });
      expect(again.error.hints.join()).toContain('--resume --journal ');
      const journal = first.item?.journal ?? '';
      const text = await readFile(journal, 'utf8');
      await writeFile(journal, text.replace('"platformVersion":"6.11.0"', '"platformVersion":"6.10.1"'));
      const rest = await site.upgrade('--resume');
      expect(rest).toMatchObject({ code: 0, item: { state: 'done' } });
      expect(rest.warnings.map(({ message }) => message)).toEqual([
        expect.stringContaining('was started on platform 6.10.1, which is 6.11.0 now'),
      ]);
      expect(retried.warnings).toEqual([]);
      expect(await site.upgrade('-n', 'default', '--check')).toMatchObject({
        code: 0,
        item: { summary: { planned: 0 } },
      });
    });
  });

  it('names the command that tries again what failed, and that command does it', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      await site.fail({ match: { method: 'PUT', path: 'clicks' }, kind: 'status', status: 500, when: 'before' });
      const first = await site.upgrade('-n', 'etl', '--exclude', 'legacy');
      expect(first).toMatchObject({ code: 10, item: { state: 'partial', summary: { upgraded: 1, failed: 1 } } });
      const retry = first.item?.retry ?? '';
      expect(first.error.hints).toContain(retry);
      expect(retry).toContain('--only-failed --journal ');
      const [, ...words] = retry.split(' ');
      const second = await site.cdapctl(words);
      expect(second.code, second.stderr).toBe(0);
      expect(JSON.parse(second.stdout)).toMatchObject({ item: { summary: { total: 1, upgraded: 1 } } });
    });
  });

  it.for([
    ['--engine client', [], 'PUT /v3/namespaces/etl/apps/orders'],
    ['--engine server', ['--engine', 'server'], 'POST /v3/namespaces/etl/apps/orders/upgrade'],
  ] as const)(
    'a write whose proof was cut off is unknown, and --resume alone settles it: %s',
    async ([, words, write]) => {
      await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
        const match = { method: 'GET', path: 'orders/schedules' };
        // The first look comes before the write.
        await site.fail({ match, kind: 'delay', milliseconds: 0, when: 'before' });
        await site.fail({ match, kind: 'status', status: 401, when: 'before' });
        const first = await site.upgrade('-p', 'etl/orders', ...words);
        expect(first).toMatchObject({ code: 16, error: { code: 'UNKNOWN_OUTCOME' } });
        expect(first.item?.pipelines).toMatchObject([{ name: 'orders', state: 'unknown' }]);
        expect(first.item?.retry).toContain(' --resume --journal ');
        expect(first.error.hints).toEqual([first.item?.retry]);
        // What the platform chose is not known before it is read back.
        const back = await site.upgrade('rollback', '--dry-run');
        const known = words.length === 0;
        expect(back.item?.pipelines).toMatchObject([
          known ? { state: 'planned' } : { state: 'failed', error: { code: 'UNKNOWN_OUTCOME' } },
        ]);
        const second = await site.upgrade('--resume');
        expect(second).toMatchObject({ code: 0, item: { summary: { upgraded: 1 } } });
        expect(second.item?.pipelines).toMatchObject([
          { state: 'upgraded', changes: [{ from: '1.0.0', to: '2.0.0' }] },
        ]);
        expect(await site.writes()).toEqual([write]);
        expect(await site.upgrade('--resume')).toMatchObject({ code: 5, error: { code: 'NOT_FOUND' } });
      });
    },
  );
});
