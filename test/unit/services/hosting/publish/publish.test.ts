import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../../../../src/core/clock.js';
import { runProgram } from '../../../../../src/cli/child-program.js';
import { CliError } from '../../../../../src/core/errors.js';
import type { HubIndex } from '../../../../../src/hub/index-file.js';
import type { HubSource } from '../../../../../src/hub/source.js';
import { folderTarget } from '../../../../../src/services/hosting/publish/folder-target.js';
import {
  planPublication,
  refuseStaying,
  refuseMoved,
  type Published,
  type PublishStep,
} from '../../../../../src/services/hosting/publish/plan.js';
import { pendingRemovals } from '../../../../../src/services/hosting/publish/pending-removals.js';
import { programTarget, type ProgramSetup } from '../../../../../src/services/hosting/publish/program-target.js';
import { publish, type PublishTarget } from '../../../../../src/services/hosting/publish/publish.js';
import { isUnsigned, refuseRepublished } from '../../../../../src/services/hosting/publish/republished.js';
import { temporaryName } from '../../../../../src/state/temporary.js';
import {
  readTreeFiles,
  type TreeFile,
  type TreeFiles,
} from '../../../../../src/services/hosting/publish/tree-files.js';
import { codeOf, errorOf, refusalOf, saidBy } from '../../../../support/errors.js';

const never = new AbortController().signal;
let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdapctl-unit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function put(path: string, content = path): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), content);
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const file = (path: string, sha256 = 'a'): TreeFile => ({ path, size: 1, sha256 });
const SPEC = 'packages/one/1/spec.json';
const listed = (sequence: number, sha256 = 'a', keys = ['K']): HubIndex => ({
  format: 1,
  sequence,
  created: 0,
  expires: 1,
  keys,
  files: [{ name: 'packages.json', size: 1, sha256 }],
  packages: [{ name: 'one', version: '1', files: [{ name: 'spec.json', size: 1, sha256 }] }],
});
const filesOf = (...files: readonly TreeFile[]) => new Map(files.map((one) => [one.path, one]));
/** A signed tree with one package; all of its files have the same digest. */
const treeOf = (sequence: number, sha256 = 'a', keys = ['K']): TreeFiles => ({
  files: filesOf(
    ...[SPEC, `${SPEC}.asc`, 'packages.json', 'index.json', 'index.json.asc'].map((path) => file(path, sha256)),
  ),
  index: listed(sequence, sha256, keys),
  faults: [],
});
const NOTHING: Published = { files: new Map(), index: undefined };
const pathsOf = (steps: readonly PublishStep[]): readonly string[] => steps.map(({ path }) => path);

describe('other content of a published version', () => {
  const refused = (published: Published, sha256 = 'b', forced: readonly string[] = []): unknown => {
    try {
      refuseRepublished(treeOf(2, sha256), published, forced, './public');
      return undefined;
    } catch (error) {
      return error instanceof CliError ? [error.code, error.details.target] : error;
    }
  };
  const REFUSED = ['REPUBLISH', { file: SPEC }];
  const there = filesOf(file(SPEC, 'damaged'));

  it('is what the published index lists otherwise, whatever lies there', () => {
    const published = { files: there, index: listed(1) };
    expect(refused(published)).toEqual(REFUSED);
    expect(refused(published, 'b', ['one/1/spec.json'])).toBeUndefined();
    // A damaged file is repaired.
    expect(refused(published, 'a')).toBeUndefined();
    expect(pathsOf(planPublication(treeOf(2), published).replaced)).toContain(SPEC);
  });

  it('is not another signature of the same file', () => {
    const { files } = treeOf(1);
    const resigned = { ...treeOf(2), files: new Map([...files, [`${SPEC}.asc`, file(`${SPEC}.asc`, 'z')]]) };
    expect(() => {
      refuseRepublished(resigned, { files, index: undefined }, [], './public');
    }).not.toThrow();
  });

  it.each([
    ['no index tells', undefined],
    ['the index no longer lists it', { ...listed(1), packages: [] }],
  ])('is other than what lies there where %s', (_, index) => {
    expect(refused({ files: there, index })).toEqual(REFUSED);
    expect(refused({ files: there, index }, 'damaged')).toBeUndefined();
  });
});

