import { describe, expect, it } from 'vitest';
import { choosePlugin, type PluginChoice } from '../../../../../src/services/upgrade/plugins/choose-plugin.js';
import { offer, recordedOffers, use } from '../support.js';

/** A choice in short: `change 1.10.0`, `same 1.0.0`, `left MESSAGE`, `blocked REASON`. */
function short(choice: PluginChoice): string {
  if (choice.kind === 'change') {
    expect(choice.offer.artifact.version).toBe(choice.to);
    return `change ${choice.to}`;
  }
  if (choice.kind === 'same') return `same ${choice.offer.artifact.version}`;
  const { stage } = choice.kind === 'left' ? choice.note : choice.finding;
  expect(stage).toBe('n');
  return choice.kind === 'left' ? `left ${choice.note.message}` : `blocked ${choice.finding.reason}`;
}

const choose = (text: string, offers: readonly string[], selection = {}): string =>
  short(
    choosePlugin(
      use(text),
      offers.map((each) => offer(each)),
      { snapshots: false, ...selection },
    ),
  );

const CORE = ['core-plugins 2.2.0', 'core-plugins 2.12.0', 'core-plugins 2.13.0', 'core-plugins 2.14.0-SNAPSHOT'];
const ranged = 'is a version range and is kept';

describe('the version of a plugin', () => {
  // the platform's own upgrade chooses by the same rule: recordings u2-after, u2-snap-after and u2-fromsnap-after of 6.11.0
  it.each([
    ['6.11.0', 'noop 1.0.0 user', false, 'change 1.10.0'],
    ['6.11.0', 'noop 1.10.0 user', false, 'same 1.10.0'],
    ['6.11.0', 'noop 2.0.0-SNAPSHOT user', false, 'same 2.0.0-SNAPSHOT'],
    ['6.11.0', 'noop 1.0.0 user', true, 'change 4.0.0.SNAPSHOT'],
    ['6.11.0', 'noop-emptyver 1.1.0 user', false, 'same 1.1.0'],
    ['6.1.1', 'noop 1.1.0 user', false, 'change 1.10.0'],
    ['6.1.1', 'noop 2.0.0-SNAPSHOT user', true, 'change 4.0.0.SNAPSHOT'],
  ])('of what %s offers, for %s, snapshots %s', async (platform, text, snapshots, expected) => {
    const offers = await recordedOffers(platform, 'ext-plugin');
    expect(short(choosePlugin(use(text), offers, { snapshots }))).toBe(expected);
  });

  it.each([
    ['core-plugins 2.2.0', 'change 2.13.0'],
    ['core-plugins 2.13.0-SNAPSHOT', 'change 2.13.0'],
    ['core-plugins 2.13.0', 'same 2.13.0'],
    ['core-plugins 2.14.0-SNAPSHOT', 'same 2.14.0-SNAPSHOT'],
    ['core-plugins 02.13.0', 'same 2.13.0'],
    [
      'core-plugins 2.14.0',
      'blocked no core-plugins 2.14.0 is available for the target, only 2.14.0-SNAPSHOT, 2.13.0, 2.12.0, 2.2.0',
    ],
    ['core-plugins [2.0.0,2.13.0)', `left core-plugins [2.0.0,2.13.0) ${ranged}`],
    ['core-plugins [2.13.0,2.13.0]', `left core-plugins [2.13.0,2.13.0] ${ranged}`],
    [
      'core-plugins (2.13.0,2.14.0-SNAPSHOT)',
      'blocked no core-plugins (2.13.0,2.14.0-SNAPSHOT) is available for the target, only 2.14.0-SNAPSHOT, 2.13.0, 2.12.0, 2.2.0',
    ],
    ['core-plugins [2.0.0]', 'blocked [2.0.0] is not a version range'],
    ['core-plugins ${version}', 'blocked ${version} is not a version'],
    ['', 'left Noop has no artifact version: the platform chooses one'],
  ])('%s among those of core-plugins', (text, expected) => {
    expect(choose(text, CORE)).toBe(expected);
  });

  it('is the highest offered one when the present one is gone', () => {
    expect(choose('core-plugins 2.3.0', CORE)).toBe('change 2.13.0');
  });

  it('stays within the artifact and its scope', () => {
    const offers = ['noop 1.0.0 user', 'noop 2.0.0', 'other 3.0.0 user'];
    expect(choose('noop 1.0.0 user', offers)).toBe('same 1.0.0');
  });

  it('is blocked where its artifact is not offered, and the others are named', () => {
    const offers = ['noop 1.0.0', 'noop 1.10.0', 'noop 1.2.0 user', 'other 3.0.0 user'];
    expect(choose('gone 1.0.0 user', offers)).toBe(
      'blocked no version of gone (user scope) is available for the target: it was removed or does not extend the target; ' +
        'Noop is also in other 3.0.0 (user scope), noop 1.10.0 (system scope), noop 1.2.0 (user scope)',
    );
    expect(choose('gone 1.0.0', [])).toMatch(/^blocked no version of gone \(system scope\) [^;]*$/u);
    expect(choose('gone [1.0.0,2.0.0)', ['noop 1.0.0'])).toMatch(/^blocked no version of gone .*noop 1\.0\.0/u);
  });

  it('is blocked where only snapshots are offered that nobody asked for', () => {
    expect(choose('noop 1.0.0', ['noop 2.0.0-SNAPSHOT'])).toMatch(/^blocked only snapshots of noop/u);
    expect(choose('noop 1.0.0', ['noop 2.0.0-SNAPSHOT'], { snapshots: true })).toBe('change 2.0.0-SNAPSHOT');
  });

  it('is blocked without an artifact where none offers the plugin', () => {
    expect(choose('', [])).toBe('blocked no artifact has a transform with this name for the target');
  });
});

