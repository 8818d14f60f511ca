import type { Context } from '../../config/config-schema.js';
import { entryOf } from '../../config/config-schema.js';
import { environmentTwin, inContext } from '../../config/setting.js';
import { closest, didYouMean } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import type { OneSetting } from '../../output/views/setting.js';
import { effectiveSettings, shownSetting } from './connections.js';
import type { FoundSettings } from '../../cli/settings.js';

/** Members of a context by their name in `config list`, with their flag of `context set`. */
const MEMBERS = {
  url: { member: 'url', flag: 'url' },
  namespace: { member: 'namespace', flag: 'namespace' },
  hubs: { member: 'hub', flag: 'hub' },
  tokenFile: { member: 'tokenFile', flag: 'token-file' },
  tokenCommand: { member: 'tokenCommand', flag: 'token-command' },
  caFile: { member: 'caFile', flag: 'ca-file' },
  proxy: { member: 'proxy', flag: 'proxy' },
  uiUrl: { member: 'uiUrl', flag: 'ui-url' },
} as const;
/** The settings that a configuration file keeps. */
export const FILE_SETTINGS: readonly string[] = ['context', ...Object.keys(MEMBERS)];
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['hub', 'hubs'],
  ['namespaces', 'namespace'],
  ['current', 'context'],
]);

/** What a name stands for in the configuration file: the current context, or a member of a context. */
export type FilePlace =
  | { readonly kind: 'current'; readonly name: string }
  | {
      readonly kind: 'member';
      readonly name: string;
      readonly member: keyof Context;
      readonly flag: (typeof MEMBERS)[keyof typeof MEMBERS]['flag'];
    };

function notThere(word: string, names: readonly string[]): CliError {
  return new CliError('USAGE', `unknown setting ${JSON.stringify(word.slice(0, 60))}`, {
    hints: [...didYouMean(closest(word, names)), `one of ${names.join(', ')}`],
  });
}

/** The names of settings as `config list` has them. */
export const settingNames = ({ settings }: Pick<FoundSettings, 'settings'>): readonly string[] =>
  Object.keys(settings)
    .filter((one) => !OTHER_NAMES.has(one))
    .sort();

/**
 * The name of a setting as `config list` has it; that of its flag is taken, too.
 * @throws USAGE for any other
 */
export function settingName(word: string, { settings }: Pick<FoundSettings, 'settings'>): string {
  const camel = word.replaceAll(/-([a-z])/gu, (_, letter: string) => letter.toUpperCase());
  const name = OTHER_NAMES.get(camel) ?? camel;
  const names = settingNames({ settings });
  if (names.includes(name)) return name;
  throw notThere(word, names);
}

/**
 * Where the configuration file keeps a setting.
 * @throws USAGE for one that it does not keep
 */
export function filePlace(word: string, found: Pick<FoundSettings, 'settings'>): FilePlace {
  let name: string;
  try {
    name = settingName(word, found);
  } catch {
    throw notThere(word, FILE_SETTINGS);
  }
  if (name === 'context') return { kind: 'current', name };
  const place = Object.entries(MEMBERS).find(([one]) => one === name)?.[1];
  if (place !== undefined) return { kind: 'member', name, ...place };
  const flag = name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  throw new CliError('USAGE', `${name} cannot be set in the configuration file; it takes ${FILE_SETTINGS.join(', ')}`, {
    hints: [`use --${flag}, or set ${environmentTwin(flag)}`],
  });
}

/** What the user's file says under a name, as it is shown; without a value where it says nothing. */
export function valueInFile(
  place: FilePlace,
  contextName: string | undefined,
  { sources }: Pick<FoundSettings, 'sources'>,
): OneSetting {
  const { file = '', config } = sources.user ?? {};
  if (place.kind === 'current')
    return {
      name: place.name,
      ...(config?.current !== undefined && { value: config.current }),
      origin: 'user',
      from: file,
    };
  const context = contextName === undefined ? undefined : entryOf(config?.contexts ?? {}, contextName);
  const value = context?.[place.member];
  const { from } = inContext(contextName ?? '');
  return {
    name: place.name,
    ...(value !== undefined && { value: shownSetting(place.name, String(value)) }),
    origin: 'user',
    from,
  };
}

/**
 * The variable, project file or the like that a run takes in place of what the file says. Undefined where it takes
 * that.
 */
export function strongerPlace({ name }: FilePlace, found: Pick<FoundSettings, 'settings'>): string | undefined {
  const setting = effectiveSettings(found).find((one) => one.name === name);
  return setting?.origin === 'environment' || setting?.origin === 'project' ? setting.from : undefined;
}
