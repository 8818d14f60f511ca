import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { refuseWrongSignatures } from '../../../../../src/services/hosting/publish/check-signatures.js';
import { planPublication } from '../../../../../src/services/hosting/publish/plan.js';
import { readTreeFiles } from '../../../../../src/services/hosting/publish/tree-files.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { flipByte, HUB_TIME, hubKey, hubPackage, signedHub, writeHubTree } from '../../../../support/sites/hub-tree.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const { signal } = new AbortController();
const PACKAGES = Array.from({ length: 3 }, (_, at) =>
  hubPackage({
    name: `p${at}`,
    resources: Object.fromEntries(Array.from({ length: 6 }, (__, no) => [`f${no}`, `${no}`])),
  }),
);

/** A signed tree with its public key, and a check of it against a hub that has these files already. */
const atTree = (test: (root: string, check: (known?: RegExp) => Promise<void>) => Promise<void>) =>
  withTempDir(async (root) => {
    const { files, key } = await signedHub({ packages: PACKAGES });
    await writeHubTree(root, files);
    writeFileSync(join(root, 'publisher.asc'), key.publicKey);
    await test(root, async (known = /^none$/u) => {
      const tree = await readTreeFiles(root, signal);
      const there = new Map([...tree.files].filter(([path]) => known.test(path)));
      const plan = planPublication({ ...tree, index: undefined }, { files: there, index: undefined });
      await refuseWrongSignatures(root, plan, tree, new Date(HUB_TIME), signal);
    });
  });

const change = (root: string, path: string, to: (bytes: Buffer) => Buffer): void => {
  writeFileSync(join(root, path), to(readFileSync(join(root, path))));
};
const SPEC = 'packages/p1/1.0.0/spec.json';

it('publishes signatures of the keys in the tree, and those of other keys that are over their files', () =>
  atTree(async (root, check) => {
    await check();
    writeFileSync(join(root, 'publisher.asc'), (await hubKey()).publicKey);
    await check();
  }));

it('takes only a file that can be one for a secret key, as signing does', () =>
  withTempDir(async (root) => {
    const { files } = await signedHub({ packages: PACKAGES });
    await writeHubTree(root, files);
    const faults = async (length: number): Promise<readonly string[]> => {
      writeFileSync(join(root, 'packages/p1/1.0.0/guide.txt'), '-----BEGIN PRIVATE KEY-----\n'.padEnd(length, 'x\n'));
      return (await readTreeFiles(root, signal)).faults.map(({ file }) => file);
    };
    expect(await faults(262_144)).toEqual(['packages/p1/1.0.0/guide.txt']);
    expect(await faults(262_145)).toEqual([]);
  }));

it('refuses signatures that are not over their files, of files that are new or replaced and at the root', () =>
  atTree(async (root, check) => {
    const refused = async (known?: RegExp) => saidBy(await errorOf(check(known)));
    const wrong = (...paths: readonly string[]) => ({
      code: 'SIG_BAD',
      message: `${paths.length} wrong signature${paths.length === 1 ? '' : 's'} in the tree; nothing was published`,
      lines: paths.map((path) => `${path}.asc: it is not a signature of this file`),
      hints: ['sign the tree again, or remove these signatures'],
    });
    change(root, SPEC, (bytes) => flipByte(bytes));
    expect(await refused()).toEqual(wrong(SPEC));
    expect(await refused(/^packages\/p1\/1\.0\.0\/spec\.json\.asc$/u)).toEqual(wrong(SPEC));
    await check(/^packages\/p1\/1\.0\.0\/spec\.json(?:\.asc)?$/u);
    change(root, 'packages.json', (bytes) => Buffer.concat([bytes, Buffer.from(' ')]));
    writeFileSync(join(root, 'packages.json.asc'), readFileSync(join(root, `${SPEC}.asc`)));
    expect(await refused()).toEqual(wrong(SPEC, 'packages.json'));
    // Of another key only the digest is compared.
    writeFileSync(join(root, 'publisher.asc'), (await hubKey()).publicKey);
    expect(await refused()).toEqual(wrong(SPEC, 'packages.json'));
  }));

it('refuses a signature with the right digest that its key has not made, and names 20 of many', () =>
  atTree(async (root, check) => {
    const paths = PACKAGES.flatMap(({ name }) => [
      ...Array.from({ length: 6 }, (_, no) => `packages/${name}/1.0.0/f${no}`),
      `packages/${name}/1.0.0/spec.json`,
    ]);
    // The last bytes before the checksum are those of the signature itself.
    for (const path of paths)
      change(root, `${path}.asc`, (bytes) =>
        Buffer.from(bytes.toString('latin1').replace(/.{8}(?=\r?\n(?:=|-))/u, 'AAAAAAAA')),
      );
    const { message, details } = await errorOf(check());
    expect([message, details.lines]).toEqual([
      '21 wrong signatures in the tree; nothing was published',
      [...paths.slice(0, 20).map((path) => `${path}.asc: it is not a signature of this file`), 'and 1 more'],
    ]);
  }));

it('ends when it is told to', () =>
  atTree(async (root) => {
    const tree = await readTreeFiles(root, signal);
    const plan = planPublication({ ...tree, index: undefined }, { files: new Map(), index: undefined });
    const stopped = new Error('stopped');
    const check = refuseWrongSignatures(root, plan, tree, new Date(HUB_TIME), AbortSignal.abort(stopped));
    await expect(check).rejects.toBe(stopped);
  }));
