import { expect, it } from 'vitest';
import { applicationsOf } from '../../../../src/services/upgrade/applications.js';
import { fakePlatform } from '../reports/fake-platform.js';

const artifact = { name: 'cdap-data-pipeline', version: '6.4.1', scope: 'SYSTEM' };
const record = (name: string, version = '-SNAPSHOT') => ({ name, version, description: '', artifact });

it('lists each application once, with the versions that come on another page', async () => {
  const pages = [
    { applications: [record('a'), record('b')], nextPageToken: 'more' },
    { applications: [record('b', 'named'), record('c')], nextPageToken: 'last' },
    { applications: [record('d')] },
  ];
  const { platform } = fakePlatform((_, query) => {
    const token = query.get('pageToken');
    return { body: pages[token === null ? 0 : token === 'more' ? 1 : 2] };
  });
  const found: unknown[] = [];
  for await (const { name, named } of applicationsOf('etl', platform, new AbortController().signal))
    found.push([name, named?.map(({ version }) => version)]);
  expect(found).toEqual([
    ['a', undefined],
    ['b', ['named']],
    ['c', undefined],
    ['d', undefined],
  ]);
});
