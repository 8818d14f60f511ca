import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../../../../src/platform/client.js';
import { draftTexts, getUserSettings, putUserSettings } from '../../../../../../src/platform/user-store.js';
import { removeStoredDraft } from '../../../../../../src/services/install/things/draft/remove-stored-draft.js';
import { errorWith } from '../../support.js';
import { codeOf } from '../../../../../support/errors.js';
import { warningsTo } from '../../../../../support/warnings.js';

const OWN = '{"name":"Orders","config":{"n":512.0}}';
const BEFORE = `{ "choice":1e3,"hydratorDrafts":{"default":{"d1":{"name":"mine"},"own":${OWN}} }}`;
const AFTER = '{ "choice":1e3,"hydratorDrafts":{"default":{"d1":{"name":"mine"}} }}';

/** Somebody else, who does something when so many writes, or reads, of ours are done. */
type Other = (writes: number, store: { settings: string }) => void;

/** A user store; what others do they do while we wait. */
function storeOf(
  other: Other = () => undefined,
  onPut: (store: { settings: string }) => void = () => undefined,
  onRead: Other = () => undefined,
) {
  const store = { settings: BEFORE };
  const [waits, warnings]: [number[], string[]] = [[], []];
  let [reads, writes] = [0, 0];
  const platform = {
    base: 'http://p.example',
    call: async (endpoint: unknown, parameters: { settings: string }): Promise<unknown> => {
      if (endpoint === getUserSettings) {
        onRead((reads += 1), store);
        return store.settings;
      }
      expect(endpoint).toBe(putUserSettings);
      store.settings = parameters.settings;
      writes += 1;
      onPut(store);
      return '';
    },
  } as unknown as Platform;
  const wait = async (milliseconds: number): Promise<void> => {
    // The limit of a merge is not over as long as nobody is slow.
    if (milliseconds === 1000) return new Promise(() => undefined);
    waits.push(milliseconds);
    other(writes, store);
  };
  const context = {
    ...{ platform, namespace: 'default', capabilities: {} as never, signal: new AbortController().signal },
    ...{ wait, clock: { monotonic: () => 0 } },
    ...warningsTo(warnings),
  };
  const remove = (): Promise<void> => removeStoredDraft('Orders', 'own', context);
  return { store, warnings, waits, remove, writes: () => writes };
}

const isThere = (settings: string): boolean => draftTexts(settings, 'default').has('own');

describe('the removal of a draft from the user store', () => {
  it('changes nothing else, and looks after those have written who read before it', async () => {
    const { store, remove, waits, warnings, writes } = storeOf();
    await remove();
    expect(store.settings).toBe(AFTER);
    expect([writes(), waits, warnings]).toEqual([1, [3000], []]);
  });

  it('is repeated when somebody writes what they read before, and keeps what they wrote', async () => {
    const { store, remove, warnings, writes } = storeOf((count, it) => {
      if (count === 1) it.settings = BEFORE.replace('"d1"', '"theirs":{},"d1"');
    });
    await remove();
    expect(store.settings).toBe(AFTER.replace('"d1"', '"theirs":{},"d1"'));
    expect(writes()).toBe(2);
    expect(warnings.join()).toContain('was restored');
  });

  it('tells of what else somebody took away meanwhile, and does not bring it back', async () => {
    const { store, remove, warnings } = storeOf((_, it) => (it.settings = '{"choice":1}'));
    await remove();
    expect(store.settings).toBe('{"choice":1}');
    expect(warnings.join()).toContain('removed from the user store: hydratorDrafts');
  });

  it('blames nobody where it was brought back and taken away again by somebody', async () => {
    const { remove, warnings, writes } = storeOf(
      (_, it) => (it.settings = BEFORE),
      undefined,
      (reads, it) => {
        if (reads === 3) it.settings = '{"choice":1}';
      },
    );
    await remove();
    expect(writes()).toBe(1);
    expect(warnings).toEqual([expect.stringContaining('was restored')]);
  });

  it('leaves a draft that somebody changes meanwhile', async () => {
    const { store, remove, writes } = storeOf((_, it) => (it.settings = BEFORE.replace('512.0', '7')));
    expect(await codeOf(remove())).toBe('CONFLICT');
    expect(isThere(store.settings)).toBe(true);
    expect(writes()).toBe(1);
  });

  it('ends when somebody brings it back without end', async () => {
    const { remove, writes } = storeOf((_, it) => (it.settings = BEFORE));
    expect(await codeOf(remove())).toBe('CONFLICT');
    expect(writes()).toBe(10);
  });

  it('is not sent again when only its answer was lost', async () => {
    const { store, remove, writes } = storeOf(undefined, () => {
      throw errorWith('NET_RESET');
    });
    await remove();
    expect(store.settings).toBe(AFTER);
    expect(writes()).toBe(1);
  });

  it('writes nothing where it is gone already', async () => {
    const { store, remove, writes, waits } = storeOf();
    store.settings = AFTER;
    await remove();
    expect([writes(), waits]).toEqual([0, []]);
  });

  it('of two drafts by two runs at once removes both', async () => {
    const both = BEFORE.replace('"d1":{"name":"mine"}', '"own2":{"name":"two"}');
    // The other run read before our write and writes after it; then, like us, it looks and finds its own draft away.
    const { store, remove } = storeOf((count, it) => {
      if (count === 1) it.settings = both.replace('"own2":{"name":"two"},', '');
    });
    store.settings = both;
    await remove();
    expect([...draftTexts(store.settings, 'default').keys()]).toEqual([]);
  });
});
