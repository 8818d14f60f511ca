import * as z from 'zod/mini';
import type { UninstalledItem, UninstallResult } from '../../services/installed/result.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';
import { itemView } from './view.js';
import { shortTable } from '../writers/short-table.js';
import { ThingSchema, thingText } from './things.js';

const Item = z.object({
  ...ThingSchema,
  state: z.enum(['planned', 'removed', 'gone', 'left', 'failed', 'not-run']),
  reason: z.optional(z.enum(['found', 'unsure', 'changed', 'needed', 'used', 'not-known'])),
  message: z.optional(z.string()),
  requests: z.array(z.object({ method: z.string(), path: z.string(), status: z.number(), ms: z.number() })),
});
const UninstallSchema = z.object({
  package: z.object({ name: z.string(), version: z.string(), hub: z.string() }),
  target: z.object({
    context: z.optional(z.string()),
    url: z.string(),
    namespace: z.string(),
    namespaceFrom: z.string(),
    platformVersion: z.optional(z.string()),
  }),
  state: z.enum(['planned', 'removed', 'left', 'nothing', 'partial', 'failed', 'cancelled']),
  items: z.array(Item),
  retry: z.optional(z.string()),
});

function effectOf({ state, message }: UninstalledItem): string {
  if (state === 'planned') return message === undefined ? 'remove' : `remove (${message})`;
  if (state === 'gone') return 'already removed';
  if (state === 'not-run') return 'not tried';
  return state === 'left' ? `leave: ${message ?? ''}` : state;
}

/** The plan of an uninstall as lines: what goes, what stays and why. */
export async function uninstallLines(items: readonly UninstalledItem[], look: Look): Promise<readonly string[]> {
  if (items.length === 0) return [];
  return shortTable(
    ['OBJECT', 'EFFECT'],
    items.map((item) => [thingText(item), effectOf(item)]),
    look,
  );
}

const count = (items: readonly UninstalledItem[], state: UninstalledItem['state']): number =>
  items.filter((item) => item.state === state).length;

async function* lines({ package: of, target, state, items }: UninstallResult, look: Look): AsyncGenerator<string> {
  const name = visible(`${of.name} ${of.version}`);
  const where = visible(target.namespace);
  if (state === 'planned') {
    yield* await uninstallLines(items, look);
    yield `Planned to uninstall ${name} from ${where}; nothing was changed`;
    return;
  }
  const stays = count(items, 'left') === 0 ? '' : `, ${count(items, 'left')} left`;
  if (state === 'removed')
    yield `${paint(look, 'green', 'Removed')} ${name} from ${where} (${count(items, 'removed')} removed${stays})`;
  else yield `${name} is not installed in ${where} (already removed)`;
  for (const item of items)
    if (item.state === 'left') yield `  left  ${thingText(item)}: ${visible(item.message ?? '')}`;
}

/** Shows what an uninstall removed and what it left, or in a dry run would. */
export const uninstallView = itemView<typeof UninstallSchema, UninstallResult>({
  kind: 'UninstallResult',
  schema: UninstallSchema,
  name: (result) => `${result.package.name}@${result.package.version}`,
  columns: [
    { key: 'package', value: (result) => `${result.package.name}@${result.package.version}` },
    { key: 'namespace', value: (result) => result.target.namespace },
    { key: 'state', value: (result) => result.state },
    { key: 'items', value: ({ items }) => items.map((item) => `${thingText(item)} ${item.state}`) },
  ],
  text: lines,
});
