import { randomBytes } from 'node:crypto';
import { ApplicationTable, keyOrder, type Walk } from './application-table.js';
import type { Generation } from './generation.js';
import type {
  Application,
  ApplicationVersion,
  Artifact,
  Draft,
  GeneratedRuns,
  Namespace,
  Run,
  Snapshot,
  Stream,
} from './model.js';
import { PreferenceTable } from './preference-table.js';
import { ReportShelf } from './report-store.js';
import { NO_RUNS, RunTable } from './run-table.js';
import { studioApplication } from './studio.js';
import { systemArtifacts } from './system-artifacts.js';
import { timeBasedIds } from './uuid.js';
import { compareVersions, parseVersion } from './versions.js';

/** What a store is told of the world; `now` in milliseconds since the epoch. */
export interface World {
  readonly generation: Generation;
  readonly now: () => number;
}

/** The memory of the emulated platform; each change is told to `saved`, which may write it to disk. */
export class Store {
  readonly generation: Generation;
  readonly now: () => number;
  readonly newId: () => string;
  /** What the report service remembers, and how it is told to behave; it does not survive the emulator. */
  readonly reports = new ReportShelf();
  /** Preferences at every level. */
  readonly preferences: PreferenceTable;
  /** How runs of pipelines come to their end that are started from now on. */
  nextRuns: Pick<Run, 'lasts' | 'outcome' | 'token'> = {};
  readonly #namespaces = new Map<string, Namespace>();
  readonly #artifacts = new Map<string, Artifact>();
  readonly #applications = new ApplicationTable();
  readonly #drafts = new Map<string, Draft>();
  readonly #streams = new Map<string, Stream>();
  #userSettings: string;
  #runTable = NO_RUNS;
  readonly #saved: (read: () => Snapshot) => void;

