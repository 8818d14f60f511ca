import { expect, it } from 'vitest';
import type { Look } from '../../../../src/output/look.js';
import { render } from '../../../../src/output/views/view.js';
import { settingList } from '../../../../src/output/views/setting.js';

const look: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const from = { origin: 'built-in', from: 'built-in' } as const;
const items = [
  { name: 'connectTimeout', value: 10_000, ...from },
  { name: 'retries', value: 3, ...from },
];

it.each([
  ['table', /connectTimeout +10s\b[\s\S]*retries +3\b/u],
  ['json', /10000/u],
] as const)('durations have their unit for people, and are milliseconds elsewhere: %s', async (format, shown) => {
  let text = '';
  for await (const piece of render(settingList, { items }, { format, look })) text += piece;
  expect(text).toMatch(shown);
});
