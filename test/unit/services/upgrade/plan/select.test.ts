import { describe, expect, it } from 'vitest';
import type { Platform } from '../../../../../src/platform/client.js';
import { selectNamespaces, selectPipelines } from '../../../../../src/services/upgrade/plan/select.js';
import { verdictSeed } from '../../../../support/sites/upgrade-seed.js';
import { answer, inMemory, NEVER, SELECTION } from '../in-memory.js';
import { codeOf } from '../../../../support/errors.js';

async function chosen(platform: Platform, selection: Partial<typeof SELECTION> = {}, namespaces = ['etl']) {
  const names: string[] = [];
  for await (const { name } of selectPipelines(namespaces, { ...SELECTION, ...selection }, platform, NEVER))
    names.push(name);
  return names;
}

describe('the namespaces of an upgrade', () => {
  it('are all, or the one that is named, which has to be there', async () => {
    const { platform } = inMemory({ namespaces: ['zeta', 'etl'] });
    expect(await selectNamespaces(undefined, platform, NEVER)).toEqual(['default', 'etl', 'zeta']);
    expect(await selectNamespaces('etl', platform, NEVER)).toEqual(['etl']);
    const unknown = { code: 'NOT_FOUND', details: { hints: [{ next: 'list-namespaces' }] } };
    await expect(selectNamespaces('none', platform, NEVER)).rejects.toMatchObject(unknown);
    const mistyped = { code: 'NOT_FOUND', details: { hints: ['Did you mean "zeta"?', { next: 'list-namespaces' }] } };
    await expect(selectNamespaces('zata', platform, NEVER)).rejects.toMatchObject(mistyped);
  });
});

describe('the pipelines of an upgrade', () => {
  it.each([
    ['all', {}, ['clicks', 'legacy', 'orders']],
    ['those of a name', { match: ['o*', 'l?gacy'] }, ['legacy', 'orders']],
    ['all but those of a name', { exclude: ['c*', 'orders'] }, ['legacy']],
    ['all but those of a namespace', { exclude: ['etl/o*', '?tl/legacy'] }, ['clicks']],
    ['both', { match: ['*s'], exclude: ['o*'] }, ['clicks']],
    ['those in real time', { kind: 'realtime' as const }, []],
    ['batch ones', { kind: 'batch' as const, match: ['orders'] }, ['orders']],
    ['one that is named', { pipeline: 'orders' }, ['orders']],
    ['those of a pattern with its namespace', { match: ['etl/o*', '*/orders'] }, ['orders']],
    ['two that are named', { match: ['etl/orders', 'clicks'] }, ['clicks', 'orders']],
  ])('are %s', async (_, selection, expected) => {
    expect(await chosen(inMemory(verdictSeed('6.11.0')).platform, selection)).toEqual(expected);
  });

  it.each([
    ['none', 'etl', []],
    ['order', 'etl', ['Did you mean "orders"?']],
  ])('are not found when the one that is named is not there: %s', async (pipeline, namespace, hints) => {
    const { platform } = inMemory(verdictSeed('6.11.0'));
    const expected = { code: 'NOT_FOUND', details: { hints: [...hints, { next: 'list-pipelines', namespace }] } };
    await expect(chosen(platform, { pipeline }, [namespace])).rejects.toMatchObject(expected);
  });

  it.each([
    [['orders', 'clikcs'], ['Did you mean "clicks"?']],
    [['etl/order'], ['Did you mean "etl/orders"?']],
    [['dev/orders'], []],
    [['orders', 'nosuch*'], []],
    [['etl/o*', 'dev/*'], []],
  ])('are not found when one of several is not there: %j', async (match, hints) => {
    const { platform } = inMemory(verdictSeed('6.11.0'));
    await expect(chosen(platform, { match }, ['etl'])).rejects.toMatchObject({ code: 'NOT_FOUND', details: { hints } });
  });

  it.each([
    ['orders', 'clikcs', 'Did you mean "clicks"?'],
    ['c*', 'etl/order', 'Did you mean "etl/orders"?'],
    ['c*', 'dev/*', undefined],
  ])('are not all but %s and %s, where the second fits none', async (one, other, hint) => {
    const { platform } = inMemory(verdictSeed('6.11.0'));
    await expect(chosen(platform, { exclude: [one, other] }, ['etl'])).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: `excluded pipeline "${other}" not found`,
      details: { hints: hint === undefined ? [] : [hint] },
    });
  });

  it('may be gone where a run is resumed: a pattern that matches nothing any more is no error then', async () => {
    const { platform } = inMemory(verdictSeed('6.11.0'));
    const names: string[] = [];
    const selection = { ...SELECTION, match: ['nosuch*'], exclude: ['gone'] };
    for await (const { name } of selectPipelines(['etl'], selection, platform, NEVER, true)) names.push(name);
    expect(names).toEqual([]);
  });

  const listed = (name: string, version: string) => ({
    name,
    version,
    artifact: { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' },
  });

  it('are one for each name, where a platform lists every version', async () => {
    const site = inMemory({ namespaces: ['etl'] });
    const list = [listed('a', '1.0'), listed('a', '-SNAPSHOT'), listed('a', '2.0'), listed('b', '1.0')];
    site.breaking(async () => answer(200, JSON.stringify(list)));
    expect(await chosen(site.platform)).toEqual(['a', 'b']);
  });

  it('come page by page, none twice, and end when the platform makes no progress', async () => {
    const site = inMemory({ namespaces: ['etl'] });
    const page = (names: readonly string[], nextPageToken?: string) =>
      answer(200, JSON.stringify({ applications: names.map((name) => listed(name, 'x')), nextPageToken }));
    site.breaking(async ({ line }) =>
      line.includes('pageToken=t') ? page(['b', 'c', 'a', 'd']) : page(['a', 'b'], 't'),
    );
    expect(await chosen(site.platform)).toEqual(['a', 'b', 'c', 'd']);
    site.breaking(async () => page(['a'], 't'));
    expect(await codeOf(chosen(site.platform))).toBe('BAD_ANSWER');
  });
});
