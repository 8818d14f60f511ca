import * as z from 'zod/mini';
import { formatDuration } from '../../core/duration.js';
import { view } from '../view.js';

const Setting = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
  origin: z.enum(['flag', 'environment', 'project', 'user', 'system', 'built-in']),
  from: z.string(),
});

/** A setting in force. */
export type SettingItem = z.infer<typeof Setting>;

/** A setting as it is written on a line: a duration with its unit. */
const shown = ({ name, value }: SettingItem): SettingItem['value'] =>
  typeof value === 'number' && name.endsWith('Timeout') ? formatDuration(value) : value;

const settings = (withOrigin: boolean) =>
  view<SettingItem>({
    kind: 'SettingList',
    schema: Setting,
    name: ({ name }) => name,
    columns: [
      { key: 'name', value: ({ name }) => name },
      { key: 'value', value: (setting) => shown(setting) },
      { key: 'origin', value: ({ origin }) => origin, wide: !withOrigin },
      { key: 'from', value: ({ from }) => from, wide: !withOrigin },
    ],
  });

/** Shows the settings in force. */
export const settingList = settings(false);

/** Shows the settings in force and where each comes from. */
export const settingListWithOrigin = settings(true);
