import * as z from 'zod/mini';
import { largestOf } from '../../../core/collections.js';
import { describeRange, parseRange } from '../../../core/version-range.js';
import type {
  ActionDescription,
  ArgumentDescription,
  PackageDescription,
  ResourceDescription,
} from '../../../services/catalog/show.js';
import { shellWord } from '../../../core/shell-word.js';
import { dateText } from '../../clock-text.js';
import { visible, visibleLines } from '../../escape.js';
import type { Look } from '../../look.js';
import { itemView } from '../view.js';
import { cut, hanging, padded } from '../../width.js';
import { packageJson, PackageSchema } from './show-json.js';

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
      return `${range}   is not a valid range`;
    case undefined:
      return range;
  }
}

const Artifact = z.strictObject({ name: z.string(), version: z.string(), scope: z.optional(z.string()) });

/** An artifact as people write it; undefined for anything else. */
function artifactText(value: unknown): string | undefined {
  const { data } = Artifact.safeParse(value);
  return data && `${data.name} ${data.version}${data.scope === undefined ? '' : ` (${data.scope.toLowerCase()})`}`;
}

function argumentLines(
  { name, value, canModify, missing }: ArgumentDescription,
  width: number,
  resources: readonly ResourceDescription[],
  look: Look,
): string[] {
  const label = `       ${padded(visible(name), width)}  `;
  if (missing) return [`${label}MISSING`];
  const text = typeof value === 'string' ? value : (artifactText(value) ?? JSON.stringify(value));
  const file = resources.find((resource) => resource.name === value);
  const signed = file?.signature === true ? 'signature present' : 'no signature';
  const note =
    file === undefined
      ? ''
      : file.missing
        ? '   resource, MISSING in the hub'
        : `   resource${size(file.bytes)}, ${signed}`;
  return hanging(label, `${visible(text)}  ${canModify ? 'can be changed' : 'fixed'}${note}`, look);
}

function* actionLines(action: ActionDescription, look: Look): Generator<string> {
  const label = action.label === undefined ? '' : `  "${visible(action.label)}"`;
  const asked =
    action.asks.includes('jar') &&
    !action.arguments.some(({ name, value }) => name === 'jar' && typeof value === 'string' && value !== '');
  yield `  ${action.n}  ${visible(action.type)}${label}${asked ? '   needs a JAR (--jar)' : ''}${action.known ? '' : '   not supported by cdapctl'}`;
  const width = largestOf([0, ...action.arguments.map(({ name }) => name.length)]);
  for (const argument of action.arguments) {
    if (action.type === 'informational' && Array.isArray(argument.value)) {
      for (const [at, step] of argument.value.entries())
        yield* hanging(`       ${at + 1}. `, visibleLines(String(step)), look);
    } else yield* argumentLines(argument, width, action.resources, look);
  }
}

/** Longest text of a line, in characters; JSON has all of it (docs/faults.md H30). */
const LONGEST = 2000;

function* headLines(item: PackageDescription, look: Look): Generator<string> {
  const { label, author, org, created, categories, description, beta, preview, paidLink } = item.specification;
  const row = (key: string, text: string): string[] =>
    hanging(`  ${padded(key, 11)} `, cut(visibleLines(text.trimEnd()), LONGEST, '...'), look);
  const title = cut(visible(label ?? item.name), LONGEST, '...');
  yield `${visible(`${item.name} ${item.version}`)}  -  ${title}          hub: ${visible(item.hub)}`;
  if (description !== undefined) yield* row('about', description);
  yield* row('platform', verdictText(item));
  const who = [...new Set([author, org])].filter((text) => text !== undefined).join(' / ');
  const when = created === undefined ? '' : `        created ${dateText(created, look)}`;
  yield* row('author', `${who === '' ? 'unknown' : visible(who)}${when}`);
  yield* row('categories', categories.length === 0 ? 'none' : visible(categories.join(', ')));
  yield* row(
    'license',
    item.license === undefined
      ? 'none'
      : `${visible(item.license.name)}${item.license.missing ? ' (MISSING in the hub)' : ', must be accepted'}`,
  );
  yield* row(
    'signature',
    item.specSignature
      ? `spec.json is signed; to verify it: cdapctl hub verify ${wordsFor(item)}`
      : 'spec.json has no signature of its own',
  );
  if (beta || preview) yield* row('note', preview ? 'preview' : 'beta');
  if (paidLink !== undefined) yield* row('paid', visible(paidLink));
  for (const { field } of item.differences)
    yield* row('note', `catalog and specification differ in "${visible(field)}"`);
}

