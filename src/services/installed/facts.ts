import { mapConcurrent } from '../../core/concurrency.js';
import {
  applicationPages,
  getApplication,
  getApplicationVersion,
  getProgramStatus,
  PROGRAM_PATHS,
  type ApplicationDetail,
  type ApplicationRecord,
} from '../../platform/apps.js';
import { listSchedules } from '../../platform/schedules.js';
import { keyOf, type LedgerInstall, type LedgerItem, type Thing } from '../../state/ledger.js';
import { isOurs } from '../install/thing-state.js';
import { kindOf, standingOf } from '../install/things/table.js';
import { isArtifact, type LookDeps, type Users } from '../install/thing-kind.js';
import type { ItemFacts } from './plan.js';

const AT_ONCE = 8;

/** One name for what two installs may share: an application stands for its artifact. */
const sharedKey = (item: LedgerItem): string =>
  keyOf({ ...item, kind: isArtifact(item.kind) ? 'artifact' : item.kind });

/** The other installs at the same place that made or found an item and still want it. */
function neededBy(item: LedgerItem, others: readonly LedgerInstall[]): readonly string[] {
  const wants = ({ items }: LedgerInstall): boolean =>
    items.some((other) => other.standing === 'live' && sharedKey(other) === sharedKey(item));
  return others.filter(wants).map((other) => `package ${other.package} ${other.version}`);
}

async function* allApplications({ platform, namespace, signal }: LookDeps): AsyncGenerator<ApplicationRecord> {
  for await (const records of applicationPages({ namespace }, platform, signal)) yield* records;
}

async function detailOf(
  { name, version = '-SNAPSHOT' }: ApplicationRecord,
  { platform, namespace, capabilities }: LookDeps,
  signal: AbortSignal,
): Promise<ApplicationDetail | undefined> {
  const place = { namespace, application: name };
  // From 6.9 on the list names the latest version, which is the one that runs.
  const latest = capabilities.applicationVersions || version === '-SNAPSHOT';
  return latest
    ? platform.find(getApplication, place, signal)
    : platform.find(getApplicationVersion, { ...place, version }, signal);
}

/**
 * Who uses the items among some that something can use. Every application of the namespace is read once, a few at a
 * time.
 */
async function usersOf(
  items: readonly LedgerItem[],
  deps: LookDeps,
): Promise<ReadonlyMap<LedgerItem, readonly Thing[]>> {
  const users = new Map<LedgerItem, Users & { readonly found: Thing[] }>();
  for (const item of items) {
    const asked = await kindOf(item.kind)?.users?.(item, deps);
    if (asked !== undefined) users.set(item, { ...asked, found: [...asked.known] });
  }
  if (users.size > 0) {
    const read = (record: ApplicationRecord, signal: AbortSignal) => detailOf(record, deps, signal);
    for await (const detail of mapConcurrent(allApplications(deps), AT_ONCE, read, deps.signal)) {
      if (detail === undefined) continue;
      for (const { includes, found } of users.values())
        if (includes(detail)) found.push({ kind: 'application', name: detail.name });
    }
  }
  return new Map([...users].map(([item, { found }]) => [item, found]));
}

/** The programs of an application that are at work, as `APP/TYPE/PROGRAM`. */
async function runningIn(application: string, { platform, namespace, signal }: LookDeps): Promise<readonly string[]> {
  const detail = await platform.find(getApplication, { namespace, application }, signal);
  const running: string[] = [];
  for (const program of detail?.programs ?? []) {
    const type = PROGRAM_PATHS[program.type.toLowerCase()];
    if (type === undefined) continue;
    const place = { namespace, application, type, program: program.name };
    const found = await platform.find(getProgramStatus, place, signal);
    if (found !== undefined && found.status !== 'STOPPED') running.push(`${application}/${type}/${program.name}`);
  }
  return running;
}

/** Whether a schedule of an application is active. */
async function isScheduled(application: string, { platform, namespace, signal }: LookDeps): Promise<boolean> {
  const found = (await platform.find(listSchedules, { namespace, application }, signal)) ?? [];
  return found.some(({ status }) => status === 'SCHEDULED');
}

/** Reads all that the plan of an uninstall needs; writes nothing. `others` are the other installs at the same place. */
export async function gatherFacts(
  install: LedgerInstall,
  others: readonly LedgerInstall[],
  deps: LookDeps,
): Promise<readonly ItemFacts[]> {
  const standings = new Map<LedgerItem, Awaited<ReturnType<typeof standingOf>>>();
  for (const item of install.items) standings.set(item, await standingOf(item, deps));
  const candidates = install.items.filter((item) => {
    const standing = standings.get(item);
    return item.origin === 'created' && standing !== undefined && isOurs(item, standing);
  });
  const users = await usersOf(candidates, deps);
  const facts: ItemFacts[] = [];
  for (const [item, standing] of standings) {
    const applications = candidates.includes(item) ? ((await kindOf(item.kind)?.applications(item, deps)) ?? []) : [];
    const running: string[] = [];
    const scheduled: string[] = [];
    for (const name of applications) {
      for (const one of await runningIn(name, deps)) running.push(one);
      if (await isScheduled(name, deps)) scheduled.push(name);
    }
    // The applications of a deployed JAR go together with it.
    const usedBy = (users.get(item) ?? []).filter(
      ({ kind, name }) => kind !== 'application' || !applications.includes(name),
    );
    facts.push({ item, standing, applications, running, scheduled, neededBy: neededBy(item, others), usedBy });
  }
  return facts;
}
