import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { RULES } from '../../../../src/services/hosting/lint/rule-list.js';

it('documents every rule as it is', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../docs/host-a-hub.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| `[A-Z_]+` \| (?:error|warning) \|/u.test(line));
  expect(rows).toEqual(RULES.map(({ id, severity, summary }) => `| \`${id}\` | ${severity} | ${summary} |`));
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
});
