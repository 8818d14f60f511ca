import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Emit } from '../../../../../src/core/events.js';
import { MOST_ACTIONS } from '../../../../../src/hub/specification.js';
import { writeIndex } from '../../../../../src/hub/index-writer.js';
import { keyOf } from '../../../../../src/services/hosting/lint/baseline.js';
import { action, faultsIn, GOOD, linesOf, linted, spec, writeTree, type LintWishes, type Tree } from './lint-site.js';

const SPEC = 'packages/a/1.0.0/spec.json';
const WRONG = spec({ label: undefined, created: 1e11 + 1, cdapVersion: '[6.1.0,7.0.0)' });
const LABEL = { file: SPEC, rule: 'MEMBER_MISSING', message: 'label is missing' };

/** The counts of a lint, and its faults as lines. */
async function toldOf(tree: Tree, wishes?: LintWishes) {
  const result = await linted(tree, wishes);
  const { packages, errors, warnings, known } = result;
  return { packages, errors, warnings, known, lines: linesOf(result) };
}

/** An index that lists these files of a version. */
function indexOf(contents: Readonly<Record<string, string>>): Uint8Array {
  const files = Object.entries(contents).map(([name, content]) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { name, size: content.length, sha256 };
  });
  const packages = [{ name: 'a', version: '1.0.0', files }];
  return writeIndex({ sequence: 1, created: 0, expires: 0, files: [], packages, keys: [] });
}

describe('a lint', () => {
  it('counts what it finds, by the severities that are wanted, without what is known', async () => {
    const tree = { ...WRONG, ...spec({}, 'b/1.0.0') };
    expect(await toldOf(tree)).toEqual({
      packages: 2,
      errors: 1,
      warnings: 2,
      known: 0,
      lines: [
        'a/1.0.0/spec.json 1:1 error MEMBER_MISSING: label is missing',
        'a/1.0.0/spec.json 3:13 warning CREATED_RANGE (fixable): created is in milliseconds, not seconds',
        'a/1.0.0/spec.json 4:17 warning RANGE_SNAPSHOT (fixable): [6.1.0,7.0.0) matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)',
      ],
    });
    const other = { MEMBER_MISSING: 'warning', RANGE_SNAPSHOT: 'error', CREATED_RANGE: 'off' } as const;
    expect(await toldOf(tree, { severities: new Map(Object.entries(other)) })).toEqual({
      packages: 2,
      errors: 1,
      warnings: 1,
      known: 0,
      lines: [
        'a/1.0.0/spec.json 1:1 warning MEMBER_MISSING: label is missing',
        'a/1.0.0/spec.json 4:17 error RANGE_SNAPSHOT (fixable): [6.1.0,7.0.0) matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)',
      ],
    });
    expect(await toldOf(tree, { known: new Set([keyOf(LABEL), 'another']) })).toEqual({
      packages: 2,
      errors: 0,
      warnings: 2,
      known: 1,
      lines: [
        'a/1.0.0/spec.json 3:13 warning CREATED_RANGE (fixable): created is in milliseconds, not seconds',
        'a/1.0.0/spec.json 4:17 warning RANGE_SNAPSHOT (fixable): [6.1.0,7.0.0) matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)',
      ],
    });
  });

  it('sorts by tree, file, line and column', async () => {
    const file = JSON.stringify({ ...GOOD, actions: [1, 2] });
    const text = file.replace('"categories"', '\n"categories"').replace('"label":"A"', '"label":1');
    const beside = { 'b/1.0.0/spec.json': text, 'b/1.0.0/a.txt': '', 'b/1.0.0/z.txt': '' };
    const before = (root: string): void => {
      for (const name of ['two', 'one']) {
        mkdirSync(join(root, name, 'packages'), { recursive: true });
        writeTree(join(root, name), name === 'one' ? beside : spec({ label: 1 }));
      }
    };
    const trees = (root: string) => ['two', 'one'].map((name) => ({ root: join(root, name) }));
    expect(await toldOf({}, { before, trees })).toEqual({
      packages: 2,
      errors: 4,
      warnings: 2,
      known: 0,
      lines: [
        'b/1.0.0/a.txt 1:1 warning REF_UNUSED: no action uses it',
        'b/1.0.0/spec.json 1:10 error MEMBER_TYPE: label is not text',
        'b/1.0.0/spec.json 2:88 error MEMBER_TYPE: action 1 is not an object with a type',
        'b/1.0.0/spec.json 2:90 error MEMBER_TYPE: action 2 is not an object with a type',
        'b/1.0.0/z.txt 1:1 warning REF_UNUSED: no action uses it',
        'a/1.0.0/spec.json 2:11 error MEMBER_TYPE: label is not text',
      ],
    });
  });

  it('tells how far it is after each thousand of packages', async () => {
    const events: Parameters<Emit>[0][] = [];
    const only = Array.from({ length: 1001 }, () => ({ name: 'a', version: '1.0.0' }));
    const trees = (root: string) => [{ root, only }];
    const result = await linted({ 'a/1.0.0/.hidden': '', ...spec({}) }, { trees, emit: (event) => events.push(event) });
    expect([result.packages, result.errors]).toEqual([1001, 1001]);
    expect(events).toEqual([{ type: 'count', what: 'packages read', done: 1000, of: 1001, failed: 1000 }]);
  });

  it('lists no more faults than its limits', async () => {
    const plugin = action('one_step_deploy_plugin', { name: 'p', config: 'p.json', jar: 'p.json' });
    const docs = Array.from({ length: 20_001 }, (_, at) => [`doc.${at}`, '']);
    const config = { properties: Object.fromEntries(docs) as object };
    const { warnings, faults } = await linted({ ...spec({ actions: [plugin] }), 'a/1.0.0/p.json': config });
    expect([warnings, faults.length]).toEqual([20_001, 20_000]);
    const artifact = (name: string): object => ({ plugin: { artifact: { name, scope: 'USER' } } });
    const stages = Array.from({ length: 10_001 }, (_, at) => artifact(`a${at}`));
    const pipeline = action('create_pipeline', {
      artifact: { name: 'core', scope: 'system', version: '1.0.0' },
      name: 'P',
      config: 'p.json',
    });
    expect(await faultsIn({ ...spec({ actions: [pipeline] }), 'a/1.0.0/p.json': { stages } })).toHaveLength(10_000);
  });

  it('takes an .asc for a published file unless it signs another', async () => {
    const tree = { ...spec({}), 'a/1.0.0/c.asc': 'c', 'a/1.0.0/spec.json.asc': 'x', 'a/1.0.0/d.asc': 'x' };
    const before = (root: string): void => {
      const text = JSON.stringify(GOOD, undefined, 1);
      writeFileSync(join(root, 'index.json'), indexOf({ 'spec.json': text, 'c.asc': 'c' }));
    };
    expect(await faultsIn(tree, { before })).toEqual([
      'a/1.0.0/d.asc 1:1 error REPUBLISH: it was added to a published version',
    ]);
  });

  it('tells of a secret key in a published version as in any other', async () => {
    const tree = { ...spec({}), 'a/1.0.0/key.asc': '-----BEGIN PRIVATE KEY-----\n' };
    const before = (root: string): void => {
      writeFileSync(join(root, 'index.json'), indexOf({ 'spec.json': JSON.stringify(GOOD, undefined, 1) }));
    };
    const secret = 'a/1.0.0/key.asc 1:1 error SECRET_KEY: it contains a secret key, which everyone could read';
    expect(await faultsIn(tree, { before })).toEqual([
      secret,
      'a/1.0.0/key.asc 1:1 error REPUBLISH: it was added to a published version',
    ]);
    const listed = { 'spec.json': JSON.stringify(GOOD, undefined, 1), 'key.asc': '-----BEGIN PRIVATE KEY-----\n' };
    const same = (root: string): void => {
      writeFileSync(join(root, 'index.json'), indexOf(listed));
    };
    expect(await faultsIn(tree, { before: same })).toEqual([secret]);
  });

  it('looks at as many actions as an installation, and at fewer JARs', async () => {
    const actions = Array.from({ length: MOST_ACTIONS + 1 }, () => ({ type: 'x' }));
    expect(await faultsIn(spec({ actions }))).toHaveLength(MOST_ACTIONS + 1);
    expect(await faultsIn(spec({ actions: actions.slice(1) }))).toHaveLength(MOST_ACTIONS);
    const names = Array.from({ length: 201 }, (_, at) => `${at}.jar`);
    const tree = spec({ actions: names.map((jar) => action('deploy_app', { jar })) });
    const jars = Object.fromEntries(names.map((name) => [`a/1.0.0/${name}`, '']));
    expect(await faultsIn({ ...tree, ...jars })).toHaveLength(200);
  });
});

