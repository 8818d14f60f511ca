import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/cli/clock.js';
import type { Clock } from '../../../../src/core/clock.js';
import { CliError } from '../../../../src/core/errors.js';
import { platformTransport } from '../../../../src/http/undici-transport.js';
import { platformClient, type Platform } from '../../../../src/platform/client.js';
import type { PreferencePlace } from '../../../../src/platform/preferences.js';
import {
  changePreferences,
  type ChangeDeps,
  type PreferenceChange,
} from '../../../../src/services/preferences/change.js';
import { fail, requests, withEmulator } from '../../emulator/emulator.js';
import { NEVER } from '../../../support/clock.js';

const PLACE: PreferencePlace = { level: 'namespace', namespace: 'default' };

const setting = (values: Readonly<Record<string, string>>): PreferenceChange => ({
  set: new Map(Object.entries(values)),
  remove: new Set(),
});

/** Time that runs faster, for what looks again after a second and a half. */
const hurried = (factor: number): Clock => ({
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * factor,
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds / factor, signal),
});

interface Admin {
  readonly deps: ChangeDeps;
  readonly warnings: string[];
  readonly close: () => Promise<void>;
}

/** Somebody who changes preferences with the tool; `meanwhile` is done while the tool waits before it reads back. */
function admin(url: string, meanwhile: () => Promise<unknown> = async () => undefined, factor = 10): Admin {
  const clock = hurried(factor);
  const transport = platformTransport({ base: url, clock, random: () => 0.5, userAgent: 'test/1', retries: 0 });
  const warnings: string[] = [];
  const deps: ChangeDeps = {
    platform: platformClient(transport),
    ...{ signal: NEVER, clock },
    wait: async (milliseconds) => {
      await meanwhile();
      await clock.sleep(milliseconds, NEVER);
    },
    warn: (message) => warnings.push(message),
  };
  return { deps, warnings, close: () => transport.close() };
}

const path = (url: string, namespace = 'default'): string => `${url}/v3/namespaces/${namespace}/preferences`;
const put = (url: string, values: object): Promise<Response> =>
  fetch(path(url), { method: 'PUT', body: JSON.stringify(values) });
const stored = async (url: string, namespace?: string): Promise<Record<string, string>> =>
  (await (await fetch(path(url, namespace))).json()) as Record<string, string>;
const writes = async (url: string): Promise<number> =>
  (await requests(url)).filter(({ method, path: asked }) => method !== 'GET' && String(asked).endsWith('/preferences'))
    .length;