describe('a tree', () => {
  it('is unsigned where it has neither an index nor a file with its signature', () => {
    const { files } = treeOf(1);
    const without = (...paths: readonly string[]) => new Map([...files].filter(([path]) => !paths.includes(path)));
    const isSigned = (own: TreeFiles['files'], index?: HubIndex) => !isUnsigned({ files: own, index, faults: [] });
    const front = ['index.json', 'index.json.asc'];
    expect([
      isSigned(new Map(), listed(1)),
      isSigned(without(...front)),
      isSigned(without(...front, `${SPEC}.asc`)),
      isSigned(without(...front, SPEC)),
    ]).toEqual([true, true, false, false]);
  });
});

describe('the plan of a publication', () => {
  it('has files first, then what clients read first with the index last', () => {
    const plan = planPublication(treeOf(1), NOTHING);
    expect([pathsOf(plan.files), pathsOf(plan.front), plan.removals, plan.kept]).toEqual([
      [SPEC, `${SPEC}.asc`],
      ['packages.json', 'index.json.asc', 'index.json'],
      [],
      0,
    ]);
  });

  it('takes signatures for published where only the index is known and neither file nor keys differ', () => {
    const { files } = treeOf(1);
    const known = new Map([...files].filter(([path]) => !path.endsWith('.asc')));
    const before = { files: known, index: listed(1), isByIndex: true };
    expect(planPublication(treeOf(1), before)).toMatchObject({ files: [], front: [], kept: 5 });
    const rolled = planPublication(treeOf(2, 'a', ['K', 'L']), before);
    expect([pathsOf(rolled.files), pathsOf(rolled.front)]).toEqual([[`${SPEC}.asc`], ['index.json.asc']]);
    const unsigned = { ...before, index: { ...listed(1), signatures: false as const } };
    const later = planPublication(treeOf(2), unsigned);
    expect([pathsOf(later.files), pathsOf(later.front)]).toEqual([[`${SPEC}.asc`], ['index.json.asc']]);
    const gone = new Map([...known, ['packages/old/1/spec.json', file('')] as const, ['key.asc', file('')] as const]);
    expect(pathsOf(planPublication(treeOf(1), { ...before, files: gone }).removals)).toEqual([
      'key.asc',
      'packages/old/1/spec.json',
      'packages/old/1/spec.json.asc',
    ]);
  });

  it('V29: drops the signature of a file that stays, and refuses to leave it beside other content', async () => {
    const tree = treeOf(2, 'b');
    const indexOnly = (index: HubIndex): HubIndex => ({ ...index, signatures: false });
    const signedOnce = new Map([...tree.files].filter(([path]) => path !== `${SPEC}.asc`));
    const unsigned = { ...tree, files: signedOnce, index: indexOnly(listed(2, 'b')) };
    const planned = planPublication(unsigned, treeOf(1));
    expect([pathsOf(planned.dropped), pathsOf(planned.removals)]).toEqual([[`${SPEC}.asc`], []]);
    const known = { files: new Map([...treeOf(1).files].filter(([path]) => !path.endsWith('.asc'))), index: listed(1) };
    const stays = planPublication(unsigned, { ...known, isByIndex: true });
    const said = (dropped: readonly PublishStep[]): string | undefined =>
      refusalOf(() => {
        refuseStaying({ ...stays, dropped });
      });
    const message = `${SPEC} has changed, but its published signature would stay`;
    expect(said(stays.dropped)).toBe(message);
    expect(said([...stays.dropped, ...stays.dropped])).toBe(`${message} (and 1 more)`);
    expect(said([])).toBe(undefined);
    const same = { ...unsigned, files: new Map([...treeOf(1).files].filter(([path]) => path !== `${SPEC}.asc`)) };
    const kept = planPublication({ ...same, index: indexOnly(listed(1)) }, { ...known, isByIndex: true });
    expect([pathsOf(kept.dropped), pathsOf(kept.removals)]).toEqual([[], [`${SPEC}.asc`]]);
  });

  it('removes no signatures that never were, and what an earlier publication has left', () => {
    const icons = ['categories/c/icon.png', 'packages/old/1/icon.png', 'packages/old/1/license.txt'];
    const files = new Map([
      ...treeOf(1).files,
      ...[...icons, 'packages/old/1/a'].map((path) => [path, file('')] as const),
    ]);
    const before = { files, index: listed(1), isByIndex: true };
    const left = ['packages/left/1/a', SPEC, 'packages/old/1/a'];
    expect(pathsOf(planPublication(treeOf(1), before, left).removals)).toEqual(
      [...icons, 'packages/left/1/a', 'packages/old/1/a', 'packages/old/1/a.asc'].sort(),
    );
    const unsigned = { ...before, index: { ...listed(1), signatures: false as const } };
    expect(pathsOf(planPublication(treeOf(1), unsigned).removals)).toEqual([...icons, 'packages/old/1/a'].sort());
  });

  it('has what replaces published files for itself, signatures first, and all of the front in it', () => {
    const two = 'packages/two/1/spec.json';
    const tree = treeOf(2, 'b');
    const files = filesOf(
      ...tree.files.values(),
      ...[two, `${two}.asc`, 'packages.json.asc'].map((path) => file(path)),
    );
    const index = listed(2, 'b');
    const packages = [
      ...index.packages,
      { name: 'two', version: '1', files: [{ name: 'spec.json', size: 1, sha256: 'a' }] },
    ];
    const next = planPublication(
      { ...tree, files, index: { ...index, packages } },
      { files: treeOf(1).files, index: listed(1) },
    );
    expect([pathsOf(next.files), pathsOf(next.replaced), pathsOf(next.front)]).toEqual([
      [two, `${two}.asc`],
      [`${SPEC}.asc`, SPEC],
      ['packages.json.asc', 'packages.json', 'index.json.asc', 'index.json'],
    ]);
  });

  it.each<[string, TreeFiles, string]>([
    ['no catalog', { ...treeOf(1), files: filesOf(file(SPEC)) }, 'the tree has no packages.json'],
    [
      'a link',
      { ...treeOf(1), faults: [{ file: 'x', code: 'BAD_SOURCE', message: 'it is a symbolic link' }] },
      'x: it is a symbolic link',
    ],
    ['another file', { ...treeOf(1), index: listed(1, 'b') }, `${SPEC}: it does not match the index`],
    [
      'no signature',
      { ...treeOf(1), files: filesOf(file('packages.json'), file(SPEC), file('index.json')) },
      'index.json: it has no signature',
    ],
    [
      'a file less',
      { ...treeOf(1), files: filesOf(file('packages.json')) },
      `${SPEC}: the index lists it, but it does not exist`,
    ],
    [
      'a file more',
      { ...treeOf(1), files: new Map([...treeOf(1).files, ['packages/two/1/a', file('packages/two/1/a')]]) },
      'packages/two/1/a: the index does not list it',
    ],
  ])('is refused for a tree with %s', async (_, tree, words) => {
    const { code, message, details } = await errorOf(() => planPublication(tree, NOTHING));
    expect([code, [message, ...(details.lines ?? [])].join('\n')]).toEqual([
      'BAD_SOURCE',
      expect.stringContaining(words),
    ]);
  });

  it('is refused for a tree in which a signature is missing, except of what is never signed or index-only', async () => {
    const tree = treeOf(1);
    const { index } = tree;
    const unsigned = new Map([...tree.files].filter(([path]) => path !== `${SPEC}.asc`));
    expect(saidBy(await errorOf(() => planPublication({ ...tree, files: unsigned }, treeOf(1))))).toEqual({
      code: 'BAD_SOURCE',
      message: '1 fault in the tree; nothing was published',
      lines: [`${SPEC}: it has no signature`],
      hints: ['sign the tree again'],
    });
    const once = { ...tree, files: unsigned, index: index && { ...index, signatures: false as const } };
    expect(() => planPublication(once, treeOf(1))).not.toThrow();
    const bare = ['icon.png', 'license.txt'];
    const packages = [
      { name: 'one', version: '1', files: ['spec.json', ...bare].map((name) => ({ name, size: 1, sha256: 'a' })) },
    ];
    const files = filesOf(...tree.files.values(), ...bare.map((name) => file(`packages/one/1/${name}`)));
    expect(() => planPublication({ ...tree, files, index: index && { ...index, packages } }, treeOf(1))).not.toThrow();
  });

  it('is to be restored first, where files of a published version are gone or new', async () => {
    const tree = treeOf(1);
    const hints = async (files: TreeFiles['files']): Promise<readonly unknown[] | undefined> =>
      (await errorOf(() => planPublication({ ...tree, files }, NOTHING))).details.hints;
    const last = expect.stringMatching(/restore its files .* build and sign the tree again$/u) as unknown;
    expect(await hints(filesOf(file('packages.json')))).toEqual([
      'restore files that were removed from a published version by mistake',
      last,
    ]);
    const more = (path: string) => new Map([...tree.files, [path, file(path)]]);
    expect(await hints(more('packages/one/1/new.jar'))).toEqual([
      'remove files that were added to a published version by mistake',
      last,
    ]);
    expect(await hints(more('packages/two/1/spec.json'))).toEqual(['build and sign the tree again']);
    expect(await hints(new Map([...tree.files, [SPEC, file(SPEC, 'x')]]))).toEqual([last]);
    expect(await hints(new Map([...tree.files, ['packages.json', file('packages.json', 'x')]]))).toEqual([
      'build and sign the tree again',
    ]);
  });

  it('tells the first twenty faults', async () => {
    const faults = Array.from({ length: 23 }, (_, at) => ({
      file: `f${at}`,
      code: 'BAD_SOURCE' as const,
      message: 'bad',
    }));
    const { details } = await errorOf(() => planPublication({ ...treeOf(1), faults }, NOTHING));
    expect([details.lines?.length, details.lines?.at(-1)]).toEqual([21, 'and 3 more']);
  });

  it.each<[string, TreeFiles, string]>([
    ['no index', { ...treeOf(1), index: undefined }, 'the published hub has a signed index, the tree has none'],
    ['an older index', treeOf(2), 'the tree has index 2, but the published hub has another index 3'],
    ['another index of that number', treeOf(3), 'the tree has index 3, but the published hub has another index 3'],
  ])('is refused for a tree with %s', async (_, tree, words) => {
    const error = await errorOf(() => planPublication(tree, { files: treeOf(3, 'b').files, index: listed(3) }));
    expect([error.code, error.message]).toEqual(['ROLLBACK', words]);
  });
});

