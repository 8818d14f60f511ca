import { describe, expect, it } from 'vitest';
import { generationOf, type Platform } from '../../../src/emulator/store/generation.js';
import { applySeed } from '../../../src/emulator/seed/apply-seed.js';
import { Store } from '../../../src/emulator/store/store.js';

const NOW = Date.UTC(2026, 10, 21, 20);

function seeded(platform: Platform, count: number): Store {
  const store = new Store({ generation: generationOf(platform), now: () => NOW }, undefined, () => undefined);
  applySeed(store, { runs: { count } });
  return store;
}

describe.each(['6.11.0', '6.1.1'] as const)('generated runs on a platform %s', (platform) => {
  it('belong to pipelines that are deployed, with programs of that name', () => {
    const store = seeded(platform, 1000);
    for (const { namespace, application, version, artifact, program, type } of store.runTable.between(0, Infinity)) {
      const [deployed] = store.application(namespace, application)?.versions ?? [];
      expect(deployed).toMatchObject({ version, artifact });
      expect(deployed?.programs.map((one) => `${one.type} ${one.name}`)).toContain(`${type} ${program}`);
    }
    expect(store.namespaces().length).toBeGreaterThan(2);
    expect(store.runTable.count).toBe(1000);
  });

  it('have pipelines with active time schedules and such without', () => {
    const { pipelines } = seeded(platform, 10).runTable;
    const store = seeded(platform, 10);
    const states = pipelines.flatMap(
      ({ namespace, name }) => store.application(namespace, name)?.schedules.map(({ status }) => status) ?? [],
    );
    expect(new Set(states)).toEqual(new Set(['SCHEDULED', 'SUSPENDED']));
  });

  it('have two schedules that have been active for days, due in either half of a day', () => {
    const store = seeded(platform, 10);
    const old = store.runTable.pipelines.flatMap(({ namespace, name }) =>
      (store.application(namespace, name)?.schedules ?? []).filter(({ lastUpdateTime }) => lastUpdateTime < NOW),
    );
    expect(old.map(({ status, trigger }) => [status, trigger['cronExpression']])).toEqual([
      ['SCHEDULED', '1 1 * * *'],
      ['SCHEDULED', '13 13 * * *'],
    ]);
  });

  it('are there again when the state is read', () => {
    const store = seeded(platform, 100);
    const { generation, now } = store;
    const again = new Store({ generation, now }, structuredClone(store.snapshot()), () => undefined);
    expect([...again.runTable.between(0, Infinity)]).toEqual([...store.runTable.between(0, Infinity)]);
  });
});

describe('a seed', () => {
  it('without runs has none', () => {
    const store = seeded('6.11.0', 0);
    expect(store.runTable.count).toBe(0);
    expect(store.snapshot()).not.toHaveProperty('generatedRuns');
  });

  it('with runs does not fit a platform that has no pipelines to generate', () => {
    expect(() => seeded('4.3.5', 10)).toThrow('there are no generated pipelines on a platform 4.3.5');
  });
});
