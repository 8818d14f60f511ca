import { bare, empty, json, notFound, refuse, text } from '../../http/answers.js';
import type { Platform } from '../../store/generation.js';
import { route, type Route } from '../../http/route.js';
import type { Store } from '../../store/store.js';

const SERVICES: Readonly<Record<string, string>> = {
  appfabric: 'Deploys and describes applications.',
  'dataset.executor': 'Administers datasets.',
  'log.saver': 'Keeps the logs of programs.',
  'messaging.service': 'Carries messages between services.',
  'metadata.service': 'Answers questions about metadata.',
  metrics: 'Answers questions about metrics.',
  transaction: 'Keeps the state of transactions.',
};
const MORE_SERVICES: Readonly<Record<Platform, Readonly<Record<string, string>>>> = {
  '6.11.0': {
    'appfabric.processor': 'Follows the life of programs.',
    runtime: 'Receives the reports of running programs.',
  },
  '6.1.1': { 'metrics.processor': 'Adds metrics up.' },
  '4.3.5': { 'metrics.processor': 'Adds metrics up.', streams: 'Takes the events of streams.' },
};
const PROFILE = {
  name: 'native',
  label: 'native',
  description: 'Runs programs on the platform itself',
  scope: 'SYSTEM',
  status: 'ENABLED',
  provisioner: { name: 'native', properties: [], totalProcessingCpusLabel: 'Custom' },
  created: 0,
};

/**
 * Router checks, version, configuration, services and profiles (docs/platform.md 9), and grants. The grants are
 * switched off (docs/platform.md 10.5).
 */
export const systemRoutes: readonly Route[] = [
  route('GET', '/', () => empty()),
  route('GET', '/status', ({ store }) => {
    const ok = text(200, 'OK');
    const plain = store.generation.platform === '4.3.5' ? { 'content-type': 'text/plain' } : {};
    return { ...ok, headers: { ...ok.headers, ...plain, connection: 'close' } };
  }),
  route('GET', '/ping', () => text(200, 'OK.\n')),
  route('GET', '/v3/version', ({ store }) => json({ version: store.generation.platform })),
  route('GET', '/v3/config/cdap', ({ query, hub }) => {
    const format = query.get('format') ?? 'json';
    const entries = configuration(hub);
    if (format === 'json') return json(entries);
    if (format !== 'xml') refuse(400, `Invalid format: ${format}. Valid formats: json, xml`);
    return { status: 200, headers: { 'content-type': 'application/xml' }, body: xml(entries) };
  }),
  route('GET', '/v3/system/services', ({ store }) => {
    const counts = { min: 1, max: 1, requested: 1, provisioned: 1 };
    const describe = ([name, description]: [string, string]) => ({
      name,
      description,
      status: 'OK',
      logs: 'OK',
      ...counts,
    });
    return json(Object.entries(servicesOf(store)).sort().map(describe));
  }),
  route('GET', '/v3/system/services/status', ({ store }) => {
    return json(Object.fromEntries(Object.keys(servicesOf(store)).map((name) => [name, 'OK'])));
  }),
  route('GET', '/v3/system/services/{service}/status', ({ param, uri, store }) => {
    if (param('service') in servicesOf(store)) return json({ status: 'OK' });
    const line = store.generation.platform === '4.3.5' ? `: ${uri}` : `GET ${uri} HTTP/1.1`;
    return bare(503, `No endpoint strategy found for request ${line}`);
  }),
  route('GET', '/v3/system/services/{service}/instances', () => json({ provisioned: 1, requested: 1 })),
  route('GET', '/v3/profiles', () => json([PROFILE])),
  route('GET', '/v3/profiles/{profile}', ({ param }) => {
    return param('profile') === PROFILE.name ? json(PROFILE) : notFound(`profile:system.${param('profile')}`);
  }),
  route('GET', '/v3/namespaces/{namespace}/profiles', ({ query }) => {
    return json(query.get('includeSystem') === 'true' ? [PROFILE] : []);
  }),
  ...['grant', 'revoke'].map((word) => route('POST', `/v3/security/authorization/privileges/${word}`, securityIsOff)),
  route('GET', '/v3/security/authorization/user/{user}/privileges', securityIsOff),
];

function servicesOf({ generation }: Store): Readonly<Record<string, string>> {
  return { ...SERVICES, ...MORE_SERVICES[generation.platform] };
}

interface ConfigurationEntry {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

function configuration(hub: string): ConfigurationEntry[] {
  const source = 'cdap-default.xml';
  return [
    { name: 'instance.name', value: 'cdap', source },
    { name: 'market.base.url', value: hub, source: 'cdap-site.xml' },
    { name: 'router.bind.port', value: '11015', source },
    { name: 'security.enabled', value: 'false', source },
  ];
}

function xml(entries: readonly ConfigurationEntry[]): string {
  const property = ({ name, value, source }: ConfigurationEntry) =>
    `<property><!--Loaded from ${source}--><name>${name}</name><value>${value}</value></property>\n`;
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="no"?><configuration>\n';
  return `${head}${entries.map(property).join('')}</configuration>`;
}

function securityIsOff(): never {
  refuse(
    501,
    "Feature 'authentication' is not enabled. Please set 'security.enabled' to 'true' in the 'cdap-site.xml' to enable this feature.",
  );
}