describe('a change of preferences', () => {
  it('keeps every key that it does not name, and sends nothing where nothing is to be changed', () =>
    withEmulator(async ({ url }) => {
      await put(url, { kept: '1', old: 'x', gone: 'y' });
      const { deps, close } = admin(url);
      const change = {
        set: new Map([
          ['old', 'z'],
          ['new', ''],
        ]),
        remove: new Set(['gone', 'never']),
      };
      const { before, after } = await changePreferences(PLACE, change, deps);
      expect([Object.fromEntries(before), Object.fromEntries(after)]).toEqual([
        { kept: '1', old: 'x', gone: 'y' },
        { kept: '1', old: 'z', new: '' },
      ]);
      const sent = await writes(url);
      await changePreferences(PLACE, change, deps);
      expect([await stored(url), await writes(url)]).toEqual([{ kept: '1', old: 'z', new: '' }, sent]);
      await close();
    }));

  it('removes the last key', () =>
    withEmulator(async ({ url }) => {
      await put(url, { only: '1' });
      const { deps, close } = admin(url);
      await changePreferences(PLACE, { set: new Map(), remove: new Set(['only']) }, deps);
      expect(await stored(url)).toEqual({});
      await close();
    }));

  it('P42: is merged and written again where someone wrote over it', () =>
    withEmulator(async ({ url }) => {
      await put(url, { kept: '1' });
      let times = 0;
      const { deps, warnings, close } = admin(url, async () => {
        // Somebody who looked before we wrote.
        if ((times += 1) === 1) await put(url, { kept: '1', theirs: '2' });
      });
      const { others } = await changePreferences(PLACE, setting({ ours: '3' }), deps);
      expect(await stored(url)).toEqual({ kept: '1', theirs: '2', ours: '3' });
      expect([others, warnings]).toEqual([['theirs'], [expect.stringContaining('merging and writing again')]]);
      await close();
    }));

  it('P42: gives up with a conflict where it is undone each time', () =>
    withEmulator(async ({ url }) => {
      await put(url, { kept: '1' });
      const { deps, close } = admin(url, () => put(url, { kept: '1' }));
      const attempt = changePreferences(PLACE, setting({ ours: '3' }), deps);
      await expect(attempt).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
      expect(await writes(url)).toBeLessThan(20);
      await close();
    }));

  it('P43: leaves a key to someone who set it to another value at the same time', () =>
    withEmulator(async ({ url }) => {
      const { deps, close } = admin(url, () => put(url, { shared: 'theirs' }));
      const error: unknown = await changePreferences(PLACE, setting({ shared: 'ours' }), deps).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ code: 'CHANGED_MEANWHILE' });
      expect((error as CliError).message).toContain('"shared"');
      expect(await stored(url)).toEqual({ shared: 'theirs' });
      await close();
    }));

  it.each(['before', 'after'] as const)('is applied once where the answer is lost %s its effect', (when) =>
    withEmulator(async ({ url }) => {
      await put(url, { kept: '1' });
      const { deps, close } = admin(url);
      await fail(url, {
        match: { method: 'PUT', path: '/v3/namespaces/default/preferences' },
        kind: 'reset',
        when,
        times: 1,
      });
      await changePreferences(PLACE, setting({ ours: '3' }), deps);
      expect(await stored(url)).toEqual({ kept: '1', ours: '3' });
      await close();
    }),
  );

  it('does not claim what it could not read back', () =>
    withEmulator(async ({ url }) => {
      const { deps, close } = admin(url, () =>
        fail(url, {
          match: { method: 'GET', path: '/v3/namespaces/default/preferences' },
          kind: 'status',
          status: 503,
          when: 'before',
          times: 9,
        }),
      );
      const attempt = changePreferences(PLACE, setting({ ours: '3' }), deps);
      await expect(attempt).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' });
      await close();
    }));

  it('tells of a write that took so long that it may have hidden what someone else wrote', () =>
    withEmulator(async ({ url }) => {
      const { deps, warnings, close } = admin(url, undefined, 100);
      await fail(url, {
        match: { method: 'PUT', path: '/v3/namespaces/default/preferences' },
        kind: 'delay',
        milliseconds: 50,
        when: 'before',
        times: 1,
      });
      await changePreferences(PLACE, setting({ ours: '3' }), deps);
      expect(warnings).toEqual([expect.stringMatching(/the write took \d+ ms/u)]);
      await close();
    }));
});

/** A platform that gets each write some milliseconds later. */
const pausing = (platform: Platform, pause: () => number): Platform => ({
  ...platform,
  call: async (endpoint, parameters, signal) => {
    if (endpoint.method !== 'GET') await systemClock.sleep(pause(), NEVER);
    return platform.call(endpoint, parameters, signal);
  },
});

describe('two administrators who change different keys of the same preferences at once, a hundred times', () => {
  it('P42: lose no key without a word', () =>
    withEmulator(
      async ({ url }) => {
        const spaces = Array.from({ length: 10 }, (_, at) => `space_${at}`);
        for (const name of spaces) await fetch(`${url}/v3/namespaces/${name}`, { method: 'PUT' });
        let merges = 0;
        const silent: string[] = [];
        const lane = async (namespace: string): Promise<void> => {
          const [one, hasty] = [admin(url), admin(url)];
          let pause = 0;
          // Looks, and writes when the first one may have read back already.
          const other = { ...hasty, deps: { ...hasty.deps, platform: pausing(hasty.deps.platform, () => pause) } };
          for (let round = 0; round < 10; round += 1) {
            pause = 5 * ((round * 7) % 10);
            const names = [`one-${round}`, `other-${round}`];
            const before = one.warnings.length + other.warnings.length;
            const ends = await Promise.all(
              [one, other].map(({ deps }, at) =>
                changePreferences({ level: 'namespace', namespace }, setting({ [names[at] ?? '']: 'x' }), deps).then(
                  () => 'done',
                  (error: unknown) => (error instanceof CliError ? error.code : String(error)),
                ),
              ),
            );
            const values = await stored(url, namespace);
            const told = one.warnings.length + other.warnings.length > before;
            if (told) merges += 1;
            for (const [at, name] of names.entries())
              if (values[name] !== 'x' && ends[at] === 'done' && !told) silent.push(`${namespace} ${name}`);
          }
          const values = await stored(url, namespace);
          const said = [...one.warnings, ...other.warnings].some((text) => text.includes('may be lost'));
          if (Object.keys(values).length !== 20 && !said) silent.push(`${namespace}: ${Object.keys(values).join()}`);
          await Promise.all([one.close(), other.close()]);
        };
        await Promise.all(spaces.map(lane));
        expect(silent).toEqual([]);
        // They did meet.
        expect(merges).toBeGreaterThan(5);
      },
      { latency: 2 },
    ));
});
