import { describe, expect, it } from 'vitest';
import { findGaps } from '../../../../src/services/catalog/open-inputs.js';
import { action, ACTIONS, argument, NO_INPUTS } from '../install/support.js';

const open = (...args: Parameters<typeof findGaps>): string[] =>
  findGaps(...args).map((gap) =>
    gap.kind === 'license' ? gap.file : `${gap.n} ${gap.kind === 'jar' ? 'jar' : gap.name}`,
  );

describe('gaps', () => {
  it('are a license, missing JARs, and arguments that may be changed', () => {
    expect(open(ACTIONS, NO_INPUTS, { file: 'license.txt' })).toEqual(['license.txt', '2 jar', '3 name']);
  });

  it.each([
    ['--jar', { jars: new Map([[2, 'x.jar']]) }, ['3 name']],
    ['--set', { set: new Map([[3, new Map([['name', 'Other']])]]) }, ['2 jar']],
    ['--set of a JAR in the hub', { set: new Map([[2, new Map([['jar', 'driver.jar']])]]) }, ['3 name']],
    ['--accept-license', { acceptLicense: true }, ['2 jar', '3 name']],
  ])('are closed by %s', (_, inputs, rest) => {
    const license = 'acceptLicense' in inputs ? { file: 'license.txt' } : undefined;
    expect(open(ACTIONS, { ...NO_INPUTS, ...inputs }, license)).toEqual(rest);
  });

  it('are required arguments that the package leaves empty', () => {
    const pipeline = action(
      1,
      'create_pipeline',
      argument('name', ''),
      argument('artifact', {}),
      argument('config', null),
    );
    expect(open([pipeline], NO_INPUTS, undefined)).toEqual(['1 name', '1 config']);
  });

  it('are no JARs that are in the package, or that --jar gives instead', () => {
    const packaged = action(1, 'create_plugin_artifact', argument('name', 'p'), argument('jar', 'p.jar', true));
    expect(open([packaged], NO_INPUTS, undefined)).toEqual(['1 jar']);
    expect(open([packaged], { ...NO_INPUTS, jars: new Map([[1, 'mine.jar']]) }, undefined)).toEqual([]);
    const bare = action(1, 'one_step_deploy_plugin', argument('name', 'p'));
    expect(open([bare], { ...NO_INPUTS, jars: new Map([[1, 'mine.jar']]) }, undefined)).toEqual([]);
  });

  it('of unknown types are left to who refuses those', () => {
    expect(open([action(1, 'fly_to_the_moon', argument('speed', 1))], NO_INPUTS, undefined)).toEqual([]);
  });
});
