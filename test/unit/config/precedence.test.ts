import { describe, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config-schema.js';
import { resolveSettings } from '../../../src/config/precedence.js';
import { environmentTwin, type SettingSources } from '../../../src/config/setting.js';
import { configuredHubs, hubNamed } from '../../../src/config/target.js';
import { errorOf } from '../../support/errors.js';

function layer(file: string, config: Partial<Config>): { file: string; config: Config } {
  return { file, config: { version: 1, contexts: {}, hubs: {}, ...config } };
}

const user = layer('/home/me/config.yaml', {
  current: 'prod',
  contexts: {
    prod: {
      url: 'https://prod.example.com',
      namespace: 'etl',
      hub: 'corp',
      caFile: 'root.pem',
      proxy: 'http://p:1',
      protected: true,
    },
    dev: { url: 'http://localhost:11015' },
  },
  hubs: { corp: { url: 'https://hub.example.com/v2', verify: 'require' } },
});
const system = layer('/etc/cdapctl/config.yaml', {
  current: 'shared',
  contexts: {
    shared: { url: 'https://shared.example.com', caFile: '/ca.pem' },
    prod: { url: 'https://never.example.com' },
  },
  hubs: { lab: { url: 'https://lab.example.com' }, corp: { url: 'https://never.example.com' } },
});
const project = {
  file: '/project/.cdapctl.yaml',
  warnings: [],
  settings: { context: 'dev', namespace: 'team', hubs: ['lab', 'corp'] },
};

type GivenSources = Partial<Omit<SettingSources, 'flags'>> & { readonly flags?: Readonly<Record<string, unknown>> };

function settings({ flags = {}, ...sources }: GivenSources): ReturnType<typeof resolveSettings> {
  const given = Object.entries(flags).map(([name, value]) => [name, { value, from: `--${name}` }] as const);
  return resolveSettings({ environment: {}, ...sources, flags: Object.fromEntries(given) });
}

describe('the choice of context and URL', () => {
  it.each<[string, GivenSources, string | undefined, string | undefined]>([
    ['nothing', {}, undefined, undefined],
    ['the current context of the system', { system }, 'shared', 'https://shared.example.com'],
    ['the current context of the user before it', { user, system }, 'prod', 'https://prod.example.com'],
    ['the context of the project before that', { user, project }, 'dev', 'http://localhost:11015'],
    [
      'CDAPCTL_CONTEXT before that',
      { user, project, environment: { CDAPCTL_CONTEXT: 'prod' } },
      'prod',
      'https://prod.example.com',
    ],
    [
      '--context before that',
      { user, flags: { context: 'dev' }, environment: { CDAPCTL_CONTEXT: 'prod' } },
      'dev',
      'http://localhost:11015',
    ],
    [
      '--url alone: anonymous',
      { user, project, flags: { url: 'https://x' }, environment: { CDAPCTL_CONTEXT: 'prod' } },
      undefined,
      'https://x',
    ],
    ['--url with --context', { user, flags: { url: 'https://x', context: 'prod' } }, 'prod', 'https://x'],
    [
      'CDAPCTL_URL alone: anonymous',
      { user, project, environment: { CDAPCTL_URL: 'https://y' } },
      undefined,
      'https://y',
    ],
    [
      'CDAPCTL_URL with CDAPCTL_CONTEXT',
      { user, environment: { CDAPCTL_URL: 'https://y', CDAPCTL_CONTEXT: 'prod' } },
      'prod',
      'https://y',
    ],
    [
      '--context before CDAPCTL_URL',
      { user, flags: { context: 'dev' }, environment: { CDAPCTL_URL: 'https://y' } },
      'dev',
      'http://localhost:11015',
    ],
    [
      'empty variables as none',
      { user, environment: { CDAPCTL_URL: '', CDAPCTL_CONTEXT: '' } },
      'prod',
      'https://prod.example.com',
    ],
  ])('goes by %s', (_, sources, context, url) => {
    const found = settings(sources);
    expect(found.context?.value.name).toBe(context);
    expect(found.url?.value).toBe(url);
  });

  it('says where they come from', () => {
    expect(settings({ user }).context).toMatchObject({
      origin: 'user',
      from: '/home/me/config.yaml',
      value: { name: 'prod', protected: true },
    });
    expect(settings({ user }).url).toEqual({
      value: 'https://prod.example.com',
      origin: 'user',
      from: 'context "prod"',
      context: 'prod',
    });
    expect(settings({ flags: { url: 'https://x' } }).url).toEqual({
      value: 'https://x',
      origin: 'flag',
      from: '--url',
    });
    expect(settings({ user, project }).context).toMatchObject({ origin: 'project', from: '/project/.cdapctl.yaml' });
    expect(settings({ system }).url).toEqual({
      value: 'https://shared.example.com',
      origin: 'system',
      from: 'context "shared"',
      context: 'shared',
    });
  });

  it.each([
    ['./hub', '/home/me/hub'],
    ['..', '/home'],
    ['/srv/hub', '/srv/hub'],
    ['corp', 'corp'],
  ])('reads the folder of the hub %s of a context from the folder of its file', (hub, expected) => {
    const found = settings({
      user: layer('/home/me/config.yaml', { current: 'a', contexts: { a: { url: 'http://localhost', hub } } }),
    });
    expect(found.hubs?.value).toEqual([expected]);
  });

  it('uses nothing of a context for an address that it does not belong to', () => {
    const found = settings({ user, flags: { url: 'https://x' } });
    expect([found.namespace, found.caFile, found.proxy, found.hubs]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([['nobody'], ['constructor'], ['__proto__']])(
    'does not know the context %s, and says which ones there are',
    async (context) => {
      const error = await errorOf(() => settings({ user, system, flags: { context } }));
      expect(error).toMatchObject({ code: 'NOT_FOUND', details: { target: { context } } });
      expect(error.message).toContain('existing contexts: prod, dev, shared');
    },
  );
});

describe('the order of places', () => {
  it.each<[string, GivenSources, unknown]>([
    ['nothing', {}, undefined],
    [
      'the default of the command',
      { builtIn: { namespace: 'default' } },
      { value: 'default', origin: 'built-in', from: 'built-in' },
    ],
    [
      'the context',
      { user, builtIn: { namespace: 'default' } },
      { value: 'etl', origin: 'user', from: 'context "prod"', context: 'prod' },
    ],
    ['the project', { user, project }, { value: 'team', origin: 'project', from: '/project/.cdapctl.yaml' }],
    [
      'the environment',
      { user, project, environment: { CDAPCTL_NAMESPACE: 'env' } },
      { value: 'env', origin: 'environment', from: 'CDAPCTL_NAMESPACE' },
    ],
    [
      'the flag',
      { user, flags: { namespace: ['one'] }, environment: { CDAPCTL_NAMESPACE: 'env' } },
      { value: 'one', origin: 'flag', from: '--namespace' },
    ],
  ])('gives the namespace of %s', (_, sources, expected) => {
    expect(settings(sources).namespace).toEqual(expected);
  });

  it('knows several namespaces', () => {
    expect(settings({ flags: { namespace: ['one', 'two'] } }).namespaces?.value).toEqual(['one', 'two']);
    expect(settings({ environment: { CDAPCTL_NAMESPACE: ' one, two ' } }).namespaces?.value).toEqual(['one', 'two']);
    expect(settings({ user, flags: { namespace: [] } }).namespaces?.value).toEqual(['etl']);
  });

  it('asks the context for the proxy before the environment (2.15), and for all else after it', () => {
    const environment = { CDAPCTL_PROXY: 'http://e:2', CDAPCTL_CA_FILE: 'env.pem' };
    expect(settings({ user, environment }).proxy).toEqual({
      value: 'http://p:1',
      origin: 'user',
      from: 'context "prod"',
      context: 'prod',
    });
    expect(settings({ user, environment, flags: { proxy: 'http://f:3' } }).proxy?.value).toBe('http://f:3');
    expect(settings({ environment }).proxy?.origin).toBe('environment');
    expect(settings({ user, environment }).caFile?.value).toBe('env.pem');
  });

  it('finds the certificate file of a context beside the file that names it', () => {
    expect(settings({ user }).caFile?.value).toBe('/home/me/root.pem');
    expect(settings({ system }).caFile).toEqual({
      value: '/ca.pem',
      origin: 'system',
      from: 'context "shared"',
      context: 'shared',
    });
    expect(settings({ user, flags: { 'ca-file': 'root.pem' } }).caFile?.value).toBe('root.pem');
  });

  it.each<[string, GivenSources, string | undefined]>([
    ['of the context', {}, '/home/me/token'],
    [
      'of the context for its own URL',
      { flags: { url: 'https://prod.example.com', context: 'prod' } },
      '/home/me/token',
    ],
    [
      'of no place for another URL than that of the context',
      { flags: { url: 'https://x', context: 'prod' } },
      undefined,
    ],
    ['of no place for a URL without a context', { environment: { CDAPCTL_URL: 'https://x' } }, undefined],
    ['of no place where CDAPCTL_TOKEN has a token', { environment: { CDAPCTL_TOKEN: 'word' } }, undefined],
    ['of CDAPCTL_TOKEN_FILE before that of the context', { environment: { CDAPCTL_TOKEN_FILE: 'env' } }, 'env'],
    [
      'of --token-file before both',
      { flags: { 'token-file': 'one' }, environment: { CDAPCTL_TOKEN_FILE: 'env' } },
      'one',
    ],
  ])('gives the token file %s', (_, sources, expected) => {
    const contexts = { prod: { url: 'https://prod.example.com', tokenFile: 'token' } };
    const holding = layer('/home/me/config.yaml', { current: 'prod', contexts });
    expect(settings({ user: holding, ...sources }).tokenFile?.value).toBe(expected);
  });

  it('has defaults of its own', () => {
    const found = settings({});
    expect([found.retries, found.connectTimeout, found.output].map(({ value, origin }) => [value, origin])).toEqual([
      [3, 'built-in'],
      [10_000, 'built-in'],
      ['table', 'built-in'],
    ]);
    expect([found.requestTimeout, found.verify, found.tokenFile, found.hubs, found.errorDir]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('reads every setting from its variable', () => {
    const environment = {
      CDAPCTL_RETRIES: '0',
      CDAPCTL_CONNECT_TIMEOUT: '2s',
      CDAPCTL_REQUEST_TIMEOUT: '1m30s',
      CDAPCTL_VERIFY: 'warn',
      CDAPCTL_OUTPUT: 'json',
      CDAPCTL_TOKEN_FILE: '/run/token',
      CDAPCTL_ALLOW_HTTP_TOKEN: '1',
      CDAPCTL_INSECURE_SKIP_TLS_VERIFY: 'false',
      CDAPCTL_ERROR_DIR: 'failed',
      CDAPCTL_HUB: 'corp https://hub.example.com',
    };
    const found = settings({ environment });
    expect(
      Object.fromEntries(
        Object.entries(found).map(([name, setting]: [string, unknown]) => [
          name,
          (setting as { value: unknown } | undefined)?.value,
        ]),
      ),
    ).toEqual({
      retries: 0,
      connectTimeout: 2000,
      requestTimeout: 90_000,
      verify: 'warn',
      output: 'json',
      tokenFile: '/run/token',
      allowHttpToken: true,
      insecureSkipTlsVerify: false,
      errorDir: 'failed',
      hubs: ['corp', 'https://hub.example.com'],
    });
  });

  it('takes values that a flag parser has read already', () => {
    expect(settings({ flags: { retries: 5, 'allow-http-token': true } })).toMatchObject({
      retries: { value: 5 },
      allowHttpToken: { value: true },
    });
    expect(
      settings({ flags: { 'allow-http-token': false }, environment: { CDAPCTL_ALLOW_HTTP_TOKEN: '1' } }).allowHttpToken
        ?.value,
    ).toBe(false);
  });

  it.each([
    [{ CDAPCTL_RETRIES: 'many' }, 'CDAPCTL_RETRIES: "many" is not a number from 0 to 999'],
    [{ CDAPCTL_RETRIES: '-1' }, 'CDAPCTL_RETRIES: "-1" is not a number from 0 to 999'],
    [{ CDAPCTL_CONNECT_TIMEOUT: '30' }, 'CDAPCTL_CONNECT_TIMEOUT: the duration "30" needs a unit'],
    [{ CDAPCTL_VERIFY: 'yes' }, 'CDAPCTL_VERIFY: "yes" is not one of require, warn, off'],
    [{ CDAPCTL_OUTPUT: 'xml' }, 'CDAPCTL_OUTPUT: "xml" is not one of table, wide, json, ndjson, yaml, csv, name'],
    [{ CDAPCTL_ALLOW_HTTP_TOKEN: 'maybe' }, 'CDAPCTL_ALLOW_HTTP_TOKEN: "maybe" is neither true nor false'],
  ])('names the place of a value that it cannot read: %j', async (environment, message) => {
    expect(await errorOf(() => settings({ environment }))).toMatchObject({ code: 'USAGE', message });
  });
});

describe('hubs', () => {
  it.each<[string, GivenSources, unknown]>([
    ['the context', { user }, ['corp']],
    ['the project', { user, project }, ['lab', 'corp']],
    ['the environment', { user, project, environment: { CDAPCTL_HUB: 'a' } }, ['a']],
    ['the flags', { user, project, flags: { hub: ['x', 'y'] }, environment: { CDAPCTL_HUB: 'a' } }, ['x', 'y']],
  ])('are those of %s', (_, sources, expected) => {
    expect(settings(sources).hubs?.value).toEqual(expected);
  });

  it('stand in the order of the files, and a name of the user hides one of the system', () => {
    expect(configuredHubs({ user, system })).toEqual([
      { name: 'corp', url: 'https://hub.example.com/v2', verify: 'require' },
      { name: 'lab', url: 'https://lab.example.com' },
    ]);
    expect(configuredHubs({ user: undefined, system: undefined })).toEqual([]);
  });

  it.each([
    ['corp', { name: 'corp', url: 'https://hub.example.com/v2', verify: 'require' }],
    ['https://HUB.example.com:443/v2/', { name: 'corp', url: 'https://hub.example.com/v2', verify: 'require' }],
    ['https://hub.example.com/%76%32', { name: 'corp', url: 'https://hub.example.com/v2', verify: 'require' }],
    ['https://me@hub.example.com/v2', { name: undefined, url: 'https://me@hub.example.com/v2' }],
    ['https://hub.example.com/v3', { name: undefined, url: 'https://hub.example.com/v3' }],
  ])('are known by name or address: %s', (text, expected) => {
    expect(hubNamed(text, { user, system })).toEqual(expected);
  });

  it.each(['nobody', 'constructor'])('are not known by %s', async (name) => {
    expect(await errorOf(() => hubNamed(name, { user, system }))).toMatchObject({
      code: 'HUB_NOT_FOUND',
      details: { target: { hub: name } },
    });
  });
});

describe('environmentTwin', () => {
  it.each([
    ['error-dir', 'CDAPCTL_ERROR_DIR'],
    ['url', 'CDAPCTL_URL'],
    ['insecure-skip-tls-verify', 'CDAPCTL_INSECURE_SKIP_TLS_VERIFY'],
  ])('of --%s is %s', (flag, variable) => {
    expect(environmentTwin(flag)).toBe(variable);
  });
});
