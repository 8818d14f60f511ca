import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import type { Look } from '../../../../src/output/look.js';
import { render } from '../../../../src/output/views/view.js';
import { type RenderOptions } from '../../../../src/output/view-types.js';
import { diffLines, summaryLine, upgradeLines } from '../../../../src/output/views/upgrade-lines.js';
import { upgradeView } from '../../../../src/output/views/upgrade.js';
import { displayWidth } from '../../../../src/output/width.js';
import type { UpgradeResult } from '../../../../src/services/upgrade/upgrade-result.js';
import { change, pipeline, resultOf } from '../upgrade-result.js';

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const on = (columns: number): Look => ({ ...plain, terminal: true, columns });
const reason = 'stage "mail": new required property "auth.mode" has no value, and that is a long story';
const target = { url: 'http://platform.example', namespaceFrom: 'default', platformVersion: '6.1.1' };

const night = resultOf([
  pipeline('orders-hourly', { changes: [change, change, change, change] }),
  pipeline('clicks', { changes: [change], detail: 'is running; the new version applies from the next start' }),
  pipeline('legacy', {
    state: 'failed',
    detail: reason,
    error: { code: 'REMOTE_FAILED', status: 400, message: reason },
  }),
  pipeline('gone', { state: 'skipped', detail: 'is gone since it was listed' }),
  pipeline('fine', { state: 'current', from: '6.1.1' }),
]);

async function shown(result: UpgradeResult, options: Partial<RenderOptions> = {}): Promise<string> {
  let text = '';
  for await (const piece of render(upgradeView, result, { format: 'table', look: plain, ...options })) text += piece;
  return text;
}

