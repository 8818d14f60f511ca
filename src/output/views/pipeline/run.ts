import * as z from 'zod/mini';
import type { PipelineRun } from '../../../services/pipelines/run-record.js';
import { lengthText } from '../../../core/duration.js';
import { view } from '../view.js';

const seconds = z.optional(z.number());
const text = z.optional(z.string());

/** A run of a pipeline as JSON has it. */
export const RunSchema = z.object({
  runid: z.string(),
  status: z.string(),
  starting: seconds,
  startingAt: text,
  start: seconds,
  startAt: text,
  end: seconds,
  endAt: text,
  durationSeconds: seconds,
  version: text,
  scheduleName: text,
  runtimeArgs: z.optional(z.record(z.string(), z.string())),
});

/** A time in epoch seconds as a cell. */
export const dateOf = (time: number | undefined): Date | undefined =>
  time === undefined ? undefined : new Date(time * 1000);

/** Arguments as people read them: `date=2024-05-02,region=emea`. */
export const argumentsText = (all: PipelineRun['runtimeArgs']): readonly string[] =>
  Object.entries(all ?? {}).map(([name, value]) => `${name}=${value}`);

/** Shows the runs of a pipeline, newest first. */
export const pipelineRuns = view({
  kind: 'PipelineRunList',
  none: 'no runs found',
  schema: RunSchema,
  name: ({ runid }) => runid,
  columns: [
    { key: 'runid', header: 'RUN', value: ({ runid }) => runid, whole: true },
    { key: 'status', value: ({ status }) => status, whole: true, telling: true },
    { key: 'startingAt', header: 'REQUESTED', value: ({ starting }) => dateOf(starting), whole: true, telling: true },
    { key: 'startAt', header: 'STARTED', value: ({ start }) => dateOf(start), wide: true },
    { key: 'endAt', header: 'ENDED', value: ({ end }) => dateOf(end), wide: true },
    {
      key: 'durationSeconds',
      header: 'DURATION',
      value: ({ durationSeconds }) => (durationSeconds === undefined ? undefined : lengthText(durationSeconds)),
      data: ({ durationSeconds }) => durationSeconds,
      whole: true,
      telling: true,
    },
    { key: 'scheduleName', header: 'SCHEDULE', value: ({ scheduleName }) => scheduleName, wide: true },
    { key: 'version', value: ({ version }) => version, wide: true },
    { key: 'runtimeArgs', header: 'ARGUMENTS', value: ({ runtimeArgs }) => argumentsText(runtimeArgs), spare: 1 },
  ],
});
