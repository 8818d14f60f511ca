import { describe, expect, it } from 'vitest';
import { describeGap, findGaps, hasProposal, inputMissing } from '../../../../src/services/catalog/open-inputs.js';
import { action, argument, NO_INPUTS } from '../install/support.js';

const ACTIONS = [
  action(1, 'informational', argument('steps', ['Read'])),
  action(2, 'create_driver_artifact', argument('name', 'driver'), argument('config', 'driver.json')),
  action(
    3,
    'create_pipeline',
    argument('name', 'Copy', true),
    argument('artifact', { name: 'a' }),
    argument('config', 'c'),
  ),
];
const flags = (...args: Parameters<typeof findGaps>): string[] => findGaps(...args).map(({ flag }) => flag);

describe('gaps', () => {
  it('are a license, missing JARs, and arguments that may be changed', () => {
    expect(flags(ACTIONS, NO_INPUTS, { file: 'license.txt' })).toEqual([
      '--accept-license',
      '--jar 2=PATH',
      '--set 3.name=VALUE',
    ]);
  });

  it.each([
    ['--jar', { jars: new Map([[2, 'x.jar']]) }, ['--set 3.name=VALUE']],
    ['--set', { set: new Map([[3, new Map([['name', 'Other']])]]) }, ['--jar 2=PATH']],
    ['--set of a JAR in the hub', { set: new Map([[2, new Map([['jar', 'driver.jar']])]]) }, ['--set 3.name=VALUE']],
    ['--accept-license', { acceptLicense: true }, ['--jar 2=PATH', '--set 3.name=VALUE']],
  ])('are closed by %s', (_, inputs, rest) => {
    const license = 'acceptLicense' in inputs ? { file: 'license.txt' } : undefined;
    expect(flags(ACTIONS, { ...NO_INPUTS, ...inputs }, license)).toEqual(rest);
  });

  it('are required arguments that the package leaves empty', () => {
    const pipeline = action(
      1,
      'create_pipeline',
      argument('name', ''),
      argument('artifact', {}),
      argument('config', null),
    );
    expect(flags([pipeline], NO_INPUTS, undefined)).toEqual(['--set 1.name=VALUE', '--set 1.config=VALUE']);
  });

  it('are no JARs that are in the package, or that --jar gives instead', () => {
    const packaged = action(1, 'create_plugin_artifact', argument('name', 'p'), argument('jar', 'p.jar', true));
    expect(flags([packaged], NO_INPUTS, undefined)).toEqual(['--set 1.jar=VALUE']);
    expect(flags([packaged], { ...NO_INPUTS, jars: new Map([[1, 'mine.jar']]) }, undefined)).toEqual([]);
    const bare = action(1, 'one_step_deploy_plugin', argument('name', 'p'));
    expect(flags([bare], { ...NO_INPUTS, jars: new Map([[1, 'mine.jar']]) }, undefined)).toEqual([]);
  });

  it('of unknown types are left to who refuses those', () => {
    expect(flags([action(1, 'fly_to_the_moon', argument('speed', 1))], NO_INPUTS, undefined)).toEqual([]);
  });
});

describe('the refusal', () => {
  const gaps = findGaps(ACTIONS, NO_INPUTS, { file: 'license.txt' });

  it('lists every gap, and proposes one command without what -y takes', () => {
    const { code, message, details } = inputMissing(gaps, 'cdapctl install p');
    expect([code, message]).toEqual(['INPUT_MISSING', '3 inputs are missing']);
    expect(details.lines).toHaveLength(3);
    expect(details.hints).toEqual(['cdapctl install p --accept-license --jar 2=PATH -y --no-input']);
  });

  it('does not repeat flags that are there', () => {
    expect(inputMissing(gaps.slice(0, 1), 'cdapctl install p -y').details.hints).toEqual([
      'cdapctl install p -y --accept-license --no-input',
    ]);
  });

  it('has words for each kind', () => {
    expect(gaps.map(describeGap)).toEqual([
      'the license "license.txt" must be accepted',
      'action 2  JAR file for Label 2',
      'action 3  name (may be changed; -y accepts "Copy")',
    ]);
    expect(gaps.map(hasProposal)).toEqual([false, false, true]);
  });
});
