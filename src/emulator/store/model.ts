import * as z from 'zod/mini';
import { PLATFORMS } from './generation.js';

const TextMap = z.record(z.string(), z.string());

/** A namespace as the platform lists it. */
export const Namespace = z.strictObject({
  name: z.string(),
  identity: z.string(),
  description: z.string(),
  generation: z.number(),
});
/** A namespace as the platform lists it. */
export type Namespace = z.infer<typeof Namespace>;

const PluginProperty = z.strictObject({
  name: z.string(),
  description: z.string(),
  type: z.string(),
  required: z.boolean(),
  macroSupported: z.boolean(),
  macroEscapingEnabled: z.boolean(),
  children: z.array(z.string()),
});
/** One property of a plugin's configuration class. */
export type PluginProperty = z.infer<typeof PluginProperty>;

const PluginClass = z.strictObject({
  type: z.string(),
  name: z.string(),
  description: z.string(),
  className: z.string(),
  configFieldName: z.exactOptional(z.string()),
  properties: z.record(z.string(), PluginProperty),
  requirements: z.strictObject({ datasetTypes: z.array(z.string()), capabilities: z.array(z.string()) }),
});
/** A plugin that was found in, or declared for, an artifact. */
export type PluginClass = z.infer<typeof PluginClass>;

/** A program of an application. */
export const Program = z.strictObject({ type: z.string(), name: z.string(), description: z.string() });
/** A program of an application; `type` as in JSON answers (`Workflow`). */
export type Program = z.infer<typeof Program>;

const ApplicationClass = z.strictObject({
  className: z.string(),
  description: z.string(),
  configSchema: z.exactOptional(z.unknown()),
  programs: z.exactOptional(z.array(Program)),
  datasets: z.exactOptional(z.array(z.strictObject({ name: z.string(), classname: z.string() }))),
});
/** An application class of an artifact. `programs` and `datasets` where they do not follow from the class. */
export type ApplicationClass = z.infer<typeof ApplicationClass>;

const Version = z.strictObject({
  version: z.string(),
  major: z.number(),
  minor: z.exactOptional(z.number()),
  fix: z.exactOptional(z.number()),
  suffix: z.exactOptional(z.string()),
});

const ParentRange = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  lower: Version,
  upper: Version,
  isLowerInclusive: z.boolean(),
  isUpperInclusive: z.boolean(),
});
/** A range of artifacts that an artifact extends; namespace `system` for those of the platform. */
export type ParentRange = z.infer<typeof ParentRange>;

const Artifact = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  version: z.string(),
  properties: TextMap,
  parents: z.array(ParentRange),
  plugins: z.array(PluginClass),
  applications: z.array(ApplicationClass),
  sha256: z.string(),
  bytes: z.number(),
});
/** A stored artifact; namespace `system` makes its scope SYSTEM. */
export type Artifact = z.infer<typeof Artifact>;

const ArtifactName = z.strictObject({ name: z.string(), version: z.string(), scope: z.enum(['SYSTEM', 'USER']) });
/** How requests and answers name an artifact. */
export type ArtifactName = z.infer<typeof ArtifactName>;

const Schedule = z.strictObject({
  namespace: z.string(),
  application: z.string(),
  name: z.string(),
  description: z.string(),
  program: z.strictObject({ programName: z.string(), programType: z.string() }),
  properties: z.record(z.string(), z.unknown()),
  trigger: z.record(z.string(), z.unknown()),
  constraints: z.array(z.unknown()),
  timeoutMillis: z.number(),
  status: z.enum(['SCHEDULED', 'SUSPENDED']),
  lastUpdateTime: z.number(),
});
/** A schedule as the platform shows it. */
export type Schedule = z.infer<typeof Schedule>;

const ApplicationVersion = z.strictObject({
  version: z.string(),
  description: z.string(),
  configuration: z.string(),
  artifact: ArtifactName,
  created: z.number(),
  changeDescription: z.exactOptional(z.string()),
  programs: z.array(Program),
  plugins: z.array(z.strictObject({ id: z.string(), name: z.string(), type: z.string() })),
  datasets: z.array(z.strictObject({ name: z.string(), classname: z.string() })),
});
/** One version of an application. */
export type ApplicationVersion = z.infer<typeof ApplicationVersion>;

