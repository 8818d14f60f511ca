import * as z from 'zod/mini';
import { formatDuration } from '../../core/duration.js';
import { visible } from '../escape.js';
import { itemView, view } from './view.js';
import { type Column } from '../view-types.js';

const Value = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const Origin = z.enum(['flag', 'environment', 'project', 'user', 'system', 'built-in']);
const Setting = z.object({ name: z.string(), value: Value, origin: Origin, from: z.string() });
const OneSetting = z.object({
  name: z.string(),
  value: z.optional(Value),
  origin: z.optional(Origin),
  from: z.optional(z.string()),
});

/** A setting in force. */
export type SettingItem = z.infer<typeof Setting>;

/** A setting that was asked for by its name; without a value where it has none. */
export type OneSetting = z.infer<typeof OneSetting>;

/** A setting as it is written on a line: a duration with its unit. */
const shown = ({ name, value }: OneSetting): OneSetting['value'] =>
  typeof value === 'number' && name.endsWith('Timeout') ? formatDuration(value) : value;

const settings = (withOrigin: boolean) =>
  view<typeof Setting, SettingItem>({
    kind: 'SettingList',
    none: 'no settings found',
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

const oneColumns: readonly Column<OneSetting>[] = [
  { key: 'name', value: ({ name }) => name },
  { key: 'value', value: (setting) => shown(setting) },
  { key: 'origin', value: ({ origin }) => origin },
  { key: 'from', value: ({ from }) => from },
];
const one = { kind: 'Setting', schema: OneSetting, name: ({ name }: OneSetting) => name, columns: oneColumns };

const valueText = (setting: OneSetting): string => {
  const value = shown(setting);
  return visible(Array.isArray(value) ? value.join(',') : String(value ?? ''));
};

/** Shows the value of one setting and nothing else. */
export const settingValue = itemView({
  ...one,
  verbatim: true,
  text: (setting) => (setting.value === undefined ? [] : [valueText(setting)]),
});

/** A setting after a command changed it, or found it so. */
export interface SettingChange extends OneSetting {
  readonly isUnchanged?: boolean;
}

/** Says what a setting is from now on. */
export const settingChange = itemView<typeof OneSetting, SettingChange>({
  ...one,
  json: (setting) => ({ ...setting, isUnchanged: undefined }),
  text: (setting) => {
    const { name, value, from = '', isUnchanged } = setting;
    const said =
      isUnchanged === true
        ? `${name} was not set; nothing changed`
        : value === undefined
          ? `${name} is unset`
          : `${name} is set to ${valueText(setting)}`;
    return [visible(`${said} (${from})`)];
  },
});