function rangeText(written: string | undefined): string {
  if (written === undefined) return 'none: compatible with every platform';
  const range = parseRange(written);
  if (range === undefined)
    return `${visible(written)} is invalid: compatible with no platform; a valid range is "[6.1.0,7.0.0)"`;
  const { text } = range.upper;
  const order =
    text.includes('-') && !range.upperIncluded
      ? `\n${text} sorts before ${text.replace(/-.*/u, '')} on the platform`
      : '';
  return `${visible(written)} means ${describeRange(range)}${order}`;
}

/** What `--force` can do for a package that is not for the platform. */
const forcing = ({ withoutStreams }: PackageDescription): string =>
  withoutStreams === undefined
    ? 'unless --force is given'
    : `even with --force: action ${withoutStreams} needs a stream, and the platform has none`;

function* whyLines(item: PackageDescription, look: Look): Generator<string> {
  const { platform } = item.compatibility;
  const others = item.versions.filter(({ compatibility }) => compatibility.compatible).map(({ version }) => version);
  const row = (key: string, text: string): string[] => hanging(`  ${padded(key, 9)}  `, text, look);
  yield 'Why';
  yield* row('range', rangeText(rangeOf(item)));
  yield* row('platform', platform === undefined ? 'unknown: no context and no -u' : visible(platform));
  yield* row(
    'result',
    item.compatibility.compatible ? 'compatible' : `not compatible: \`install\` fails ${forcing(item)}`,
  );
  if (platform !== undefined)
    yield* row(
      'versions',
      `${others.length === 0 ? 'none' : others.map(visible).join(', ')} of the catalog ${others.length === 1 ? 'is' : 'are'} compatible with ${visible(platform)}`,
    );
}

/** What names this very package on a line, whichever hubs are known besides. */
function wordsFor({ hub, name, version }: PackageDescription): string {
  const bare = `${name}@${version}`;
  const words = /[/\\]|^(?:\.{1,2}|~)$/u.test(hub) ? [bare, '--hub', hub] : [`${hub}/${bare}`];
  return words.map((word) => visible(shellWord(word))).join(' ');
}

/** The words of the command that installs a package. */
function installText(item: PackageDescription): string {
  const { compatibility, specification, withoutStreams, needs } = item;
  const named = [wordsFor(item), ...needs.map(visible)].join(' ');
  if (specification.actions.length === 0) return `${named}      (has no actions)`;
  if (withoutStreams !== undefined) return `${named}      (not supported: action ${withoutStreams} needs a stream)`;
  return compatibility.compatible ? named : `${named} --force      (not compatible)`;
}

function* lines(item: PackageDescription, parts: ShowParts, look: Look): Generator<string> {
  yield* headLines(item, look);
  if (parts.why) yield* whyLines(item, look);
  if (parts.versions) {
    yield 'Versions';
    for (const { version, cdapVersion, compatibility } of item.versions) {
      yield `  ${visible(version)}  ${visible(cdapVersion ?? 'any version')}${compatibility.compatible ? '' : '  not compatible'}`;
    }
  }
  if (parts.actions) {
    yield 'Actions';
    for (const action of item.actions) yield* actionLines(action, look);
  }
  yield `Install: cdapctl install ${installText(item)}`;
}

/** A package and the parts of it that people want to see. */
export interface ShownPackage {
  readonly description: PackageDescription;
  readonly parts: ShowParts;
}

/** Shows a package as catalog and specification describe it; actions are numbered as in `install`. */
export const packageView = itemView<typeof PackageSchema, ShownPackage>({
  kind: 'HubPackage',
  schema: PackageSchema,
  name: ({ description }) => `${description.name}@${description.version}`,
  json: ({ description }) => packageJson(description),
  columns: [
    { key: 'name', value: ({ description }) => description.name },
    { key: 'version', value: ({ description }) => description.version },
    { key: 'hub', value: ({ description }) => description.hub },
    { key: 'actions', value: ({ description }) => description.actions.map(({ type }) => type) },
  ],
  text: ({ description, parts }, look) => lines(description, parts, look),
});
