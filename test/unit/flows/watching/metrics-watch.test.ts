import { describe, expect, it } from 'vitest';
import { checkWatch, watchMetrics } from '../../../../src/flows/watching/metrics-watch.js';
import { CliError } from '../../../../src/core/errors.js';
import type { Format } from '../../../../src/output/format.js';
import type { RenderOptions } from '../../../../src/output/view-types.js';
import type { FoundMetrics } from '../../../../src/services/metrics/read.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';

const stagesOf = (...errors: readonly number[]): FoundMetrics => ({
  pipeline: 'etl/orders',
  found: { series: [], startTime: 0, endTime: 0 },
  stages: errors.map((count, at) => ({ stage: `s${at}`, recordsIn: 1, recordsOut: 1, errors: count })),
  missing: [],
  held: [],
});
const away = new CliError('UNAVAILABLE', 'the platform is away');
const stopped = new CliError('INTERRUPTED', 'stopped by Ctrl-C');

/** Watches what comes one after the other, until there is nothing more, which is Ctrl-C. */
async function watch(seen: readonly (FoundMetrics | CliError)[], format: Format, onTerminal = false, columns = 80) {
  const look = { terminal: onTerminal, color: false, columns, unicode: true, utc: true };
  const terminal = fakeTerminal({ stdout: look });
  const stop = new AbortController();
  const waits: number[] = [];
  const left = [...seen];
  const clock = {
    now: () => 1_714_687_200_000 + waits.length * 2000,
    monotonic: () => 0,
    sleep: async (milliseconds: number) => {
      waits.push(milliseconds);
      if (left.length === 0) throw stopped;
    },
  };
  const session = { argv: [], terminal, clock, signal: stop.signal };
  const options: RenderOptions = { format, look };
  const next = async (): Promise<FoundMetrics> => {
    const one = left.shift();
    if (one === undefined || one instanceof CliError) throw one ?? stopped;
    return one;
  };
  const ended = await watchMetrics({ look: next, interval: 2000, spark: true, options }, session).catch(
    (error: unknown) => error,
  );
  return { ended, out: terminal.out.join(''), warnings: terminal.warnings, waits };
}

const lines = (text: string): readonly string[] => text.trimEnd().split(/\r?\n/u);

describe('a watch', () => {
  it('adds what has changed where nothing can be redrawn, the header once', async () => {
    const { out, ended, waits } = await watch([stagesOf(0, 0), stagesOf(0, 0), stagesOf(0, 2)], 'csv');
    expect(lines(out)).toEqual([
      'stage,recordsIn,recordsOut,errors,processTimeAvgMicros',
      's0,1,1,0,',
      's1,1,1,0,',
      's1,1,1,2,',
    ]);
    expect([ended, waits]).toEqual([stopped, [2000, 2000, 2000]]);
  });

  it('has a line of JSON for each change', async () => {
    const { out } = await watch([stagesOf(0, 0), stagesOf(3, 0)], 'ndjson');
    const events = lines(out).map(
      (line) => JSON.parse(line) as { at: string; item: { stage: string; errors: number } },
    );
    expect(events.map(({ at, item }) => [at, item.stage, item.errors])).toEqual([
      ['2024-05-02T22:00:00Z', 's0', 0],
      ['2024-05-02T22:00:00Z', 's1', 0],
      ['2024-05-02T22:00:02Z', 's0', 3],
    ]);
  });

  it('draws over what it drew before, and below what was said in between', async () => {
    const { out } = await watch([stagesOf(0), stagesOf(1), away, stagesOf(2), stagesOf(3)], 'table', true);
    expect(out.match(/\d\d:\d\d:\d\dZ, every 2s, q ends/gu)).toHaveLength(4);
    // Three lines each: header, stage, time.
    expect(out.match(/\u001b\[3A/gu)).toHaveLength(2);
  });

  it('says below each frame how many columns have no room', async () => {
    const { out } = await watch([stagesOf(0, 0)], 'table', true, 40);
    expect(out).toContain('22:00:00Z, every 2s, q ends; 1 column hidden\n');
  });

  it('waits for a platform that is away, says so once each time, and goes on', async () => {
    const { out, warnings, ended } = await watch([stagesOf(0), away, away, stagesOf(1), away], 'csv');
    expect(warnings.map(({ code }) => code)).toEqual(['AWAY', 'AWAY']);
    expect(lines(out)).toHaveLength(3);
    expect(ended).toBe(stopped);
  });

  it.for([
    ['a platform that was never there', [away], 'UNAVAILABLE'],
    ['a pipeline that is gone', [stagesOf(0), new CliError('NOT_FOUND', 'gone')], 'NOT_FOUND'],
    [
      'a condition that holds',
      [stagesOf(0), { ...stagesOf(1), held: [{ condition: 'x>0', found: ['x is 1'] }] }],
      'GATE',
    ],
  ] as const)('ends with %s', async ([, seen, code]) => {
    expect((await watch(seen, 'csv')).ended).toMatchObject({ code });
  });

  it.for([
    ['json', 5000, '-o ndjson'],
    ['yaml', 5000, '-o ndjson'],
    ['name', 5000, '-o ndjson'],
  ] as const)('is refused as %s, which needs an end', ([format, interval, hint]) => {
    const options: RenderOptions = { format, look: fakeTerminal().stdout };
    expect(() => {
      checkWatch({ interval, options });
    }).toThrow(expect.objectContaining({ code: 'USAGE', details: { hints: [hint] } }) as Error);
  });

  it('is refused without a pause', () => {
    expect(() => {
      checkWatch({ interval: 999, options: { format: 'table', look: fakeTerminal().stdout } });
    }).toThrow('must be at least 1s');
  });
});
