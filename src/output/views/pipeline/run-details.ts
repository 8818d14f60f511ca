import * as z from 'zod/mini';
import { lengthText } from '../../../core/duration.js';
import { itemView } from '../view.js';
import { argumentsText, dateOf, RunSchema } from './run.js';

const text = z.optional(z.string());

const Starter = z.object({ by: z.enum(['schedule', 'manual']), schedule: text, user: text });

const Details = z.object({
  namespace: z.string(),
  pipeline: z.string(),
  run: RunSchema,
  started: z.optional(Starter),
  node: text,
  stage: text,
  cause: text,
  token: z.optional(z.record(z.string(), z.string())),
  postActions: z.optional(
    z.array(
      z.object({
        name: z.string(),
        plugin: text,
        runCondition: text,
        outcome: z.optional(z.enum(['pending', 'skipped', 'ran', 'failed'])),
        error: text,
      }),
    ),
  ),
});

const starterText = ({ by, schedule = '', user }: z.infer<typeof Starter>): string =>
  `${by === 'manual' ? by : `schedule ${schedule}`}${user === undefined ? '' : `, user ${user}`}`;

/** Shows one run of a pipeline. */
export const runDetailsView = itemView({
  kind: 'PipelineRunDetails',
  schema: Details,
  name: ({ run }) => run.runid,
  columns: [
    { key: 'run', value: ({ run }) => run.runid },
    { key: 'pipeline', value: ({ namespace, pipeline }) => `${namespace}/${pipeline}` },
    { key: 'status', value: ({ run }) => run.status },
    { key: 'requested', value: ({ run }) => dateOf(run.starting) },
    { key: 'startAt', header: 'started', value: ({ run }) => dateOf(run.start) },
    { key: 'ended', value: ({ run }) => dateOf(run.end) },
    {
      key: 'duration',
      value: ({ run }) => (run.durationSeconds === undefined ? undefined : lengthText(run.durationSeconds)),
      data: ({ run }) => run.durationSeconds,
    },
    {
      key: 'started',
      header: 'started by',
      value: ({ started }) => started && starterText(started),
    },
    { key: 'version', value: ({ run }) => run.version },
    { key: 'node', header: 'failed node', value: ({ node }) => node },
    { key: 'stage', header: 'failed stage', value: ({ stage }) => stage },
    { key: 'cause', value: ({ cause }) => cause },
    { key: 'arguments', value: ({ run }) => argumentsText(run.runtimeArgs) },
    { key: 'token', header: 'workflow token', value: ({ token }) => argumentsText(token) },
    {
      key: 'postActions',
      header: 'post-run actions',
      value: ({ postActions }) =>
        postActions?.map(({ name, plugin = '', runCondition = 'completion', outcome = 'unknown', error }) =>
          [`${name} (${plugin} on ${runCondition})`, outcome, ...(error === undefined ? [] : [error])].join(': '),
        ),
    },
  ],
});
