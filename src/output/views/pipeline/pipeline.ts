import * as z from 'zod/mini';
import { parseJson } from '../../../core/json/json.js';
import type { PipelineRun } from '../../../services/pipelines/run-record.js';
import { lengthText } from '../../../core/duration.js';
import { visibleLines } from '../../escape.js';
import { itemView } from '../view.js';
import { argumentsText, dateOf } from './run.js';
import { PipelineMembers } from './list.js';

const text = z.optional(z.string());

const Stage = z.object({ name: z.string(), plugin: text, type: text, artifact: text });
const PostAction = z.object({ name: z.string(), plugin: text, runCondition: text });
const Schedule = z.object({ name: z.string(), status: text, cron: text, trigger: text });

const Pipeline = z.object({
  ...PipelineMembers,
  token: z.optional(z.record(z.string(), z.string())),
  version: text,
  description: text,
  schedules: z.array(Schedule),
  stages: z.array(Stage),
  postActions: z.array(PostAction),
});

const runText = (lastRun: PipelineRun | undefined): string | undefined => {
  if (lastRun === undefined) return undefined;
  const { runid, status, durationSeconds } = lastRun;
  const length = durationSeconds === undefined ? '' : ` after ${lengthText(durationSeconds)}`;
  return `${status}${length}, run ${runid}`;
};

/** Shows one pipeline. */
export const pipelineView = itemView({
  kind: 'Pipeline',
  schema: Pipeline,
  name: ({ namespace, name }) => `${namespace}/${name}`,
  columns: [
    { key: 'name', value: ({ name }) => name },
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'kind', value: ({ kind }) => kind },
    { key: 'description', value: ({ description }) => description },
    { key: 'artifact', value: ({ artifact }) => `${artifact.name} ${artifact.version}` },
    { key: 'version', value: ({ version }) => version },
    { key: 'program', value: ({ program }) => `${program.type} ${program.name}` },
    { key: 'status', value: ({ status }) => status },
    { key: 'lastRun', header: 'last run', value: ({ lastRun }) => runText(lastRun) },
    { key: 'lastRunAt', header: 'last requested', value: ({ lastRun }) => dateOf(lastRun?.starting) },
    { key: 'arguments', header: 'last arguments', value: ({ lastRun }) => argumentsText(lastRun?.runtimeArgs) },
    { key: 'token', header: 'last token', value: ({ token }) => argumentsText(token) },
    {
      key: 'schedules',
      value: ({ schedules }) =>
        schedules.map(({ name, status, cron, trigger }) => `${name} ${status ?? ''} ${cron ?? trigger ?? ''}`.trim()),
    },
    {
      key: 'stages',
      value: ({ stages }) => stages.map(({ name, plugin }) => (plugin === undefined ? name : `${name} (${plugin})`)),
    },
    {
      key: 'postActions',
      header: 'post-run actions',
      value: ({ postActions }) =>
        postActions.map(
          ({ name, plugin = '', runCondition = 'completion' }) => `${name} (${plugin} on ${runCondition})`,
        ),
    },
  ],
});

/** JSON in lines, where that changes nothing in it: a number may have more digits than fit. */
function inLines(text: string): string {
  try {
    const value = parseJson(Buffer.from(text), 'the configuration');
    return JSON.stringify(value) === text ? JSON.stringify(value, undefined, 2) : text;
  } catch {
    return text;
  }
}

const Configuration = z.object({
  namespace: z.string(),
  name: z.string(),
  /** The configuration as the platform stores it. */
  configuration: z.string(),
});

/** Shows the configuration of a pipeline, for other programs as it is stored. */
export const pipelineConfiguration = itemView({
  kind: 'PipelineConfiguration',
  schema: Configuration,
  name: ({ namespace, name }) => `${namespace}/${name}`,
  verbatim: true,
  *text({ configuration }, look) {
    yield look.terminal ? visibleLines(inLines(configuration)) : configuration;
  },
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'name', value: ({ name }) => name },
    { key: 'configuration', value: ({ configuration }) => configuration },
  ],
});
