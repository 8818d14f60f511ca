import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { identifyJournal, openInstallJournal } from '../../../src/state/install-journal.js';
import { temporaryFolder } from './support.js';

const root = temporaryFolder();

it('a journal says once of which install it is, with normalized addresses', async () => {
  const state = mkdtempSync(join(root, 'identity-'));
  const place = { platform: 'HTTP://cdap.example:80/', namespace: 'etl', hub: 'https://HUB.example/v2/' };
  const identity = { ...place, package: 'orders', version: '1.0.0', hubName: 'corp' };
  const journal = await openInstallJournal(state, identity);
  for (const now of [1000, 2000]) await identifyJournal(journal, identity, now);
  await journal.close();
  const same = { ...identity, platform: 'http://cdap.example', hub: 'https://hub.example' };
  expect((await openInstallJournal(state, same)).entries).toEqual([
    { v: 1, type: 'install', ...same, at: '1970-01-01T00:00:01.000Z' },
  ]);
});
