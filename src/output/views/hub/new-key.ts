import * as z from 'zod/mini';
import { visible } from '../../escape.js';
import { itemView } from '../view.js';
import { padded } from '../../width.js';
import { cellText } from '../../writers/columns.js';

const NewKey = z.object({
  fingerprint: z.string(),
  keyId: z.string(),
  userId: z.string(),
  algorithm: z.string(),
  createdAt: z.string(),
  expiresAt: z.optional(z.string()),
  locked: z.boolean(),
  file: z.string(),
  publicFile: z.string(),
});

/** Shows a key that was generated, with its whole fingerprint. */
export const newKeyView = itemView({
  kind: 'HubKeyFiles',
  schema: NewKey,
  name: ({ fingerprint }) => fingerprint,
  columns: [
    { key: 'fingerprint', value: ({ fingerprint }) => fingerprint, whole: true },
    { key: 'userId', header: 'USER ID', value: ({ userId }) => userId },
    { key: 'algorithm', value: ({ algorithm }) => algorithm },
    { key: 'createdAt', header: 'CREATED', value: ({ createdAt }) => createdAt, wide: true },
    { key: 'expiresAt', header: 'EXPIRES', value: ({ expiresAt }) => expiresAt ?? 'never' },
    { key: 'file', value: ({ file }) => file },
    { key: 'publicFile', header: 'PUBLIC FILE', value: ({ publicFile }) => publicFile },
  ],
  *text({ fingerprint, userId, algorithm, expiresAt, locked, file, publicFile }, look) {
    const rows = [
      ['fingerprint', (fingerprint.match(/.{1,4}/gu) ?? []).join(' ')],
      ['user id', userId],
      ['algorithm', algorithm],
      ['expires', expiresAt === undefined ? 'never' : cellText(new Date(expiresAt), look, true)],
      ['secret key', `${file}${locked ? '' : '  (no passphrase)'}`],
      ['public key', publicFile],
    ] as const;
    for (const [label, value] of rows) yield `${padded(label, 11)}  ${visible(value)}`;
  },
});
