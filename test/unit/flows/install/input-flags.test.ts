import { describe, expect, it } from 'vitest';
import { describeGap, flagged, inputMissing, neededFlags } from '../../../../src/flows/install/input-flags.js';
import { findGaps, hasProposal } from '../../../../src/services/catalog/open-inputs.js';
import { action, ACTIONS, argument, NO_INPUTS } from '../../services/install/support.js';

describe('a gap', () => {
  it('is closed by its flag', () => {
    const odd = action(4, 'create_pipeline', argument('its name', 'x', true), argument('artifact', { name: 'a' }));
    const gaps = findGaps([...ACTIONS, odd], NO_INPUTS, { file: 'license.txt' });
    expect(flagged(gaps).map(({ flag }) => flag)).toEqual([
      ...['--accept-license', '--jar 2=PATH', '--set 3.name=VALUE', '--set 4.name=VALUE', '--set 4.config=VALUE'],
      "--set '4.its name=VALUE'",
    ]);
    expect(neededFlags(ACTIONS, { file: 'license.txt' })).toEqual(['--accept-license', '--jar 2=PATH']);
  });
});

describe('the refusal', () => {
  const gaps = findGaps(ACTIONS, NO_INPUTS, { file: 'license.txt' });

  it('lists every gap, and proposes one command without what -y takes', () => {
    const { code, message, details } = inputMissing(gaps, 'cdapctl install p');
    expect([code, message]).toEqual(['INPUT_MISSING', '3 inputs missing']);
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
      'action 3  name (can be changed; -y accepts "Copy")',
    ]);
    expect(gaps.map(hasProposal)).toEqual([false, false, true]);
  });
});
