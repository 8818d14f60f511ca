import { describe, expect, it } from 'vitest';
import type { InstallEntry } from '../../../src/state/install-journal.js';
import { installOf, itemsOf } from '../../../src/state/ledger.js';

type State = Extract<InstallEntry, { type: 'target' }>['state'];

const at = (second: number): string => `2025-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
const AS = 'a'.repeat(64);
const INSTALL: InstallEntry = {
  ...{ v: 1, type: 'install', platform: 'http://p', namespace: 'default', hub: 'http://h', hubName: 'corp' },
  ...{ package: 'orders', version: '1.0.0', at: at(0) },
};

const targets = (...states: readonly State[]): InstallEntry[] =>
  states.map((state, index) => ({
    ...{ v: 1, type: 'target', n: 1, kind: 'artifact', name: 'a', version: '1', state, at: at(index + 1) },
    ...(state === 'created' && { as: AS }),
  }));

describe('the ledger', () => {
  it.each<[readonly State[], string | undefined]>([
    [['creating'], 'creating live'],
    [['creating', 'created'], 'created live'],
    [['creating', 'absent'], undefined],
    [['found'], 'found live'],
    [['creating', 'found'], 'found live'],
    [['creating', 'created', 'removing'], 'created removing'],
    [['creating', 'created', 'removing', 'absent'], undefined],
    [['creating', 'created', 'left'], 'created left'],
    [['creating', 'created', 'left', 'created'], 'created live'],
    [['found', 'left'], 'found left'],
    [['creating', 'created', 'removing', 'absent', 'creating', 'created'], 'created live'],
    [['removing'], undefined],
  ])('folds %j to %s', (states, expected) => {
    const [item] = itemsOf(targets(...states)).values();
    expect(item && `${item.origin} ${item.standing}`).toBe(expected);
  });

  it.each<[string, readonly InstallEntry[], string]>([
    ['installed', [...targets('creating', 'created'), { v: 1, type: 'finished', at: at(9) }], 'installed'],
    ['partial', targets('creating', 'created'), 'partial'],
    ['removing', [...targets('creating', 'created', 'removing'), { v: 1, type: 'finished', at: at(9) }], 'removing'],
    ['left', [...targets('creating', 'created', 'left'), { v: 1, type: 'uninstalled', at: at(9) }], 'left'],
    ['removed', [...targets('creating', 'created', 'removing', 'absent')], 'removed'],
  ])('calls an install %s', (_, entries, state) => {
    expect(installOf('f', [INSTALL, ...entries])?.state).toBe(state);
  });

  it('keeps the time of the install when it is removed, and all actions about one thing', () => {
    const entries = [INSTALL, ...targets('creating', 'created', 'removing')];
    const second: InstallEntry = {
      v: 1,
      type: 'target',
      n: 3,
      kind: 'artifact',
      name: 'a',
      version: '1',
      state: 'left',
      at: at(30),
    };
    const install = installOf('f', [...entries, second]);
    expect(install?.at).toBe(at(2));
    expect(installOf('f', targets('created'))).toBeUndefined();
    const first = { ...second, n: 2, state: 'created' as const };
    expect([...itemsOf([{ ...first, n: 10 }, second, first]).values()]).toMatchObject([{ actions: [2, 3, 10] }]);
  });

  const done: InstallEntry = { v: 1, type: 'uninstalled', at: at(9) };

  it.each<[string, readonly InstallEntry[], string | undefined]>([
    ['after an uninstall that left something', [...targets('creating', 'created', 'left'), done], at(9)],
    ['after an uninstall that removed all', [...targets('creating', 'created', 'removing', 'absent'), done], at(9)],
    ['before any', targets('creating', 'created'), undefined],
    ['of an uninstall that was cut off', targets('creating', 'created', 'removing'), undefined],
    ['after another install', [...targets('creating', 'created', 'left'), done, ...targets('created')], undefined],
  ])('knows the time %s', (_, entries, expected) => {
    expect(installOf('f', [INSTALL, ...entries])?.uninstalledAt).toBe(expected);
  });

  it('knows why something was left, until it is removed or made again', () => {
    const [creating, created, left, removing, again] = targets('creating', 'created', 'left', 'removing', 'created');
    const whyAfter = (...entries: readonly (InstallEntry | undefined)[]): unknown =>
      [...itemsOf(entries.flatMap((entry) => entry ?? [])).values()].map(({ as, why }) => [as, why]);
    const because: InstallEntry | undefined = left?.type === 'target' ? { ...left, why: 'in use' } : undefined;
    expect(whyAfter(creating, created, because)).toEqual([[AS, 'in use']]);
    expect(whyAfter(creating, created, because, removing)).toEqual([[AS, undefined]]);
    expect(whyAfter(creating, created, because, again)).toEqual([[AS, undefined]]);
  });
});
