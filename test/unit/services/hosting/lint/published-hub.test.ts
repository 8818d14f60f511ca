import { expect, it } from 'vitest';
import { folderSource } from '../../../../../src/hub/folder-source.js';
import { publishedIndex } from '../../../../../src/services/hosting/lint/published-hub.js';
import { errorOf } from '../../../../support/errors.js';
import { flipByte, HUB_TIME, hubKey, hubPackage, signedHub, writeHubTree } from '../../../../support/sites/hub-tree.js';
import { folders, setupWith } from '../../catalog/support-trust.js';

const newFolder = folders();
const { signal } = new AbortController();
const DAY = 86_400_000;

/** What is read of the index of a hub for who trusts these keys: its number, or what is wrong, and what is told. */
async function readOf(files: ReadonlyMap<string, Buffer>, ...keys: readonly string[]): Promise<unknown> {
  const folder = await newFolder();
  await writeHubTree(folder, files);
  const source = { ...(await folderSource(folder, 'corp', signal)), label: 'corp' };
  const told: unknown[] = [];
  // Long after the index has expired: it only guards against mistakes.
  const setup = await setupWith(keys, { now: new Date(HUB_TIME + 1000 * DAY), policy: 'off' });
  const reading = publishedIndex({ source, setup }, (event) => told.push(event), signal);
  const read = await reading.then(
    (index) => index?.sequence,
    async () => (await errorOf(reading)).code,
  );
  return [read, ...told];
}

it('is the index of a published hub, which trusted keys have signed, if there are any', async () => {
  const { files, key } = await signedHub({ packages: [hubPackage()], sequence: 7 });
  const without = (...names: readonly string[]) => new Map([...files].filter(([path]) => !names.includes(path)));
  const missing = (what: string) => ({
    type: 'warning',
    code: 'NO_INDEX',
    message: `corp has no ${what}, so nothing is compared with it`,
  });
  const [own, other] = [key.publicKey, (await hubKey()).publicKey];
  expect(await readOf(files)).toEqual([7]);
  expect(await readOf(files, own)).toEqual([7]);
  expect(await readOf(files, other)).toEqual(['KEY_UNKNOWN']);
  expect(await readOf(without('index.json.asc'))).toEqual([7]);
  expect(await readOf(without('index.json', 'index.json.asc'))).toEqual([undefined, missing('index.json')]);
  expect(await readOf(without('index.json', 'index.json.asc'), own)).toEqual([undefined, missing('signed index')]);
  const flipped = new Map(files).set('index.json', flipByte(files.get('index.json') ?? Buffer.of()));
  expect(await readOf(flipped, own)).toEqual(['SIG_BAD']);
  expect(await readOf(new Map(files).set('index.json', Buffer.from('{')))).toEqual(['BAD_JSON']);
});
