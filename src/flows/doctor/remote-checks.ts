import type { CommandContext } from '../../cli/context-types.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import type { FoundSettings } from '../../cli/settings.js';
import { configuredHubs } from '../../config/target.js';
import { counted } from '../../core/counted.js';
import type { Transport } from '../../http/transport.js';
import type { Door } from '../../platform/access/sign-in.js';
import { loadCatalog, type NamedHub } from '../../services/catalog/load.js';
import type { Check, Outcome } from '../../services/doctor/run-checks.js';
import { servicesNotOk } from '../../services/doctor/system-services.js';
import { lookAt } from '../../services/login/sign-in.js';
import { roughly } from './rounded-time.js';
import { reportServiceState } from '../../services/reports/service/state.js';

type Deps = Pick<CommandContext, 'bare' | 'found' | 'hubs' | 'platform' | 'trust'>;

/** Seconds by which two clocks may differ before somebody should know. */
const MOST_OFFSET = 60;
/** Milliseconds before its end from which on somebody should renew a certificate. */
const SOON = 30 * 86_400_000;

/** What one request told of the platform, its clock and its certificate. */
interface Look {
  readonly door: Door;
  readonly took: number;
  readonly tls: Transport<'platform'>['tls'];
}

async function look(url: string, { bare }: Deps, { clock }: Pick<Session, 'clock'>, signal: AbortSignal) {
  const started = clock.monotonic();
  let way: Transport<'platform'> | undefined;
  const door = await lookAt(url, async (...where) => (way = await bare(...where)), signal);
  return { door, took: Math.round(clock.monotonic() - started), tls: way?.tls };
}

function network(url: string, { door, took }: Look, { proxy }: FoundSettings['settings']): Outcome {
  const wants = door.kind === 'open' ? 'requires no login' : 'requires login';
  const way = proxy === undefined ? '' : ` (proxy ${proxy.from})`;
  return { state: 'ok', message: `${url} responds in ${took} ms${way}, ${wants}` };
}

/** How far the clock of the platform is from this one. */
function clocks({ door: { date } }: Look, { clock }: Pick<Session, 'clock'>): Outcome | undefined {
  if (date === undefined) return undefined;
  const offset = Math.round(Math.abs(Date.parse(date) - clock.now()) / 1000);
  const message = `the clock of the platform differs by ${offset} s from this one`;
  return offset <= MOST_OFFSET
    ? { state: 'ok', message }
    : { state: 'warn', message, fix: 'set the clocks: tokens expire by the clock of the platform' };
}

/** What is to be known of the certificate; that it is not accepted is told with the network. */
function certificate(
  { tls }: Look,
  { insecureSkipTlsVerify: insecure, caFile }: FoundSettings['settings'],
  { clock }: Pick<Session, 'clock'>,
): Outcome | undefined {
  if (tls === undefined) return undefined;
  const { protocol, validTo, issuer } = tls;
  const left = validTo - clock.now();
  const by = issuer === undefined ? '' : `, issued by ${issuer}`;
  const from = caFile === undefined ? '' : ` (${caFile.from})`;
  if (insecure?.value === true)
    return { state: 'warn', message: `${protocol}, certificate NOT verified${by}`, fix: 'use --ca-file FILE' };
  const message = `${protocol}, certificate valid for ${roughly(left)}${by}${from}`;
  return left > SOON
    ? { state: 'ok', message }
    : { state: 'warn', message, fix: 'renew the certificate of the server' };
}

async function platform(context: Deps, signal: AbortSignal): Promise<Outcome> {
  const target = await context.platform();
  const bad = await servicesNotOk(target.platform, signal);
  const message = `CDAP ${target.version}`;
  return bad.length === 0
    ? { state: 'ok', message: `${message}, all services OK` }
    : { state: 'warn', message: `${message}; not OK: ${bad.join(', ')}`, fix: 'see the logs of these services' };
}

async function reports(context: Deps, signal: AbortSignal): Promise<Outcome> {
  const state = await reportServiceState((await context.platform()).platform, signal);
  if (state === 'running') return { state: 'ok', message: 'the report service is running' };
  if (state === 'starting') return { state: 'ok', message: 'the report service is starting' };
  return {
    state: 'ok',
    message: `the report service is ${state === 'stopped' ? 'stopped' : 'not deployed'}; cdapctl generates reports itself`,
    fix: commandLine(['report', 'service', 'enable']),
  };
}

/** A check of each hub, by its name. */
async function hubs(context: Deps, session: Pick<Session, 'clock'>): Promise<{ readonly checks: readonly Check[] }> {
  const { settings, sources } = context.found;
  // That the platform cannot be asked for its hubs is told by its own check.
  const isNamed = settings.hubs !== undefined || configuredHubs(sources).length > 0;
  const all = await context.hubs().catch((error: unknown) => {
    if (isNamed) throw error;
    return [];
  });
  return { checks: all.map((one) => ({ id: `hub ${one.name}`, run: (signal) => hub(one, context, session, signal) })) };
}

async function hub(
  one: NamedHub,
  context: Deps,
  { clock }: Pick<Session, 'clock'>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { catalog, stored } = await loadCatalog(one, signal);
  const { trusted } = (await context.trust(one.source)).setup.keyring;
  const since = stored ? one.cache?.head?.fetchedAt : undefined;
  const age = since === undefined ? '' : `, catalog age ${roughly(clock.now() - since)}`;
  const keys = trusted.length === 0 ? 'no trusted key' : counted(trusted.length, 'trusted key');
  return { state: 'ok', message: `${counted(catalog.entries.length, 'package')}${age}, ${keys}` };
}

/** The checks of platform and hubs; those of a platform only where one is named. */
export function remoteChecks(
  url: string | undefined,
  context: Deps,
  session: Pick<Session, 'clock'>,
): readonly Check[] {
  const ofHubs: Check = { id: 'hubs', run: () => hubs(context, session) };
  if (url === undefined) return [ofHubs];
  const { settings } = context.found;
  let looked: Promise<Look> | undefined;
  const ask = (signal: AbortSignal): Promise<Look> => (looked ??= look(url, context, session, signal));
  // That the platform does not answer is told with the network alone.
  const also = (id: string, tell: (found: Look) => Outcome | undefined): Check => ({
    id,
    run: (signal) => ask(signal).then(tell, () => undefined),
  });
  return [
    { id: 'network', run: async (signal) => network(url, await ask(signal), settings) },
    also('clock', (found) => clocks(found, session)),
    also('tls', (found) => certificate(found, settings, session)),
    { id: 'platform', run: (signal) => platform(context, signal) },
    // Without a platform that answers there is nothing to say of its reports.
    { id: 'reports', run: (signal) => reports(context, signal).catch(() => undefined) },
    ofHubs,
  ];
}