describe('a hub that another user published meanwhile', () => {
  const byIndex = (sequence: number, sha256: string): Published => ({
    files: treeOf(sequence, sha256).files,
    index: listed(sequence, sha256),
    isByIndex: true,
  });

  const refusal = (...given: Parameters<typeof refuseMoved>) =>
    refusalOf(() => {
      refuseMoved(...given);
    });

  it('is refused, unless it is as the plan knows it or as the tree', () => {
    const tree = treeOf(5, 'e');
    expect(refusal(tree, byIndex(4, 'd'), byIndex(4, 'd'))).toBe(undefined);
    expect(refusal(tree, byIndex(4, 'd'), byIndex(5, 'e'))).toBe(undefined);
    expect(refusal(treeOf(5), NOTHING, NOTHING)).toBe(undefined);
    expect([
      refusal(tree, byIndex(4, 'd'), byIndex(5, 'f')),
      refusal(tree, byIndex(3, 'c'), byIndex(4, 'd')),
      refusal(tree, byIndex(3, 'c'), NOTHING),
    ]).toEqual([
      'the tree has index 5, but the published hub has another index 5',
      'the published hub now has index 4: another user published it in the meantime',
      'the published hub now has no index: another user published it in the meantime',
    ]);
  });
});

const ignored = (): void => undefined;
const step = (path: string, sha256 = 'a'): PublishStep => ({ action: 'upload', ...file(path, sha256) });
const clock = { sleep: async () => undefined } as unknown as Clock;

