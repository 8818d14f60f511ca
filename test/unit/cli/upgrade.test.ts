import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { previousFor, type PreviousDeps } from '../../../src/flows/upgrade/previous.js';
import {
  maxFailuresOf,
  namedNamespace,
  namespaceOf,
  selectionOf,
  type FoundNamespace,
} from '../../../src/flows/upgrade/selection.js';
import { mostFailures } from '../../../src/services/upgrade/failure-limit.js';
import { JournalWriter } from '../../../src/state/journal-writer.js';
import { runEntry, type EndedEntry } from '../../../src/state/upgrade-journal.js';
import { createUpgradeFile } from '../../../src/state/upgrade-folder.js';
import { withTempDir } from '../../support/processes/run-cli.js';
import { fakeTerminal } from '../../support/processes/terminal.js';
import { codeOf, errorOf, saidBy, thrownBy } from '../../support/errors.js';

describe('--max-failures', () => {
  it.each([
    [undefined, 100, Infinity],
    ['0', 100, 0],
    ['3', 100, 3],
    ['10%', 214, 21],
    ['100%', 7, 7],
    ['0%', 7, 0],
  ])('%s of %d is %d', (text, tried, most) => {
    expect(mostFailures(maxFailuresOf(text), tried)).toBe(most);
  });

  it.each(['', '-1', '1.5', 'ten', '101%', '5 %', '%', '1e3'])('refuses "%s"', (text) => {
    expect(thrownBy(() => maxFailuresOf(text)).code).toBe('USAGE');
  });
});

/** A run whose namespace is etl, which the flag, the environment or a context names. */
const contextOf = (origin: 'flag' | 'environment' | 'user' | undefined): FoundNamespace => ({
  found: {
    settings: {
      namespace: origin === undefined ? undefined : { value: 'etl', origin, from: '' },
      namespaces: undefined,
    },
  },
});

describe('the namespace of an upgrade', () => {
  it.each([
    ['flag', {}, 'etl'],
    ['environment', {}, 'etl'],
    ['user', {}, 'etl'],
    [undefined, {}, undefined],
    ['user', { 'all-namespaces': true }, undefined],
    ['flag', { pipeline: ['orders'] }, 'etl'],
    ['environment', { pipeline: ['orders'] }, 'etl'],
    ['user', { pipeline: ['orders'] }, 'USAGE'],
    [undefined, { pipeline: ['orders'] }, 'USAGE'],
    ['environment', { pipeline: ['orders'], 'all-namespaces': true }, undefined],
    [undefined, { pipeline: ['dev/orders'] }, 'dev'],
    ['user', { pipeline: ['dev/orders', 'dev/x-*'] }, 'dev'],
    ['environment', { pipeline: ['dev/orders'] }, 'dev'],
    ['flag', { pipeline: ['dev/orders'] }, 'USAGE'],
    ['flag', { pipeline: ['etl/orders', 'x'] }, 'etl'],
    ['flag', { pipeline: ['e*/orders'] }, 'etl'],
    ['user', { pipeline: ['dev/orders', 'etl/x'] }, undefined],
    ['user', { pipeline: ['*/orders'] }, undefined],
    ['environment', { pipeline: ['dev/orders', 'x'] }, 'USAGE'],
    ['user', { pipeline: ['dev/orders', 'x'] }, 'USAGE'],
  ] as const)('from the %s with %o is %s (P23)', (origin, flags, expected) => {
    const find = () => namespaceOf({ 'all-namespaces': false, ...flags }, contextOf(origin));
    if (expected === 'USAGE') expect(thrownBy(find).code).toBe('USAGE');
    else expect(find()).toBe(expected);
  });
});

describe('the pipelines of an upgrade', () => {
  it.each([
    [['orders'], 'etl', { namespace: 'etl', pipeline: 'orders', match: [] }],
    [['etl/orders'], 'etl', { namespace: 'etl', pipeline: 'orders', match: [] }],
    [['orders'], undefined, { match: ['orders'] }],
    [['ord*'], 'etl', { namespace: 'etl', match: ['ord*'] }],
    [['a/x', 'b/y'], undefined, { match: ['a/x', 'b/y'] }],
  ])('%j in %s', (pipeline, namespace, expected) => {
    const { namespace: within, pipeline: one, match } = selectionOf({ pipeline }, namespace);
    expect({ namespace: within, pipeline: one, match }).toEqual({
      namespace: undefined,
      pipeline: undefined,
      ...expected,
    });
  });
});