const Run = z.strictObject({
  id: z.string(),
  program: z.string(),
  type: z.string(),
  started: z.number(),
  stopped: z.exactOptional(z.number()),
  /** Milliseconds to its end, and how it ends. */
  lasts: z.exactOptional(z.number()),
  outcome: z.exactOptional(z.enum(['COMPLETED', 'FAILED', 'KILLED'])),
  version: z.string(),
  runtimeArguments: TextMap,
  /** What its workflow puts into its token. */
  token: z.exactOptional(TextMap),
});
/** How runs that are started from now on come to their end, and what is in their tokens. */
export const RunOrder = z.pick(Run, { lasts: true, outcome: true, token: true });
/** A run; its state follows from the time that has passed since it was started. */
export type Run = z.infer<typeof Run>;

const Application = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  versions: z.array(ApplicationVersion).check(z.minLength(1)),
  schedules: z.array(Schedule),
  runs: z.array(Run),
});
/** An application: its versions, oldest first, with what belongs to all of them. */
export type Application = z.infer<typeof Application>;

const DraftArtifact = z.strictObject({
  name: z.string(),
  version: z.exactOptional(z.string()),
  scope: z.exactOptional(z.enum(['SYSTEM', 'USER'])),
});
const Draft = z.strictObject({
  namespace: z.string(),
  id: z.string(),
  created: z.number(),
  updated: z.number(),
  name: z.exactOptional(z.string()),
  description: z.exactOptional(z.string()),
  parentVersion: z.exactOptional(z.string()),
  artifact: DraftArtifact,
  config: z.exactOptional(z.record(z.string(), z.unknown())),
});
/** A draft of the studio service. One without a name can be stored, and then breaks the list (docs/platform.md 6.2). */
export type Draft = z.infer<typeof Draft>;

const Stream = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  ttl: z.number(),
  format: z.strictObject({ name: z.string(), schema: z.unknown(), settings: z.record(z.string(), z.unknown()) }),
  threshold: z.number(),
  description: z.exactOptional(z.string()),
  events: z.array(z.strictObject({ timestamp: z.number(), headers: TextMap, body: z.string() })),
});
/** A stream and its events; `ttl` in seconds, times in milliseconds since the epoch. */
export type Stream = z.infer<typeof Stream>;

/** Preferences of one place. It is named by namespace, application and `Workflow/NAME`, or by nothing. */
export const PlacePreferences = z.strictObject({ place: z.array(z.string()), values: TextMap });
/** Preferences of one place. */
export type PlacePreferences = z.infer<typeof PlacePreferences>;

const RunPipeline = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  kind: z.enum(['batch', 'realtime']),
  version: z.string(),
  artifact: ArtifactName,
});
/** A pipeline whose runs are generated. */
export type RunPipeline = z.infer<typeof RunPipeline>;

/** Generated runs: their count, the epoch second before which all were started, and their pipelines. */
export const GeneratedRuns = z.strictObject({ count: z.number(), until: z.number(), pipelines: z.array(RunPipeline) });
/** Generated runs. */
export type GeneratedRuns = z.infer<typeof GeneratedRuns>;

/**
 * Everything the emulated platform remembers, as it stands in the state file. `userSettings` is the JSON text of the
 * user store.
 */
export const Snapshot = z.strictObject({
  platform: z.enum(PLATFORMS),
  namespaces: z.array(Namespace),
  artifacts: z.array(Artifact),
  applications: z.array(Application),
  drafts: z.array(Draft),
  userSettings: z.string(),
  streams: z.array(Stream),
  preferences: z.exactOptional(z.array(PlacePreferences)),
  generatedRuns: z.exactOptional(GeneratedRuns),
});
/** Everything the emulated platform remembers. */
export type Snapshot = z.infer<typeof Snapshot>;
