import { describe, expect, it } from 'vitest';
import type { PreferencePlace } from '../../../../src/platform/preferences.js';
import { settingChange } from '../../../../src/services/preferences/change.js';
import { isSecret, shownValue } from '../../../../src/core/secrets/shown-value.js';
import { placesDownTo, placeWords, readPreferences } from '../../../../src/services/preferences/place.js';
import { readLayers, resolveLayers, shownValues } from '../../../../src/services/preferences/resolve.js';
import { NEVER } from '../../../support/clock.js';
import { failure, platformWith, type Replies } from '../pipelines/support.js';

const INSTANCE = { level: 'instance' } as const;
const NAMESPACE = { level: 'namespace', namespace: 'etl' } as const;
const APP = { level: 'app', namespace: 'etl', application: 'orders' } as const;
const PROGRAM = { ...APP, level: 'program', type: 'workflows', program: 'Flow' } as const;
const PATHS = {
  instance: 'GET /v3/preferences',
  namespace: 'GET /v3/namespaces/etl/preferences',
  app: 'GET /v3/namespaces/etl/apps/orders/preferences',
  program: 'GET /v3/namespaces/etl/apps/orders/workflows/Flow/preferences',
};
const depsOf = (replies: Replies) => ({ platform: platformWith(replies).platform, signal: NEVER });

describe('a place of preferences', () => {
  it.each<[PreferencePlace, string, readonly PreferencePlace[]]>([
    [INSTANCE, 'instance', [INSTANCE]],
    [NAMESPACE, 'namespace etl', [INSTANCE, NAMESPACE]],
    [APP, 'pipeline orders', [INSTANCE, NAMESPACE, APP]],
    [PROGRAM, 'pipeline orders', [INSTANCE, NAMESPACE, APP, PROGRAM]],
  ])('%j is called %s and has those above it', (place, words, above) => {
    expect([placeWords(place), placesDownTo(place)]).toEqual([words, above]);
  });

  it('is read with all its keys', async () => {
    const deps = depsOf({ [PATHS.app]: { json: { b: '2', a: '' } } });
    expect([...(await readPreferences(APP, deps))]).toEqual([
      ['b', '2'],
      ['a', ''],
    ]);
  });

  it('that is absent is not found', async () => {
    const namespaces = { 'GET /v3/namespaces': { json: [{ name: 'default' }, { name: 'elt' }] } };
    expect(await failure(readPreferences(APP, depsOf(namespaces)))).toEqual({
      ...{ code: 'NOT_FOUND', message: 'the platform has no pipeline orders' },
    });
    expect(await failure(readPreferences(NAMESPACE, depsOf(namespaces)))).toEqual({
      ...{ code: 'NOT_FOUND', message: 'the platform has no namespace "etl"', target: { namespace: 'etl' } },
      hints: ['Did you mean "elt"?', { next: 'list-namespaces' }],
    });
  });
});

describe('values in force', () => {
  it('are those of the nearest place, by key, and tell what they hide', async () => {
    const layers = await readLayers(
      PROGRAM,
      depsOf({
        [PATHS.instance]: { json: { c: '1', a: '1', b: '1' } },
        [PATHS.namespace]: { json: { b: '2' } },
        [PATHS.app]: { json: { b: '3' } },
        [PATHS.program]: { json: { a: '4' } },
      }),
    );
    const top = { from: 'instance', place: 'instance', value: '1' };
    expect(resolveLayers(layers)).toEqual([
      { key: 'a', from: 'program', place: 'arguments of orders', value: '4', hides: [top] },
      {
        ...{ key: 'b', from: 'app', place: 'pipeline orders', value: '3' },
        hides: [{ from: 'namespace', place: 'namespace etl', value: '2' }, top],
      },
      { key: 'c', ...top, hides: [] },
    ]);
  });
});

describe('a value that is shown', () => {
  it('is masked where it may be a secret, and so is what it hides', () => {
    const value = { key: 'db.password', from: 'app', place: 'pipeline orders', value: 'hunter2' } as const;
    const hides = [{ from: 'instance', place: 'instance', value: 'older' }] as const;
    const plain = { ...value, key: 'size', hides };
    const masked = { ...value, value: '***', secret: true, hides: [{ ...hides[0], value: '***' }] };
    expect(shownValues([{ ...value, hides }, plain], false)).toEqual([masked, { ...plain, secret: false }]);
    expect(shownValues([{ ...value, hides }], true)).toEqual([{ ...value, hides, secret: true }]);
  });

  it.each([
    ['db.password', 'abc', '***', true],
    ['db.password', '', '***', true],
    ['day', 'monday', 'monday', false],
    ['url', 'https://joe:pw@host/x', 'https://***@host/x', true],
  ])('%s=%s is %s unless secrets are asked for', (key, value, shown, secret) => {
    expect([shownValue(key, value, false), shownValue(key, value, true), isSecret(key, value)]).toEqual([
      shown,
      value,
      secret,
    ]);
  });
});

describe('a setting of values', () => {
  it('keeps everything else unless that is to be replaced', () => {
    const set = new Map([['a', '1']]);
    const there = new Map([
      ['a', '0'],
      ['b', '2'],
    ]);
    expect(settingChange(set)).toEqual({ set, remove: new Set() });
    expect(settingChange(set, there)).toEqual({ set, remove: new Set(['b']) });
  });
});
