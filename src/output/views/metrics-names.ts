import * as z from 'zod/mini';
import { view } from './view.js';

const Name = z.object({ name: z.string(), scope: z.enum(['user', 'system']) });
const Tag = z.object({ name: z.string(), value: z.string() });

/** The name of a metric and whose it is: of the pipeline's own code, or of the platform. */
export type MetricName = z.infer<typeof Name>;

/** Shows the names of metrics. */
export const metricList = view<typeof Name, MetricName>({
  kind: 'MetricList',
  none: 'no metrics found',
  schema: Name,
  name: ({ name }) => name,
  columns: [
    { key: 'name', header: 'METRIC', value: ({ name }) => name },
    { key: 'scope', value: ({ scope }) => scope },
  ],
});

/** Shows the tags that come next after some tags. */
export const metricTagList = view({
  kind: 'MetricTagList',
  none: 'no tags found',
  schema: Tag,
  name: ({ name, value }) => `${name}=${value}`,
  columns: [
    { key: 'name', header: 'TAG', value: ({ name }) => name },
    { key: 'value', value: ({ value }) => value, whole: true },
  ],
});
