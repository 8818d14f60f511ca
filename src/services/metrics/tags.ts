import { closest, didYouMean } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import type { MetricTag } from '../../platform/metrics.js';
import type { MetricPipeline } from './pipeline.js';

/** The tags that a platform counts by (docs/platform.md 3.1), the last three up to 5.x. */
const TAG_NAMES: readonly string[] = [
  'namespace',
  'app',
  'program',
  'programtype',
  'workflow',
  'spark',
  'service',
  'worker',
  'mapreduce',
  'tasktype',
  'run',
  'instance',
  'component',
  'handler',
  'method',
  'dataset',
  'producer',
  'consumer',
  'profile',
  'profilescope',
  'flow',
  'flowlet',
  'stream',
];
const PROGRAM_TAGS = ['workflow', 'spark', 'mapreduce', 'service', 'worker', 'flow', 'program'];

/** The tags that a pipeline is counted under, in their order. */
export const tagsOfPipeline = ({
  namespace,
  name,
}: Pick<MetricPipeline, 'namespace' | 'name'>): readonly MetricTag[] => [
  { name: 'namespace', value: namespace },
  { name: 'app', value: name },
];

/**
 * Reads `NAME=VALUE`, value `*` for any.
 * @throws USAGE for anything else
 */
export function parseTag(text: string): MetricTag {
  const at = text.indexOf('=');
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  if (at <= 0 || value === '' || /[\s:]/u.test(name) || /[\u0000-\u001f\u007f]/u.test(text))
    throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 80))} is not a tag`, {
      hints: ['write NAME=VALUE: app=orders, run=*'],
    });
  return { name, value };
}

/** Refuses an unknown tag name, because it would fail the whole query (docs/platform.md 3.2). */
export function checkTagName(name: string): string {
  if (TAG_NAMES.includes(name)) return name;
  const near = closest(name, TAG_NAMES);
  throw new CliError('USAGE', `${JSON.stringify(name.slice(0, 60))} is not a metric tag`, {
    lines: [`known: ${TAG_NAMES.join(', ')}`],
    hints: didYouMean(near),
  });
}

/** What narrows the metrics of a pipeline down. */
export interface TagSelection {
  readonly run?: string | undefined;
  readonly groupBy?: readonly string[];
  readonly given?: readonly MetricTag[];
}

/**
 * The tags of a pipeline. A run is one of its workflow, or of its streaming program, and without the tag of that
 * program it would match nothing.
 */
export function tagsOf(
  { namespace, name, program }: Pick<MetricPipeline, 'namespace' | 'name' | 'program'>,
  { run, groupBy = [], given = [] }: TagSelection,
): Readonly<Record<string, string>> {
  const own = Object.fromEntries(given.map((tag) => [tag.name, tag.value]));
  const byRun = run !== undefined || groupBy.includes('run') || 'run' in own;
  const named = PROGRAM_TAGS.some((tag) => tag in own || groupBy.includes(tag));
  return {
    namespace,
    app: name,
    ...(byRun && !named && program !== undefined && { [program.tag]: program.name }),
    ...(run !== undefined && { run }),
    ...own,
  };
}
