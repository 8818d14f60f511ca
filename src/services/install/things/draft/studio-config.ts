/** Members that every studio keeps, down to where it keeps all or may drop all (docs/platform.md 6.2). */
type Kept = 'all' | { readonly [member: string]: Kept };

const PLUGIN: Kept = {
  name: 'all',
  type: 'all',
  properties: 'all',
  artifact: { name: 'all', version: 'all', scope: 'all' },
};
const STAGE: Kept = { name: 'all', plugin: PLUGIN, inputSchema: 'all', outputSchema: 'all' };
const RESOURCES: Kept = { memoryMB: 'all', virtualCores: 'all' };
const BOTH = {
  stages: STAGE,
  connections: { from: 'all', to: 'all', port: 'all', condition: 'all' },
  resources: RESOURCES,
  driverResources: RESOURCES,
  properties: 'all',
  stageLoggingEnabled: 'all',
  processTimingEnabled: 'all',
  numOfRecordsPreview: 'all',
} as const;
const BATCH = { ...BOTH, schedule: 'all', maxConcurrentRuns: 'all', postActions: STAGE } as const;
const STREAMS: Kept = {
  ...BOTH,
  batchInterval: 'all',
  disableCheckpoints: 'all',
  checkpointDir: 'all',
  stopGracefully: 'all',
};
const ENGINES = ['SPARK', 'MAPREDUCE'];

/** What the studio adds on its own. */
const ADDED: Readonly<Record<string, unknown>> = { isUnitTest: false, memoryMB: 512, virtualCores: 1 };

const membersOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, member]) => member !== null);

const isScalar = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);

const numeric = (value: string | number | boolean): number =>
  typeof value === 'boolean' || String(value).trim() === '' ? Number.NaN : Number(value);

/** The typed model makes numbers of texts and texts of numbers, as each member wants them. */
function sameScalar(sent: unknown, kept: unknown): boolean {
  if (Object.is(sent, kept)) return true;
  if (!isScalar(sent) || !isScalar(kept) || typeof sent === typeof kept) return false;
  return String(sent) === String(kept) || numeric(sent) === numeric(kept);
}

function sameMembers(sent: object, kept: object, shape: Kept): boolean {
  const [had, has] = [new Map(membersOf(sent)), new Map(membersOf(kept))];
  const below = (name: string): Kept => (shape === 'all' ? 'all' : (shape[name] ?? {}));
  const isNeeded = (name: string): boolean => shape === 'all' || Object.hasOwn(shape, name);
  return (
    [...had.keys()].every((name) => has.has(name) || !isNeeded(name)) &&
    [...has].every(([name, value]) => (had.has(name) ? same(had.get(name), value, below(name)) : ADDED[name] === value))
  );
}

function same(sent: unknown, kept: unknown, shape: Kept): boolean {
  if (Array.isArray(sent) && Array.isArray(kept))
    return sent.length === kept.length && sent.every((item, at) => same(item, kept[at], shape));
  if (Array.isArray(sent) || Array.isArray(kept)) return false;
  if (typeof sent === 'object' && typeof kept === 'object' && sent !== null && kept !== null)
    return sameMembers(sent, kept, shape);
  return sameScalar(sent, kept);
}

/**
 * Whether the configuration that the studio returns matches the one that was sent. The studio silently drops unknown
 * members; all others must be equal (docs/platform.md 6.2).
 */
export function isKeptByStudio(sent: unknown, kept: unknown, artifact: string): boolean {
  if (artifact === 'cdap-data-streams') return same(sent, kept, STREAMS);
  const engine = typeof sent === 'object' && sent !== null && 'engine' in sent ? String(sent.engine) : '';
  return same(sent, kept, ENGINES.includes(engine) ? { ...BATCH, engine: 'all' } : BATCH);
}
