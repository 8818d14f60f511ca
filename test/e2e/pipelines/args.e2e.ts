import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSettingsSite, type SettingsSite } from '../../support/sites/settings-site.js';

const SECRET = 'hunter2-very-secret';
const PROPERTIES = {
  path: '${base}/in/${date}',
  query: 'select * from ${table${suffix}}',
  when: '${logicalStartTime(yyyy-MM-dd)}',
  key: '${secure(${vault})}',
  text: '\\${not.a.macro}',
};
const PROGRAM = '/namespaces/etl/apps/orders/workflows/DataPipelineWorkflow';

let site: SettingsSite;

beforeAll(async () => {
  site = await openSettingsSite(['orders'], PROPERTIES);
});

afterAll(() => site.close());

async function check(...more: readonly string[]) {
  const { code, stdout } = await site.cdapctl(['args', 'check', 'etl/orders', '--json', ...more]);
  const document = JSON.parse(stdout) as {
    readonly kind: string;
    readonly item?: { readonly missing: readonly { readonly macro: string; readonly via: readonly string[] }[] };
  };
  return { code, macros: document.item?.missing.map(({ macro, via }) => [macro, ...via].join(' < ')).sort() };
}

it('names every macro without a value, nested ones and those inside of values too, until all have one', async () => {
  expect(await check()).toEqual({ code: 11, macros: ['base', 'date', 'suffix', 'vault'] });
  const set = ['--set', 'suffix=_v2', '--set', 'base=gs://${bucket}', '--set', 'vault=v', '--set', 'date=today'];
  const { code, stdout } = await site.cdapctl(['args', 'set', 'etl/orders', ...set, '-y', '-o', 'name']);
  expect([code, stdout]).toEqual([0, 'base\ndate\nsuffix\nvault\n']);
  expect(await site.call('GET', `${PROGRAM}/runtimeargs`)).toEqual({
    ...{ suffix: '_v2', base: 'gs://${bucket}', vault: 'v', date: 'today' },
  });
  expect(await check()).toEqual({ code: 11, macros: ['bucket < base', 'table_v2'] });
  expect(await check('--set', 'bucket=b', '--ignore', 'later,table_v2')).toEqual({ code: 0, macros: undefined });
  // Stored arguments do not count there.
  const { stdout: json, code: bad } = await site.cdapctl(['preferences', 'check', 'etl/orders', '--json']);
  expect([bad, JSON.parse(json)]).toMatchObject([
    11,
    {
      error: { code: 'CHECK_FAILED', hints: [expect.stringContaining('preferences set etl/orders --set base=VALUE')] },
      item: { missing: [{ macro: 'base' }, { macro: 'date' }, { macro: 'suffix' }, { macro: 'vault' }] },
    },
  ]);
  const all = ['base', 'date', 'suffix', 'vault'].flatMap((key) => ['--set', `${key}=x`]);
  expect((await site.cdapctl(['preferences', 'check', 'etl/orders', ...all, '--ignore', 'tablex'])).code).toBe(0);
  const { stderr } = await site.cdapctl(['args', 'check', 'etl/orders']);
  expect(stderr).toContain('${bucket} has no value (stage step, property path, through base)');
  expect(stderr).toContain('cdapctl args set etl/orders --set bucket=VALUE --set table_v2=VALUE');
  await site.call('PUT', '/namespaces/etl/preferences', { bucket: 'b', table_v2: 't', 'db.password': SECRET });
  expect(await check()).toEqual({ code: 0, macros: undefined });
});

