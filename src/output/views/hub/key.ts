import * as z from 'zod/mini';
import type { HubKey } from '../../../services/keys/hub-key.js';
import type { EarlierPin } from '../../../services/keys/pin-key.js';
import { visible } from '../../escape.js';
import type { Look } from '../../look.js';
import { itemView, view } from '../view.js';
import type { Column, ListResult, View } from '../../view-types.js';
import { padded } from '../../width.js';
import { cellText } from '../../writers/columns.js';

const text = z.optional(z.string());
const Key = z.object({
  hub: z.string(),
  base: z.string(),
  fingerprint: z.string(),
  keyId: z.string(),
  userIds: z.array(z.string()),
  algorithm: z.string(),
  createdAt: z.string(),
  expiresAt: text,
  state: z.enum(['good', 'expired', 'revoked']),
  packages: text,
  addedAt: text,
});

const Changed = z.extend(Key, { change: z.optional(z.enum(['added', 'replaced', 'unchanged', 'removed'])) });
const Exported = z.object({ hub: z.string(), fingerprint: z.string(), armored: z.string(), file: text });

/** A key and what a command did with it. */
export interface KeyChange extends HubKey {
  readonly change?: 'added' | 'replaced' | 'unchanged' | 'removed';
  /** How it was trusted before; only the text says so. */
  readonly before?: EarlierPin | undefined;
}

const withoutText = (key: KeyChange) => ({ ...key, armored: undefined, before: undefined });

const timeOf = (time: string | undefined): Date | undefined => (time === undefined ? undefined : new Date(time));

const columns: readonly Column<HubKey>[] = [
  { key: 'hub', value: (key) => key.hub },
  { key: 'fingerprint', value: (key) => key.fingerprint, whole: true },
  { key: 'state', value: (key) => key.state, telling: true },
  { key: 'packages', value: (key) => key.packages ?? 'all', spare: 1 },
  { key: 'algorithm', value: (key) => key.algorithm, wide: true },
  { key: 'createdAt', header: 'CREATED', value: (key) => timeOf(key.createdAt), day: true, wide: true },
  {
    key: 'expiresAt',
    header: 'EXPIRES',
    value: (key) => timeOf(key.expiresAt) ?? 'never',
    day: true,
    whole: true,
    telling: true,
  },
  { key: 'addedAt', header: 'ADDED', value: (key) => timeOf(key.addedAt), day: true, wide: true },
  { key: 'userIds', header: 'USER ID', value: (key) => key.userIds, spare: 2 },
];

const narrow: readonly Column<HubKey>[] = [
  { key: 'hub', value: (key) => key.hub, whole: false, telling: true },
  { key: 'keyId', header: 'KEY ID', value: (key) => key.keyId, whole: true, telling: true },
  ...columns
    .filter(({ key }) => ['state', 'packages', 'expiresAt', 'userIds'].includes(key))
    .map((column): Column<HubKey> => ({ ...column, spare: 0, telling: true })),
];

/** A fingerprint in groups of four, whole: for comparing by eye. */
function grouped(fingerprint: string): string {
  return (fingerprint.match(/.{1,4}/gu) ?? []).join(' ');
}

/** A key as lines for a person who has to decide on it. */
export function keyLines(key: HubKey, look: Look): readonly string[] {
  const day = (time: string | undefined): string => cellText(timeOf(time) ?? 'never', look, true);
  const rows: readonly (readonly [string, string])[] = [
    ['hub', key.hub === key.base ? key.hub : `${key.hub}  ${key.base}`],
    ['fingerprint', grouped(key.fingerprint)],
    ...key.userIds.map((user): readonly [string, string] => ['user id', user]),
    ['algorithm', key.algorithm],
    ['created', day(key.createdAt)],
    ['expires', day(key.expiresAt)],
    ['state', key.state],
    ['packages', key.packages ?? 'all'],
  ];
  return rows.map(([label, value]) => `${padded(label, 11)}  ${visible(value)}`);
}

const listParts = {
  kind: 'HubKeyList',
  none: 'no trusted keys. Add one: cdapctl hub key add FILE --hub NAME',
  schema: Key,
  name: (key: HubKey): string => key.fingerprint,
  json: withoutText,
};
const full = view({ ...listParts, columns });
const short = view({ ...listParts, columns: narrow });
/** A terminal as wide as this, in characters, has room for fingerprints beside all else. */
const ROOM = 120;

/** Lists the keys that are trusted for hubs. A narrow terminal shows the end of a fingerprint in place of all of it. */
export const keyList: View<ListResult<HubKey>> = {
  ...full,
  render: (result, options) => {
    const { format, fields, look } = options;
    const isNarrow = format === 'table' && fields === undefined && look.terminal && (look.columns ?? ROOM) < ROOM;
    if (!isNarrow) return full.render(result, options);
    const { onLeftOut } = options;
    // The fingerprint is left out, too.
    if (!Array.isArray(result.items) || result.items.length > 0) onLeftOut?.(1);
    return short.render(result, { ...options, onLeftOut: (columns) => onLeftOut?.(columns + 1) });
  },
};

const scope = (packages: string | undefined): string =>
  packages === undefined ? 'all packages' : `${visible(packages)} only`;

/** What became of a key, as a person reads it. A change of its packages is told before a change of its text. */
function changeText({ change, packages, before, hub, fingerprint }: KeyChange): string {
  const key = visible(`Key ${grouped(fingerprint)}`);
  const of = `hub ${visible(hub)}`;
  if (change === 'added')
    return `${key} is now trusted for ${packages === undefined ? '' : `${scope(packages)} of `}${of}`;
  if (change === 'unchanged') return `${key} is already trusted for ${of}; nothing was changed`;
  if (change === 'removed') return `${key} removed from ${of}`;
  const renewed = before?.otherText === true ? '; the key was renewed' : '';
  if (before?.packages === packages) return `${key} is still trusted for ${of}${renewed}`;
  return `${key} is now trusted for ${scope(packages)} of ${of} (previously: ${scope(before?.packages)})${renewed}`;
}

/** Shows one key, and what a command did with it. */
export const keyView = itemView<typeof Changed, KeyChange>({
  kind: 'HubKey',
  schema: Changed,
  name: (key) => key.fingerprint,
  json: withoutText,
  columns,
  *text(key, look) {
    if (key.change === undefined) yield* keyLines(key, look);
    else yield changeText(key);
  },
});

/** Writes a public key: its armored text for people and files, a document for programs. */
export const keyExport = itemView({
  kind: 'HubKeyExport',
  schema: Exported,
  name: (key) => key.fingerprint,
  columns: [
    { key: 'hub', value: (key) => key.hub },
    { key: 'fingerprint', value: (key) => key.fingerprint },
    { key: 'file', value: (key) => key.file },
    { key: 'armored', value: (key) => key.armored, wide: true },
  ],
  verbatim: true,
  *text(key) {
    if (key.file === undefined) yield* key.armored.trimEnd().split(/\r?\n/u).map(visible);
    else yield `wrote ${visible(key.file)}`;
  },
});
