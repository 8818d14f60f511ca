import * as Parser from '@oclif/core/parser';
import { describe, expect, it } from 'vitest';
import { reportListFlags } from '../../../src/flags/reports/report.js';

const parsed = (argv: string[]) => Parser.parse(argv, { flags: reportListFlags, strict: true });

describe('the flags of the list of reports', () => {
  it('take --all-pages, which is what happens anyway', async () => {
    expect((await parsed(['--all-pages', '--offset', '2'])).flags).toMatchObject({ 'all-pages': true, offset: 2 });
  });

  it('refuse it together with --limit', async () => {
    await expect(parsed(['--all-pages', '--limit', '2'])).rejects.toThrow(/--limit/u);
  });
});
