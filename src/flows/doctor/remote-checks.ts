import type { CommandContext } from '../../cli/context-types.js';
import { commandLine } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { loadCatalog } from '../../services/catalog/load.js';
import type { Check, Outcome } from '../../services/doctor/run-checks.js';
import { servicesNotOk } from '../../services/doctor/system-services.js';
import { lookAt } from '../../services/login/sign-in.js';
import { roughly } from './rounded-time.js';
import { reportServiceState } from '../../services/reports/service/state.js';

type Deps = Pick<CommandContext, 'bare' | 'found' | 'hubs' | 'platform'>;

/** Seconds by which two clocks may differ before somebody should know. */
const MOST_OFFSET = 60;
/** Milliseconds before its end from which on somebody should renew a certificate. */
const SOON = 30 * 86_400_000;

async function network(url: string, context: Deps, session: Pick<Session, 'clock'>, signal: AbortSignal) {
  const started = session.clock.monotonic();
  const door = await lookAt(url, context.bare, signal);
  const took = Math.round(session.clock.monotonic() - started);
  const wants = door.kind === 'open' ? 'requires no login' : 'requires login';
  const offset = door.date === undefined ? undefined : (Date.parse(door.date) - session.clock.now()) / 1000;
  const { proxy } = context.found.settings;
  const way = proxy === undefined ? '' : ` (proxy ${proxy.from})`;
  if (offset !== undefined && Math.abs(offset) > MOST_OFFSET)
    return {
      state: 'warn',
      message: `${url} responds in ${took} ms${way}; its clock differs by ${Math.round(offset)} s from this one`,
      fix: 'set the clocks: tokens expire by the clock of the platform',
    } as const;
  return { state: 'ok', message: `${url} responds in ${took} ms${way}, ${wants}` } as const;
}

/** What is to be known of the certificate; that it is not accepted is told with the network. */
async function tls(
  url: string,
  context: Deps,
  { clock }: Pick<Session, 'clock'>,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  let way: Awaited<ReturnType<Deps['bare']>> | undefined;
  await lookAt(url, async (...where) => (way = await context.bare(...where)), signal);
  if (way?.tls === undefined) return undefined;
  const { protocol, validTo, issuer } = way.tls;
  const left = validTo - clock.now();
  const { insecureSkipTlsVerify: insecure, caFile } = context.found.settings;
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

async function hubs(
  context: Deps,
  { clock }: Pick<Session, 'clock'>,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  // That the platform cannot be asked for its hubs is told by its own check.
  const all = await context.hubs().catch(() => []);
  const parts: string[] = [];
  for (const hub of all) {
    const { catalog, stored } = await loadCatalog(hub, signal);
    const since = stored ? hub.cache?.head?.fetchedAt : undefined;
    const age = since === undefined ? '' : `, catalog age ${roughly(clock.now() - since)}`;
    parts.push(`${hub.name}: ${catalog.entries.length} packages${age}`);
  }
  return parts.length === 0 ? undefined : { state: 'ok', message: parts.join('; ') };
}

/** The checks of platform and hubs; those of a platform only where one is named. */
export function remoteChecks(
  url: string | undefined,
  context: Deps,
  session: Pick<Session, 'clock'>,
): readonly Check[] {
  const ofHubs: Check = { id: 'hubs', run: (signal) => hubs(context, session, signal) };
  if (url === undefined) return [ofHubs];
  return [
    { id: 'network', run: (signal) => network(url, context, session, signal) },
    ...(url.startsWith('https:')
      ? [{ id: 'tls', run: (signal: AbortSignal) => tls(url, context, session, signal).catch(() => undefined) }]
      : []),
    { id: 'platform', run: (signal) => platform(context, signal) },
    // Without a platform that answers there is nothing to say of its reports.
    { id: 'reports', run: (signal) => reports(context, signal).catch(() => undefined) },
    ofHubs,
  ];
}
