import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import { visible } from '../../escape.js';
import { timeText } from '../../writers/columns.js';
import { itemView } from '../view.js';

const SignedHub = z.object({
  folder: z.string(),
  keys: z.array(z.string()),
  signed: z.array(z.string()),
  kept: z.number(),
  index: z.enum(['written', 'unchanged', 'outdated', 'missing']),
  sequence: z.number(),
  created: z.string(),
  expires: z.string(),
  checked: z.boolean(),
});

/** Shows what was signed, or would be, and what the index says of itself. */
export const hubSign = itemView({
  kind: 'HubSignatures',
  schema: SignedHub,
  name: ({ folder }) => folder,
  columns: [
    { key: 'folder', value: ({ folder }) => folder },
    { key: 'keys', value: ({ keys }) => keys },
    { key: 'signed', value: ({ signed }) => signed },
    { key: 'kept', value: ({ kept }) => kept },
    { key: 'index', value: ({ index }) => index },
    { key: 'sequence', value: ({ sequence }) => sequence },
    { key: 'created', value: ({ created }) => created },
    { key: 'expires', value: ({ expires }) => expires },
    { key: 'checked', value: ({ checked }) => checked },
  ],
  *text({ folder, keys, signed, kept, index, sequence, expires, checked }, look) {
    const state = checked && index !== 'unchanged' ? 'to write' : index;
    // A renewed index says nothing of the files.
    const isAlone = signed.length + kept === 0;
    const files = `${counted(signed.length, 'file')} ${checked ? 'to sign' : 'signed'}, ${kept} kept`;
    if (!isAlone) yield `${files} in ${visible(folder)}`;
    yield `index ${sequence}${isAlone ? ` of ${visible(folder)}` : ''} ${state}, valid until ${timeText(new Date(expires), look)}`;
    for (const key of keys) yield `key ${visible((key.match(/.{1,4}/gu) ?? []).join(' '))}`;
  },
});
