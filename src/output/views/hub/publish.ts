import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import { visible } from '../../escape.js';
import { itemView, view } from '../view.js';

const Step = z.object({
  action: z.enum(['upload', 'remove']),
  path: z.string(),
  size: z.number(),
  sha256: z.string(),
});

/** Lists the steps of a publication in their order. */
export const publishSteps = view({
  kind: 'HubPublishPlan',
  none: 'nothing to publish: the hub is up to date',
  schema: Step,
  name: ({ path }) => path,
  columns: [
    { key: 'action', value: ({ action }) => action },
    { key: 'path', header: 'FILE', value: ({ path }) => path, telling: true },
    { key: 'size', value: ({ action, size }) => (action === 'remove' && size === 0 ? '' : size), align: 'right' },
    { key: 'sha256', value: ({ sha256 }) => sha256, wide: true },
  ],
});

const Publication = z.object({
  folder: z.string(),
  target: z.string(),
  uploaded: z.array(z.string()),
  kept: z.number(),
  removed: z.array(z.string()),
  left: z.array(z.string()),
});

/** Shows what was published. */
export const hubPublication = itemView({
  kind: 'HubPublication',
  schema: Publication,
  name: ({ target }) => target,
  columns: [
    { key: 'folder', value: ({ folder }) => folder },
    { key: 'target', value: ({ target }) => target },
    { key: 'uploaded', value: ({ uploaded }) => uploaded },
    { key: 'kept', value: ({ kept }) => kept },
    { key: 'removed', value: ({ removed }) => removed },
    { key: 'left', value: ({ left }) => left },
  ],
  *text({ folder, target, uploaded, kept, removed, left }) {
    const counts = [`${counted(uploaded.length, 'file')} published`, `${kept} unchanged`];
    if (removed.length > 0) counts.push(`${removed.length} removed`);
    yield `${counts.join(', ')}: ${visible(folder)} -> ${visible(target)}`;
    if (left.length > 0)
      yield `${counted(left.length, 'file')} not in the tree; --prune removes what hub publish has put there`;
  },
});
