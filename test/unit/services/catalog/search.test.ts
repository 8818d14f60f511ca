import { describe, expect, it } from 'vitest';
import type { CatalogEntry } from '../../../../src/hub/catalog.js';
import { matchesText } from '../../../../src/services/catalog/search.js';

const entry = {
  name: 'order-import',
  label: 'Orders',
  author: 'Jane Doe',
  categories: ['usecase'],
} as unknown as CatalogEntry;

describe('a search', () => {
  it.each([
    ['ORDER', true],
    ['import order', true],
    ['jane  usecase', true],
    ['order export', false],
    ['orderimport', false],
  ])('for %j finds it: %s', (text, found) => {
    expect(matchesText(entry, text)).toBe(found);
  });
});