it('are looked at before a start, which names what has no value and sends nothing', async () => {
  const own = await openSettingsSite(['orders'], PROPERTIES);
  const start = (...more: readonly string[]) => own.cdapctl(['pipeline', 'start', 'etl/orders', '-y', ...more]);
  await own.call('PUT', '/preferences', { base: 'gs://${bucket}' });
  await own.call('PUT', '/namespaces/etl/preferences', { date: 'today' });
  await own.call('PUT', '/namespaces/etl/apps/orders/preferences', { suffix: '_v2' });
  const writes = await own.writes();
  const refused = await start('--set', 'db.password=hunter2-very-secret', '--set', 'vault=v', '--json');
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    error: { code: 'MACRO_MISSING', message: '2 macros of pipeline etl/orders have no value' },
    item: { missing: [{ macro: 'bucket' }, { macro: 'table_v2' }] },
  });
  const { stderr } = await start('--set', 'db.password=hunter2-very-secret', '--set', 'vault=v', '--set', 'buckt=b');
  expect(stderr).toContain('${bucket} has no value (stage step, property path, through base)');
  expect(stderr).toMatch(/cdapctl pipeline start etl\/orders -y .*--set bucket=VALUE --set table_v2=VALUE/u);
  expect(stderr).toMatch(/^ {2}no macro uses: buckt, db\.password$/mu);
  expect(stderr).toContain('--no-check');
  expect(refused.stdout + stderr).not.toContain(SECRET);
  expect(await own.writes()).toEqual(writes);
  const all = ['--set', 'vault=v', '--set', 'bucket=b', '--set', 'table_v2=t'];
  const started = await start(...all, '--set', 'dat=1', '--profile', 'user:x');
  expect([started.code, started.stderr]).toEqual([0, expect.stringMatching(/^warning: no macro uses: dat$/mu)]);
  expect(started.stderr).toMatch(
    /started .*arguments: vault=v, .*system\.profile\.name=user:x \(\+3 from preferences\)$/mu,
  );
  const two = await start(...all, '--profile', 'x', '--set', 'system.profile.name=y');
  expect([two.code, two.stderr]).toEqual([2, expect.stringContaining('--profile x contradicts')]);
  const bare = await start('--dry-run', '--no-check');
  expect(bare.stderr).not.toContain('arguments:');
  // The arguments of another run count, too.
  expect((await start('--like', 'latest')).code).toBe(0);
  expect((await start('--no-check')).code).toBe(0);
  await fetch(`${own.emulator.url}/emulator/faults`, {
    method: 'POST',
    body: JSON.stringify({
      match: { method: 'GET', path: '/v3/preferences' },
      kind: 'status',
      status: 403,
      when: 'before',
      times: 1,
    }),
  });
  const unseen = await start();
  expect([unseen.code, unseen.stderr]).toEqual([0, expect.stringContaining('not checked')]);
  await own.close();
});

it('explains where each value comes from, what it hides, and what nobody asks for', async () => {
  await site.call('PUT', '/namespaces/etl/apps/orders/preferences', { date: 'of the app', typo: '1' });
  const { stdout } = await site.cdapctl(['args', 'explain', 'etl/orders', '--json']);
  const document = JSON.parse(stdout) as { items: { key: string }[] };
  expect(document).toMatchObject({ kind: 'ArgumentList', level: 'program', missing: [], unused: ['typo'] });
  expect(document.items.find(({ key }) => key === 'date')).toEqual({
    ...{ key: 'date', value: 'today', secret: false, from: 'program', place: 'arguments of orders' },
    hides: [{ from: 'app', place: 'pipeline orders', value: 'of the app' }],
  });
  expect(stdout).not.toContain(SECRET);
  const table = await site.cdapctl(['args', 'explain', 'etl/orders']);
  expect(table.stdout).toMatch(/^db\.password +\*\*\* +namespace etl/mu);
  expect(table.stderr).toContain('no macro uses: typo');
});

it('explains what a run had: its own arguments, and what its workflow put into the token', async () => {
  const order = { token: { date: 'of the token', 'db.password': SECRET, 'field.operations': '{}' } };
  await fetch(`${site.emulator.url}/emulator/runs`, { method: 'POST', body: JSON.stringify(order) });
  await site.call('POST', `${PROGRAM}/start`, { date: 'of the run', offset: '3' });
  const { stdout } = await site.cdapctl(['args', 'explain', 'etl/orders', '--run', 'latest', '--json']);
  const { items } = JSON.parse(stdout) as { items: { key: string; from: string; hides: { from: string }[] }[] };
  const of = (key: string) => items.find((item) => item.key === key);
  expect(of('date')).toMatchObject({ value: 'of the token', from: 'token' });
  expect(of('date')?.hides.map(({ from }) => from)).toEqual(['run', 'program', 'app']);
  expect([of('offset')?.from, of('suffix')?.from, of('field.operations')]).toEqual(['run', 'program', undefined]);
  expect(stdout).not.toContain(SECRET);
});

it('lists, unsets and clears what is stored, and nothing else', async () => {
  const list = async (): Promise<string> => (await site.cdapctl(['args', 'list', 'etl/orders', '-o', 'name'])).stdout;
  expect(await list()).toBe('base\ndate\nsuffix\nvault\n');
  expect((await site.cdapctl(['args', 'unset', 'etl/orders', '-k', 'date', '-k', 'vault', '-y'])).code).toBe(0);
  expect(await list()).toBe('base\nsuffix\n');
  expect((await site.cdapctl(['args', 'clear', 'etl/orders'])).code).toBe(13);
  expect((await site.cdapctl(['args', 'clear', 'etl/orders', '-y'])).code).toBe(0);
  expect(await list()).toBe('');
  expect(await site.call('GET', '/namespaces/etl/apps/orders/preferences')).toEqual({ date: 'of the app', typo: '1' });
});
