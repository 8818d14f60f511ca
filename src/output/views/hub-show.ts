import * as z from 'zod/mini';
import { describeRange, parseRange } from '../../core/version-range.js';
import type {
  ActionDescription,
  ArgumentDescription,
  PackageDescription,
  ResourceDescription,
} from '../../services/catalog/show.js';
import { visible } from '../escape.js';
import { itemView } from '../view.js';
import { cut, padded } from '../width.js';

const Argument = z.object({
  name: z.string(),
  value: z.nullable(z.unknown()),
  canModify: z.boolean(),
  required: z.boolean(),
  missing: z.boolean(),
});
const Resource = z.object({
  name: z.string(),
  bytes: z.optional(z.number()),
  signature: z.boolean(),
  missing: z.boolean(),
});
const Action = z.object({
  n: z.number(),
  type: z.string(),
  label: z.string(),
  arguments: z.array(Argument),
  resources: z.array(Resource),
});
const Compatibility = z.object({
  platform: z.optional(z.string()),
  reason: z.optional(z.string()),
  compatible: z.boolean(),
});
const Package = z.object({
  hub: z.string(),
  name: z.string(),
  version: z.string(),
  catalog: z.nullable(z.record(z.string(), z.unknown())),
  spec: z.record(z.string(), z.unknown()),
  actions: z.array(Action),
  differences: z.array(
    z.object({ field: z.string(), catalog: z.nullable(z.unknown()), spec: z.nullable(z.unknown()) }),
  ),
  versions: z.array(z.object({ version: z.string(), cdapVersion: z.optional(z.string()), compatible: z.boolean() })),
  compatibility: Compatibility,
});

/** Which parts of a package are shown to people; JSON always has all. */
export interface ShowParts {
  readonly actions: boolean;
  readonly versions: boolean;
  readonly why: boolean;
}

const size = (bytes: number | undefined): string =>
  bytes === undefined ? '' : `, ${bytes < 2048 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`}`;

function rangeOf({
  catalog,
  specification,
}: Pick<PackageDescription, 'catalog' | 'specification'>): string | undefined {
  const listed = catalog?.['cdapVersion'];
  return typeof listed === 'string' ? listed : specification.cdapVersion;
}

function verdictText({ compatibility, specification, catalog }: PackageDescription): string {
  const range = visible(rangeOf({ catalog, specification }) ?? 'any version');
  const platform = compatibility.platform ?? '';
  switch (compatibility.reason) {
    case 'IN_RANGE':
      return `${range}   compatible with ${platform}`;
    case 'NO_RANGE':
      return 'any version';
    case 'BELOW':
      return `${range}   not compatible with ${platform}: below the range`;
    case 'ABOVE':
      return `${range}   not compatible with ${platform}: above the range`;
    case 'EMPTY_RANGE':
      return `${range}   compatible with no platform: the range is empty`;
    case 'INVALID_RANGE':
      return `${range}   is no range`;
    case undefined:
      return range;
  }
}

function argumentText(
  { name, value, canModify, missing }: ArgumentDescription,
  width: number,
  resources: readonly ResourceDescription[],
): string {
  if (missing) return `       ${padded(visible(name), width)}  MISSING`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const file = resources.find((resource) => resource.name === value);
  const signed = file?.signature === true ? 'signature present' : 'no signature';
  const note =
    file === undefined
      ? ''
      : file.missing
        ? '   resource, MISSING in the hub'
        : `   resource${size(file.bytes)}, ${signed}`;
  return `       ${padded(visible(name), width)}  ${visible(text)}  ${canModify ? 'may be changed' : 'fixed'}${note}`;
}

function* actionLines(action: ActionDescription): Generator<string> {
  const label = action.label === undefined ? '' : `  "${visible(action.label)}"`;
  const asked =
    action.asks.includes('jar') &&
    !action.arguments.some(({ name, value }) => name === 'jar' && typeof value === 'string' && value !== '');
  yield `  ${action.n}  ${visible(action.type)}${label}${asked ? '   JAR asked for (--jar)' : ''}${action.known ? '' : '   unknown to this tool'}`;
  const width = Math.max(0, ...action.arguments.map(({ name }) => name.length));
  for (const argument of action.arguments) {
    if (action.type === 'informational' && Array.isArray(argument.value)) {
      for (const [at, step] of argument.value.entries()) yield `       ${at + 1}. ${visible(String(step))}`;
    } else yield argumentText(argument, width, action.resources);
  }
}

/** Longest text of a line, in characters; JSON has all of it (`reliability.md` H30). */
const LONGEST = 2000;

function* headLines(item: PackageDescription): Generator<string> {
  const { label, author, org, created, categories, description, beta, preview, paidLink } = item.specification;
  const row = (key: string, text: string): string => `  ${padded(key, 11)} ${cut(visible(text), LONGEST, '...')}`;
  const title = cut(visible(label ?? item.name), LONGEST, '...');
  yield `${visible(`${item.name} ${item.version}`)}  -  ${title}          hub: ${visible(item.hub)}`;
  if (description !== undefined) yield row('about', description);
  yield `  ${padded('platform', 11)} ${verdictText(item)}`;
  const who = [author, org].filter((text) => text !== undefined).join(' / ');
  const when = created === undefined ? '' : `        created ${new Date(created * 1000).toISOString().slice(0, 10)}`;
  yield row('author', `${who === '' ? 'unknown' : who}${when}`);
  yield row('categories', categories.length === 0 ? 'none' : categories.join(', '));
  yield row(
    'license',
    item.license === undefined
      ? 'none'
      : `${item.license.name}${item.license.missing ? ' (MISSING in the hub)' : ', must be accepted'}`,
  );
  yield row(
    'signature',
    item.specSignature ? 'spec.json is signed; `cdapctl hub verify` checks it' : 'spec.json is not signed',
  );
  if (beta || preview) yield row('note', preview ? 'preview' : 'beta');
  if (paidLink !== undefined) yield row('paid', paidLink);
  for (const { field } of item.differences) yield row('note', `catalog and specification disagree on "${field}"`);
}

function* whyLines(item: PackageDescription): Generator<string> {
  const written = rangeOf(item);
  const range = written === undefined ? undefined : parseRange(written);
  const { platform } = item.compatibility;
  const others = item.versions.filter(({ compatibility }) => compatibility.compatible).map(({ version }) => version);
  yield 'Why';
  yield `  range      ${
    written === undefined
      ? 'none is given, which means every platform'
      : range === undefined
        ? `${visible(written)} cannot be read, so it is for no platform; "[6.1.0,7.0.0)" is how one looks`
        : `${visible(written)} means ${describeRange(range)}`
  }`;
  if (range !== undefined && range.upper.text.includes('-') && !range.upperIncluded)
    yield `             ${range.upper.text} comes before ${range.upper.text.replace(/-.*/u, '')} in the platform's order`;
  yield `  platform   ${platform === undefined ? 'not known: no context and no -u, so nothing speaks against it' : visible(platform)}`;
  yield `  verdict    ${item.compatibility.compatible ? 'nothing speaks against it' : '`install` refuses it unless --force is given'}`;
  if (platform !== undefined)
    yield `  versions   ${others.length === 0 ? 'none' : others.map(visible).join(', ')} of the catalog ${others.length === 1 ? 'is' : 'are'} for ${visible(platform)}`;
}

