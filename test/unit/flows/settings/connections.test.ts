import { describe, expect, it } from 'vitest';
import { knownContext, knownHubs, sameHubs } from '../../../../src/flows/settings/connections.js';
import type { CliError } from '../../../../src/core/errors.js';
import type { FoundSettings, KnownContexts } from '../../../../src/cli/settings.js';
import type { Config } from '../../../../src/config/config-schema.js';

const found = (contexts: Config['contexts']): KnownContexts => ({
  sources: { user: { file: '', config: { version: 1, contexts, hubs: {} } } },
  settings: { context: undefined },
});
const PROD = { url: 'https://cdap.example.com' };

describe('a context that is not there', () => {
  it.each([
    ['none is configured', undefined, {}, 'no contexts configured', /^cdapctl context add NAME --url /u],
    ['none is configured, but one is named', 'x', {}, 'no contexts configured', /^cdapctl context add NAME /u],
    ['none is current', undefined, { prod: PROD }, 'there is no current context', /^cdapctl context use prod$/u],
    ['its name is wrong', 'prd', { prod: PROD }, 'context "prd" not found', /^Did you mean "prod"\?$/u],
  ])('%s', (_, name, contexts, message, hint) => {
    let failure: unknown;
    try {
      knownContext(name, found(contexts));
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ code: 'NOT_FOUND', message });
    expect((failure as CliError).details.hints?.[0]).toMatch(hint);
  });
});

describe('a context that is shown', () => {
  it.each([
    ['joe:secret9@proxy:3128', '***@proxy:3128'],
    ["http://joe:o'neil-secret@proxy:3128", 'http://***@proxy:3128'],
    ['http://proxy:3128', 'http://proxy:3128'],
  ])('has no password of its proxy: %s', (proxy, shown) => {
    expect(knownContext('prod', found({ prod: { ...PROD, proxy } }))).toMatchObject({ proxy: shown });
  });
});

describe('a hub of the same address', () => {
  const hubs = { corp: { url: 'https://hub.example.com/v2' } };
  const sources = {
    flags: {},
    environment: {},
    user: { file: '', config: { version: 1 as const, contexts: {}, hubs } },
  };
  it.each([
    ['extra', 'https://hub.example.com/', ['corp']],
    ['extra', 'https://hub.example.com/v2', ['corp']],
    ['extra', 'https://hub.example.com/v3', []],
    ['corp', 'https://hub.example.com/v2', []],
  ])('is found for %s at %s: %j', (name, url, others) => {
    expect(sameHubs({ name, url }, { sources })).toEqual(others);
  });
});

it('tells the policy of each hub, also where none is configured', async () => {
  const hubs = { corp: { url: 'https://hub.example.com/v2', verify: 'off' as const }, other: { url: 'https://other' } };
  const user = { file: '', config: { version: 1 as const, contexts: {}, hubs } };
  const policies = async (settings: object): Promise<readonly object[]> => {
    const found = { folders: { state: '/nonexistent' }, settings, sources: { flags: {}, environment: {}, user } };
    return knownHubs(found as unknown as FoundSettings);
  };
  expect(await policies({})).toMatchObject([
    { name: 'corp', verify: 'off', keys: 0 },
    { name: 'other', verify: 'warn', keys: 0 },
  ]);
  // What the variable or the context says goes before.
  const verify = { value: 'require', origin: 'environment', from: 'CDAPCTL_VERIFY' };
  expect(await policies({ verify })).toMatchObject([{ verify: 'require' }, { verify: 'require' }]);
});
