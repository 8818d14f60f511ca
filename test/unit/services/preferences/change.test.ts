import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../../src/cli/clock.js';
import { CliError } from '../../../../src/core/errors.js';
import { platformTransport } from '../../../../src/http/undici/undici-transport.js';
import { platformClient } from '../../../../src/platform/client.js';
import type { PreferencePlace } from '../../../../src/platform/preferences.js';
import {
  changePreferences,
  type ChangeDeps,
  type PreferenceChange,
} from '../../../../src/services/preferences/change.js';
import { fail, requests, withEmulator } from '../../emulator/emulator.js';
import { NEVER } from '../../../support/clock.js';
import { codeOf } from '../../../support/errors.js';
import { warningsTo } from '../../../support/warnings.js';

const PLACE: PreferencePlace = { level: 'namespace', namespace: 'default' };

const setting = (values: Readonly<Record<string, string>>): PreferenceChange => ({
  set: new Map(Object.entries(values)),
  remove: new Set(),
});

interface SharedTime {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly leave: () => void;
}

/** Milliseconds that several share: when all of them sleep, the time comes at which the first one wakes up. */
function sharedTime(sleepers = 1): SharedTime {
  let [now, awaited] = [0, sleepers];
  const asleep: { readonly at: number; readonly wake: () => void }[] = [];
  const moveOn = (): void => {
    if (asleep.length < awaited) return;
    asleep.sort((one, other) => one.at - other.at);
    const first = asleep.shift();
    now = first?.at ?? now;
    first?.wake();
  };
  return {
    now: () => now,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        asleep.push({ at: now + milliseconds, wake });
        moveOn();
      }),
    leave() {
      awaited -= 1;
      moveOn();
    },
  };
}

interface Admin {
  readonly deps: ChangeDeps;
  readonly warnings: string[];
  readonly close: () => Promise<void>;
}

interface AdminOptions {
  /** Done while the tool waits before it reads back. */
  readonly meanwhile?: () => Promise<unknown>;
  readonly time?: SharedTime;
  /** Milliseconds until a read or a write is at the platform. */
  readonly delay?: (isWrite: boolean) => number;
}

/** Somebody who changes preferences with the tool. */
function admin(url: string, { meanwhile, time = sharedTime(), delay = () => 10 }: AdminOptions = {}): Admin {
  const transport = platformTransport({
    ...{ base: url, clock: systemClock, random: () => 0.5 },
    ...{ userAgent: 'test/1', retries: 0 },
  });
  const warnings: string[] = [];
  const platform = platformClient(transport);
  const deps: ChangeDeps = {
    platform: {
      base: platform.base,
      call: async (endpoint, parameters, signal) => {
        await time.sleep(delay(endpoint.method !== 'GET'));
        return platform.call(endpoint, parameters, signal);
      },
      find: async (endpoint, parameters, signal) => {
        await time.sleep(delay(false));
        return platform.find(endpoint, parameters, signal);
      },
    },
    ...{ signal: NEVER, stop: NEVER, clock: { monotonic: time.now } },
    wait: async (milliseconds) => {
      await meanwhile?.();
      await time.sleep(milliseconds);
    },
    ...warningsTo(warnings),
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
      const { deps, warnings, close } = admin(url, {
        meanwhile: async () => {
          // Somebody who looked before we wrote.
          if ((times += 1) === 1) await put(url, { kept: '1', theirs: '2' });
        },
      });
      const { others } = await changePreferences(PLACE, setting({ ours: '3' }), deps);
      expect(await stored(url)).toEqual({ kept: '1', theirs: '2', ours: '3' });
      expect([others, warnings]).toEqual([['theirs'], [expect.stringContaining('merging and writing again')]]);
      await close();
    }));

  it('P42: gives up with a conflict where it is undone each time', () =>
    withEmulator(async ({ url }) => {
      await put(url, { kept: '1' });
      const { deps, close } = admin(url, { meanwhile: () => put(url, { kept: '1' }) });
      const attempt = changePreferences(PLACE, setting({ ours: '3' }), deps);
      expect(await codeOf(attempt)).toBe('CHANGED_MEANWHILE');
      expect(await writes(url)).toBeLessThan(20);
      await close();
    }));

  it('P43: leaves a key to someone who set it to another value at the same time', () =>
    withEmulator(async ({ url }) => {
      const { deps, close } = admin(url, { meanwhile: () => put(url, { shared: 'theirs' }) });
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
      const { deps, close } = admin(url, {
        meanwhile: () =>
          fail(url, {
            match: { method: 'GET', path: '/v3/namespaces/default/preferences' },
            kind: 'status',
            status: 503,
            when: 'before',
            times: 9,
          }),
      });
      const attempt = changePreferences(PLACE, setting({ ours: '3' }), deps);
      expect(await codeOf(attempt)).toBe('UNKNOWN_OUTCOME');
      await close();
    }));

  it('tells of a write that took so long that it may have hidden what someone else wrote', () =>
    withEmulator(async ({ url }) => {
      const { deps, warnings, close } = admin(url, { delay: () => 600 });
      await changePreferences(PLACE, setting({ ours: '3' }), deps);
      expect(warnings).toEqual([expect.stringMatching(/the write took \d+ ms/u)]);
      await close();
    }));
});

describe('two administrators who change different keys of the same preferences at once, a hundred times', () => {
  it('P42: lose no key without a word', () =>
    withEmulator(async ({ url }) => {
      const spaces = Array.from({ length: 10 }, (_, at) => `space_${at}`);
      for (const name of spaces) await fetch(`${url}/v3/namespaces/${name}`, { method: 'PUT' });
      let merges = 0;
      const silent: string[] = [];
      const lane = async (namespace: string, at: number): Promise<void> => {
        let time = sharedTime(2);
        let delays: readonly [read: number, write: number] = [0, 0];
        const turns: SharedTime = { ...time, now: () => time.now(), sleep: (milliseconds) => time.sleep(milliseconds) };
        const one = admin(url, { time: turns });
        // Looks, and writes when the first one may have read back already.
        const other = admin(url, { time: turns, delay: (isWrite) => delays[isWrite ? 1 : 0] });
        for (let round = 0; round < 10; round += 1) {
          time = sharedTime(2);
          delays = [5 + 3 * at, 200 * ((round * 7) % 10)];
          const names = [`one-${round}`, `other-${round}`];
          const before = one.warnings.length + other.warnings.length;
          const ends = await Promise.all(
            [one, other].map(({ deps }, who) =>
              changePreferences({ level: 'namespace', namespace }, setting({ [names[who] ?? '']: 'x' }), deps)
                .then(
                  () => 'done',
                  (error: unknown) => (error instanceof CliError ? error.code : String(error)),
                )
                .finally(() => {
                  time.leave();
                }),
            ),
          );
          const values = await stored(url, namespace);
          const told = one.warnings.length + other.warnings.length > before;
          if (told) merges += 1;
          for (const [who, name] of names.entries())
            if (values[name] !== 'x' && ends[who] === 'done' && !told) silent.push(`${namespace} ${name}`);
        }
        const values = await stored(url, namespace);
        const said = [...one.warnings, ...other.warnings].some((text) => text.includes('may be lost'));
        if (Object.keys(values).length !== 20 && !said) silent.push(`${namespace}: ${Object.keys(values).join()}`);
        await Promise.all([one.close(), other.close()]);
      };
      await Promise.all(spaces.map(lane));
      expect(silent).toEqual([]);
      // They did meet.
      expect(merges).toBeGreaterThan(50);
    }));
});