describe('the table of an upgrade', () => {
  it('tells of the pipelines that were changed or could not be', async () => {
    expect(await shown(night)).toBe(
      [
        'PIPELINE       FROM   TO     PLUGINS  STATE     DETAIL',
        'orders-hourly  6.0.0  6.1.1        4  upgraded',
        'clicks         6.0.0  6.1.1        1  upgraded  is running; the new version applies from the next start',
        `legacy         6.0.0  6.1.1        0  FAILED    ${reason}`,
        '',
      ].join('\n'),
    );
  });

  it('has no column for details where there are none', async () => {
    const text = await shown(resultOf([pipeline('a', { state: 'planned' })]));
    expect(text.split('\n')[0]).toBe('PIPELINE  FROM   TO     PLUGINS  STATE');
  });

  it('names namespaces when there can be several, and states of failure in upper case', async () => {
    const states = ['blocked', 'unknown', 'rolled-back', 'not-run'] as const;
    const result = resultOf(
      states.map((state) => pipeline(state, { state })),
      { target },
    );
    const text = await shown(result);
    expect(text.split('\n').map((line) => line.split(/\s{2,}/u).filter((_, at) => at === 0 || at === 4))).toEqual([
      ['PIPELINE', 'STATE'],
      ['etl/blocked', 'BLOCKED'],
      ['etl/unknown', 'UNKNOWN'],
      ['etl/rolled-back', 'rolled-back'],
      ['etl/not-run', 'not tried'],
      [''],
    ]);
  });

  it('has what is to be changed, and only counts what an earlier run of the journal did', async () => {
    const done = Array.from({ length: 15 }, (_, at) =>
      pipeline(`a${at}`, { state: 'upgraded', detail: 'by an earlier run of this journal' }),
    );
    const planned = Array.from({ length: 6 }, (_, at) => pipeline(`b${at}`, { state: 'planned', verdict: 'safe' }));
    const lines = (await shown(resultOf([...done, ...planned]))).trimEnd().split('\n');
    expect(lines.slice(1, -1).map((line) => line.split(/\s+/u)[0])).toEqual(planned.map(({ name }) => name));
    expect(lines.at(-1)).toBe('15 upgraded by an earlier run; -v or -o wide lists them');
  });

  it('has the version that an earlier run upgraded to under TO', async () => {
    const earlier = pipeline('a', { state: 'upgraded', from: '6.11.0', detail: 'by an earlier run' });
    Reflect.deleteProperty(earlier, 'to');
    const [, row = ''] = (await shown(resultOf([earlier]))).split('\n');
    expect(row.split(/\s{2,}/u)).toEqual(['a', '-', '6.11.0', '-', 'upgraded', 'by an earlier run']);
  });

  it('has no number of plugins where nobody counted them', async () => {
    const { to: _, ...failed } = pipeline('a', { state: 'failed', detail: 'pipeline a is running' });
    const unjudged = pipeline('b', { state: 'planned', verdict: 'unjudged' });
    for (const format of ['table', 'wide'] as const) {
      const [head = '', ...rows] = (await shown(resultOf([failed, unjudged]), { format })).trimEnd().split('\n');
      const at = head.split(/\s{2,}/u).indexOf('PLUGINS');
      expect([at > 0, ...rows.map((row) => row.split(/\s{2,}/u)[at])], format).toEqual([true, '-', '-']);
    }
  });

  it('has the verdicts of what is only planned', async () => {
    const planned = [
      pipeline('a', { state: 'planned', verdict: 'safe' }),
      pipeline('b', { state: 'planned', verdict: 'risky' }),
      pipeline('c', { state: 'blocked', verdict: 'blocked' }),
      pipeline('d', { state: 'planned' }),
    ];
    const text = await shown(resultOf(planned, { state: 'planned' }));
    expect([...text.matchAll(/\d {2}([A-Za-z]+)$/gmu)].map(([, state]) => state)).toEqual([
      'safe',
      'risky',
      'BLOCKED',
      'planned',
    ]);
  });

  it.each([80, 200])('fits into %d columns, with nothing left out', (columns) => {
    const lines = upgradeLines(night, on(columns));
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(columns);
    expect(lines.join(' ').replace(/\s+/gu, ' ')).toContain(reason);
    expect(lines.length).toBe(columns === 200 ? 4 : 7);
  });

  it.each([
    [80, 0],
    [42, 1],
  ])('tells at %d columns that %d has no room', async (columns, count) => {
    const left: number[] = [];
    const onLeftOut = (number: number): unknown => left.push(number);
    const result = resultOf([pipeline('x'.repeat(30), { state: 'failed' })]);
    const options = { format: 'table', look: on(columns), onLeftOut } as const;
    let text = '';
    for await (const piece of upgradeView.render(result, options)) text += piece;
    expect([text.includes('PLUGINS'), left]).toEqual([count === 0, count === 0 ? [] : [count]]);
  });

  it('has details below their rows where there is no room beside them', () => {
    const name = 'x'.repeat(40);
    const lines = upgradeLines(resultOf([pipeline(name, { state: 'failed', detail: reason })]), on(80));
    expect(lines).toEqual([
      `PIPELINE${' '.repeat(32)}  FROM   TO     PLUGINS  STATE`,
      `${name}  6.0.0  6.1.1        0  FAILED`,
      `    ${reason.slice(0, reason.indexOf(' long'))}`,
      '    long story',
    ]);
  });

  it('shows the details of many pipelines as those of few: whole', () => {
    const many = [...Array(51).keys()].map((at) => pipeline(`p${at}`, { state: 'failed', detail: reason }));
    const lines = upgradeLines(resultOf(many), on(80));
    expect(lines.every((line) => displayWidth(line) <= 80)).toBe(true);
    expect(lines.join('').match(/long\s+story/gu)).toHaveLength(51);
    expect(upgradeLines(resultOf(many), plain)[51]).toContain(reason);
  });

  it('cuts a name only where it alone is longer than a line', () => {
    const [, row = ''] = upgradeLines(resultOf([pipeline('x'.repeat(200), { state: 'failed' })]), on(80));
    expect(displayWidth(row)).toBe(80);
    expect(row).toMatch(/^x+… {2}6\.0\.0 {2}6\.1\.1 +0 {2}FAILED$/u);
  });

  it('leaves out of more than 20 pipelines what is plain, and says how many and how to see them', async () => {
    const plain = [...Array(21).keys()].map((at) => pipeline(`p${at}`));
    const failed = pipeline('bad', { state: 'failed', detail: reason });
    const result = resultOf([...plain, failed]);
    expect((await shown(result)).split('\n')).toEqual([
      'PIPELINE  FROM   TO     PLUGINS  STATE   DETAIL',
      `bad       6.0.0  6.1.1        0  FAILED  ${reason}`,
      '21 more upgraded; -v or -o wide lists them',
      '',
    ]);
    expect(upgradeLines(resultOf(plain), on(80))).toEqual(['21 upgraded; -v or -o wide lists them']);
    expect(upgradeLines(result, on(80), true, true).filter((line) => line.startsWith('p'))).toHaveLength(21);
    expect(upgradeLines(resultOf(plain.slice(1)), on(80))).toHaveLength(21);
  });

  it('tells of what was left out although it needs an upgrade', async () => {
    const left = pipeline('r', { state: 'skipped', leftOut: true, detail: 'is running' });
    const result = resultOf([left, pipeline('other', { state: 'skipped', detail: 'is not a pipeline' })]);
    expect(await shown(result)).toMatch(/^r .* skipped {2}is running$/mu);
    expect(await shown(result)).not.toContain('other');
    expect(summaryLine(result)).toBe('0 upgraded, 2 skipped');
  });

  it('names versions that stay on older artifacts in the counts', () => {
    const staysBehind = [{ version: '2.0', artifact: 'cdap-data-pipeline', from: '6.2.0' }];
    const result = resultOf([pipeline('two', { state: 'current', staysBehind })]);
    expect(summaryLine(result)).toBe(
      'nothing to upgrade: 1 current; 1 more version left on older artifacts: etl/two 2.0 (6.2.0)',
    );
  });

  it('colours states, and only them', () => {
    const result = resultOf([
      pipeline('FAILED', { state: 'failed', detail: 'FAILED' }),
      pipeline('日本', { state: 'planned', verdict: 'risky' }),
      pipeline('x', { state: 'planned' }),
    ]);
    const color = upgradeLines(result, { ...on(80), color: true });
    expect(color).toEqual([
      '\u001b[1mPIPELINE  FROM   TO     PLUGINS  STATE    DETAIL\u001b[0m',
      'FAILED    6.0.0  6.1.1        0  \u001b[31mFAILED\u001b[0m   FAILED',
      '日本      6.0.0  6.1.1        0  \u001b[33mrisky\u001b[0m',
      'x         6.0.0  6.1.1        0  \u001b[2mplanned\u001b[0m',
    ]);
  });

  it('makes what comes from the platform visible', async () => {
    const text = await shown(resultOf([pipeline('a\u001b[2J', { detail: 'one\ntwo', from: '1\u202e' })]));
    expect(text).toContain(String.raw`a\x1b[2J`);
    expect(text).toContain(String.raw`one\ntwo`);
    expect(text).toContain(String.raw`1\u{202e}`);
  });

  it('is empty when nothing is to be told, and has no header when none is wanted', async () => {
    expect(await shown(resultOf([pipeline('fine', { state: 'current' })]))).toBe('');
    expect(await shown(night, { header: false })).toMatch(/^orders-hourly/u);
  });

  it('has all pipelines and columns in wide, and the chosen ones with fields', async () => {
    const wide = await shown(night, { format: 'wide' });
    expect(wide).toMatch(/^NAMESPACE {2}NAME .* ERROR +FILE +MS +DETAIL$/mu);
    expect(wide).toMatch(/^etl {8}legacy .* FAILED .* REMOTE_FAILED/mu);
    expect(wide).toMatch(/^etl {8}gone .* skipped .* is gone since it was listed$/mu);
    expect(wide).toMatch(/^etl {8}fine .* current/mu);
    expect(await shown(night, { fields: ['name', 'state'] })).toBe(
      'NAME           STATE\norders-hourly  upgraded\nclicks         upgraded\nlegacy         FAILED\n',
    );
  });
});

