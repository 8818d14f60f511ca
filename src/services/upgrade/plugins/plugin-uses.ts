import { CliError } from '../../../core/errors.js';
import { parseJsonText, valueAt, type JsonNode, type JsonObject, type TextPlace } from '../../../core/json/text.js';
import type { Note, PluginUse, UsedArtifact } from '../pipeline.js';
import { pathOf, strayArtifacts } from './unknown-artifacts.js';

const WHAT = 'the configuration of the pipeline';
const PLACES: ReadonlyMap<string, PluginUse['place']> = new Map([
  ['stages', 'stage'],
  ['postActions', 'post-action'],
]);
/** The platform's old upgrade tool leaves it in real-time pipelines (docs/platform.md 12.1). */
const MARK = 'isUnitTest';

/** The plugins that a configuration uses, and what of it no upgrade touches. */
export interface Uses {
  readonly uses: readonly PluginUse[];
  readonly notes: readonly Note[];
}

interface ReadArtifact {
  readonly artifact?: UsedArtifact;
  readonly version?: TextPlace;
  /** What is odd about it, to be read behind its path. */
  readonly oddity?: string;
}

/** A member that is null counts as absent, as the platform drops it (docs/platform.md 5.5). */
function memberOf(node: JsonNode | undefined, name: string): JsonNode | undefined {
  const member = node?.kind === 'object' ? node.members.get(name) : undefined;
  return member?.kind === 'null' ? undefined : member;
}

const textOf = (node: JsonNode | undefined): string | undefined => (node?.kind === 'string' ? node.value : undefined);

function rootOf(configuration: string): JsonObject {
  // An application that was deployed without a configuration has an empty text (docs/platform.md 5.2).
  if (configuration.trim() === '') throw new CliError('BAD_ANSWER', `${WHAT} is empty`);
  const root = parseJsonText(configuration, WHAT);
  if (root.kind !== 'object') throw new CliError('BAD_ANSWER', `${WHAT} is not a JSON object`);
  return root;
}

function readArtifact(node: JsonNode | undefined): ReadArtifact {
  if (node === undefined) return {};
  if (node.kind !== 'object') return { oddity: 'is not an object' };
  const [name, version] = [textOf(memberOf(node, 'name')), memberOf(node, 'version')];
  if (version === undefined) return { oddity: 'has no version, so the platform chooses' };
  if (name === undefined || version.kind !== 'string') return { oddity: 'has a name or version that is not a string' };
  const written = memberOf(node, 'scope');
  const scope = textOf(written)?.toUpperCase();
  const known = scope === 'SYSTEM' || scope === 'USER' ? scope : undefined;
  const artifact: UsedArtifact = { name, version: version.value, scope: known };
  const place = { start: version.start, end: version.end };
  if (written === undefined || known !== undefined) return { artifact, version: place };
  return { artifact, version: place, oddity: 'has an unknown scope' };
}

function readProperties(node: JsonNode | undefined, configuration: string): ReadonlyMap<string, unknown> {
  if (node?.kind !== 'object') return new Map();
  const set = [...node.members].filter(([, { kind }]) => kind !== 'null');
  return new Map(set.map(([name, value]) => [name, textOf(value) ?? valueAt(configuration, value)]));
}

/** Reads a stage or a post-action that stands at a path; notes carry its name where it has one. */
function readElement(node: JsonNode, path: string, place: PluginUse['place'], configuration: string): Uses {
  const stage = textOf(memberOf(node, 'name'));
  const plugin = memberOf(node, 'plugin');
  const [name, type] = [textOf(memberOf(plugin, 'name')), textOf(memberOf(plugin, 'type'))];
  const named = (notes: readonly Note[]): readonly Note[] =>
    stage === undefined ? notes : notes.map((note) => ({ stage, ...note }));
  if (stage === undefined || name === undefined || type === undefined) {
    const message = `${path} is not a ${place} with a name and a plugin that has a name and a type; it is not changed`;
    return { uses: [], notes: named([{ message }, ...strayArtifacts(node, path)]) };
  }
  const artifactNode = memberOf(plugin, 'artifact');
  const { artifact, version, oddity } = readArtifact(artifactNode);
  const properties = memberOf(plugin, 'properties');
  const messages = [
    ...(oddity === undefined ? [] : [`${path}.plugin.artifact ${oddity}`]),
    ...(properties === undefined || properties.kind === 'object' ? [] : [`${path}.plugin.properties is not an object`]),
  ];
  return {
    uses: [
      { place, stage, plugin: name, type, artifact, version, properties: readProperties(properties, configuration) },
    ],
    notes: named([...messages.map((message) => ({ message })), ...strayArtifacts(node, path, artifactNode)]),
  };
}

/**
 * Finds the plugins of stages and post-actions in the text of a configuration. What is not as it should be becomes a
 * note.
 * @throws BAD_JSON, TOO_DEEP, or BAD_ANSWER when the text is empty or no object
 */
export function readUses(configuration: string): Uses {
  const parts = [...rootOf(configuration).members].flatMap(([name, node]): readonly Uses[] => {
    const path = pathOf(name);
    const place = PLACES.get(name);
    if (name === MARK && configuration.slice(node.start, node.end) === 'true')
      return [{ uses: [], notes: [{ message: `${MARK} is set: the platform runs this pipeline as a preview` }] }];
    if (place === undefined || node.kind === 'null') return [{ uses: [], notes: strayArtifacts(node, path) }];
    if (node.kind === 'array')
      return node.items.map((item, index) => readElement(item, `${path}[${index}]`, place, configuration));
    const message = `${path} is not a list; it is not changed`;
    return [{ uses: [], notes: [{ message }, ...strayArtifacts(node, path)] }];
  });
  return { uses: parts.flatMap(({ uses }) => uses), notes: parts.flatMap(({ notes }) => notes) };
}