/** A target that writes down what it is told, and fails at one path. */
function noting(failing?: string, error: Error = new CliError('PUBLISH_FAILED', 'the bucket is full')) {
  const done: string[] = [];
  const target: PublishTarget = {
    label: 'there',
    published: async () => NOTHING,
    upload: async (steps, placed) => {
      for (const { path } of steps) {
        if (path === failing) throw error;
        done.push(path);
        placed(path);
      }
    },
    remove: async ({ path }) => void done.push(`-${path}`),
  };
  return { done, target };
}

describe('a publication', () => {
  const plan = {
    files: [step('a'), step('b')],
    replaced: [],
    dropped: [],
    front: [step('index.json')],
    removals: [step('old')],
    kept: 1,
  };
  const options = { prune: false, grace: 0, concurrency: 1, clock, emit: () => undefined };
  const basis = { tree: treeOf(1), published: NOTHING, pending: undefined };

  it('leaves what the tree no longer has, or removes it last, when the time for old catalogs is over', async () => {
    const { done, target } = noting();
    const left = await publish(plan, target, options, never);
    expect([left, done]).toEqual([
      { uploaded: ['a', 'b', 'index.json'], kept: 1, removed: [], left: ['old'] },
      ['a', 'b', 'index.json'],
    ]);
    const events: string[] = [];
    const sleep = async (time: number) => void events.push(`slept ${time}, ${done.length} done`);
    const emit = (event: { readonly type: string }): void => void events.push(event.type);
    const pruned = { ...options, prune: true, grace: 5000, clock: { ...clock, sleep } as Clock, emit };
    expect(await publish(plan, target, pruned, never)).toMatchObject({ removed: ['old'], left: [] });
    expect([events, done.slice(3)]).toEqual([
      ['note', 'slept 5000, 6 done'],
      ['a', 'b', 'index.json', '-old'],
    ]);
  });

  it('tells how far it came, and nothing of the front comes before all files are there', async () => {
    const { done, target } = noting('b');
    const error = await errorOf(publish(plan, target, options, never));
    expect([error.code, error.message, done]).toEqual([
      'PARTIAL',
      '1 of 3 files published; then: the bucket is full',
      ['a'],
    ]);
    expect(await codeOf(publish(plan, noting('a').target, options, never))).toBe('PUBLISH_FAILED');
    const bug = new TypeError('bug');
    await expect(publish(plan, noting('b', bug).target, options, never)).rejects.toBe(bug);
  });

  it('asks whether the published hub has moved on, when all files are there and before the front', async () => {
    const { done, target } = noting();
    const older = new CliError('ROLLBACK', 'the published hub has another index');
    const published = async (): Promise<never> => {
      expect(done).toEqual(['a', 'b']);
      throw older;
    };
    await expect(publish(plan, { ...target, published }, { ...options, basis }, never)).rejects.toBe(older);
    const moved = { ...target, published: async () => treeOf(9, 'b') };
    expect(await codeOf(publish(plan, moved, { ...options, basis }, never))).toBe('ROLLBACK');
    expect(done).toEqual(['a', 'b', 'a', 'b']);
  });

  it('has what replaces published files right before the front, with it where it is a folder', async () => {
    const changed = { ...plan, replaced: [step('c.asc'), step('c')] };
    for (const isShared of [true, undefined] as const) {
      const { done, target } = noting();
      const published = async () => (done.push('asked'), NOTHING);
      const parts: number[] = [];
      const upload: PublishTarget['upload'] = async (steps, ...more) => {
        parts.push(steps.length);
        await target.upload(steps, ...more);
      };
      const shared = isShared === true ? { isShared } : {};
      const { uploaded } = await publish(
        changed,
        { ...target, ...shared, published, upload },
        { ...options, basis },
        never,
      );
      expect([uploaded.length, done]).toEqual([5, ['a', 'b', 'asked', 'c.asc', 'c', 'index.json']]);
      expect(parts).toEqual(isShared === true ? [1, 1, 1, 1, 1] : [1, 1, 3]);
    }
  });

  it('tells what clients see of it where it stopped', async () => {
    const two = { ...plan, front: [step('packages.json'), step('index.json')], removals: [step('old'), step('older')] };
    const adviceOf = async (failing: string, error?: Error, isFirst = false): Promise<readonly unknown[]> => {
      const { target } = noting(failing, error);
      const remove: PublishTarget['remove'] = async ({ path }) => {
        if (path === failing) throw error ?? new CliError('PUBLISH_FAILED', 'the bucket is full');
      };
      const failed = await errorOf(publish(two, { ...target, remove }, { ...options, prune: true, isFirst }, never));
      return [failed.code, failed.message.split(';')[0], ...(failed.details.hints ?? [])];
    };
    const asItWas = 'clients still see the previous hub: to continue, run the same command again';
    const half = 'clients reject the hub until it is complete: run the same command again now';
    expect(await adviceOf('b')).toEqual(['PARTIAL', '1 of 4 files published', asItWas]);
    const noHub = 'clients see nothing of the hub yet: to continue, run the same command again';
    expect(await adviceOf('b', undefined, true)).toEqual(['PARTIAL', '1 of 4 files published', noHub]);
    expect(await adviceOf('packages.json')).toEqual(['PARTIAL', '2 of 4 files published', asItWas]);
    expect(await adviceOf('index.json')).toEqual(['PARTIAL', '3 of 4 files published', half]);
    const removing = 'the hub is published: to remove the remaining files, run the same command again';
    expect(await adviceOf('old')).toEqual(['PARTIAL', '0 of 2 files removed', removing]);
    expect(await adviceOf('older')).toEqual(['PARTIAL', '1 of 2 files removed', removing]);
    const changed = new CliError('CHANGED_MEANWHILE', 'a file was changed', { hints: ['sign again'] });
    for (const isFirst of [false, true])
      expect(await adviceOf('b', changed, isFirst)).toEqual(['CHANGED_MEANWHILE', 'a file was changed', 'sign again']);
    expect(await adviceOf('index.json', undefined, true)).toEqual(['PARTIAL', '3 of 4 files published', half]);
    expect(await adviceOf('index.json', changed)).toEqual(['PARTIAL', '3 of 4 files published', half]);
    const full = new CliError('DISK_FULL', 'no space left', { hints: ['make room'] });
    expect(await adviceOf('index.json', full)).toEqual(['DISK_FULL', '3 of 4 files published', 'make room', half]);
  });

  it('leaves what another user has published while it waited', async () => {
    const { done, target } = noting();
    const notes: string[] = [];
    const emit = (event: { readonly message?: string }): void => void notes.push(event.message ?? '');
    const removals = ['old', 'packages/two/1/a', 'packages/two/1/a.asc'].map((path) => step(path));
    const publishedNow = async (now: Published): Promise<unknown> =>
      publish(
        { ...plan, removals },
        { ...target, isShared: true, published: async () => now },
        {
          ...options,
          prune: true,
          emit,
        } as typeof options,
        never,
      );
    const two = filesOf(file('packages/two/1/a'));
    expect(await publishedNow({ files: two, index: listed(2) })).toMatchObject({
      removed: ['old'],
      left: ['packages/two/1/a', 'packages/two/1/a.asc'],
    });
    expect([done.at(-1), notes]).toEqual([
      '-old',
      ['note: 2 files not removed: the published index is not that of this tree'],
    ]);
    expect(await publishedNow(NOTHING)).toMatchObject({ removed: [], left: removals.map(({ path }) => path) });
  });

  it('stops before the front when it is told to', async () => {
    const stop = new AbortController();
    const { done, target } = noting();
    const stopping = {
      ...target,
      upload: async (steps: readonly PublishStep[]): Promise<void> => {
        done.push(...pathsOf(steps));
        stop.abort();
      },
    };
    await expect(publish(plan, stopping, options, stop.signal)).rejects.toThrow();
    expect(done).not.toContain('index.json');
  });
});

