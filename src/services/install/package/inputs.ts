import * as z from 'zod/mini';
import { closest, didYouMean } from '../../../core/closest.js';
import { CliError } from '../../../core/errors.js';
import type { Hint } from '../../../core/next-step.js';
import type { Action } from '../../../hub/specification.js';
import type { Inputs } from '../../catalog/open-inputs.js';
import type { PackageCommands } from '../action.js';

/** Inputs as the user typed them, and the content of a values file. An action is a number or `type[index]`. */
export interface TypedInputs {
  readonly set: readonly { readonly action: string; readonly name: string; readonly value: string }[];
  readonly jars: readonly { readonly action: string; readonly file: string }[];
  readonly acceptLicense: boolean;
  readonly values?: unknown;
}

const ActionValues = z.strictObject({
  jar: z.optional(z.string()),
  set: z.optional(z.record(z.string(), z.union([z.string(), z.boolean()]))),
});
const Values = z.strictObject({
  package: z.optional(z.string()),
  namespace: z.optional(z.string()),
  acceptLicense: z.optional(z.boolean()),
  actions: z.optional(z.record(z.string(), ActionValues)),
});
const MEMBERS = ['package', 'namespace', 'acceptLicense', 'actions', 'jar', 'set'];

/** A values file, checked: what `-f` gives. */
export type InstallValues = z.infer<typeof Values>;

const usage = (message: string, hints: readonly Hint[] = []): CliError => new CliError('USAGE', message, { hints });

/**
 * Checks the content of a values file.
 * @throws USAGE names the member that is wrong and suggests the right one
 */
export function parseValues(content: unknown): InstallValues {
  const dropped = protoIn(content);
  if (dropped !== undefined) throw usage(`the values file has an unknown member "${dropped.join('.')}"`);
  const result = Values.safeParse(content ?? {});
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const where = issue?.path.join('.') ?? '';
  if (issue?.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    const near = closest(key, MEMBERS);
    throw usage(
      `the values file has an unknown member "${[where, key].filter((part) => part !== '').join('.')}"`,
      didYouMean(near),
    );
  }
  // Text that YAML reads as a list or as nothing.
  if (/\.set\.[^.]+$/u.test(where))
    throw usage(`the values file is invalid at "${where}"`, ['put the value in quotes']);
  throw usage(`the values file is invalid at "${where}"`, [{ next: 'values-file' }]);
}

/** How deep the names of arguments are: `actions.1.set.NAME`. */
const DEEPEST = 4;

/** The way to a member that zod drops from records without an error; undefined where there is none. */
function protoIn(value: unknown, way: readonly string[] = []): readonly string[] | undefined {
  if (way.length === DEEPEST || typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = key === '__proto__' ? [...way, key] : protoIn(member, [...way, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Refuses a values file that was written for another package or namespace. */
export function refuseOtherValues(
  content: unknown,
  place: { readonly name: string; readonly version: string },
  namespace: string,
): void {
  const values = parseValues(content);
  const named = values.package?.replace(/^.*\//u, '');
  if (named !== undefined && named !== place.name && named !== `${place.name}@${place.version}`)
    throw usage(`the values file is for the package ${values.package ?? ''}, not for ${place.name}@${place.version}`);
  if (values.namespace !== undefined && values.namespace !== namespace)
    throw usage(`the values file is for the namespace "${values.namespace}", but this run is for "${namespace}"`, [
      { next: 'use-namespace', namespace: values.namespace },
    ]);
}

/**
 * The number of the action that a person named by number or as `type[index]`.
 * @throws USAGE for another name
 */
export function actionNumber(text: string, actions: readonly Action[], { actions: show }: PackageCommands): number {
  const byType = /^([a-z_]+)\[(\d+)\]$/u.exec(text);
  const ofType = actions.filter(({ type }) => type === byType?.[1]);
  const n = byType ? ofType[Number(byType[2]) - 1]?.n : /^[1-9]\d{0,3}$/u.test(text) ? Number(text) : undefined;
  if (n === undefined || !actions.some((action) => action.n === n)) {
    throw usage(`the package has no action "${text}" (it has ${actions.length})`, [show]);
  }
  return n;
}

/**
 * Merges flags over the values file.
 * @throws USAGE when an action does not exist
 */
export function parseInputs(typed: TypedInputs, actions: readonly Action[], commands: PackageCommands): Inputs {
  const set = new Map<number, Map<string, string>>();
  const jars = new Map<number, string>();
  const put = (n: number, name: string, value: string): void => {
    set.set(n, (set.get(n) ?? new Map<string, string>()).set(name, value));
  };
  const values = parseValues(typed.values);
  const keys = new Map<number, string>();
  for (const [key, { jar, set: given = {} }] of Object.entries(values.actions ?? {})) {
    const n = actionNumber(key, actions, commands);
    const other = keys.get(n);
    if (other !== undefined) throw usage(`the values file has action ${n} twice, as "${other}" and "${key}"`);
    keys.set(n, key);
    if (jar !== undefined) jars.set(n, jar);
    for (const [name, value] of Object.entries(given)) put(n, name, String(value));
  }
  for (const { action, name, value } of typed.set) put(actionNumber(action, actions, commands), name, value);
  for (const { action, file } of typed.jars) jars.set(actionNumber(action, actions, commands), file);
  return { set, jars, acceptLicense: typed.acceptLicense || values.acceptLicense === true };
}
