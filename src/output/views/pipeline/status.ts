import * as z from 'zod/mini';
import type { Column, Described, ListResult, View } from '../../view-types.js';
import { view } from '../view.js';

const Status = z.object({
  namespace: z.string(),
  name: z.string(),
  kind: z.enum(['batch', 'realtime']),
  status: z.string(),
  /** Ids of the runs that have not come to their end, newest first. */
  runs: z.array(z.string()),
});

type PipelineStatus = Described<typeof Status>;

/** Characters of an id that commands accept in its place. */
const SHORT = 8;

const viewWith = (shown: (run: string) => string): View<ListResult<PipelineStatus>> => {
  const columns: readonly Column<PipelineStatus>[] = [
    { key: 'name', value: ({ name }) => name },
    { key: 'namespace', value: ({ namespace }) => namespace, whole: true, naming: true },
    { key: 'kind', value: ({ kind }) => kind, whole: true },
    { key: 'status', value: ({ status }) => status, whole: true, telling: true },
    { key: 'runs', header: 'ACTIVE RUNS', value: ({ runs }) => runs.map(shown), telling: true },
  ];
  return view({
    kind: 'PipelineStatusList',
    none: 'no pipelines found',
    schema: Status,
    name: ({ namespace, name }) => `${namespace}/${name}`,
    columns,
  });
};
const full = viewWith((run) => run);
const short = viewWith((run) => run.slice(0, SHORT));

/** Shows what pipelines do now; only the plain table on a terminal shortens ids. */
export const pipelineStatus: View<ListResult<PipelineStatus>> = {
  ...full,
  render: (result, options) =>
    (options.format === 'table' && options.fields === undefined && options.look.terminal ? short : full).render(
      result,
      options,
    ),
};
