import { describe, expect, it } from 'vitest';
import ReportDownload from '../../../src/commands/report/download.js';
import ReportRun from '../../../src/commands/report/run.js';
import { HELP_TOPICS } from '../../../src/output/help-topics.js';
import { flagList } from '../../../src/output/help-view.js';
import { wrapped } from '../../../src/output/width.js';

describe('the lines of ndjson', () => {
  it('that are no result are told of to those who write scripts, with how to leave them out', () => {
    const text = HELP_TOPICS['scripting']?.text() ?? '';
    expect(text.replaceAll(/\s+/gu, ' ')).toContain('With -o ndjson, progress and warnings are also lines on stdout');
    expect(text).toContain(`| jq -c 'select(.type=="item").item'\n`);
  });

  it.each([ReportRun, ReportDownload])('of records are in the help of the command, whole in a line', (command) => {
    const lines = wrapped(command.description, 80);
    expect(lines.join('\n')).toContain('{"type":"item","item":{...}}');
    expect(command.description).toMatch(/\{\.\.\.\}\}, and the last line has the type result\./u);
  });
});

describe('the variables of flags', () => {
  it.each([
    ['help environment', HELP_TOPICS['environment']?.text() ?? ''],
    ['help flags', flagList('Global flags', [])],
  ])('are told with their exception in %s, in 80 columns', (_, page) => {
    expect(page).toContain('Every long flag except --confirm has ');
    expect(page.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});
