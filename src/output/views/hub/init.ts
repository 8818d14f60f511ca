import * as z from 'zod/mini';
import { visible } from '../../escape.js';
import { itemView } from '../view.js';

/** Shows the files of a new source tree. */
export const hubInit = itemView({
  kind: 'HubTree',
  schema: z.object({ folder: z.string(), files: z.array(z.string()) }),
  name: ({ folder }) => folder,
  columns: [
    { key: 'folder', value: ({ folder }) => folder },
    { key: 'files', value: ({ files }) => files },
  ],
  *text({ folder, files }) {
    yield `Created in ${visible(folder)}`;
    for (const file of files) yield visible(file);
  },
});
