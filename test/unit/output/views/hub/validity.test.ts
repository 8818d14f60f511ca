import { expect, it } from 'vitest';
import type { Format } from '../../../../../src/output/format.js';
import { hubMirror } from '../../../../../src/output/views/hub/mirror.js';
import { hubSign } from '../../../../../src/output/views/hub/sign.js';
import { render } from '../../../../../src/output/views/view.js';

const look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const expires = '2026-12-26T13:19:08.578Z';
const index = { keys: ['AB'], sequence: 1, expires };
const signed = { ...index, folder: 'hub', signed: [], kept: 3, index: 'written' as const, created: '', checked: false };
const mirror = {
  ...{ folder: 'to', hub: 'from', whole: false, added: 1, updated: 0, unchanged: 0, removed: 0, failed: 0 },
  ...{ files: 1, bytes: 1, catalog: 'written' as const, dryRun: false, signed: index },
  ...{ versions: { added: [], updated: [], removed: [] }, failures: [], unserved: [], unverified: [], signatures: 0 },
};

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

it.each([
  ['sign', (format: Format) => render(hubSign, signed, { format, look })],
  ['mirror', (format: Format) => render(hubMirror, mirror, { format, look })],
])('hub %s shows until when its index is valid as a time for people, and whole in JSON', async (_, shown) => {
  expect(await textOf(shown('table'))).toContain(', valid until 2026-12-26 13:19Z\n');
  expect(await textOf(shown('json'))).toContain(`"expires":"${expires}"`);
});
