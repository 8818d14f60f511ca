import { describe, expect, it } from 'vitest';
import { deliveryOf, downloadCommand, type DeliveryFlags } from '../../../../src/flows/reports/delivery.js';
import { tellFile } from '../../../../src/flows/reports/tell-file.js';
import { DELIVERY_FAILURES } from '../../../../src/flags/reports/report-download.js';
import ReportDownload from '../../../../src/commands/report/download.js';
import ReportRun from '../../../../src/commands/report/run.js';
import ReportSave from '../../../../src/commands/report/save.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';

const session = (...argv: readonly string[]) => ({ argv, env: {}, terminal: fakeTerminal() });

describe('the file of a delivery', () => {
  it.for([
    ['a.csv', 'csv'],
    ['a.JSON', 'json'],
    ['a.jsonl', 'ndjson'],
    ['a.yml', 'yaml'],
    ['a.txt', 'table'],
    ['b.d/a', 'table'],
  ] as const)('%s has the format of its extension: %s', ([file, format]) => {
    expect(deliveryOf({ 'out-file': file }, session()).options.format).toBe(format);
  });

  it.for(['a.xlsx', 'a.xml', 'a.log', 'a.tsv'])('%s has none, and needs to be told', (file) => {
    expect(() => deliveryOf({ 'out-file': file }, session())).toThrow(`${file}: unknown extension`);
    const { options } = deliveryOf({ 'out-file': file, output: 'csv' }, session('-o', 'csv'));
    expect(options.format).toBe('csv');
    expect(deliveryOf({ 'out-file': file, output: 'table' }, session('-o', 'table')).options.format).toBe('table');
  });

  it('is told of to programs whatever --fields chose of the records', async () => {
    const run = session('--json', '--fields', 'run');
    await tellFile({ file: 'a.csv', state: 'downloaded', records: 1 }, run);
    expect(JSON.parse(run.terminal.out.join(''))).toMatchObject({
      kind: 'ReportDownload',
      item: { file: 'a.csv', records: 1 },
    });
  });
});

describe('the command that delivers a report once more', () => {
  it.for<[DeliveryFlags, string]>([
    [{}, '-o table'],
    [{ 'out-file': 'runs.csv' }, '-O runs.csv -o csv'],
    [{ 'out-file': 'a b', output: 'ndjson', clobber: true }, "-O 'a b' -o ndjson --clobber"],
    [
      { output: 'csv', fields: 'run, status', 'no-headers': true, 'csv-raw': true },
      '-o csv --fields run,status --no-headers --csv-raw',
    ],
  ])('of %j', ([flags, words]) => {
    const argv = [...(flags.output === undefined ? [] : ['-o', flags.output]), '-u', 'http://h:1'];
    const command = downloadCommand('r1', deliveryOf(flags, session(...argv)), argv);
    expect(command).toBe(`cdapctl report download r1 ${words} -u http://h:1`);
  });
});

describe('the help of a command that delivers', () => {
  it.for([
    ['download', ReportDownload],
    ['run', ReportRun],
    ['save', ReportSave],
  ] as const)('names all the ends of a delivery: report %s', ([, { failures }]) => {
    expect(failures).toEqual(expect.arrayContaining([...DELIVERY_FAILURES]));
  });
});
