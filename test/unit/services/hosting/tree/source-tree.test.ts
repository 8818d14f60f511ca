import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findVersions, listVersions } from '../../../../../src/services/hosting/tree/source-tree.js';
import { temporaryName } from '../../../../../src/state/temporary.js';
import { errorOf, hintsOf } from '../../../../support/errors.js';

const never = new AbortController().signal;
let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cdapctl-unit-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const made = (...path: readonly string[]) => mkdir(join(root, 'packages', ...path), { recursive: true });

it('refuses a tree with a package that was set aside, until the package is back', async () => {
  const aside = temporaryName();
  await made('one', '1.0.0');
  await made(aside, 'two', '2.0.0');
  await made(temporaryName());
  await writeFile(join(root, 'packages', temporaryName()), '');
  const error = await errorOf(findVersions(root, never));
  expect([error.code, error.message, hintsOf(error)[0]]).toEqual([
    'BAD_SOURCE',
    'packages/two/2.0.0 was set aside by a run that was killed while it replaced it',
    `move ${join(root, 'packages', aside, 'two/2.0.0')} to ${join(root, 'packages/two/2.0.0')}`,
  ]);
  expect((await listVersions(root, never)).places).toEqual([{ name: 'one', version: '1.0.0' }]);
  await made('two', '2.0.0');
  expect((await findVersions(root, never)).places).toHaveLength(2);
});
