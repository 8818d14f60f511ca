import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { Platform } from '../../../../src/platform/client.js';
import { textParts } from '../../../../src/platform/logs.js';
import { followText } from '../../../../src/services/pipelines/logs.js';
import type { RunDeps } from '../../../../src/services/pipelines/wait.js';
import { NEVER } from '../../../support/clock.js';

const PLACE = { namespace: 'etl', app: 'orders', type: 'workflows', program: 'DataPipelineWorkflow', run: 'r' };
const BEGIN = 1_700_000_000_000;

interface Log {
  /** The lines that are there at a time (milliseconds), each with its own, in order. */
  readonly linesAt: (now: number) => readonly (readonly [time: number, text: string])[];
  readonly ends: number;
  readonly isAway?: (now: number) => boolean;
}

/** A platform with a log that grows while the clock is slept through. */
function siteOf({ linesAt, ends, isAway = () => false }: Log) {
  let now = BEGIN;
  let asked = 0;
  const warnings: string[] = [];
  const answer = async (endpoint: unknown, wanted: { readonly max?: number; readonly fromOffset?: string }) => {
    asked += 1;
    if (isAway(now)) throw new CliError('NET_REFUSED', 'nobody there');
    if (wanted.max === undefined) return { runid: 'r', status: now >= ends ? 'COMPLETED' : 'RUNNING', properties: {} };
    const from = wanted.fromOffset === undefined ? -1 : Number(wanted.fromOffset.split('.')[1]);
    const beyond = linesAt(now).filter(([time]) => time > from);
    const some = endpoint === textParts.previous ? beyond.slice(-wanted.max) : beyond.slice(0, wanted.max);
    return some.map(([time, log]) => ({ log, offset: `-10000.${time}` }));
  };
  const waiting: RunDeps = {
    platform: { base: '', call: answer, find: answer } as unknown as Platform,
    clock: { now: () => now, monotonic: () => now, sleep: async (wait) => void (now += wait) },
    emit: (event) => {
      if (event.type === 'warning') warnings.push(event.code);
    },
    signal: NEVER,
  };
  return { waiting, warnings, asked: () => asked };
}

async function followed(log: Log, since?: number, tail?: number) {
  const { waiting, warnings, asked } = siteOf(log);
  const lines: string[] = [];
  for await (const some of followText({ place: PLACE, since, tail }, 1000, waiting))
    lines.push(...some.map((one) => one.log));
  return { lines, warnings, asked: asked() };
}

const textsOf = (lines: readonly (readonly [number, string])[]): string[] => lines.map(([, text]) => text);

describe('a log that is followed', () => {
  it.each([
    ['a line each millisecond', (at: number) => at],
    ['many lines in the millisecond where a page ends', (at: number) => Math.floor(at / 700)],
    ['more lines in one millisecond than a page has', (at: number) => (at < 2500 ? 0 : at)],
  ])('has every line once, with %s', async (_, time) => {
    const lines = Array.from({ length: 4100 }, (__, at) => [BEGIN + time(at), `line ${at}\n`] as const);
    expect((await followed({ linesAt: () => lines, ends: BEGIN })).lines).toEqual(textsOf(lines));
  });

  it('has lines of the last millisecond that come later, and those that come after the end of the run', async () => {
    const grown = (now: number): readonly (readonly [number, string])[] =>
      [
        [0, BEGIN + 10, 'first'],
        [0, BEGIN + 10, 'second'],
        [2000, BEGIN + 10, 'third, of the same millisecond'],
        [9000, BEGIN + 8000, 'after the end'],
      ].flatMap(([seen, time, text]) => (now - BEGIN >= Number(seen) ? [[Number(time), String(text)] as const] : []));
    const { lines } = await followed({ linesAt: grown, ends: BEGIN + 6000 });
    expect(lines).toEqual(textsOf(grown(Infinity)));
  });

  it('begins where it is told', async () => {
    const lines = Array.from({ length: 10 }, (_, at) => [BEGIN + at, `line ${at}`] as const);
    expect((await followed({ linesAt: () => lines, ends: BEGIN }, BEGIN + 7)).lines).toEqual(textsOf(lines.slice(7)));
  });

  it.each([
    ['fewer lines than its last millisecond has', 1, 4, 1],
    ['as many', 3, 4, 3],
    ['more', 4, 4, 4],
    ['fewer lines than a millisecond has that is all', 2, 0, 2],
  ])('begins with %s', async (_, tail, earlier, shown) => {
    const grown = (now: number): readonly (readonly [number, string])[] => [
      ...Array.from({ length: earlier }, (__, at) => [BEGIN + at, `line ${at}`] as const),
      ...['a', 'b', 'c'].map((text) => [BEGIN + 10, text] as const),
      ...(now - BEGIN >= 2000 ? [[BEGIN + 10, 'd'] as const, [BEGIN + 11, 'e'] as const] : []),
    ];
    const { lines } = await followed({ linesAt: grown, ends: BEGIN + 3000 }, undefined, tail);
    expect(lines).toEqual(textsOf(grown(Infinity)).slice(-2 - shown));
  });

  it('goes on through outages, and says so once for each', async () => {
    const lines = (now: number): readonly (readonly [number, string])[] =>
      Array.from(
        { length: Math.min(60, Math.floor((now - BEGIN) / 1000)) },
        (_, at) => [BEGIN + at, `line ${at}`] as const,
      );
    const isAway = (now: number): boolean => (now > BEGIN + 5000 && now < BEGIN + 30_000) || now === BEGIN + 40_000;
    const found = await followed({ linesAt: lines, ends: BEGIN + 60_000, isAway });
    expect(found.lines).toEqual(textsOf(lines(Infinity)));
    expect(found.warnings).toEqual(['AWAY', 'AWAY']);
  });

  it('ends with the error of an outage of more than an hour', async () => {
    const error = await followed({ linesAt: () => [], ends: Infinity, isAway: () => true }).catch(
      (cause: unknown) => cause,
    );
    expect(error).toMatchObject({ code: 'NET_REFUSED' });
  });
});
