import * as z from 'zod/mini';
import { visible } from '../escape.js';
import { itemView } from './view.js';

const Emulator = z.object({ url: z.string(), hub: z.string(), fingerprint: z.string(), pid: z.number() });

/** Says where a started emulator can be reached: the one line that programs wait for. */
export const emulatorView = itemView({
  kind: 'Emulator',
  schema: Emulator,
  name: ({ url }) => url,
  columns: [
    { key: 'url', value: ({ url }) => url },
    { key: 'hub', value: ({ hub }) => hub },
    { key: 'fingerprint', value: ({ fingerprint }) => fingerprint },
    { key: 'pid', value: ({ pid }) => pid },
  ],
  // Programs read this line.
  verbatim: true,
  *text({ url, hub, fingerprint, pid }) {
    yield visible(`ready  url ${url}  hub ${hub}  fingerprint ${fingerprint}  pid ${pid}`);
  },
});