describe('the result of an upgrade for programs', () => {
  it('is one document in json and yaml', async () => {
    const envelope = { schemaVersion: 1, kind: 'UpgradeResult', item: night, warnings: [] };
    expect(JSON.parse(await shown(night, { format: 'json' }))).toEqual(envelope);
    expect(parse(await shown(night, { format: 'yaml' }))).toEqual(envelope);
    const some: unknown = JSON.parse(await shown(night, { format: 'json', fields: ['state'] }));
    expect(some).toMatchObject({ item: { state: 'done' } });
  });

  it('is told completely by its schema', () => {
    const full = resultOf([
      pipeline('a', {
        state: 'blocked',
        verdict: 'blocked',
        running: true,
        digest: 'd',
        changes: [change],
        findings: [{ level: 'blocked', stage: 's', plugin: 'p', property: 'q', reason: 'r' }],
        notes: [{ stage: 's', message: 'm' }, { message: 'm' }],
        error: { code: 'BLOCKED', status: 400, message: 'm' },
        detail: 'd',
        errorFile: 'f',
      }),
    ]);
    const result = { ...full, target: { ...full.target, context: 'prod' }, journal: 'j', retry: 'r' };
    // What a schema does not know of it leaves out.
    expect(z.parse(upgradeView.schema, result)).toEqual(result);
  });

  it('is a line for each pipeline in ndjson, and a last one for the whole', async () => {
    const lines = (await shown(night, { format: 'ndjson' })).trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as unknown);
    const { pipelines, ...rest } = night;
    expect(events.slice(0, -1)).toEqual(pipelines.map((item) => ({ type: 'item', item })));
    expect(events.at(-1)).toMatchObject({ type: 'result', kind: 'UpgradeResult', item: rest, warnings: [] });
    expect(events.at(-1)).not.toHaveProperty('item.pipelines');
  });

  it('is a row for each pipeline in csv, with its state as in json', async () => {
    const rows = (await shown(night, { format: 'csv', fields: ['namespace', 'name', 'state', 'errorCode', 'plugins'] }))
      .trimEnd()
      .split('\r\n');
    expect(rows).toEqual([
      'namespace,name,state,errorCode,plugins',
      'etl,orders-hourly,upgraded,,4',
      'etl,clicks,upgraded,,1',
      'etl,legacy,failed,REMOTE_FAILED,0',
      'etl,gone,skipped,,0',
      'etl,fine,current,,0',
    ]);
  });

  it('is a name for each pipeline that the table tells of', async () => {
    expect(await shown(night, { format: 'name' })).toBe('etl/orders-hourly\netl/clicks\netl/legacy\n');
  });
});

