import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseRange } from '../../../../../../src/core/version-range.js';
import { makeDriverClass } from '../../../../../../src/emulator/jar/make-class.js';
import { makeJar } from '../../../../../../src/emulator/jar/make-jar.js';
import { getArtifact } from '../../../../../../src/platform/artifacts.js';
import { artifactKind } from '../../../../../../src/services/install/things/artifact/kind.js';
import type { ArtifactParent } from '../../../../../../src/services/install/things/artifact/parents.js';
import { artifactStep, type ArtifactTarget } from '../../../../../../src/services/install/things/artifact/step.js';
import { NEVER } from '../../../../../support/clock.js';
import { errorOf, saidBy } from '../../../../../support/errors.js';
import { stepArtifacts } from '../../../../../support/sites/upgrade-seed.js';
import { temporaryFolder } from '../../../../state/support.js';
import { answer, inMemory, type InMemory, loseAnswer } from '../../../in-memory-platform.js';
import { COMMANDS, contextOn } from '../../support.js';

const CLASS = 'org.example.jdbc.MemoryDriver';
const file = join(temporaryFolder(), 'memory.jar');
const bytes = makeJar({
  manifest: {},
  entries: [{ name: `${CLASS.replaceAll('.', '/')}.class`, bytes: makeDriverClass(CLASS) }],
});
writeFileSync(file, bytes);
const jar = { file, bytes: bytes.length, sha256: 'f' };

function parent(system: boolean, name: string, range: string): ArtifactParent {
  const parsed = parseRange(range);
  if (parsed === undefined) throw new Error('the range cannot be read');
  return { system, name, range: parsed, text: `${system ? 'system:' : ''}${name}${range}` };
}
const PIPELINE = parent(true, 'cdap-data-pipeline', '[6.0.0,7.0.0)');
const plugin = {
  ...{ name: 'memory', type: 'jdbc', className: CLASS, description: undefined },
  raw: { name: 'memory', type: 'jdbc', className: CLASS },
};
const driver = (changes: Partial<ArtifactTarget> = {}) =>
  artifactStep({
    ...{ name: 'memory', version: '1.0.0', jar: { kind: 'hub', name: 'memory.jar' }, parents: [] },
    ...{ plugins: [plugin], properties: { doc: 'ours' }, ...changes },
  });

const absent = { state: 'absent', effect: '' } as const;
const POST = 'POST /v3/namespaces/default/artifacts/memory';
const PROPERTIES = 'PUT /v3/namespaces/default/artifacts/memory/versions/1.0.0/properties';
const shown = ({ platform }: InMemory) =>
  platform.call(getArtifact, { namespace: 'default', name: 'memory', version: '1.0.0' }, NEVER);

