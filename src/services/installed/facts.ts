import { mapConcurrent } from '../../core/concurrency.js';
import {
  getApplication,
  getApplicationVersion,
  getProgramStatus,
  listApplicationPage,
  PROGRAM_PATHS,
  type ApplicationDetail,
  type ApplicationRecord,
} from '../../platform/apps.js';
import { getArtifact, listExtensions, listPluginsOf } from '../../platform/artifacts.js';
import { listSchedules } from '../../platform/schedules.js';
import { keyOf, type LedgerInstall, type LedgerItem, type Thing } from '../../state/ledger.js';
import { isOurs, madeFrom, standingOf, type Looking } from '../install/standing.js';
import type { ItemFacts } from './plan.js';
import { usesArtifact, usesStream, type OfferedArtifact } from './uses.js';

const AT_ONCE = 8;

const isOfArtifact = ({ kind }: Thing): boolean => kind === 'artifact' || kind === 'application';

/** One name for what two installs may share: an application stands for its artifact. */
const sharedKey = (item: LedgerItem): string => keyOf({ ...item, kind: isOfArtifact(item) ? 'artifact' : item.kind });

/** The other installs at the same place that made or found an item and still want it. */
function neededBy(item: LedgerItem, others: readonly LedgerInstall[]): readonly string[] {
  const wants = ({ items }: LedgerInstall): boolean =>
    items.some((other) => other.standing === 'live' && sharedKey(other) === sharedKey(item));
  return others.filter(wants).map((other) => `package ${other.package} ${other.version}`);
}

async function* allApplications({ platform, namespace, signal }: Looking): AsyncGenerator<ApplicationRecord> {
  let pageToken: string | undefined;
  do {
    const page = await platform.call(listApplicationPage, { namespace, pageToken }, signal);
    if (Array.isArray(page)) {
      yield* page;
      return;
    }
    yield* page.applications;
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
}

async function detailOf(
  { name, version = '-SNAPSHOT' }: ApplicationRecord,
  { platform, namespace, capabilities }: Looking,
  signal: AbortSignal,
): Promise<ApplicationDetail | undefined> {
  const place = { namespace, application: name };
  // From 6.9 on the list names the latest version, which is the one that runs.
  const latest = capabilities.applicationVersions || version === '-SNAPSHOT';
  return latest
    ? platform.find(getApplication, place, signal)
    : platform.find(getApplicationVersion, { ...place, version }, signal);
}

/** Reads every application of the namespace, a few at a time, and notes what it uses. */
async function scanApplications(
  users: ReadonlyMap<LedgerItem, Thing[]>,
  artifacts: ReadonlyMap<LedgerItem, OfferedArtifact>,
  looking: Looking,
): Promise<void> {
  const uses = (detail: ApplicationDetail, item: LedgerItem): boolean => {
    const artifact = artifacts.get(item);
    return artifact === undefined ? usesStream(detail, item.name) : usesArtifact(detail, artifact);
  };
  const details = mapConcurrent(
    allApplications(looking),
    AT_ONCE,
    (record, signal) => detailOf(record, looking, signal),
    looking.signal,
  );
  for await (const detail of details) {
    if (detail === undefined) continue;
    for (const [item, found] of users) if (uses(detail, item)) found.push({ kind: 'application', name: detail.name });
  }
}

/** The artifacts of the namespace whose plugins extend an artifact. */
async function extending({ name, version }: OfferedArtifact, looking: Looking): Promise<readonly Thing[]> {
  const { platform, namespace, signal } = looking;
  const place = { namespace, name, version };
  const found = new Map<string, Thing>();
  for (const type of (await platform.find(listExtensions, place, signal)) ?? []) {
    for (const { artifact } of (await platform.find(listPluginsOf, { ...place, type }, signal)) ?? []) {
      const other = { kind: 'artifact', name: artifact.name, version: artifact.version };
      const self = other.name === name && other.version === version;
      if (!self && artifact.scope.toUpperCase() === 'USER') found.set(keyOf(other), other);
    }
  }
  return [...found.values()];
}

/** Who uses the artifacts and streams among some items. */
async function usersOf(
  items: readonly LedgerItem[],
  looking: Looking,
): Promise<ReadonlyMap<LedgerItem, readonly Thing[]>> {
  const { platform, namespace, signal } = looking;
  const artifacts = new Map<LedgerItem, OfferedArtifact>();
  const users = new Map<LedgerItem, Thing[]>();
  for (const item of items) if (item.kind === 'stream') users.set(item, []);
  for (const item of items.filter(isOfArtifact)) {
    const { name, version = '' } = item;
    const detail = await platform.find(getArtifact, { namespace, name, version }, signal);
    if (detail === undefined) continue;
    const artifact = { name, version, plugins: detail.classes.plugins ?? [] };
    artifacts.set(item, artifact);
    users.set(item, [...(await extending(artifact, looking))]);
  }
  if (users.size > 0) await scanApplications(users, artifacts, looking);
  return users;
}

/** The programs of an application that are at work, as `APP/TYPE/PROGRAM`. */
async function runningIn(application: string, { platform, namespace, signal }: Looking): Promise<readonly string[]> {
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

/** The schedules of an application that are active, as `APP/schedules/SCHEDULE`. */
async function scheduledIn(application: string, { platform, namespace, signal }: Looking): Promise<readonly string[]> {
  const found = (await platform.find(listSchedules, { namespace, application }, signal)) ?? [];
  return found.filter(({ status }) => status === 'SCHEDULED').map(({ name }) => `${application}/schedules/${name}`);
}

/** Reads all that the plan of an uninstall needs; writes nothing. `others` are the other installs at the same place. */
export async function gatherFacts(
  install: LedgerInstall,
  others: readonly LedgerInstall[],
  looking: Looking,
): Promise<readonly ItemFacts[]> {
  const standings = new Map<LedgerItem, Awaited<ReturnType<typeof standingOf>>>();
  for (const item of install.items) standings.set(item, await standingOf(item, looking));
  const candidates = install.items.filter((item) => {
    const standing = standings.get(item);
    return item.origin === 'created' && standing !== undefined && isOurs(item, standing);
  });
  const users = await usersOf(candidates, looking);
  const facts: ItemFacts[] = [];
  for (const [item, standing] of standings) {
    const isCandidate = candidates.includes(item);
    const made = isCandidate && item.kind === 'application' ? await madeFrom(item, looking) : [];
    const deployed = isCandidate && item.kind === 'pipeline' ? [item.name] : made;
    const running: string[] = [];
    const scheduled: string[] = [];
    for (const name of deployed) {
      for (const one of await runningIn(name, looking)) running.push(one);
      for (const one of await scheduledIn(name, looking)) scheduled.push(one);
    }
    // The applications of a deployed JAR go together with it.
    const usedBy = (users.get(item) ?? []).filter(({ kind, name }) => kind !== 'application' || !made.includes(name));
    facts.push({ item, standing, applications: made, running, scheduled, neededBy: neededBy(item, others), usedBy });
  }
  return facts;
}
