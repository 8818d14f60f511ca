import { describe, expect, it } from 'vitest';
import { namesOfPlatform } from '../../../../src/services/completion/platform-names.js';
import { artifactsOf } from '../../../../src/services/listing/artifacts.js';
import { namespacesOf } from '../../../../src/services/listing/namespaces.js';
import { NEVER } from '../../../support/clock.js';
import { failure, platformWith } from '../pipelines/support.js';

const NAMESPACES = {
  'GET /v3/namespaces': {
    json: [{ name: 'etl', description: 'loads' }, { name: 'sales', description: null }, { name: 'default' }],
  },
};

describe('artifacts', () => {
  const artifact = (name: string, version: string, scope = 'USER') => ({ name, version, scope });
  const replies = {
    'GET /v3/namespaces/etl/artifacts': {
      json: [
        ...[artifact('core', '2.9.0', 'SYSTEM'), artifact('b', '1.0'), artifact('a', '1.9.0'), artifact('a', '1.10.0')],
        ...[artifact('core', '2.10.0', 'SYSTEM'), artifact('a', '1.0.0', 'SYSTEM'), artifact('a', '1.10.0-SNAPSHOT')],
      ],
    },
  };
  const listed = async (scope?: string) =>
    (await artifactsOf('etl', scope, platformWith(replies).platform, NEVER)).map((one) => Object.values(one).join(' '));
  const [user, system] = [
    ['a 1.10.0 user', 'a 1.10.0-SNAPSHOT user', 'a 1.9.0 user', 'b 1.0 user'],
    ['a 1.0.0 system', 'core 2.10.0 system', 'core 2.9.0 system'],
  ];

  it('are those of the user first, by name, the newest first', async () => {
    expect(await listed()).toEqual([...user, ...system]);
  });

  it('are filtered by scope', async () => {
    expect([await listed('user'), await listed('system'), await listed('x')]).toEqual([user, system, []]);
  });

  it('are an error where the namespace is absent', async () => {
    expect(await failure(artifactsOf('elt', undefined, platformWith({}).platform, NEVER))).toEqual({
      ...{ code: 'NOT_FOUND', message: 'the platform has no namespace "elt"' },
      ...{ hints: [{ next: 'list-namespaces' }], target: { namespace: 'elt' } },
    });
  });
});

describe('namespaces', () => {
  it('are listed by name, with their descriptions', async () => {
    expect(await namespacesOf(platformWith(NAMESPACES).platform, NEVER)).toEqual([
      { name: 'default', description: '' },
      { name: 'etl', description: 'loads' },
      { name: 'sales', description: '' },
    ]);
  });
});

describe('names for completion', () => {
  it('are those of namespaces, or of the pipelines of one, each once', async () => {
    const apps = (artifact: string): string => `GET /v3/namespaces/etl/apps?artifactName=${artifact}`;
    const app = (name: string) => ({ name, artifact: { name: 'x', version: '1', scope: 'SYSTEM' } });
    const { platform } = platformWith({
      ...NAMESPACES,
      [apps('cdap-data-pipeline')]: { json: [app('c'), app('a'), app('a')] },
      [apps('cdap-data-streams')]: { json: [app('b')] },
    });
    expect(await namesOfPlatform(platform, undefined, NEVER)).toEqual(['default', 'etl', 'sales']);
    expect(await namesOfPlatform(platform, 'etl', NEVER)).toEqual(['a', 'b', 'c']);
  });
});