describe('an artifact that is wanted', () => {
  it('is a step of all that makes it', () => {
    const { title, target, material, jar: from } = driver({ parents: [PIPELINE] });
    expect({ title, target, material, jar: from }).toEqual({
      title: 'artifact memory 1.0.0',
      target: { kind: 'artifact', name: 'memory', version: '1.0.0' },
      material: {
        name: 'memory',
        version: '1.0.0',
        parents: ['system:cdap-data-pipeline[6.0.0,7.0.0)'],
        plugins: [plugin.raw],
        properties: { doc: 'ours' },
      },
      jar: { kind: 'hub', name: 'memory.jar' },
    });
  });

  const needsNone = parent(true, 'cdap-data-pipeline', '[9.0.0,10.0.0)');
  it.each<[string, readonly ArtifactParent[], string]>([
    ['nothing', [], 'create'],
    ['one artifact', [PIPELINE], 'create, extends 1 artifact'],
    ['two artifacts of which one is there', [needsNone, PIPELINE], 'create, extends 2 artifacts'],
  ])('and extends %s can be made', async (_, parents, effect) => {
    expect(await driver({ parents }).observe(contextOn(inMemory({})))).toEqual({ state: 'absent', effect });
  });

  const versions = ['find a compatible version:', COMMANDS.versions];
  it.each<[string, readonly ArtifactParent[], string, readonly unknown[]]>([
    ['is not there', [needsNone], 'system:cdap-data-pipeline[9.0.0,10.0.0)', versions],
    [
      'are not there',
      [needsNone, parent(false, 'till', '[1.0.0,2.0.0)')],
      'system:cdap-data-pipeline[9.0.0,10.0.0), till[1.0.0,2.0.0)',
      versions,
    ],
    [
      'is there in the scope of the system only',
      [parent(false, 'cdap-data-pipeline', '[6.0.0,7.0.0)')],
      'cdap-data-pipeline[6.0.0,7.0.0)',
      [{ next: 'system-parent', namespace: 'default' }],
    ],
  ])('and extends what %s cannot be made', async (_, parents, names, hints) => {
    const observed = await driver({ parents }).observe(contextOn(inMemory({})));
    expect(observed).toMatchObject({ state: 'refused', effect: 'its parents are missing' });
    expect(observed.state === 'refused' && saidBy(observed.error)).toEqual({
      code: 'CONFLICT',
      message: `the plugin extends artifacts that this platform does not have: ${names}`,
      hints,
    });
  });

  it.each([
    [{ kind: 'artifact', name: 'till', version: '1.5.0' }, 'absent'],
    [{ kind: 'application', name: 'till', version: '1.5.0' }, 'absent'],
    [{ kind: 'artifact', name: 'till', version: '2.0.0' }, 'refused'],
    [{ kind: 'artifact', name: 'till' }, 'refused'],
    [{ kind: 'pipeline', name: 'till', version: '1.5.0' }, 'refused'],
  ] as const)('may extend what an earlier step makes: %j', async (upcoming, state) => {
    const context = contextOn(inMemory({}), { upcoming: [upcoming] });
    expect(await driver({ parents: [parent(false, 'till', '[1.0.0,2.0.0)')] }).observe(context)).toMatchObject({
      state,
    });
  });
});

