import { describe, expect, it } from 'vitest';
import { packageEntry } from '../../../src/hub/package-entry.js';

const PLACE = { name: 'a', version: '1.0.0' };
const GOOD = { label: 'A', categories: ['x'], actions: [], created: 1 };

/** The entry of a specification that is written as `text`, or as JSON of a good one with some members changed. */
function entryOf(changed: Readonly<Record<string, unknown>> | string) {
  const text = typeof changed === 'string' ? changed : JSON.stringify({ ...GOOD, ...changed });
  return packageEntry(PLACE, { json: JSON.parse(text) as Record<string, unknown>, text: () => text });
}
const faultsOf = (changed: Parameters<typeof entryOf>[0]) => entryOf(changed).faults.map(({ message }) => message);
const written = (member: string, text: string): unknown =>
  entryOf(`{"label":"A","categories":[],"actions":[],${JSON.stringify(member)}: ${text} }`).raw[member];

describe('the entry of a package', () => {
  it('has its members in the order of the packager, without those that are absent', () => {
    const all = ['paidLink', 'license', 'cdapVersion', 'org', 'author', 'description'];
    const changed = Object.fromEntries(all.map((member) => [member, 'x']));
    expect(Object.keys(entryOf({ ...changed, licenseInfo: {}, preview: true, other: 1 }).raw)).toEqual(
      'name version description label author org cdapVersion license licenseInfo created beta categories paid paidLink'.split(
        ' ',
      ),
    );
    const { raw, faults } = entryOf({ created: undefined, org: null, licenseInfo: null });
    expect(faults).toEqual([]);
    expect(raw).toEqual({ ...PLACE, label: 'A', created: 0, beta: false, categories: ['x'], paid: false });
  });

  it.each([
    ['cdapVersion', '6.10', '6.10'],
    ['author', '1E5', '1E5'],
    ['author', '-0', '0'],
    ['author', '-0.0', '-0.0'],
    ['org', '9223372036854775808', '9223372036854775808'],
    ['label', 'false', 'false'],
    ['categories', '[1.0, true, "1.0", 1.00]', ['1.0', 'true', '1.00']],
    ['licenseInfo', '{"url":2.50}', { url: '2.50' }],
    ['license', '"\\u0041"', 'A'],
  ])('takes %s written %s as text', (member, text, value) => {
    expect(written(member, text)).toEqual(value);
  });

  it.each([
    ['1.5e9', 1_500_000_000],
    ['"1500000000"', 1_500_000_000],
    ['" 1.5E9f "', 1_500_000_000],
    ['"+7"', 7],
    ['-1', -1],
    ['-0', 0],
    ['null', 0],
  ])('takes created written %s as a number', (text, value) => {
    expect(written('created', text)).toBe(value);
  });

  it.each([
    [{ beta: true }, true],
    [{ preview: true }, true],
    [{ beta: 'TRUE' }, true],
    [{ beta: false, preview: 'true' }, true],
    [{ beta: 'yes' }, false],
    [{ beta: null, preview: 'false' }, false],
  ])('of %j has beta %j', (changed, beta) => {
    expect(entryOf(changed)).toMatchObject({ raw: { beta }, faults: [] });
  });

  it.each([
    ['', false],
    ['https://example.com', true],
    [0, true],
  ])('with the paidLink %j has paid %j', (paidLink, paid) => {
    expect(entryOf({ paidLink }).raw).toMatchObject({ paid, paidLink: String(paidLink) });
  });

  it.each([
    [{ label: undefined }, 'label is missing'],
    [{ label: null }, 'label is missing'],
    [{ label: [] }, 'label is not text'],
    [{ specVersion: {} }, 'specVersion is not text'],
    [{ description: { en: 'x' } }, 'description is not text'],
    [{ licenseInfo: 'MIT' }, 'licenseInfo is not an object'],
    [{ licenseInfo: { name: [] } }, 'licenseInfo.name is not text'],
    [{ created: 1.5 }, 'created is not a whole number'],
    [{ created: 'now' }, 'created is not a whole number'],
    [{ created: '' }, 'created is not a whole number'],
    [{ created: true }, 'created is not a whole number'],
    [{ created: 2 ** 53 }, 'created is not a whole number'],
    [{ beta: 1 }, 'beta is neither true nor false'],
    [{ preview: [] }, 'preview is neither true nor false'],
    [{ categories: undefined }, 'categories is missing'],
    [{ categories: 'x' }, 'categories is not a list'],
    [{ categories: ['x', null] }, 'categories has an element that is null'],
    [{ categories: ['x', {}] }, 'categories has an element that is not text'],
    [{ actions: null }, 'actions is missing'],
    [{ actions: {} }, 'actions is not a list'],
    [{ actions: Array.from({ length: 2001 }, () => 1) }, 'actions has more than 2000 elements'],
    [{ actions: [null] }, 'action 1 is not an object'],
    [{ actions: [{ type: 'x' }, {}] }, 'action 2 has no type'],
    [{ actions: [{ type: '' }] }, 'action 1 has no type'],
    [{ actions: [{ type: [] }] }, 'action 1 has a type that is not text'],
    [{ actions: [{ type: 'x', label: {} }] }, 'action 1 has a label that is not text'],
    [{ actions: [{ type: 'x', arguments: {} }] }, 'action 1 has arguments that are not a list'],
    [{ actions: [{ type: 'x', arguments: [{}, 1] }] }, 'action 1 has an argument 2 that is not an object'],
    [
      { actions: [{ type: 'x', arguments: [{ name: [] }] }] },
      'action 1 has an argument 1 with a name that is not text',
    ],
    [
      { actions: [{ type: 'x', arguments: [{ canModify: 1 }] }] },
      'action 1 has an argument 1 with canModify neither true nor false',
    ],
  ])('of %j has the fault: %s', (changed, fault) => {
    expect(faultsOf(changed)).toEqual([fault]);
  });

  it('has all faults, and for readers the members as they are', () => {
    const { raw, faults } = entryOf({ label: ['x'], created: 'now', categories: 'x', actions: [1, {}] });
    expect(faults).toHaveLength(5);
    expect(faults.map(({ code }) => code).at(-1)).toBe('BAD_ACTION');
    expect(raw).toMatchObject({ label: ['x'], created: 'now', categories: 'x' });
  });

  it('takes what the packager does not look at', () => {
    const actions = [
      { type: 5, label: 1, arguments: [null, { name: 1, value: null, canModify: 'x' }] },
      { type: 'new' },
    ];
    expect(faultsOf({ specVersion: 1, cdapVersion: 'no range', actions })).toEqual([]);
    expect(faultsOf('{"__proto__":{"label":"x"},"categories":[],"actions":[]}')).toEqual(['label is missing']);
  });
});
