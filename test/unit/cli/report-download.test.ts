import { describe, expect, it } from 'vitest';
import { deliveryOf, downloadCommand, type DeliveryFlags } from '../../../src/cli/report-download.js';
import type { Session } from '../../../src/cli/session.js';
import { fakeTerminal } from '../../support/terminal.js';

describe('the command that delivers a report once more', () => {
  it.for<[DeliveryFlags, string]>([
    [{}, '-o table'],
    [{ 'out-file': 'runs.csv' }, '-O runs.csv -o csv'],
    [{ 'out-file': 'a b', output: 'ndjson', clobber: true }, "-O 'a b' -o ndjson --clobber"],
    [
      { output: 'csv', fields: 'run, status', 'no-header': true, 'csv-raw': true },
      '-o csv --fields run,status --no-header --csv-raw',
    ],
  ])('of %j', ([flags, words]) => {
    const argv = flags.output === undefined ? [] : ['-o', flags.output];
    const session = { argv, env: {}, terminal: fakeTerminal() } as unknown as Session;
    expect(downloadCommand('r1', deliveryOf(flags, session))).toBe(`cdapctl report download r1 ${words}`);
  });
});
