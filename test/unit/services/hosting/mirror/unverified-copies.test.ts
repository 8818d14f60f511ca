import { describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../../src/core/events.js';
import { errorOf } from '../../../../support/errors.js';
import { plugin } from '../../../../support/sites/mirror-site.js';
import { folders, setupWith } from '../../catalog/support-trust.js';
import { siteIn, type Site } from './direct-site.js';

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