describe('an upload', () => {
  it('sends the JAR with its parents and plugins, then the properties, and notes both', async () => {
    const site = inMemory({});
    const notes: unknown[] = [];
    const note = async (name: string, value: unknown): Promise<void> => void notes.push([name, value]);
    await driver({ parents: [PIPELINE] }).apply(contextOn(site, { jar, note }), absent);
    expect(site.writes()).toEqual([POST, PROPERTIES]);
    expect(await shown(site)).toMatchObject({
      properties: { doc: 'ours' },
      classes: { plugins: [{ name: 'memory', type: 'jdbc', className: CLASS }] },
      parents: [{ name: 'cdap-data-pipeline' }],
    });
    expect(notes).toEqual([
      ['upload', 'absent'],
      ['upload', 'applied'],
    ]);
    expect(await driver().observe(contextOn(site))).toEqual({
      state: 'done',
      effect: 'already exists (content not compared)',
      unproven: true,
    });
  });

  it('sends no properties where none are wanted', async () => {
    const site = inMemory({});
    await driver({ properties: {} }).apply(contextOn(site, { jar }), absent);
    expect(site.writes()).toEqual([POST]);
  });

  it('replaces a snapshot, and notes how many properties that had', async () => {
    const snapshot = driver({ version: '1.0.0-SNAPSHOT' });
    const site = inMemory({});
    await snapshot.apply(contextOn(site, { jar }), absent);
    const observed = await snapshot.observe(contextOn(site));
    expect(observed).toEqual({ state: 'incomplete', effect: 'replace the snapshot' });
    const notes: unknown[] = [];
    site.asked.length = 0;
    await snapshot.apply(contextOn(site, { jar, note: async (_, value) => void notes.push(value) }), observed);
    expect([notes, site.writes().length]).toEqual([[1, 'applied'], 2]);
  });

  it('of a snapshot whose answer is lost has an unknown outcome', async () => {
    const snapshot = driver({ version: '1.0.0-SNAPSHOT' });
    const site = inMemory({});
    await snapshot.apply(contextOn(site, { jar }), absent);
    site.breaking(async ({ line }) => (line === POST ? answer(502) : undefined));
    const context = contextOn(site, { jar });
    const error = await errorOf(snapshot.apply(context, { state: 'incomplete', effect: '' }));
    expect([error.code, error.message]).toEqual([
      'UNKNOWN_OUTCOME',
      'the upload of memory 1.0.0-SNAPSHOT was sent, but it is unknown whether the platform applied it',
    ]);
    expect((error.details.cause as Error).message).toBe(
      'a replaced snapshot cannot be distinguished from the previous one',
    );
    expect(context.facts.get('upload')).toBe(1);
  });

  it.each([
    ['arrived', true, [POST, PROPERTIES], []],
    [
      'did not arrive',
      false,
      [POST, POST, PROPERTIES],
      ['the upload of memory 1.0.0: the response was lost and nothing was applied; sending it again'],
    ],
  ])('whose answer is lost and that %s', async (_, arrives, writes, warnings) => {
    const site = inMemory({});
    loseAnswer(site, POST, arrives);
    const context = contextOn(site, { jar });
    await driver().apply(context, absent);
    expect([site.writes(), context.warnings, context.facts.get('upload')]).toEqual([writes, warnings, 'applied']);
  });

  it('that is refused is noted so', async () => {
    const site = inMemory({});
    site.breaking(async ({ line }) => (line === POST ? answer(403) : undefined));
    const context = contextOn(site, { jar });
    expect((await errorOf(driver().apply(context, absent))).code).toBe('FORBIDDEN');
    expect(context.facts.get('upload')).toBe('refused');
  });

  it('that somebody else was faster with is warned of, and theirs keeps its properties', async () => {
    const site = inMemory({});
    site.breaking(async ({ line }) => {
      if (line !== POST) return undefined;
      site.breaking(async () => undefined);
      await driver({ properties: { doc: 'theirs' } }).apply(contextOn(site, { jar }), absent);
      return answer(409);
    });
    const context = contextOn(site, { jar });
    expect(saidBy(await errorOf(driver().apply(context, absent)))).toEqual({
      code: 'CONFLICT',
      message: 'artifact memory 1.0.0 already exists with other properties',
      hints: [{ next: 'force-overwrite', what: 'properties' }],
      final: true,
      target: { artifact: 'memory', version: '1.0.0' },
    });
    expect(context.warnings).toEqual([
      'artifact memory 1.0.0 was created by someone else in the meantime; content not compared',
    ]);
    expect([context.facts.get('upload'), (await shown(site)).properties]).toEqual(['refused', { doc: 'theirs' }]);
  });

  it('that the platform does not show is an error', async () => {
    const site = inMemory({});
    site.breaking(async ({ line }) => (line === POST ? answer(200) : undefined));
    expect(saidBy(await errorOf(driver().apply(contextOn(site, { jar }), absent)))).toEqual({
      code: 'BAD_ANSWER',
      message: 'the platform accepted artifact memory 1.0.0, but does not return it',
    });
  });

  it('whose properties the platform does not show is an error', async () => {
    const site = inMemory({});
    site.breaking(async ({ line }) => (line === PROPERTIES ? answer(200) : undefined));
    expect(saidBy(await errorOf(driver().apply(contextOn(site, { jar }), absent)))).toEqual({
      code: 'BAD_ANSWER',
      message: 'the platform accepted the properties of artifact memory 1.0.0, but does not return them',
      target: { artifact: 'memory', version: '1.0.0' },
    });
  });

  it('without a staged JAR is a defect', async () => {
    await expect(driver().apply(contextOn(inMemory({})), absent)).rejects.toThrow('the JAR is not staged');
  });
});

