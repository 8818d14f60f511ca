import * as z from 'zod/mini';
import { view } from '../view.js';

const Status = z.object({
  namespace: z.string(),
  name: z.string(),
  kind: z.enum(['batch', 'realtime']),
  status: z.string(),
  /** Ids of the runs that have not come to their end, newest first. */
  runs: z.array(z.string()),
});

/** Shows what pipelines do now. */
export const pipelineStatus = view({
  kind: 'PipelineStatusList',
  schema: Status,
  name: ({ namespace, name }) => `${namespace}/${name}`,
  columns: [
    { key: 'name', value: ({ name }) => name },
    { key: 'namespace', value: ({ namespace }) => namespace, whole: true },
    { key: 'kind', value: ({ kind }) => kind, whole: true },
    { key: 'status', value: ({ status }) => status, whole: true, telling: true },
    { key: 'runs', header: 'ACTIVE RUNS', value: ({ runs }) => runs, telling: true },
  ],
});
