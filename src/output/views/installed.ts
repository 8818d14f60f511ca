import * as z from 'zod/mini';
import { itemView, view } from './view.js';
import { type Column } from '../view-types.js';
import type { Look } from '../look.js';
import { timeText } from '../writers/columns.js';
import { shortTable } from '../writers/short-table.js';
import { visible } from '../escape.js';
import { ThingSchema, thingText } from './things.js';

const Item = z.object({
  ...ThingSchema,
  actions: z.array(z.number()),
  origin: z.enum(['creating', 'created', 'found']),
  standing: z.enum(['live', 'removing', 'left']),
  why: z.optional(z.string()),
  now: z.optional(z.enum(['same', 'changed', 'gone', 'there', 'not-known'])),
});
const InstalledSchema = z.object({
  package: z.string(),
  version: z.string(),
  hub: z.string(),
  hubUrl: z.string(),
  platform: z.string(),
  namespace: z.string(),
  at: z.string(),
  uninstalledAt: z.optional(z.string()),
  state: z.enum(['installed', 'partial', 'removing', 'left', 'removed']),
  drift: z.optional(z.enum(['none', 'changed', 'gone'])),
  items: z.array(Item),
});

/** An install as it is shown; `drift` is there when the platform was asked. */
export type InstalledItem = z.infer<typeof InstalledSchema>;

const STATES = {
  installed: 'installed',
  partial: 'partly installed',
  removing: 'partly uninstalled',
  left: 'left by uninstall',
  removed: 'uninstalled',
} as const;

const stateWords = ({ state, items }: InstalledItem): string =>
  state === 'left' ? `${items.length} ${STATES.left}` : STATES[state];

/** What the platform said, where it was asked. */
function driftText({ drift, items }: InstalledItem): string {
  if (drift === undefined || drift === 'none') return drift === undefined ? '' : 'ok';
  const count = (now: string): number => items.filter((item) => item.now === now).length;
  return (['changed', 'gone'] as const).flatMap((now) => (count(now) > 0 ? [`${count(now)} ${now}`] : [])).join(', ');
}

/** What stands as it should needs few words, so that they fit on a narrow terminal. */
function stateText(install: InstalledItem): string {
  const drift = driftText(install);
  if (install.state === 'installed' && drift !== '') return drift;
  return drift === '' ? stateWords(install) : `${stateWords(install)}, ${drift}`;
}

/** What became of an install, and when. */
function historyText(install: InstalledItem, look: Look): string {
  const { state } = install;
  const at = timeText(new Date(install.at), look);
  const uninstalledAt =
    install.uninstalledAt === undefined ? undefined : timeText(new Date(install.uninstalledAt), look);
  if (state === 'installed' || state === 'partial') return `${STATES[state]} ${at}`;
  if (state === 'removing') return `installed ${at}, partly uninstalled (run uninstall again to resume)`;
  if (uninstalledAt === undefined) return `last install attempt ${at}, nothing installed`;
  if (state === 'left') return `installed ${at}, ${install.items.length} left by uninstall ${uninstalledAt}`;
  return `installed ${at}, uninstalled ${uninstalledAt}`;
}

const columns: readonly Column<InstalledItem>[] = [
  { key: 'package', value: (install) => install.package },
  { key: 'version', value: ({ version }) => version },
  { key: 'hub', value: ({ hub }) => hub, spare: 2 },
  { key: 'namespace', value: ({ namespace }) => namespace, telling: true },
  { key: 'at', header: 'WHEN', value: ({ at }) => new Date(at), spare: 1 },
  { key: 'state', value: stateText, telling: true },
  { key: 'platform', value: ({ platform }) => platform, wide: true },
  { key: 'hubUrl', header: 'HUB URL', value: ({ hubUrl }) => hubUrl, wide: true },
];

const name = (install: InstalledItem): string => `${install.package}@${install.version}`;

/** Shows what was installed by this user on this machine. */
export const installedList = view<typeof InstalledSchema, InstalledItem>({
  kind: 'InstalledList',
  none: 'no installed packages found. To list available packages: cdapctl hub list',
  schema: InstalledSchema,
  name,
  columns,
});

const ORIGINS = { creating: 'maybe created', created: 'created', found: 'existed before' } as const;
const NOW = {
  same: 'as installed',
  changed: 'changed',
  gone: 'gone',
  there: 'there',
  'not-known': 'unknown',
} as const;

/** Shows one install with everything that it made or found. */
export const installedView = itemView<typeof InstalledSchema, InstalledItem>({
  kind: 'Installed',
  schema: InstalledSchema,
  name,
  columns: columns.map(({ key, value }) => ({ key, value })),
  async *text(install, look) {
    const { package: title, version, hub, namespace, platform, items } = install;
    const drift = driftText(install);
    yield visible(`${title} ${version}  from ${hub}`);
    yield visible(`Target: ${platform}  namespace ${namespace}`);
    yield visible(`${historyText(install, look)}${drift === '' ? '' : `; now ${drift}`}`);
    if (items.length === 0) return;
    yield '';
    const verified = items.some(({ now }) => now !== undefined);
    const rows = items.map((item) => [
      thingText(item),
      ORIGINS[item.origin],
      ...(verified ? [item.now === undefined ? '' : NOW[item.now]] : []),
    ]);
    yield* await shortTable(['OBJECT', 'ORIGIN', ...(verified ? ['NOW'] : [])], rows, look);
    for (const item of items) if (item.why !== undefined) yield `  left  ${thingText(item)}: ${visible(item.why)}`;
  },
});
