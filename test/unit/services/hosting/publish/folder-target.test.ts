import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderTarget } from '../../../../../src/services/hosting/publish/folder-target.js';
import { errorOf } from '../../../../support/errors.js';

const never = new AbortController().signal;
let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdapctl-unit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it.each([
  ['{"format":1,"sequ', 'BAD_JSON'],
  ['{"format":1,"format":1}', 'DUP_KEY'],
  ['{"format":1}', 'BAD_CATALOG'],
])('a published index %s fails with what repairs it', async (text, code) => {
  const file = join(root, 'index.json');
  await writeFile(file, text);
  const { code: is, details } = await errorOf(folderTarget('unused', root).published(never));
  expect([is, details.hints, details.target]).toEqual([
    code,
    ['restore it from a copy, or remove it to publish the whole tree again'],
    { file },
  ]);
});

it('an unreadable folder fails as it is', async () => {
  await writeFile(join(root, 'packages'), 'no folder');
  const { details } = await errorOf(folderTarget('unused', root).published(never));
  expect(details.hints ?? []).not.toContain('restore it from a copy, or remove it to publish the whole tree again');
});