describe('the counts of an upgrade', () => {
  const many = (number: number, told: Parameters<typeof pipeline>[1]) =>
    [...Array(number).keys()].map((at) => pipeline(`p${at}`, told));
  const [current, skipped] = [many(150, { state: 'current' }), many(3, { state: 'skipped' })];
  const planned = { state: 'planned' } as const;
  const rollback = { command: 'rollback' } as const;

  it.each([
    ['60 upgraded, 1 failed, 150 current, 3 skipped', [...many(60, {}), ...many(1, { state: 'failed' })], {}],
    ['61 to upgrade, 150 current, 3 skipped', many(61, planned), planned],
    [
      '1 to upgrade, 2 blocked, 1 failed, 150 current, 3 skipped',
      [...many(1, planned), ...many(2, { state: 'blocked' }), ...many(1, { state: 'failed' })],
      planned,
    ],
    [
      '0 upgraded, 3 failed (1 blocked, 2 with unknown outcome), 5 not tried, 150 current, 3 skipped',
      [...many(1, { state: 'blocked' }), ...many(2, { state: 'unknown' }), ...many(5, { state: 'not-run' })],
      {},
    ],
    ['2 rolled back, 150 already as before the upgrade, 3 skipped', many(2, { state: 'rolled-back' }), rollback],
    ['2 to roll back, 150 already as before the upgrade, 3 skipped', many(2, planned), { ...rollback, ...planned }],
    ['nothing to upgrade: 150 current, 3 skipped', [], {}],
    ['nothing to roll back: 150 already as before the upgrade, 3 skipped', [], rollback],
  ] as const)('read %s', (line, pipelines, told) => {
    expect(summaryLine(resultOf([...pipelines, ...current, ...skipped], told))).toBe(line);
  });

  it('are not there for no pipeline', () => {
    expect(summaryLine(resultOf([]))).toBe('no pipeline to upgrade');
    expect(summaryLine(resultOf([], rollback))).toBe('no pipeline to roll back');
  });
});

describe('the differences of an upgrade', () => {
  it('are those of stages, with what the pre-check found and what stays', () => {
    const findings = [
      { level: 'risky', stage: 'in', plugin: 'File', property: 'q', reason: 'property "q" is ignored' },
      { level: 'blocked', stage: 'a"b', plugin: 'Mail', reason: 'is gone' },
    ] as const;
    const notes = [{ stage: 'in', message: 'has a range' }, { message: 'stages[3] is\nodd' }];
    const error = { code: 'BLOCKED', message: 'stage "a\\"b": is gone' } as const;
    expect(
      diffLines(
        resultOf([
          pipeline('one', { state: 'blocked', changes: [change], findings, notes, error }),
          pipeline('two', { state: 'failed', error: { code: 'BAD_JSON', message: 'not JSON' }, to: '6.0.0' }),
          pipeline('three', { state: 'current' }),
        ]),
      ),
    ).toEqual([
      'etl/one: cdap-data-pipeline 6.0.0 -> 6.1.1',
      '  stage "in": File (core-plugins) 2.2.0 -> 2.3.4',
      '  risky: stage "in": property "q" is ignored',
      String.raw`  blocked: stage "a\"b": is gone`,
      '  note: stage "in": has a range',
      String.raw`  note: stages[3] is\nodd`,
      'etl/two: cdap-data-pipeline 6.0.0',
      '  failed: not JSON',
    ]);
  });
});