  constructor(world: World, snapshot: Snapshot | undefined, saved: (read: () => Snapshot) => void) {
    const { generation, now } = world;
    this.generation = generation;
    this.now = now;
    this.newId = timeBasedIds(now);
    this.#saved = saved;
    for (const entry of snapshot?.namespaces ?? [defaultNamespace]) this.#namespaces.set(entry.name, entry);
    for (const entry of snapshot?.artifacts ?? systemArtifacts(generation))
      this.#artifacts.set(artifactKey(entry), entry);
    for (const entry of snapshot?.applications ?? (generation.hasStudio ? [studioApplication(now())] : []))
      this.#applications.put(entry);
    for (const entry of snapshot?.drafts ?? []) this.#drafts.set(keyOf(entry.namespace, entry.id), entry);
    this.#userSettings = snapshot?.userSettings ?? '{}';
    for (const entry of snapshot?.streams ?? []) this.#streams.set(keyOf(entry.namespace, entry.name), entry);
    this.preferences = new PreferenceTable(snapshot?.preferences ?? [], this.#changed.bind(this));
    if (snapshot?.generatedRuns !== undefined) this.#runTable = new RunTable(snapshot.generatedRuns);
  }

  snapshot(): Snapshot {
    return {
      platform: this.generation.platform,
      namespaces: [...this.#namespaces.values()],
      artifacts: [...this.#artifacts.values()],
      applications: this.#applications.all(),
      drafts: [...this.#drafts.values()],
      userSettings: this.#userSettings,
      streams: [...this.#streams.values()],
      preferences: this.preferences.all(),
      ...(this.#runTable === NO_RUNS ? {} : { generatedRuns: this.#runTable.shape }),
    };
  }

  namespaces(): Namespace[] {
    return [...this.#namespaces.values()];
  }

  namespace(name: string): Namespace | undefined {
    return this.#namespaces.get(name);
  }

  addNamespace(name: string, description: string): void {
    const identity = `${name.replaceAll('_', '-')}-${randomBytes(8).toString('hex').slice(1)}`;
    this.#namespaces.set(name, { name, identity, description, generation: this.now() });
    this.#changed();
  }

  deleteNamespace(name: string): void {
    this.#namespaces.delete(name);
    for (const entry of this.artifacts(name)) this.#artifacts.delete(artifactKey(entry));
    this.#applications.deleteNamespace(name);
    for (const entry of this.drafts(name)) this.#drafts.delete(keyOf(name, entry.id));
    for (const entry of this.streams(name)) this.#streams.delete(keyOf(name, entry.name));
    this.preferences.forget([name]);
    this.#changed();
  }

  /** The artifacts of a namespace, by name and version. */
  artifacts(namespace: string): Artifact[] {
    return [...this.#artifacts.values()].filter((entry) => entry.namespace === namespace).sort(compareArtifacts);
  }

  artifact(namespace: string, name: string, version: string): Artifact | undefined {
    return this.#artifacts.get(artifactKey({ namespace, name, version }));
  }

  putArtifact(artifact: Artifact): void {
    this.#artifacts.set(artifactKey(artifact), artifact);
    this.#changed();
  }

  deleteArtifact(artifact: Artifact): void {
    this.#artifacts.delete(artifactKey(artifact));
    this.#changed();
  }

  /** The applications of a namespace in the order of the real store: by length of the name, then by name. */
  applications(namespace: string): Application[] {
    return [...this.#applications.walk(namespace)];
  }

  /** The same one by one, from a name on. */
  walkApplications(namespace: string, walk: Walk): Iterable<Application> {
    return this.#applications.walk(namespace, walk);
  }

  application(namespace: string, name: string): Application | undefined {
    return this.#applications.get(namespace, name);
  }

  putApplication(application: Application): void {
    this.putApplications([application]);
  }

  /** Puts several as one change. */
  putApplications(applications: Iterable<Application>): void {
    for (const application of applications) this.#applications.put(application);
    this.#changed();
  }

  deleteApplication(application: Application): void {
    this.#applications.delete(application);
    this.preferences.forget([application.namespace, application.name]);
    this.#changed();
  }

  /** The drafts of a namespace in the order of the real store. */
  drafts(namespace: string): Draft[] {
    return [...this.#drafts.values()]
      .filter((entry) => entry.namespace === namespace)
      .sort((a, b) => keyOrder(a.id, b.id));
  }

  draft(namespace: string, id: string): Draft | undefined {
    return this.#drafts.get(keyOf(namespace, id));
  }

  putDraft(draft: Draft): void {
    this.#drafts.set(keyOf(draft.namespace, draft.id), draft);
    this.#changed();
  }

  deleteDraft(draft: Draft): void {
    this.#drafts.delete(keyOf(draft.namespace, draft.id));
    this.#changed();
  }

  /** The streams of a namespace in the order of the real store. */
  streams(namespace: string): Stream[] {
    return [...this.#streams.values()]
      .filter((entry) => entry.namespace === namespace)
      .sort((a, b) => keyOrder(a.name, b.name));
  }

  stream(namespace: string, name: string): Stream | undefined {
    return this.#streams.get(keyOf(namespace, name));
  }

  putStream(stream: Stream): void {
    this.#streams.set(keyOf(stream.namespace, stream.name), stream);
    this.#changed();
  }

  deleteStream(stream: Stream): void {
    this.#streams.delete(keyOf(stream.namespace, stream.name));
    this.#changed();
  }

  /** The JSON text of the user store, number formats and order as they were sent. */
  get userSettings(): string {
    return this.#userSettings;
  }

  setUserSettings(text: string): void {
    this.#userSettings = text;
    this.#changed();
  }

  /** The generated runs; those that were started here belong to their application. */
  get runTable(): RunTable {
    return this.#runTable;
  }

  putGeneratedRuns(runs: GeneratedRuns): void {
    this.#runTable = new RunTable(runs);
    this.#changed();
  }

  #changed(): void {
    this.#saved(() => this.snapshot());
  }
}

const defaultNamespace: Namespace = {
  name: 'default',
  identity: 'default',
  description: 'The namespace that is always there.',
  generation: 0,
};

/** The newest version of an application. */
export function latestOf(application: Application): ApplicationVersion {
  const latest = application.versions.at(-1);
  if (latest === undefined) throw new Error(`the application ${application.name} has no version`);
  return latest;
}

/** Orders artifacts by name, then by version. */
export function compareArtifacts(a: Artifact, b: Artifact): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  const [left, right] = [parseVersion(a.version), parseVersion(b.version)];
  return left === undefined || right === undefined ? 0 : compareVersions(left, right);
}

function artifactKey(artifact: { namespace: string; name: string; version: string }): string {
  return `${artifact.namespace}/${artifact.name}/${artifact.version}`;
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
