import type { ApplicationDetail } from '../../../platform/apps.js';
import type { MadePipeline, UpgradeSelection } from '../../../state/upgrade-journal.js';
import { checkUse } from './check.js';
import { choosePlugin, type PluginSelection } from '../plugins/choose-plugin.js';
import type { NamedPlugin } from '../plugins/named-plugins.js';
import type { PluginOffer, PluginOffers } from '../plugins/available-plugins.js';
import type { ArtifactName, StageFinding, Note, PipelineRef, PluginChange, PluginUse } from '../pipeline.js';
import { rewrite, type VersionEdit } from './rewrite.js';
import { artifactName } from '../applications.js';
import { chooseTarget } from '../plugins/target.js';
import { readUses } from '../plugins/plugin-uses.js';

/** The artifacts and plugins of a platform, and the selection that a pipeline is compared with. */
export interface JudgeOptions {
  /** Artifacts of the system scope. */
  readonly artifacts: readonly ArtifactName[];
  readonly offers: PluginOffers;
  readonly selection: Pick<UpgradeSelection, 'to' | 'includeCurrent' | 'snapshots' | 'running' | 'engine'>;
  /** Only these artifacts of plugins; none: all. */
  readonly plugins: readonly NamedPlugin[];
}

/** What would become of a pipeline. */
export type Judgement =
  | { readonly kind: 'current' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | {
      readonly kind: 'upgrade';
      /** What is to be sent, where nothing is blocked; else what would be sent. */
      readonly made: MadePipeline;
      readonly changes: readonly PluginChange[];
      readonly findings: readonly StageFinding[];
      readonly notes: readonly Note[];
      /** The platform chooses; nothing of it was judged. */
      readonly isUnjudged?: true;
    };

const UNJUDGED: Note = { message: 'the platform chooses its plugin artifacts; the result is read back' };

function pluginSelection({ plugins, selection: { snapshots } }: JudgeOptions): PluginSelection {
  if (plugins.length === 0) return { snapshots };
  return { snapshots, only: new Map(plugins.map(({ name, version }) => [name, version])) };
}

interface JudgedUse {
  readonly edit?: VersionEdit;
  readonly findings: readonly StageFinding[];
  readonly notes: readonly Note[];
}

async function judgeUse(
  use: PluginUse,
  namespace: string,
  from: ArtifactName,
  to: ArtifactName,
  options: JudgeOptions,
): Promise<JudgedUse> {
  const { offers } = options;
  const offered = await offers.of(namespace, to, use.type, use.plugin);
  const choice = choosePlugin(use, offered, pluginSelection(options));
  if (choice.kind === 'blocked') return { findings: [choice.finding], notes: [] };
  if (choice.kind === 'left') return { findings: [], notes: [choice.note] };
  if (choice.kind === 'same') return { findings: [], notes: [] };
  const isOwn = ({ artifact }: PluginOffer): boolean =>
    artifact.name === use.artifact?.name &&
    artifact.scope === (use.artifact.scope ?? artifact.scope) &&
    artifact.version === use.artifact.version;
  const before = offered.find(isOwn) ?? (await offers.of(namespace, from, use.type, use.plugin)).find(isOwn);
  return { edit: { use, to: choice.to }, findings: checkUse(use, choice.offer, before), notes: [] };
}

function changeOf({ use, to }: VersionEdit): PluginChange {
  const { stage, plugin, type, artifact } = use;
  return { stage, plugin, type, artifact: artifact?.name ?? '', from: artifact?.version ?? '', to };
}

/** The artifact that a pipeline goes to: its own with `--include-current` where there is no newer one. */
function targetOf(artifact: ArtifactName, { artifacts, selection }: JudgeOptions): Judgement | ArtifactName {
  const target = chooseTarget(artifact, artifacts, selection);
  if (target.kind === 'upgrade') return target.to;
  if (target.kind === 'missing')
    return { kind: 'skipped', reason: `the platform has no ${artifact.name} ${selection.to ?? ''}` };
  return target.kind === 'current' && selection.includeCurrent ? artifact : target;
}

/** Whether the list alone tells that a pipeline stays as it is: then nothing of it has to be read. */
export function judgeUnread({ artifact }: PipelineRef, options: JudgeOptions): Judgement | undefined {
  const target = targetOf(artifact, options);
  return 'kind' in target ? target : undefined;
}

/**
 * Judges a pipeline as the platform shows it: new artifact, new configuration, pre-check findings. See docs/platform.md
 * 12.
 * @throws BAD_ANSWER or BAD_JSON when its configuration cannot be read
 */
export async function judge(namespace: string, shown: ApplicationDetail, options: JudgeOptions): Promise<Judgement> {
  const from = artifactName(shown.artifact);
  const target = targetOf(from, options);
  if ('kind' in target) return target;
  const configuration = shown.configuration ?? '';
  const byPlatform: Judgement = {
    ...{ kind: 'upgrade', made: { artifact: target, configuration }, isUnjudged: true },
    ...{ changes: [], findings: [], notes: [UNJUDGED] },
  };
  const isServer = options.selection.engine === 'server';
  if (isServer && target.version !== from.version) return byPlatform;
  const { uses, notes } = readUses(configuration);
  const judged = await Promise.all(uses.map((use) => judgeUse(use, namespace, from, target, options)));
  const edits = judged.flatMap(({ edit }) => edit ?? []);
  const findings = judged.flatMap((one) => one.findings);
  if (target.version === from.version && edits.length === 0 && findings.length === 0) return { kind: 'current' };
  if (isServer) return byPlatform;
  return {
    kind: 'upgrade',
    made: { artifact: target, configuration: rewrite(configuration, edits) },
    changes: edits.map(changeOf),
    findings,
    notes: [...notes, ...judged.flatMap((one) => one.notes)],
  };
}
