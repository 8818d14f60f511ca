import { expect, it } from 'vitest';
import { bytesOf, TextStore } from '../../../../src/services/hosting/build/text-store.js';

it('keeps texts of any length, each as it was', () => {
  const store = new TextStore();
  const texts = ['a', '\u00e9\u{1f600}', 'x'.repeat(1_048_575), 'y', 'z'.repeat(3_000_000), '\u00e9', ''];
  const kept = texts.map((text) => store.add(text));
  expect(kept.map((one) => Buffer.from(bytesOf(one)).toString())).toEqual(texts);
  expect(new Set(kept.map(({ block }) => block)).size).toBe(4);
});