function* lines(item: PackageDescription, parts: ShowParts): Generator<string> {
  yield* headLines(item);
  if (parts.why) yield* whyLines(item);
  if (parts.versions) {
    yield 'Versions';
    for (const { version, cdapVersion, compatibility } of item.versions) {
      yield `  ${visible(version)}  ${visible(cdapVersion ?? 'any version')}${compatibility.compatible ? '' : '  not for this platform'}`;
    }
  }
  if (parts.actions) {
    yield 'Actions';
    for (const action of item.actions) yield* actionLines(action);
  }
  const { hub, name, version, compatibility, specification } = item;
  const from = /[/\\]/u.test(hub) ? ` --hub ${visible(hub)}` : '';
  const steps =
    specification.actions.length === 0
      ? '      (it has no actions)'
      : compatibility.compatible
        ? ''
        : ' --force      (range does not match)';
  yield `Install: cdapctl install ${visible(`${name}@${version}`)}${from}${steps}`;
}

const toJson = (item: PackageDescription) => ({
  hub: item.hub,
  name: item.name,
  version: item.version,
  catalog: item.catalog ?? null,
  spec: item.spec,
  actions: item.actions.map((action) => ({
    n: action.n,
    type: action.type,
    label: action.label ?? action.type,
    arguments: action.arguments.map(({ name, value, canModify, required, missing }) => ({
      name,
      value: value ?? null,
      canModify,
      required,
      missing,
    })),
    resources: action.resources.map(({ name, bytes, signature, missing }) => ({ name, bytes, signature, missing })),
  })),
  differences: item.differences.map(({ field, catalog, spec }) => ({
    field,
    catalog: catalog ?? null,
    spec: spec ?? null,
  })),
  versions: item.versions.map(({ version, cdapVersion, compatibility }) => ({
    version,
    cdapVersion,
    compatible: compatibility.compatible,
  })),
  compatibility: item.compatibility,
});

/** A package and the parts of it that people want to see. */
export interface ShownPackage {
  readonly description: PackageDescription;
  readonly parts: ShowParts;
}

/** Shows a package as catalog and specification describe it, its actions numbered as `install` numbers them (`cli.md` 4.2). */
export const packageView = itemView<ShownPackage>({
  kind: 'HubPackage',
  schema: Package,
  name: ({ description }) => `${description.name}@${description.version}`,
  json: ({ description }) => toJson(description),
  columns: [
    { key: 'name', value: ({ description }) => description.name },
    { key: 'version', value: ({ description }) => description.version },
    { key: 'hub', value: ({ description }) => description.hub },
    { key: 'actions', value: ({ description }) => description.actions.map(({ type }) => type) },
  ],
  text: ({ description, parts }) => lines(description, parts),
});
