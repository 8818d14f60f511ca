import type { Server } from 'node:http';
import { authorityOf, type Accounts, type Authority } from './http/auth.js';
import { control, CONTROL_PREFIX } from './control.js';
import type { EmulatorRoutes } from './http/exchange.js';
import { Faults } from './http/faults.js';
import { generationOf, type Platform } from './store/generation.js';
import type { SampleHub } from './hub/build.js';
import { hubRoutes } from './hub/routes.js';
import { RequestLog } from './http/request-log.js';
import { routesOf } from './router.js';
import { platformRoutes } from './routes.js';
import { applySeed, type Seed } from './seed/apply-seed.js';
import { createPort } from './http/server.js';
import { readHubKey, readState, writeHubKey, writeState } from './state-file.js';
import { Store } from './store/store.js';

const LOOPBACK = ['127.0.0.1', 'localhost', '::1'];

/** How an emulator is started; port 0 takes a free one. */
export interface EmulatorOptions {
  readonly port: number;
  readonly hubPort: number;
  /** The platform to be; the newest without it. */
  readonly platform?: Platform;
  /** A loopback address; others are refused. */
  readonly host?: string;
  readonly seed?: Seed;
  /** With accounts the platform's port asks for a token; an empty list refuses everybody. */
  readonly auth?: Accounts;
  /** Milliseconds from a request to its answer on the platform's port. */
  readonly latency?: number;
  /** Folder in which the state survives; without it all is in memory. */
  readonly stateDir?: string;
  /** The hub to serve; without it the signed sample hub is made. */
  readonly sampleHub?: SampleHub;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * A running emulator; `url` is the platform, `hub` its hub with `/v2`. `fingerprint` and `publicKey` belong to the key
 * that signs the hub.
 */
export interface RunningEmulator {
  readonly url: string;
  readonly hub: string;
  readonly fingerprint: string;
  readonly publicKey: string;
  /** It goes on with a state that was there, so that no seed was applied. */
  readonly resumed: boolean;
  close(): Promise<void>;
}

/**
 * Starts the emulated platform and its hub on two loopback ports. Rejects when a port is taken, the host is no loopback
 * address or the state cannot be read.
 */
export async function startEmulator(options: EmulatorOptions): Promise<RunningEmulator> {
  const { host = '127.0.0.1', now = Date.now } = options;
  if (!LOOPBACK.includes(host)) throw new Error(`the emulator listens on loopback only, not on ${host}`);
  const { store, resumed } = openStore(options, now);
  const sample = options.sampleHub ?? (await makeSampleHub(now(), options.stateDir));
  const shared = { log: new RequestLog(), faults: new Faults() };
  const addresses = { url: '', hub: '' };
  const platform = createPort({
    ...shared,
    ...authentication(
      options.auth && authorityOf(options.auth, now),
      () => addresses.url,
      routesOf(platformRoutes(store.generation), { store, hub: () => addresses.hub }),
    ),
    port: 'platform',
    latency: options.latency ?? 0,
    control: { prefix: CONTROL_PREFIX, routes: (request) => control(request, { ...shared, store }) },
  });
  const hub = createPort({ ...shared, port: 'hub', routes: hubRoutes({ files: sample.files }) });
  addresses.hub = `${await listen(hub, host, options.hubPort)}/v2`;
  try {
    addresses.url = await listen(platform, host, options.port);
  } catch (error) {
    await end(hub);
    throw error;
  }
  const { fingerprint, publicKey } = sample;
  const close = async (): Promise<void> => {
    await Promise.all([end(platform), end(hub)]);
  };
  return { url: addresses.url, hub: addresses.hub, fingerprint, publicKey, resumed, close };
}

async function makeSampleHub(now: number, stateDir: string | undefined): Promise<SampleHub> {
  const { buildSampleHub } = await import('./hub/build.js');
  const privateKey = stateDir === undefined ? undefined : readHubKey(stateDir);
  const hub = await buildSampleHub({ now, privateKey });
  if (stateDir !== undefined && privateKey === undefined) writeHubKey(stateDir, hub.privateKey);
  return hub;
}

function openStore(
  { stateDir, seed, platform = '6.11.0' }: EmulatorOptions,
  now: () => number,
): { readonly store: Store; readonly resumed: boolean } {
  const state = stateDir === undefined ? undefined : readState(stateDir);
  if (state !== undefined && state.platform !== platform) {
    throw new Error(`the emulator state is that of a platform ${state.platform}, not ${platform}`);
  }
  const store = new Store({ generation: generationOf(platform), now }, state, (read) => {
    if (stateDir !== undefined) writeState(stateDir, read());
  });
  if (state === undefined && seed !== undefined) applySeed(store, seed);
  return { store, resumed: state !== undefined };
}

/** The routes behind the token check: `/status` and the login need none (docs/platform.md 9, 10). */
function authentication(
  authority: Authority | undefined,
  url: () => string,
  routes: EmulatorRoutes,
): Pick<Parameters<typeof createPort>[0], 'routes' | 'refuse'> {
  if (authority === undefined) return { routes };
  return {
    routes: (request) => {
      const [path, isExtended] = /^\/(extended)?token$/u.exec(request.path) ?? [];
      return request.method === 'GET' && path !== undefined
        ? authority.login(request.headers['authorization'], isExtended !== undefined)
        : routes(request);
    },
    refuse: (path, headers) => {
      const isFree = /^\/(?:status|token|extendedtoken)$/u.test(path);
      return isFree ? undefined : authority.refusal(headers['authorization'], url());
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      const actual = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${actual}`);
    });
  });
}

function end(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
    server.closeAllConnections();
  });
}
