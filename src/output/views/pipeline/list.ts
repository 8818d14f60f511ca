import * as z from 'zod/mini';
import { lengthText } from '../../../core/duration.js';
import { stateStyle } from '../../states.js';
import { view } from '../view.js';
import { dateOf, RunSchema } from './run.js';

/** The artifact that a pipeline is made of. */
const ArtifactSchema = z.object({ name: z.string(), version: z.string(), scope: z.string() });

/** What lists and single pipelines share. */
export const PipelineMembers = {
  namespace: z.string(),
  name: z.string(),
  kind: z.enum(['batch', 'realtime']),
  artifact: ArtifactSchema,
  program: z.object({ type: z.string(), name: z.string() }),
  status: z.optional(z.string()),
  lastRun: z.optional(RunSchema),
};

const Pipeline = z.object({
  ...PipelineMembers,
  schedule: z.optional(z.object({ name: z.string(), nextRun: z.number(), nextRunAt: z.string() })),
});

/** Shows pipelines, what they do and how they ended last. */
export const pipelineList = view({
  kind: 'PipelineList',
  none: 'no pipelines found',
  schema: Pipeline,
  name: ({ namespace, name }) => `${namespace}/${name}`,
  columns: [
    { key: 'name', value: ({ name }) => name },
    { key: 'namespace', value: ({ namespace }) => namespace, whole: true, naming: true },
    { key: 'kind', value: ({ kind }) => kind, whole: true, spare: 4 },
    {
      key: 'artifact',
      header: 'VERSION',
      value: ({ artifact }) => artifact.version,
      whole: true,
      spare: 3,
    },
    { key: 'status', value: ({ status }) => status, whole: true, telling: true },
    {
      key: 'lastRun',
      value: ({ lastRun }) => lastRun?.status,
      style: ({ lastRun }) => stateStyle(lastRun?.status ?? ''),
      whole: true,
      telling: true,
    },
    {
      key: 'startingAt',
      header: 'REQUESTED',
      value: ({ lastRun }) => dateOf(lastRun?.starting),
      whole: true,
      spare: 1,
    },
    {
      key: 'durationSeconds',
      header: 'DURATION',
      value: ({ lastRun }) =>
        lastRun?.durationSeconds === undefined ? undefined : lengthText(lastRun.durationSeconds),
      data: ({ lastRun }) => lastRun?.durationSeconds,
      whole: true,
      spare: 5,
    },
    {
      key: 'nextRunAt',
      header: 'NEXT RUN',
      value: ({ schedule }) => schedule && new Date(schedule.nextRun),
      whole: true,
      spare: 2,
    },
    { key: 'run', value: ({ lastRun }) => lastRun?.runid, wide: true },
    { key: 'schedule', value: ({ schedule }) => schedule?.name, wide: true },
  ],
});