describe('the version of a plugin when only some are to change', () => {
  const only = (entries: Record<string, string | undefined>) => ({ only: new Map(Object.entries(entries)) });

  it.each([
    ['not named', 'core-plugins 2.2.0', { other: undefined }, 'same 2.2.0'],
    ['not named, a snapshot', 'core-plugins 2.14.0-SNAPSHOT', { other: undefined }, 'same 2.14.0-SNAPSHOT'],
    ['not named and gone', 'core-plugins 2.3.0', { other: undefined }, 'blocked no core-plugins 2.3.0 is available'],
    ['not named, a range', 'core-plugins [2.0.0,3.0.0)', { other: undefined }, 'left core-plugins [2.0.0,3.0.0)'],
    ['named', 'core-plugins 2.2.0', { 'core-plugins': undefined }, 'change 2.13.0'],
    ['named with a version', 'core-plugins 2.2.0', { 'core-plugins': '2.12.0' }, 'change 2.12.0'],
    ['named with its own version', 'core-plugins 2.12.0', { 'core-plugins': '2.12.0' }, 'same 2.12.0'],
    ['named with a snapshot', 'core-plugins 2.2.0', { 'core-plugins': '2.14.0-SNAPSHOT' }, 'change 2.14.0-SNAPSHOT'],
    [
      'named with an absent version',
      'core-plugins 2.2.0',
      { 'core-plugins': '2.5.0' },
      'blocked no core-plugins 2.5.0',
    ],
    ['named with what is no version', 'core-plugins 2.2.0', { 'core-plugins': 'x' }, 'blocked no core-plugins x is'],
    [
      'named with a lower version',
      'core-plugins 2.13.0',
      { 'core-plugins': '2.12.0' },
      'blocked core-plugins 2.13.0 is newer than the requested 2.12.0',
    ],
  ])('and its artifact is %s', (_, text, entries, expected) => {
    expect(choose(text, CORE, only(entries)).slice(0, expected.length)).toBe(expected);
  });
});
