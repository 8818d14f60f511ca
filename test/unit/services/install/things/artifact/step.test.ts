import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../../src/core/errors.js';
import type { StepHistory } from '../../../../../../src/services/install/action.js';
import { artifactStep, type ArtifactTarget } from '../../../../../../src/services/install/things/artifact/step.js';
import type { Platform } from '../../../../../../src/platform/client.js';
import { COMMANDS, contextWith, errorWith, NO_PLATFORM } from '../../support.js';
import { codeOf, errorOf, ours, saidBy } from '../../../../../support/errors.js';

type Properties = Readonly<Record<string, string>>;

const OURS = { doc: 'ours' };
const THEIRS = { owner: 'somebody else' };
const NEVER: StepHistory = { begun: false, done: false, facts: new Map() };
const BEGUN: StepHistory = { ...NEVER, begun: true };
const DONE: StepHistory = { ...BEGUN, done: true };
const knowing = (upload: string | number): StepHistory => ({ ...BEGUN, facts: new Map([['upload', upload]]) });

interface Present {
  readonly properties?: Properties;
  readonly plugins?: readonly string[];
  readonly force?: boolean;
}

const wantedOf = (version: string): ArtifactTarget => ({
  name: 'a',
  version,
  jar: { kind: 'hub', name: 'a.jar' },
  parents: [],
  plugins: [],
  properties: OURS,
});

const detailOf = (version: string, properties: Properties, plugins: readonly string[] = ['p']): unknown => ({
  name: 'a',
  version,
  scope: 'USER',
  properties,
  classes: { plugins: plugins.map((name) => ({ name, type: 'transform' })) },
});

/** What the step makes of an artifact that the platform shows. */
async function judge(
  version: string,
  history: StepHistory,
  { properties = {}, plugins = ['p'], force = false }: Present,
): Promise<string> {
  const detail = detailOf(version, properties, plugins);
  const platform: Platform = { ...NO_PLATFORM, find: async () => detail as never };
  try {
    const observation = await artifactStep(wantedOf(version)).observe(contextWith({ platform, history, force }));
    return observation.state === 'refused'
      ? ours(observation.error).code
      : `${observation.state}: ${observation.effect}`;
  } catch (error) {
    return ours(error).code;
  }
}

const WRITE = 'incomplete: write its properties';
const REPLACE = 'incomplete: replace the snapshot';
const THERE = 'done: already exists (content not compared)';

describe('a release that is there', () => {
  it.each([
    ['equal properties', NEVER, { properties: OURS }, THERE],
    ['none', NEVER, {}, WRITE],
    ['others', NEVER, { properties: THEIRS }, 'CONFLICT'],
    ['others, force', NEVER, { properties: THEIRS, force: true }, WRITE],
    ['others, our upload', knowing('applied'), { properties: THEIRS }, WRITE],
    ['none, cut off while it was uploaded', knowing('absent'), {}, WRITE],
    ['others, cut off while it was uploaded', knowing('absent'), { properties: THEIRS }, 'CONFLICT'],
    ['others, cut off before anything was sent', BEGUN, { properties: THEIRS }, 'CONFLICT'],
    ['others, our upload was refused', knowing('refused'), { properties: THEIRS }, 'CONFLICT'],
    ['others, changed since we were done', DONE, { properties: THEIRS }, 'CONFLICT'],
    ['no classes', NEVER, { plugins: [] }, 'REMOTE_FAILED'],
    ['no classes, equal properties', DONE, { plugins: [], properties: OURS }, 'REMOTE_FAILED'],
    ['no classes, force', NEVER, { plugins: [], force: true }, 'REMOTE_FAILED'],
  ] as const)('%s', async (_, history, present, expected) => {
    expect(await judge('1.0.0', history, present)).toBe(expected);
  });
});

describe('what is told of an artifact', () => {
  const told = async (version: string, history: StepHistory, present: Parameters<typeof detailOf>) => {
    const platform: Platform = { ...NO_PLATFORM, find: async () => detailOf(...present) as never };
    const observed = await artifactStep(wantedOf(version)).observe(contextWith({ platform, history }));
    return observed.state === 'refused' && [observed.effect, saidBy(observed.error)];
  };

  it('that has other properties', async () => {
    expect(await told('1.0.0', NEVER, ['1.0.0', THEIRS])).toEqual([
      'exists with other properties',
      {
        ...{ code: 'CONFLICT', message: 'artifact a 1.0.0 already exists with other properties', final: true },
        ...{ hints: [{ next: 'force-overwrite', what: 'properties' }], target: { artifact: 'a', version: '1.0.0' } },
      },
    ]);
  });

  it.each([
    [
      knowing('applied'),
      ['uninstall it, then install with another JAR or another version of the package:', COMMANDS.uninstall],
    ],
    [NEVER, ['if it is not needed, delete it: DELETE /v3/namespaces/default/artifacts/a/versions/1.0.0']],
  ])('that has no plugins', async (history, hints) => {
    expect(await told('1.0.0', history, ['1.0.0', OURS, []])).toEqual([
      'exists without its plugins',
      {
        code: 'REMOTE_FAILED',
        message: 'artifact a 1.0.0 was accepted, but the platform did not find any plugin in its JAR',
        lines: [
          'it is now in namespace default, and no pipeline can use it',
          'its JAR was probably built for another platform version; another version of it may work',
        ],
        ...{ hints, final: true, target: { artifact: 'a', version: '1.0.0', namespace: 'default' } },
      },
    ]);
  });

  it('that may have been replaced', async () => {
    const version = '1.0.0-SNAPSHOT';
    expect(saidBy(await errorOf(told(version, knowing(0), [version, {}])))).toEqual({
      code: 'UNKNOWN_OUTCOME',
      message: 'it is unknown whether an earlier run replaced the snapshot a 1.0.0-SNAPSHOT',
      hints: [{ next: 'do-again', how: 'upload' }],
      final: true,
    });
  });

  it('in its step', () => {
    const { title, target, material, jar } = artifactStep(wantedOf('1.0.0'));
    expect({ title, target, material, jar }).toEqual({
      title: 'artifact a 1.0.0',
      target: { kind: 'artifact', name: 'a', version: '1.0.0' },
      material: { name: 'a', version: '1.0.0', parents: [], plugins: [], properties: OURS },
      jar: { kind: 'hub', name: 'a.jar' },
    });
  });
});

