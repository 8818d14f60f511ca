import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usageOf } from '../../../../../src/flows/hub/serve.js';
import { hasSignedIndex, publisherKey } from '../../../../../src/services/hosting/serve/publisher-key.js';
import { hubKey, hubPackage, signedHub, writeHubTree } from '../../../../support/hub-tree.js';
import { withTempDir } from '../../../../support/run-cli.js';

const URL = 'http://127.0.0.1:8085/v2';

it('finds what a client of a signed hub trusts, with its file where that is in the tree', () =>
  withTempDir(async (root) => {
    const { files, key } = await signedHub({ packages: [hubPackage({ name: 'plug' })] });
    const { fingerprint } = key;
    await writeHubTree(root, files);
    await writeFile(join(root, 'another.asc'), (await hubKey({ owner: 'Another' })).publicKey);
    await writeFile(join(root, 'broken.asc'), 'no key');
    const line = `  cdapctl hub key add FILE --hub NAME --fingerprint ${fingerprint}`;
    expect(usageOf({ key: await publisherKey(root) }, './hub', URL)).toContain(line);
    await writeFile(join(root, 'publisher.asc'), key.publicKey);
    expect(await publisherKey(root)).toEqual({ fingerprint, file: 'publisher.asc' });
    expect(usageOf({ key: await publisherKey(root) }, './hub/', URL)).toContain(
      line.replace('FILE', './hub/publisher.asc'),
    );
    expect(hasSignedIndex(root)).toBe(true);
    await rm(join(root, 'index.json.asc'));
    expect([hasSignedIndex(root), await publisherKey(root)]).toEqual([false, undefined]);
    expect(usageOf({ key: undefined }, './hub', URL)).toBe(
      `To use it, in another shell:\n  cdapctl hub add NAME ${URL}\nto stop it: Ctrl-C`,
    );
  }));
