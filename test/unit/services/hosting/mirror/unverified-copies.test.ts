import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../../src/core/events.js';
import type { MirrorFailure } from '../../../../../src/services/hosting/mirror/mirror-plan.js';
import { chooseMirror } from '../../../../../src/services/hosting/mirror/mirror.js';
import { unverifiedCopies } from '../../../../../src/services/hosting/mirror/unverified-copies.js';
import { errorOf } from '../../../../support/errors.js';
import { plugin, treeOf } from '../../../../support/sites/mirror-site.js';
import { folders, setupWith } from '../../catalog/support-trust.js';
import { siteIn, type Site } from './direct-site.js';

const { signal } = new AbortController();
const newFolder = folders();
const NAMES = ['a', 'b', 'c', 'd'];
const versions = (names: readonly string[]): readonly string[] => names.map((name) => `${name}@1.0.0`);

const changed = (bytes: Buffer): Buffer => Buffer.from(String(bytes).replace('Label', 'Other label'));

/** A mirror that was made without a key, of a hub some of whose specifications do not match their signatures. */
async function mirrorOfBad(names: readonly string[]): Promise<Site> {
  const tamper = Object.fromEntries(names.map((name) => [`packages/${name}/1.0.0/spec.json`, changed]));
  const site = await siteIn(newFolder, { packages: NAMES.map((name) => plugin(name)), index: false, tamper });
  await site.mirror({ setup: await setupWith([]) });
  return site;
}

const failureOf = (name: string): MirrorFailure => ({
  package: name,
  version: '1.0.0',
  file: 'plug.jar',
  code: 'SIG_BAD',
  message: 'bad',
});

const countsOf = (events: readonly ServiceEvent[]): readonly unknown[] =>
  events.flatMap((event) =>
    event.type === 'count' && event.what === 'earlier copies' ? [[event.done, event.of, event.failed]] : [],
  );

describe('earlier copies of many versions that fail', () => {
  it('are counted while they are verified, and named in the order of the versions', async () => {
    const { mirror } = await mirrorOfBad(['a', 'c', 'd']);
    const events: ServiceEvent[] = [];
    const { details } = await errorOf(mirror({ concurrency: 3, emit: (event) => void events.push(event) }));
    expect(details.item).toMatchObject({ failed: 3, unverified: versions(['a', 'c', 'd']) });
    expect(countsOf(events)).toEqual([1, 2, 3].map((done) => [done, 3, done]));
  });

  it('are not verified any more when the run is stopped', async () => {
    const { mirror } = await mirrorOfBad(NAMES);
    const events: ServiceEvent[] = [];
    const stop = new AbortController();
    const emit = (event: ServiceEvent): void => {
      events.push(event);
      if (event.type === 'count' && event.what === 'earlier copies') stop.abort(new Error('stopped'));
    };
    await expect(mirror({ emit }, stop.signal)).rejects.toThrow('stopped');
    expect(countsOf(events)).toEqual([[1, 4, 1]]);
  });
});

describe('earlier copies without signatures', () => {
  it('are compared with what the index lists of them alone', async () => {
    const site = await siteIn(newFolder, { packages: NAMES.map((name) => plugin(name)) });
    await site.mirror();
    for (const path of treeOf(site.root).keys())
      if (path.startsWith('packages/') && path.endsWith('.asc')) rmSync(join(site.root, path));
    for (const name of ['a', 'c']) writeFileSync(join(site.root, `packages/${name}/1.0.0/spec.json`), '{}');
    const chosen = await chooseMirror(await site.request(), signal);
    const { state } = chosen.upstream;
    const { packages, ...others } = state.index ?? expect.fail('no index');
    let asked = 0;
    const counting = packages.map((one) => ({ ...one, files: one.files }));
    for (const one of counting) {
      const { files } = one;
      Object.defineProperty(one, 'files', { get: () => ((asked += 1), files) });
    }
    const upstream = { ...chosen.upstream, state: { ...state, index: { ...others, packages: counting } } };
    const failed = NAMES.map((name) => ({ failure: failureOf(name), isNamed: true }));
    const found = await unverifiedCopies({ ...chosen, upstream, failed }, signal);
    expect(found.map(({ name }) => name)).toEqual(['a', 'c']);
    // Once for all of them.
    expect(asked).toBe(NAMES.length);
  });
});