describe('the namespace of a rollback', () => {
  it.each([
    ['flag', 'etl'],
    ['environment', 'etl'],
    ['user', undefined],
  ] as const)('from the %s is %s', (origin, expected) => {
    expect(namedNamespace(contextOf(origin))).toBe(expected);
  });
});

describe('the run that goes on', () => {
  const URL = 'https://cdap.example';
  const AT = Date.UTC(2024, 4, 2, 22);
  const at = new Date(AT).toISOString();
  const selection = selectionOf({}, 'etl');

  async function writeJournal(
    folder: string,
    state: EndedEntry['state'],
    isFinished: boolean,
    chosen = selection,
  ): Promise<string> {
    const file = await createUpgradeFile(folder, AT);
    const writer = new JournalWriter(file, 0);
    await writer.append(
      runEntry(AT, { command: 'upgrade', platform: URL, platformVersion: '6.11.0', selection: chosen }),
    );
    await writer.append({ v: 1, type: 'ended', at, namespace: 'etl', pipeline: 'a', state });
    if (isFinished) await writer.append({ v: 1, type: 'finished', at });
    await writer.close();
    return file;
  }

  async function writeRollback(folder: string, of: string): Promise<string> {
    const [file, began] = [await createUpgradeFile(folder, AT + 60_000), AT + 60_000];
    const writer = new JournalWriter(file, 0);
    await writer.append(runEntry(began, { command: 'rollback', platform: URL, platformVersion: '6.11.0', of }));
    await writer.close();
    return file;
  }

  const resume = {
    resume: true,
    'only-failed': false,
    isChoosing: false,
    saysNamespace: false,
  };
  const again = {
    resume: false,
    'only-failed': true,
    isChoosing: false,
    saysNamespace: false,
  };
  const plain = selectionOf({}, undefined);
  const deps = (stateFolder: string): PreviousDeps => ({
    ...{ stateFolder, url: URL, emit: () => undefined },
    session: { argv: ['upgrade', '-y', '--resume'], terminal: fakeTerminal() },
  });

  it.each([
    ['--resume', resume, 'NOT_FOUND', 'cdapctl upgrade -y --check'],
    ['--resume of a choice', { ...resume, isChoosing: true }, undefined, undefined],
    ['--only-failed of a choice', { ...again, isChoosing: true }, 'NOT_FOUND', 'cdapctl upgrade -y --check'],
  ])('is none without a journal: %s', async (_, flags, code, hint) => {
    await withTempDir(async (folder) => {
      const find = () => previousFor(flags, plain, deps(folder));
      if (code === undefined) expect(await find()).toBeUndefined();
      else expect(await errorOf(find)).toMatchObject({ code, details: { hints: [hint] } });
    });
  });

  it.each([
    ['done', 'cdapctl upgrade -y --check'],
    ['failed', 'to retry failed pipelines: cdapctl upgrade -y --only-failed'],
  ] as const)('is not begun anew with everything after one that is finished: %s', async (state, hint) => {
    await withTempDir(async (folder) => {
      const file = await writeJournal(folder, state, true);
      const error = await errorOf(() => previousFor(resume, plain, deps(folder)));
      expect(error).toMatchObject({ code: 'NOT_FOUND', details: { hints: [hint], target: { file } } });
      const choosing = { ...resume, isChoosing: true };
      expect(await previousFor(choosing, selectionOf({}, 'other'), deps(folder))).toBeUndefined();
      expect((await previousFor(again, plain, deps(folder)))?.file).toBe(file);
      const rollback = await writeRollback(folder, file);
      expect(await errorOf(() => previousFor(choosing, selection, deps(folder)))).toMatchObject({
        code: 'NOT_FOUND',
        message: expect.stringContaining('nothing to resume') as string,
        details: {
          lines: [`the upgrade was rolled back since, at least in part, on 2024-05-02 22:01Z (journal ${rollback})`],
        },
      });
      expect((await previousFor({ ...resume, journal: file }, plain, deps(folder)))?.file).toBe(file);
    });
  });

  it.each([
    ['nothing, where a context has another namespace', selectionOf({}, 'other'), false, true],
    ['nothing, and no context does', selectionOf({}, undefined), false, true],
    ['the same namespace', selectionOf({}, 'etl'), true, true],
    ['another namespace', selectionOf({}, 'other'), true, false],
    ['all namespaces', selectionOf({}, undefined), true, false],
    ['other pipelines', selectionOf({ match: ['o*'] }, undefined), false, false],
  ])('is gone on with by a line that says %s, or refused', async (_, given, saysNamespace, isSame) => {
    await withTempDir(async (folder) => {
      const file = await writeJournal(folder, 'failed', false);
      const find = () => previousFor({ ...resume, saysNamespace }, given, deps(folder));
      if (isSame) expect((await find())?.file).toBe(file);
      else expect(await codeOf(find)).toBe('USAGE');
    });
  });

  it('is told of where a line that chooses others is refused', async () => {
    await withTempDir(async (folder) => {
      const begun = selectionOf({ match: ['o*'], exclude: ['orders 2'] }, 'etl');
      const file = await writeJournal(folder, 'failed', true, begun);
      const error = await errorOf(() => previousFor({ ...again, saysNamespace: true }, selection, deps(folder)));
      expect(saidBy(error)).toEqual({
        code: 'USAGE',
        message: 'cannot retry with other pipelines or versions than the run was started with',
        lines: [`the run of ${at} was started with -n etl -p 'o*' --exclude 'orders 2' (journal ${file})`],
        hints: [`cdapctl upgrade --only-failed --journal ${file}`, { next: 'list-upgrades' }],
        target: { file },
      });
      const session = { argv: ['upgrade', '--running', 'skip', '--resume'], terminal: fakeTerminal() };
      const other = await errorOf(() =>
        previousFor({ ...resume, saysNamespace: true, journal: file }, selection, { ...deps(folder), session }),
      );
      expect(other).toMatchObject({
        message: 'cannot resume with other pipelines or versions than the run was started with',
        details: { hints: [`cdapctl upgrade --running skip --resume --journal ${file}`, { next: 'list-upgrades' }] },
      });
    });
  });

  it('is the one of the pipelines that the line chooses, where a newer one is complete', async () => {
    await withTempDir(async (folder) => {
      const file = await writeJournal(folder, 'failed', false);
      await writeJournal(folder, 'done', true, selectionOf({}, 'other'));
      const choosing = { ...resume, isChoosing: true, saysNamespace: true };
      expect((await previousFor(choosing, selection, deps(folder)))?.file).toBe(file);
    });
  });

  it('of all namespaces is gone on with where a context has one', async () => {
    await withTempDir(async (folder) => {
      const file = await writeJournal(folder, 'failed', false, selectionOf({ match: ['o*'] }, undefined));
      expect((await previousFor(again, selectionOf({}, 'etl'), deps(folder)))?.file).toBe(file);
      const same = selectionOf({ match: ['o*'] }, 'etl');
      expect((await previousFor(again, same, deps(folder)))?.file).toBe(file);
    });
  });

  it('is found by its name, as upgrade history lists it', async () => {
    await withTempDir(async (folder) => {
      const file = await writeJournal(folder, 'failed', false);
      const journal = basename(file);
      expect((await previousFor({ ...resume, journal }, plain, deps(folder)))?.file).toBe(file);
      expect((await previousFor({ ...again, journal }, plain, deps(folder)))?.file).toBe(file);
    });
  });

  it('is the newest one that stopped', async () => {
    await withTempDir(async (folder) => {
      const file = await writeJournal(folder, 'done', false);
      expect((await previousFor(resume, plain, deps(folder)))?.file).toBe(file);
    });
  });
});

describe('what flags choose', () => {
  it('is everything, without flags', () => {
    expect(selectionOf({}, undefined)).toEqual({
      match: [],
      exclude: [],
      plugins: [],
      includeCurrent: false,
      snapshots: false,
      running: 'warn',
      engine: 'client',
    });
  });
});
