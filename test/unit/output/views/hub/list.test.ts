import { describe, expect, it, vi } from 'vitest';
import type { Look } from '../../../../../src/output/look.js';
import { render } from '../../../../../src/output/views/view.js';
import { packageList, packageListOfHubs } from '../../../../../src/output/views/hub/list.js';
import type { PackageItem } from '../../../../../src/services/catalog/package-item.js';

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const item: PackageItem = {
  hub: 'a-hub-of-the-company',
  name: 'example-postgres-driver-with-a-long-name',
  version: '42.7.0',
  label: 'PostgreSQL driver',
  cdapVersion: '[6.1.0-SNAPSHOT,7.0.0-SNAPSHOT)',
  categories: ['3rd-party-artifact', 'EDW Offloading'],
  beta: false,
  preview: false,
  paid: false,
  compatible: true,
  compatibility: { platform: undefined, reason: undefined, compatible: true },
  actions: ['informational', 'create_driver_artifact'],
};

async function textOf(format: 'csv' | 'table', look = plain, more: Partial<PackageItem> = {}): Promise<string> {
  let text = '';
  for await (const piece of render(packageListOfHubs, { items: [{ ...item, ...more }] }, { format, look }))
    text += piece;
  return text;
}

it('packages on a narrow terminal are shown without PLATFORM first, then without CATEGORIES', async () => {
  const other = {
    ...item,
    name: 'copy',
    version: '1.0.0',
    label: 'Copy',
    cdapVersion: 'any',
    categories: ['pipeline'],
  };
  const items = [item, { ...other, beta: true }];
  const headings = new Set<string>();
  for (let columns = 200; columns > 90; columns -= 5) {
    const look = { ...plain, terminal: true, columns };
    let text = '';
    for await (const piece of render(packageList, { items }, { format: 'table', look })) text += piece;
    headings.add(text.slice(0, text.indexOf('\n')).replaceAll(/ +/gu, ' '));
  }
  expect([...headings].slice(0, 3)).toEqual([
    'NAME VERSION LABEL CATEGORIES PLATFORM FLAGS',
    'NAME VERSION LABEL CATEGORIES FLAGS',
    'NAME VERSION LABEL FLAGS',
  ]);
});

describe('packages of several hubs', () => {
  it('have no flags and their actions in csv', async () => {
    const [head = '', row = ''] = (await textOf('csv')).split('\r\n');
    expect(head).toBe('hub,name,version,label,categories,cdapVersion,flags,author,org,createdAt,actions');
    expect(row.endsWith(',,,,,"[""informational"",""create_driver_artifact""]"')).toBe(true);
  });

  it('have the day in UTC in csv, by whatever clock it is read', async () => {
    const offset = vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-9 * 60);
    expect(await textOf('csv', { ...plain, utc: false }, { created: 1_714_687_260 })).toContain(',2024-05-02,');
    offset.mockRestore();
  });

  it.each([
    ['installed', 'installed,beta'],
    ['partial', 'partly installed,beta'],
    [undefined, 'beta'],
  ] as const)('have a mark where they are %s', async (installed, flags) => {
    const [, row] = (await textOf('table', plain, { installed, beta: true })).split('\n');
    expect(row?.split(/ {2,}/u)).toContain(flags);
  });

  it.each(['BELOW', 'ABOVE'] as const)('have a mark where the platform is %s of their range', async (reason) => {
    const compatibility = { platform: '5.0.0', reason, compatible: false };
    const [, row] = (await textOf('table', plain, { compatibility, compatible: false })).split('\n');
    expect(row?.split(/ {2,}/u)).toContain('not compatible');
  });

  it('keep hub and name whole on a narrow terminal', async () => {
    const text = await textOf('table', { ...plain, terminal: true, columns: 80 });
    expect(text).toContain(`${item.hub}  ${item.name}  `);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