describe('a folder', () => {
  it('is read with the files that belong to a hub', async () => {
    expect((await readTreeFiles(join(root, 'none'), never)).files.size).toBe(0);
    for (const path of ['packages.json', 'index.html', 'key.asc', 'notes.txt', '.x.asc', 'categories/c/icon.png', SPEC])
      await put(path);
    await put('packages/one/1/.hidden');
    await symlink('spec.json', join(root, 'packages/one/1/link'));
    await put(
      'index.json',
      JSON.stringify({ ...listed(1), keys: ['A'.repeat(40)], files: [], packages: [], created: 1, expires: 2 }),
    );
    const { files, index, faults } = await readTreeFiles(root, never);
    expect([...files.keys()].sort()).toEqual(
      [SPEC, 'categories/c/icon.png', 'index.html', 'index.json', 'key.asc', 'packages.json'].sort(),
    );
    expect(index?.sequence).toBe(1);
    expect(faults.map(({ file: path }) => path).sort()).toEqual(['packages/one/1/.hidden', 'packages/one/1/link']);
  });

  it('gets files whole, and none whose content is no longer the planned one', async () => {
    await put(`tree/${SPEC}`, 'spec');
    await mkdir(join(root, 'there/packages'), { recursive: true });
    const { files } = await readTreeFiles(join(root, 'tree'), never);
    const target = folderTarget(join(root, 'tree'), join(root, 'there'));
    await target.upload([{ action: 'upload', ...(files.get(SPEC) ?? file('')) }], ignored, never);
    expect(await readFile(join(root, 'there', SPEC), 'utf8')).toBe('spec');
    expect(await codeOf(target.upload([step(SPEC)], ignored, never))).toBe('CHANGED_MEANWHILE');
    expect(await codeOf(target.upload([step('packages/none')], ignored, never))).toBe('LOCAL_IO');
    await symlink('spec.json', join(root, 'tree/packages/one/1/link'));
    expect(await codeOf(target.upload([step('packages/one/1/link')], ignored, never))).toBe('SYMLINK');
    await put('there/packages/file');
    expect(await codeOf(target.upload([step('packages/file/spec.json')], ignored, never))).toBe('EXISTS');
    expect(await readFile(join(root, 'there', SPEC), 'utf8')).toBe('spec');
    await target.remove?.(step(SPEC), never);
    await put('there/packages/two/1/a');
    expect(await codeOf(async () => target.remove?.(step('packages/two'), never))).toBe('LOCAL_IO');
    expect((await target.published(never)).files.has(SPEC)).toBe(false);
  });

  it('gets many files in their order, with the last ones together, and tells which of them are there', async () => {
    const names = Array.from({ length: 258 }, (_, at) => `f${String(at).padStart(3, '0')}`);
    for (const name of names) await put(`tree/${name}`);
    const steps = names.map((name) => step(name, digestOf(`tree/${name}`)));
    const target = folderTarget(join(root, 'tree'), join(root, 'there'));
    const placed: string[] = [];
    await target.upload(steps, (path) => void placed.push(path), never);
    expect(placed).toEqual(names);
    expect(await readFile(join(root, 'there/f257'), 'utf8')).toBe('tree/f257');
    await rm(join(root, 'there/f255'));
    await mkdir(join(root, 'there/f255'));
    placed.length = 0;
    expect(await codeOf(target.upload(steps, (path) => void placed.push(path), never))).toBe('LOCAL_IO');
    expect([placed, (await readdir(join(root, 'there'))).sort()]).toEqual([
      names.slice(0, 2),
      ['.cdapctl-published', ...names],
    ]);
  });

  it('gets several files in folders that are cleared of what a dead run left', async () => {
    const files = ['packages/one/1/a', 'packages/one/1/b', 'packages/two/1/a', 'packages/two/1/b'];
    const dead = temporaryName().replace(/-\d+-(?=[^-]+-[^-]+$)/u, `-${2 ** 30}-`);
    for (const name of ['one', 'two']) await put(`there/packages/${name}/1/${dead}`);
    for (const file of files) await put(`tree/${file}`);
    const steps = files.map((file) => step(file, digestOf(`tree/${file}`)));
    await folderTarget(join(root, 'tree'), join(root, 'there')).upload(steps, ignored, never);
    for (const name of ['one', 'two'])
      expect(await readdir(join(root, `there/packages/${name}/1`))).toEqual(['a', 'b']);
  });
});

