import { describe, expect, it } from 'vitest';
import { installedMarks } from '../../../../src/services/catalog/installed-marks.js';
import type { Candidate } from '../../../../src/services/catalog/choose.js';
import { itemOf } from '../../../../src/services/catalog/package-item.js';
import type { NamedHub } from '../../../../src/services/catalog/load.js';
import type { LedgerInstall } from '../../../../src/state/ledger.js';

const hubOf = (base: string): NamedHub => ({ name: base, source: { base } }) as unknown as NamedHub;
const install = (hub: string, state: LedgerInstall['state'], version = '1.0.0'): LedgerInstall =>
  ({ hub, package: 'copy', version, state }) as unknown as LedgerInstall;

const HUB = hubOf('https://hub.example.com/v2');
const OTHER = hubOf('https://other.example.com/v2');

describe('what is installed of a hub', () => {
  it.each([
    ['nothing', [], undefined],
    ['an install of it', [install('https://HUB.example.com/', 'installed')], 'installed'],
    ['an install of another hub', [install('https://other.example.com/v2', 'installed')], undefined],
    ['an install of another version', [install(HUB.source.base, 'installed', '2.0.0')], undefined],
    ['one that was removed', [install(HUB.source.base, 'removed')], undefined],
    ['one that was cut off', [install(HUB.source.base, 'partial')], 'partial'],
    ['two, one of them whole', [install(HUB.source.base, 'installed'), install(HUB.source.base, 'left')], 'installed'],
    [
      'two, the second of them whole',
      [install(HUB.source.base, 'left'), install(HUB.source.base, 'installed')],
      'installed',
    ],
  ])('follows from %s', (_, installs, state) => {
    expect(installedMarks([HUB], installs).get(HUB)?.get('copy@1.0.0')).toBe(state);
  });

  it('is told of the package versions that are, and of hubs with others', () => {
    const item = (version: string, marks?: ReturnType<typeof installedMarks>, hub = HUB) =>
      itemOf({ hub, entry: { name: 'copy', version }, compatibility: {} } as unknown as Candidate, marks).installed;
    const marks = installedMarks([HUB, OTHER], [install(HUB.source.base, 'left')]);
    expect([item('1.0.0', marks), item('2.0.0', marks)]).toEqual(['left', undefined]);
    expect([item('1.0.0', marks, OTHER), item('1.0.0')]).toEqual([undefined, undefined]);
  });
});