describe('a snapshot that is there', () => {
  it.each([
    ['of somebody else', NEVER, { properties: OURS }, REPLACE],
    ['of somebody else, without classes', NEVER, { plugins: [] }, REPLACE],
    ['our very JAR', DONE, { properties: OURS }, THERE],
    ['our very JAR, killed before its properties', knowing('applied'), {}, WRITE],
    ['cut off before anything was sent', BEGUN, { properties: OURS }, REPLACE],
    ['new, killed while it was uploaded', knowing('absent'), {}, WRITE],
    ['replaced: the upload wiped the properties', knowing(2), {}, WRITE],
    ['not replaced: the properties still stand', knowing(2), { properties: OURS }, REPLACE],
    ['perhaps replaced: it had no properties', knowing(0), {}, 'UNKNOWN_OUTCOME'],
    ['not replaced: refused', knowing('refused'), { properties: OURS }, REPLACE],
  ] as const)('%s', async (_, history, present, expected) => {
    expect(await judge('1.0.0-SNAPSHOT', history, present)).toBe(expected);
  });
});

describe('an artifact that was absent when the plan was shown', () => {
  it.each([
    ['a release with other properties', '1.0.0', NEVER, THEIRS, 'CONFLICT'],
    ['a release without properties', '1.0.0', NEVER, {}, 'CONFLICT'],
    ['a release with the same properties', '1.0.0', NEVER, OURS, 'done'],
    ['a snapshot', '1.0.0-SNAPSHOT', NEVER, OURS, 'CONFLICT'],
    ['a release that a run of ours may have uploaded', '1.0.0', knowing('absent'), {}, 'wrote'],
    ['one of that kind with properties of others', '1.0.0', knowing('absent'), THEIRS, 'CONFLICT'],
  ] as const)('and has appeared meanwhile: %s', async (_, version, history, properties, expected) => {
    let wrote = 'done';
    const call = async (): Promise<never> => ((wrote = 'wrote'), undefined as never);
    const find = async (): Promise<never> => detailOf(version, wrote === 'wrote' ? OURS : properties) as never;
    const context = contextWith({ platform: { ...NO_PLATFORM, call, find }, history });
    const end = artifactStep(wantedOf(version)).apply(context, { state: 'absent', effect: '' });
    expect(await end.then(() => wrote).catch((error: unknown) => (error as CliError).code)).toBe(expected);
  });
});

describe('an upload that never left, and meets the artifact of somebody else when it is repeated', () => {
  it('is not taken for ours', async () => {
    const failures = [new CliError('NET_REFUSED', 'refused', { sent: 'no' }), new CliError('CONFLICT', 'there')];
    let present: unknown;
    const call = async (): Promise<never> => {
      const failure = failures.shift();
      if (failure?.code === 'CONFLICT') present = detailOf('1.0.0', THEIRS);
      throw failure ?? new Error('it wrote');
    };
    const platform = { ...NO_PLATFORM, call, find: async () => present as never };
    const context = contextWith({ platform, jar: { file: '/a.jar', bytes: 1, sha256: 'f' } });
    const end = artifactStep(wantedOf('1.0.0')).apply(context, { state: 'absent', effect: '' });
    expect(await codeOf(end)).toBe('CONFLICT');
    expect(failures).toEqual([]);
  });
});

describe('properties that are written', () => {
  it('are read back: a platform that accepts them and does not keep them is told of', async () => {
    const call = async (): Promise<never> => undefined as never;
    const find = async (): Promise<never> => detailOf('1.0.0', {}) as never;
    const context = contextWith({ platform: { ...NO_PLATFORM, call, find }, history: knowing('applied') });
    const end = artifactStep(wantedOf('1.0.0')).apply(context, { state: 'incomplete', effect: '' });
    await expect(end).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      message: expect.stringContaining('accepted the properties of artifact') as string,
    });
  });
});

describe('an upload that was applied', () => {
  it('is not called refused because the journal cannot be written', async () => {
    const noted: unknown[] = [];
    const note = async (_: string, value: unknown): Promise<void> => {
      noted.push(value);
      if (value === 'applied') throw errorWith('DISK_FULL');
    };
    const platform = { ...NO_PLATFORM, find: async () => undefined, call: async () => undefined as never };
    const context = contextWith({ platform, note, jar: { file: '/a.jar', bytes: 1, sha256: 'f' } });
    const end = artifactStep(wantedOf('1.0.0')).apply(context, { state: 'absent', effect: '' });
    expect(await codeOf(end)).toBe('DISK_FULL');
    expect(noted).toEqual(['absent', 'applied']);
  });
});