describe('a program', () => {
  const run: ProgramSetup['run'] = ([program, ...words], signal) =>
    runProgram(program, words, { env: process.env, signal, limit: 60_000, isTalkative: true });
  const setup = { tree: '/tree', remove: undefined, against: undefined, run };
  const node = (code: string) => [process.execPath, '-e', code, '{path}', '{file}'] as const;

  it('gets the file and its place, and its last words are told when it fails', async () => {
    await put('a$&');
    await put('a');
    const here = { ...setup, tree: root };
    const is = `process.exit(process.argv[2] === ${JSON.stringify(join(root, 'a$&'))} ? 0 : 1)`;
    const good = programTarget({ ...here, upload: node(is) });
    await good.upload([step('a$&', digestOf('a$&'))], ignored, never);
    const bad = programTarget({
      ...here,
      upload: node("console.log('x'.repeat(1e5)); console.error('no bucket'); process.exit(4)"),
    });
    const { code, message, details } = await errorOf(bad.upload([step('a', digestOf('a'))], ignored, never));
    expect([code, message]).toEqual(['PUBLISH_FAILED', `${process.execPath} ended with status 4 for a`]);
    expect(details.lines?.at(-1)).toBe('no bucket');
    expect([good.remove, good.label, await good.published(never)]).toEqual([
      undefined,
      process.execPath,
      { files: new Map(), index: undefined },
    ]);
  });

  it('gets no file that is not as planned, nor continues after one that changes while it runs', async () => {
    await put('a');
    await put('b');
    await symlink('b', join(root, 'link'));
    const placed: string[] = [];
    const upload = node("require('node:fs').appendFileSync(process.argv[1] === 'b' ? process.argv[2] : 'log', 'x')");
    const log: string[] = [];
    const noted: ProgramSetup['run'] = async (words, signal) => {
      log.push(words.at(-2) ?? '');
      return words.at(-2) === 'b' ? run(words, signal) : { stdout: '', stderr: '', why: undefined };
    };
    const target = programTarget({ ...setup, tree: root, upload, run: noted });
    const codeFor = (path: string, content: string): Promise<unknown> =>
      codeOf(target.upload([step(path, digestOf(content))], (one) => void placed.push(one), never));
    expect(await codeFor('a', 'other')).toBe('CHANGED_MEANWHILE');
    expect(await codeFor('link', 'b')).toBe('SYMLINK');
    expect(log).toEqual([]);
    expect(await codeFor('b', 'b')).toBe('CHANGED_MEANWHILE');
    expect([log, placed]).toEqual([['b'], []]);
    await target.upload([step('a', digestOf('a'))], (one) => void placed.push(one), never);
    expect(placed).toEqual(['a']);
  });

  it('may fail at the removal of what the published hub does not have', async () => {
    const asked: unknown[] = [];
    const open: HubSource['open'] = async (place) => {
      asked.push(place);
      if (place.file === 'a') throw new CliError('LOCAL_IO', 'no answer');
      const body = (async function* () {
        yield Buffer.alloc(0);
      })();
      return place.file === 'b' ? { what: 'b', body, discard: async () => undefined } : undefined;
    };
    const against = { label: 'corp', open };
    const target = programTarget({ ...setup, upload: node(''), remove: node('process.exit(1)'), against });
    const removal = (path: string) => codeOf(async () => target.remove?.(step(path), never));
    expect(await removal('a')).toBe('PUBLISH_FAILED');
    expect(await removal('packages/one/1/b')).toBe('PUBLISH_FAILED');
    await target.remove?.(step('categories/c/icon.png'), never);
    expect(asked).toEqual([
      { file: 'a' },
      { name: 'one', version: '1', file: 'b' },
      { category: 'c', file: 'icon.png' },
    ]);
  });

  it('is told what the index of the published hub lists', async () => {
    const text = { ...listed(4, 'c'.repeat(64), ['A'.repeat(40)]), created: 1, expires: 2 };
    const open: HubSource['open'] = async (_place, { fresh }) => {
      const body = (async function* () {
        yield Buffer.from(JSON.stringify(text));
      })();
      return fresh === true ? { what: 'index.json', body, discard: async () => undefined } : undefined;
    };
    const against = { label: 'corp', open };
    const target = programTarget({ ...setup, upload: node(''), remove: node('process.exit(0)'), against });
    const { files, index, isByIndex } = await target.published(never);
    expect([target.label, [...files.keys()], index?.sequence, isByIndex]).toEqual([
      'corp',
      ['packages.json', SPEC, 'index.json'],
      4,
      true,
    ]);
    await target.remove?.(step('a'), never);
  });
});

describe('pending removals', () => {
  it('are kept by address, and forgotten when there are none', async () => {
    const one = pendingRemovals(root, 'https://one.example.org/v2');
    expect(await one.read()).toEqual([]);
    await one.write(['a', 'b']);
    expect(await pendingRemovals(root, 'https://one.example.org/v2').read()).toEqual(['a', 'b']);
    expect(await pendingRemovals(root, 'https://two.example.org/v2').read()).toEqual([]);
    await writeFile(one.file, '{"v": 1');
    expect(saidBy(await errorOf(one.read()))).toEqual({
      code: 'LOCAL_IO',
      message: `${one.file} is damaged`,
      hints: [`to publish without the removals that it lists: rm ${one.file}`],
      target: { file: one.file },
    });
    await one.write([]);
    await one.write([]);
    expect([await one.read(), existsSync(one.file)]).toEqual([[], false]);
    await mkdir(one.file);
    expect((await errorOf(one.write([]))).message).toContain(`cannot write ${one.file}: `);
  });
});