describe('an artifact without its plugins', () => {
  const lines = [
    'it is now in namespace default, and no pipeline can use it',
    'its JAR was probably built for another platform version; another version of it may work',
  ];
  const at = { artifact: 'memory', version: '1.0.0', namespace: 'default' };
  const ours = ['uninstall it, then install with another JAR or another version of the package:', COMMANDS.uninstall];
  const theirs = ['if it is not needed, delete it: DELETE /v3/namespaces/default/artifacts/memory/versions/1.0.0'];
  it.each<[string, ArtifactTarget['plugins'], string, Record<string, unknown>, readonly string[]]>([
    ['of somebody else', [], 'any plugin', {}, theirs],
    ['of an upload of ours', [], 'any plugin', { upload: 'applied' }, ours],
    ['of an upload that was refused', [], 'any plugin', { upload: 'refused' }, theirs],
    ['that lacks the one that is declared', [plugin], 'the jdbc plugin "memory"', {}, theirs],
    ['that lacks one without a type', [{ ...plugin, type: undefined }], 'the declared plugin "memory"', {}, theirs],
  ])('%s is refused', async (_name, plugins, missing, noted, hints) => {
    const site = inMemory({ artifacts: [{ name: 'memory', version: '1.0.0' }] });
    const observed = await driver({ plugins }).observe(contextOn(site, {}, noted));
    expect(observed).toMatchObject({ state: 'refused', effect: 'exists without its plugins' });
    expect(observed.state === 'refused' && saidBy(observed.error)).toEqual({
      code: 'REMOTE_FAILED',
      message: `artifact memory 1.0.0 was accepted, but the platform did not find ${missing} in its JAR`,
      lines,
      hints,
      final: true,
      target: at,
    });
  });

  it('is one where a plugin of the name has another type, and none where it is an application', async () => {
    const named = (artifact: object) => inMemory({ artifacts: [{ name: 'memory', version: '1.0.0', ...artifact }] });
    const other = named({ plugins: [{ type: 'other', name: 'memory', className: CLASS }] });
    expect(await driver().observe(contextOn(other))).toMatchObject({ state: 'refused' });
    const plain = named({ plugins: [{ type: 'plugin', name: 'memory', className: CLASS }] });
    expect(await driver({ plugins: [{ ...plugin, type: undefined }] }).observe(contextOn(plain))).toMatchObject({
      state: 'incomplete',
      effect: 'write its properties',
    });
    const application = named({ applications: [{ className: CLASS }] });
    expect(await driver({ plugins: [], properties: {} }).observe(contextOn(application))).toMatchObject({
      state: 'done',
    });
  });
});

describe('what uses an artifact', () => {
  it('is what extends it, in its own scope, itself left out', async () => {
    const till = { type: 'action', name: 'Till', className: 'example.Till' };
    const base = { name: 'base', version: '1.0.0', plugins: [till], parents: 'base[1.0.0,2.0.0)' };
    const site = inMemory({
      artifacts: [
        ...stepArtifacts('6.11.0'),
        base,
        { ...base, name: 'one' },
        { ...base, name: 'one', version: '1.1.0' },
        { ...base, name: 'other', parents: 'system:cdap-data-pipeline[6.0.0,7.0.0)' },
      ],
    });
    const thing = { kind: 'artifact', name: 'base', version: '1.0.0' };
    const system = { name: 'Sum', type: 'action', artifact: { name: 'two', version: '1.0.0', scope: 'SYSTEM' } };
    site.breaking(async ({ line }, itself) => {
      if (!line.includes('/extensions/')) return undefined;
      return answer(200, JSON.stringify([...(JSON.parse((await itself()).body.toString()) as object[]), system]));
    });
    const users = await artifactKind.users?.(thing, contextOn(site));
    expect(users?.known).toEqual([
      { kind: 'artifact', name: 'one', version: '1.0.0' },
      { kind: 'artifact', name: 'one', version: '1.1.0' },
    ]);
    expect(await artifactKind.users?.({ ...thing, version: '9.0.0' }, contextOn(site))).toBeUndefined();
    expect(await artifactKind.applications(thing, contextOn(site))).toEqual([]);
  });
});

describe('what an artifact is like', () => {
  const driverOf = (artifact: object) => inMemory({ artifacts: [{ name: 'memory', version: '1.0.0', ...artifact }] });
  const one = { type: 'a', name: 'A', className: 'x.A' };
  const two = { type: 'b', name: 'B', className: 'x.B' };
  const look = (site: InMemory) =>
    artifactKind.look({ kind: 'artifact', name: 'memory', version: '1.0.0' }, contextOn(site));

  it('is told by its plugins, applications and properties, in any order', async () => {
    const whole = {
      plugins: [one, two],
      properties: { a: '1' },
      applications: [{ className: 'x.S' }, { className: 'x.T' }],
    };
    const turned = { ...whole, plugins: [two, one], applications: [{ className: 'x.T' }, { className: 'x.S' }] };
    const same = await look(driverOf(whole));
    expect(await look(driverOf(turned))).toEqual(same);
    for (const change of [
      { plugins: [one] },
      { plugins: [{ ...one, className: 'x.C' }, two] },
      { plugins: [{ ...one, type: 'c' }, two] },
      { plugins: [{ ...one, name: 'C' }, two] },
      { properties: {} },
      { applications: [{ className: 'x.S' }] },
    ])
      expect(await look(driverOf({ ...whole, ...change }))).not.toEqual(same);
  });
});
