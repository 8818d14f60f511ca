import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import type { HubSource } from '../../../src/hub/source.js';
import { patienceOf, untilFits } from '../../../src/hub/while-published.js';
import { clockAt, NEVER } from '../../support/clock.js';

async function* nothing(): AsyncGenerator<Uint8Array, void, void> {
  yield new Uint8Array();
}

const NOW = 1_700_000_000_000;

/** A hub whose files have these ages in seconds, by its own clock or by that of this machine; others cannot be read. */
function hubOf(ages: Readonly<Record<string, number | undefined>>, kind: HubSource['kind']): HubSource {
  const open: HubSource['open'] = async ({ file }) => {
    if (!(file in ages)) throw new CliError('FORBIDDEN', 'not for everyone');
    const answered = kind === 'http' ? 7_000_000 : NOW;
    const at = answered - (ages[file] ?? NaN) * 1000;
    const changed = ages[file] === undefined ? undefined : { at, ...(kind === 'http' && { answered }) };
    return { what: file, changed, body: nothing(), discard: async () => undefined };
  };
  return {
    base: 'http://hub',
    kind,
    label: 'hub',
    open,
    catalog: () => Promise.reject(new Error('not asked')),
  };
}

/** Reads a hub that fits with a certain read; how it was read, the result, and what was waited in milliseconds. */
async function reading(
  fitsAt: number,
  ages: Readonly<Record<string, number | undefined>>,
  isPatient = true,
  kind: HubSource['kind'] = 'http',
) {
  let now = NOW;
  const clock = clockAt(
    () => now,
    (milliseconds) => Promise.resolve(void (now += milliseconds)),
  );
  const reads: boolean[] = [];
  const read = (fresh: boolean): Promise<number> => Promise.resolve(reads.push(fresh));
  const hub = { source: hubOf(ages, kind), ...(isPatient && { patience: patienceOf(clock) }) };
  const again = (fits: number) => untilFits(read, (at) => at >= fits, hub, NEVER);
  const found = await again(fitsAt);
  return { reads, found, waited: () => now - NOW, again };
}

describe('what may be in between two publications', () => {
  const JUST_NOW = { 'index.json.asc': 2, 'packages.json': 4000 };

  it('is read once where it fits, and else again past all caches', async () => {
    expect(await reading(1, {})).toMatchObject({ reads: [false], found: 1 });
    const { reads, waited } = await reading(2, {});
    expect([reads, waited()]).toEqual([[false, true], 0]);
  });

  it.each([
    ['its signature', JUST_NOW, 'http', 3000],
    ['its catalog', { 'index.json.asc': 4000, 'packages.json': 56 }, 'http', 3000],
    ['its catalog, and the rest cannot be read', { 'packages.json': 0 }, 'http', 3000],
    ['its signature in a folder', JUST_NOW, 'folder', 750],
  ] as const)('is read again and again while %s is young', async (_, ages, kind, wait) => {
    const { reads, waited } = await reading(5, ages, true, kind);
    expect([reads, waited()]).toEqual([[false, true, true, true, true], wait]);
  });

  it.each([
    ['has not been changed for a minute', { 'index.json.asc': 60, 'packages.json': 4000 }, true],
    ['does not tell when it was changed', { 'index.json.asc': undefined, 'packages.json': undefined }, true],
    ['cannot be read', {}, true],
    ['is waited for by nobody', JUST_NOW, false],
  ])('is not waited for where the hub %s', async (_, ages, isPatient) => {
    const { reads, found, waited } = await reading(9, ages, isPatient);
    expect([reads, found, waited()]).toEqual([[false, true], 2, 0]);
  });

  it('V28: is given as it is after 15 seconds of the whole run', async () => {
    const { reads, found, waited, again } = await reading(100, JUST_NOW);
    expect([reads.length, found, waited()]).toEqual([17, 17, 15_000]);
    expect(await again(100)).toBe(19);
    expect(waited()).toBe(15_000);
    expect((await reading(100, JUST_NOW, true, 'folder')).waited()).toBe(2000);
  });
});
