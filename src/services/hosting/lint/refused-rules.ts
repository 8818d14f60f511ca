import { CliError } from '../../../core/errors.js';
import { parseRange } from '../../../core/version-range.js';
import { parseVersion } from '../../../core/version.js';
import { isSafeSegment } from '../../../core/names.js';
import { shapeOf } from '../../../hub/action-types.js';
import { brief, isRawObject, type RawObject } from '../../../hub/fields.js';
import { MOST_ACTIONS, readSpecification } from '../../../hub/specification.js';
import type { Found, Path } from './finding.js';
import { listOf, MAKES_ARTIFACT, specOf, textAt, type LintedAction, type LintedPackage, type Rule } from './rule.js';

const FILE = 'spec.json';
/** Types that make something with the name of an application or a stream (docs/platform.md 0.1, 7). */
const MAKES_NAMED = /^(?:create_pipeline|create_stream|load_datapack)$/u;
const NAME = /^[A-Za-z0-9_-]+$/u;
/** The name of an artifact (docs/platform.md 4.1). */
const ARTIFACT_NAME = /^[A-Za-z0-9_.-]+$/u;

/** What an installation says of a specification with these actions; undefined where it can read them. */
function refusalOf(actions: readonly unknown[]): CliError | undefined {
  try {
    readSpecification(Buffer.from(JSON.stringify({ actions })), FILE);
    return undefined;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
}

/** An argument without its value, which no installation reads that early. */
const bareArgument = (given: unknown): unknown =>
  isRawObject(given) ? { name: given['name'], canModify: given['canModify'] } : given;

function bareAction(action: unknown): unknown {
  if (!isRawObject(action)) return action;
  const { type, label, arguments: given } = action;
  return { type, label, arguments: Array.isArray(given) ? given.map(bareArgument) : given };
}

/** What an installation reads of an action one by one, each as an action of its own. */
function* partsOf({ type, label, arguments: given }: RawObject): Generator<readonly [Path, RawObject]> {
  // Other rules tell of what has no type.
  if (typeof type !== 'string' || type === '') return;
  yield [['label'], { type, label }];
  if (!Array.isArray(given)) {
    yield [['arguments'], { type, arguments: given }];
    return;
  }
  const names = new Set<unknown>();
  for (const [at, argument] of given.entries()) {
    const name: unknown = isRawObject(argument) ? argument['name'] : undefined;
    const earlier = names.has(name) ? [{ name }] : [];
    yield [['arguments', at], { type, arguments: [...earlier, bareArgument(argument)] }];
    if (typeof name === 'string' && name !== '') names.add(name);
  }
}

/** What an installation says of the actions when it reads the specification, in its own words. */
function* unreadable(one: LintedPackage): Generator<Found> {
  const actions = listOf(one.specification?.json['actions']);
  const whole = refusalOf(actions.map(bareAction));
  if (whole?.code === 'TOO_LARGE') yield found(one, ['actions'], whole.message);
  // Nor is more of it looked at: it may have hundreds of thousands of arguments.
  if (whole === undefined || whole.code === 'TOO_LARGE') return;
  for (const [index, action] of actions.slice(0, MOST_ACTIONS).entries())
    for (const [path, part] of isRawObject(action) ? partsOf(action) : []) {
      const message = refusalOf([part])?.message.replace(`action 1 of ${FILE}`, `action ${index + 1}`);
      if (message !== undefined) yield found(one, ['actions', index, ...path], message);
    }
}

const found = (one: LintedPackage, path: Path, message: string): Found => ({
  file: specOf(one),
  at: one.specification?.at(path),
  message,
});

/** What is wrong with a value of an action, and the name of its argument. */
type Problem = readonly [string, string];

function* nameProblems(action: LintedAction): Generator<Problem> {
  const name = textAt(action, 'name');
  if (name === undefined || name === '') return;
  if (MAKES_NAMED.test(action.type) && !NAME.test(name))
    yield ['name', `the platform does not accept the name ${brief(name)}: use letters, digits, "_" and "-"`];
  if (MAKES_ARTIFACT.test(action.type) && !(ARTIFACT_NAME.test(name) && isSafeSegment(name)))
    yield [
      'name',
      `the platform does not accept the artifact name ${brief(name)}: use letters, digits, ".", "_" and "-"`,
    ];
}

/** As an installation reads it, which takes an artifact without a scope for one of the user. */
function* pipelineProblems({ type, values }: LintedAction): Generator<Problem> {
  const artifact = values.get('artifact')?.value;
  if (!type.startsWith('create_pipeline') || !isRawObject(artifact)) return;
  const { name, version, scope = 'user' } = artifact;
  const lacking = Object.entries({ name, version, scope }).filter(([, value]) => typeof value !== 'string');
  for (const [member] of lacking) yield ['artifact', `the artifact of the pipeline has no ${member}`];
  if (typeof version === 'string' && parseRange(version) === undefined)
    yield ['artifact', `the artifact of the pipeline has ${brief(version)}, which is not a version or range`];
}

function* fileProblems({ type, values }: LintedAction): Generator<Problem> {
  const files = values.get('files')?.value;
  if (type === 'load_datapack' && Array.isArray(files) && files.length === 0) yield ['files', 'files lists no file'];
}

/** The version that an artifact has from its JAR. */
function* versionProblems(action: LintedAction, { jars }: LintedPackage): Generator<Problem> {
  const jar = jars.get(textAt(action, 'jar') ?? '');
  const isGiven = (action.values.get('version')?.value ?? undefined) !== undefined;
  if (!MAKES_ARTIFACT.test(action.type) || isGiven || typeof jar !== 'object') return;
  const { bundleVersion } = jar;
  if (bundleVersion === undefined) yield ['jar', 'neither the package nor the JAR manifest specifies a version'];
  else if (parseVersion(bundleVersion) === undefined)
    yield ['jar', `the platform does not accept ${brief(bundleVersion)}, the Bundle-Version of the JAR`];
}

/** Everything that an installation refuses when it prepares an action. */
function* unprepared(one: LintedPackage): Generator<Found> {
  for (const action of one.actions) {
    if (shapeOf(action.type) === undefined) continue;
    const problems = [
      nameProblems(action),
      pipelineProblems(action),
      fileProblems(action),
      versionProblems(action, one),
    ];
    for (const list of problems)
      for (const [name, message] of list)
        yield found(one, action.values.get(name)?.path ?? action.path, `action ${action.n}: ${message}`);
  }
}

/** Rules for what an installation refuses although every member has the type that it should have. */
export const REFUSED_RULES: readonly Rule[] = [
  {
    id: 'ACTION_REFUSED',
    severity: 'error',
    summary: 'an installation rejects an action or one of its arguments',
    *check(one) {
      yield* unreadable(one);
      yield* unprepared(one);
    },
  },
];
