import * as z from 'zod/mini';
import { view } from '../view.js';

const Setting = z.object({
  name: z.string(),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
  origin: z.enum(['flag', 'environment', 'project', 'user', 'system', 'built-in']),
  from: z.string(),
});

/** A setting in force. */
export type SettingItem = z.infer<typeof Setting>;

const settings = (withOrigin: boolean) =>
  view<SettingItem>({
    kind: 'SettingList',
    schema: Setting,
    name: ({ name }) => name,
    columns: [
      { key: 'name', value: ({ name }) => name },
      { key: 'value', value: ({ value }) => value },
      { key: 'origin', value: ({ origin }) => origin, wide: !withOrigin },
      { key: 'from', value: ({ from }) => from, wide: !withOrigin },
    ],
  });

/** Shows the settings in force. */
export const settingList = settings(false);

/** Shows the settings in force and where each comes from. */
export const settingListWithOrigin = settings(true);