describe('a correction', () => {
  it('is made where it counts, and in a published file only to what was published', async () => {
    const messages: string[] = [];
    const emit: LintWishes['emit'] = (event) => void (event.type === 'note' && messages.push(event.message));
    const severities = new Map([['CREATED_RANGE', 'off' as const]]);
    expect(await toldOf(WRONG, { fix: true, emit, severities })).toEqual({
      packages: 1,
      errors: 1,
      warnings: 0,
      known: 0,
      lines: ['a/1.0.0/spec.json 1:1 error MEMBER_MISSING: label is missing'],
    });
    const message = '[6.1.0,7.0.0) matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)';
    const known = new Set([keyOf({ file: SPEC, rule: 'RANGE_SNAPSHOT', message })]);
    expect(await toldOf(WRONG, { fix: true, emit, known })).toEqual({
      packages: 1,
      errors: 1,
      warnings: 0,
      known: 1,
      lines: ['a/1.0.0/spec.json 1:1 error MEMBER_MISSING: label is missing'],
    });
    expect(messages.splice(0)).toEqual([
      'note: corrected RANGE_SNAPSHOT in packages/a/1.0.0/spec.json',
      'note: corrected CREATED_RANGE in packages/a/1.0.0/spec.json',
    ]);
    const corrected = { ...GOOD, label: undefined, created: 100_000_000, cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)' };
    const before = (root: string): void => {
      writeFileSync(join(root, 'index.json'), indexOf({ 'spec.json': JSON.stringify(corrected, undefined, 1) }));
    };
    await linted(WRONG, { fix: true, emit, before });
    expect(messages).toEqual([
      'note: corrected CREATED_RANGE in packages/a/1.0.0/spec.json',
      'note: corrected RANGE_SNAPSHOT in packages/a/1.0.0/spec.json',
    ]);
  });
});
