import { expect, it } from 'vitest';
import type { HubSource } from '../../../../src/hub/source.js';
import { openTrustedPackage } from '../../../../src/services/catalog/trusted-package.js';
import { setupWith } from './support-trust.js';

const never = new AbortController().signal;
const PIECE = Buffer.alloc(65_536);

/** A hub that sends one file without an end. */
function endlessHub(): { readonly source: HubSource; readonly sent: () => number } {
  let sent = 0;
  async function* body(): AsyncGenerator<Uint8Array, void, void> {
    for (; sent < 1000 * PIECE.length; sent += PIECE.length) yield PIECE;
  }
  const open: HubSource['open'] = async ({ file }) =>
    file === 'big.jar' ? { what: file, body: body(), discard: async () => undefined } : undefined;
  const catalog = () => Promise.reject(new Error('not asked for'));
  return { sent: () => sent, source: { base: 'http://hub', kind: 'http', label: 'hub', open, catalog } };
}

it('reads no further than the size that is signed, and hands nothing more on', async () => {
  const { source, sent } = endlessHub();
  const trusted = await openTrustedPackage({ source, name: 'a', version: '1' }, await setupWith([]), never);
  let taken = 0;
  const sink = (chunk: Uint8Array): void => void (taken += chunk.length);
  const { report } = await trusted.inspect('big.jar', { sink, signed: { size: 1270, agreed: undefined } }, never);
  expect(report.bytes).toBeGreaterThan(1270);
  expect([sent(), taken]).toEqual([0, PIECE.length]);
});
