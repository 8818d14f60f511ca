import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { orderedLabel } from '../../../../../src/hub/catalog-order.js';
import type { BuildMemory } from '../../../../../src/services/hosting/build/build-memory.js';
import { makeCatalog } from '../../../../../src/services/hosting/build/make-catalog.js';
import { publishedIn } from '../../../../../src/services/hosting/tree/published-files.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

it('makes no catalog with more bytes than clients read', () =>
  withTempDir(async (home) => {
    const root = realpathSync(home);
    for (const name of ['one', 'two']) {
      mkdirSync(join(root, `packages/${name}/1.0.0`), { recursive: true });
      writeFileSync(join(root, `packages/${name}/1.0.0/spec.json`), '');
    }
    const published = () => publishedIn(root, []);
    const made = (bytes: number, ask = published) => {
      const find: BuildMemory['find'] = (place, seen) => ({
        ...{ ...place, label: orderedLabel('L'), block: Buffer.alloc(0), start: 10, end: 10 + bytes },
        seen: { ...seen, sha256: '', categories: [] },
      });
      const memory = { find, keep: async () => undefined };
      return makeCatalog(
        { root, whitelist: [], emit: () => undefined, memory, published: ask },
        new AbortController().signal,
      );
    };
    // Each entry has two bytes between it and the next.
    expect((await made(19_999_998)).entries).toHaveLength(2);
    expect(saidBy(await errorOf(made(19_999_999)))).toEqual({
      code: 'TOO_LARGE',
      message: 'packages.json would have more than 40000000 bytes, which clients do not read',
      hints: ['split the hub'],
    });
    const bug = new TypeError('bug');
    await expect(made(1, () => Promise.reject(bug))).rejects.toBe(bug);
  }));
