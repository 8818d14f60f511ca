import * as z from 'zod/mini';
import { lengthText } from '../../../core/duration.js';
import { visible } from '../../escape.js';
import { itemView, view } from '../view.js';
import { argumentsText, dateOf, RunSchema } from './run.js';

const Program = z.object({ type: z.string(), name: z.string() });
const Started = z.extend(RunSchema, {
  namespace: z.string(),
  pipeline: z.string(),
  program: Program,
});

/** Shows a run that was started or waited for; its id alone for people, so that a shell can keep it. */
export const pipelineRunView = itemView({
  kind: 'PipelineRun',
  schema: Started,
  name: ({ runid }) => runid,
  *text({ runid }) {
    yield visible(runid);
  },
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'pipeline', value: ({ pipeline }) => pipeline },
    { key: 'runid', header: 'run', value: ({ runid }) => runid },
    { key: 'status', value: ({ status }) => status },
    { key: 'startingAt', header: 'requested', value: ({ starting }) => dateOf(starting) },
    { key: 'startAt', header: 'started', value: ({ start }) => dateOf(start) },
    { key: 'endAt', header: 'ended', value: ({ end }) => dateOf(end) },
    {
      key: 'durationSeconds',
      header: 'duration',
      value: ({ durationSeconds }) => (durationSeconds === undefined ? undefined : lengthText(durationSeconds)),
      data: ({ durationSeconds }) => durationSeconds,
    },
    { key: 'runtimeArgs', header: 'arguments', value: ({ runtimeArgs }) => argumentsText(runtimeArgs) },
    { key: 'program', value: ({ program }) => `${program.type} ${program.name}` },
  ],
});

const Planned = z.object({
  namespace: z.string(),
  pipeline: z.string(),
  program: Program,
  state: z.enum(['planned']),
  runtimeArgs: z.record(z.string(), z.string()),
});

/** Shows what a dry run would start: the pipeline and the arguments of its run. */
export const pipelineStartView = itemView({
  kind: 'PipelineStart',
  schema: Planned,
  name: ({ namespace, pipeline }) => `${namespace}/${pipeline}`,
  columns: [
    { key: 'namespace', value: ({ namespace }) => namespace },
    { key: 'pipeline', value: ({ pipeline }) => pipeline },
    { key: 'state', value: ({ state }) => state },
    { key: 'runtimeArgs', header: 'arguments', value: ({ runtimeArgs }) => argumentsText(runtimeArgs) },
    { key: 'program', value: ({ program }) => `${program.type} ${program.name}` },
  ],
});

const Stopped = z.object({
  namespace: z.string(),
  pipeline: z.string(),
  runid: z.string(),
  state: z.enum(['stopped', 'stopping', 'already-ended', 'failed', 'planned']),
  status: z.optional(z.string()),
  message: z.optional(z.string()),
});

/** Shows the runs that were to stop. */
export const stoppedRuns = view({
  kind: 'StoppedRunList',
  none: '',
  schema: Stopped,
  name: ({ runid }) => runid,
  columns: [
    { key: 'runid', header: 'RUN', value: ({ runid }) => runid, whole: true },
    { key: 'namespace', value: ({ namespace }) => namespace, wide: true },
    { key: 'pipeline', value: ({ pipeline }) => pipeline, spare: 1 },
    { key: 'state', value: ({ state }) => state, whole: true, telling: true },
    { key: 'status', value: ({ status }) => status, whole: true },
    { key: 'message', value: ({ message }) => message, wide: true },
  ],
});
