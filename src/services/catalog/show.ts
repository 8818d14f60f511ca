import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import { shapeOf } from '../../hub/action-types.js';
import { LIMITS } from '../../hub/source.js';
import type { Action, Specification } from '../../hub/specification.js';
import type { RawObject } from '../../hub/fields.js';
import { missingArguments, resourcesOf, wrongArguments } from './action-shapes.js';
import { actionWithoutStreams, compatibilityOf, type Compatibility } from './compatibility.js';
import { differencesOf, type Difference } from './differences.js';
import type { PackagePlace, VersionChoice } from './resolve.js';
import { fetchSpecification } from './specification.js';

/** One argument of an action. `required` and `missing` by its type, `known` false when the type does not know it. */
export interface ArgumentDescription {
  readonly name: string;
  readonly value: unknown;
  readonly canModify: boolean;
  readonly required: boolean;
  readonly missing: boolean;
  readonly known: boolean;
}

/** A file of the package; `bytes` is absent where the hub does not tell. */
export interface ResourceDescription {
  readonly name: string;
  readonly bytes?: number | undefined;
  /** The hub has a signature of the file; nothing is said of whether it is good. */
  readonly signature: boolean;
  readonly missing: boolean;
  /** Why it could not be looked at. */
  readonly problem?: string | undefined;
}

/** An action as `install` will number it. */
export interface ActionDescription {
  readonly n: number;
  readonly type: string;
  /** Our tool knows the type. */
  readonly known: boolean;
  readonly label: string | undefined;
  readonly arguments: readonly ArgumentDescription[];
  /** Names of arguments whose value has a wrong JSON type. */
  readonly wrong: readonly string[];
  readonly resources: readonly ResourceDescription[];
  /** What the user is asked for, or may bring instead of the hub's. */
  readonly asks: readonly string[];
}

/** What `hub show` tells of a package. */
export interface PackageDescription {
  readonly hub: string;
  readonly name: string;
  readonly version: string;
  /** The catalog entry as it came; absent when the catalog does not list the version. */
  readonly catalog: RawObject | undefined;
  readonly spec: RawObject;
  readonly specification: Specification;
  /** The bytes of the specification, unchanged. */
  readonly specBytes: Uint8Array;
  readonly specSignature: boolean;
  readonly license: ResourceDescription | undefined;
  readonly actions: readonly ActionDescription[];
  readonly differences: readonly Difference[];
  readonly versions: readonly VersionChoice[];
  readonly compatibility: Compatibility;
  /** The flags that an install of it cannot do without, as `--jar 2=PATH`. */
  readonly needs: readonly string[];
  /** Number of an action that needs a stream, on a platform that has none. */
  readonly withoutStreams?: number;
}

const AT_ONCE = 8;

/**
 * Describes a package version, unverified; opens each file it names to see that it is there.
 * @throws PACKAGE_NOT_FOUND, and the errors of a specification that cannot be read
 */
export async function describePackage(
  place: PackagePlace,
  options: { readonly platformVersion?: string | undefined },
  signal: AbortSignal,
): Promise<Omit<PackageDescription, 'needs'>> {
  const { hub, name, version, entry, versions } = place;
  const { specification, bytes } = await fetchSpecification(place, signal);
  const license = entry?.license ?? specification.license;
  const wanted = new Set([...specification.actions.flatMap(resourcesOf), ...(license === undefined ? [] : [license])]);
  const resources = new Map<string, ResourceDescription>();
  const look = (file: string, both: AbortSignal): Promise<ResourceDescription> => describeResource(place, file, both);
  for await (const one of mapConcurrent(wanted, AT_ONCE, look, signal)) resources.set(one.name, one);
  const { platformVersion } = options;
  const stream =
    platformVersion === undefined ? undefined : actionWithoutStreams(specification.actions, platformVersion);
  return {
    hub,
    name,
    version,
    catalog: entry?.raw,
    spec: specification.raw,
    specification,
    specBytes: bytes,
    specSignature: (await sizeOf(place, 'spec.json.asc', signal)) !== undefined,
    license: license === undefined ? undefined : resources.get(license),
    actions: specification.actions.map((action) => describeAction(action, resources)),
    differences: entry === undefined ? [] : differencesOf(entry, specification),
    versions,
    compatibility: compatibilityOf((entry ?? specification).cdapVersion, platformVersion),
    ...(stream !== undefined && { withoutStreams: stream }),
  };
}

function describeAction(action: Action, resources: ReadonlyMap<string, ResourceDescription>): ActionDescription {
  const shape = shapeOf(action.type);
  const missing = missingArguments(action);
  const given = action.arguments.map((argument): ArgumentDescription => {
    const known = shape?.arguments.find(({ name }) => name === argument.name);
    return {
      ...argument,
      required: known?.required ?? false,
      missing: missing.includes(argument.name),
      known: known !== undefined,
    };
  });
  const absent = missing
    .filter((name) => !given.some((argument) => argument.name === name))
    .map((name): ArgumentDescription => ({
      name,
      value: undefined,
      canModify: false,
      required: true,
      missing: true,
      known: true,
    }));
  return {
    n: action.n,
    type: action.type,
    known: shape !== undefined,
    label: action.label,
    arguments: [...given, ...absent],
    wrong: wrongArguments(action),
    resources: resourcesOf(action).flatMap((name) => resources.get(name) ?? []),
    asks: shape?.asks ?? [],
  };
}

async function describeResource(place: PackagePlace, name: string, signal: AbortSignal): Promise<ResourceDescription> {
  try {
    const found = await sizeOf(place, name, signal);
    const signature = found !== undefined && (await sizeOf(place, `${name}.asc`, signal)) !== undefined;
    return { name, bytes: found?.bytes, signature, missing: found === undefined };
  } catch (error) {
    if (signal.aborted || !(error instanceof CliError)) throw error;
    return { name, signature: false, missing: true, problem: error.message };
  }
}

async function sizeOf(
  { source, name, version }: PackagePlace,
  file: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number | undefined } | undefined> {
  const opened = await source.open({ name, version, file }, { maxBytes: LIMITS.resource }, signal);
  await opened?.discard();
  return opened && { bytes: opened.bytes };
}
