import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { usageOf } from '../../../../../src/flows/hub/serve.js';
import { indexFacts } from '../../../../../src/services/hosting/serve/index-facts.js';
import { HUB_TIME, hubKey, hubPackage, signedHub, writeHubTree } from '../../../../support/sites/hub-tree.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const { signal } = new AbortController();
const URL = 'http://127.0.0.1:8085/v2';
const SITE = `in the UI of a platform, in its cdap-site.xml:\n  <property><name>market.base.url</name><value>${URL}</value></property>`;

it('finds what a client of a signed hub trusts, with its file where that is in the tree', () =>
  withTempDir(async (root) => {
    const { files, key } = await signedHub({ packages: [hubPackage({ name: 'plug' })] });
    const { fingerprint } = key;
    await writeHubTree(root, files);
    await writeFile(join(root, 'another.asc'), (await hubKey({ owner: 'Another' })).publicKey);
    await writeFile(join(root, 'broken.asc'), 'no key');
    const line = `  cdapctl hub key add FILE --hub NAME --fingerprint ${fingerprint}`;
    expect(usageOf({ key: (await indexFacts(root, signal)).key }, './hub', URL)).toContain(line);
    await writeFile(join(root, 'publisher.asc'), key.publicKey);
    const facts = await indexFacts(root, signal);
    expect(facts).toMatchObject({ isSigned: true, key: { fingerprint, file: 'publisher.asc' } });
    expect(facts.expires).toBeGreaterThan(HUB_TIME);
    expect(usageOf({ key: (await indexFacts(root, signal)).key }, './hub/', URL)).toContain(
      line.replace('FILE', './hub/publisher.asc'),
    );
    const stopped = new Error('stopped');
    await expect(indexFacts(root, AbortSignal.abort(stopped))).rejects.toBe(stopped);
    await rm(join(root, 'index.json.asc'));
    expect(await indexFacts(root, signal)).toEqual({ ...facts, isSigned: false, key: undefined });
    expect(usageOf({ key: undefined }, './hub', URL)).toBe(
      `To use it, in another shell:\n  cdapctl hub add NAME ${URL}\n${SITE}\nto stop it: Ctrl-C`,
    );
  }));

it('tells how it is used without what moves the text of a terminal', () => {
  const file = '\u001b]0;x\u0007.asc';
  const usage = usageOf({ key: { fingerprint: 'FPR', file } }, './hub', URL);
  expect(usage).toContain('\\x1b]0;x\\x07.asc');
  expect(usage).not.toContain('\u001b');
});
