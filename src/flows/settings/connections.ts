import type { Config } from '../../config/config-schema.js';
import type { Setting } from '../../config/setting.js';
import { commandWords } from '../../config/command-words.js';
import { configuredHubs } from '../../config/target.js';
import type { ContextItem, ListedContext } from '../../output/views/context.js';
import type { HubSourceItem } from '../../output/views/hub/sources.js';
import type { SettingItem } from '../../output/views/setting.js';
import { readLogin } from '../../state/login/logins.js';
import { hubKey } from '../../state/base-address.js';
import { pinnedFingerprints } from '../../services/keys/pinned-keys.js';
import { CliError } from '../../core/errors.js';
import { isSameBase } from '../../core/hub-address.js';
import { closest, didYouMean } from '../../core/closest.js';
import { shellWord } from '../../core/shell-word.js';
import { redactor, settingWithoutCredentials } from '../../core/secrets/redact.js';
import { join } from 'node:path';
import { policyOf } from '../../cli/hub-trust.js';
import { commandLine } from '../../cli/line/command-line.js';
import { isPath } from '../../cli/line/local-path.js';
import type { Session } from '../../cli/session.js';
import type { FoundSettings, KnownContexts } from '../../cli/settings.js';

const hideShapes = redactor([]);

/** A setting as it is shown: without users and passwords, and of a token command its program alone. */
export function shownSetting(name: string, text: string): string {
  if (name === 'tokenCommand') return shownCommand(text);
  return /\s/u.test(text) ? hideShapes(text) : settingWithoutCredentials(text);
}

/** Any word of a command may be a password. */
function shownCommand(text: string): string {
  try {
    const [program, ...words] = commandWords(text);
    return [settingWithoutCredentials(shellWord(program)), ...(words.length > 0 ? ['***'] : [])].join(' ');
  } catch {
    return '***';
  }
}

/** The named connections of the user's and the system's files; the user's win. */
export function knownContexts({ sources, settings }: KnownContexts): readonly ContextItem[] {
  const contexts: Config['contexts'] = { ...sources.system?.config.contexts, ...sources.user?.config.contexts };
  const current = settings.context?.value.name;
  return Object.entries(contexts).map(([name, context]) => ({
    ...context,
    ...(context.proxy !== undefined && { proxy: settingWithoutCredentials(context.proxy) }),
    ...(context.tokenCommand !== undefined && { tokenCommand: shownCommand(context.tokenCommand) }),
    name,
    protected: context.protected === true,
    current: name === current,
  }));
}

/** The same, each with what a login keeps for its address. */
export function contextsWithLogins(
  found: KnownContexts & Pick<FoundSettings, 'folders'>,
  { clock }: Pick<Session, 'clock'>,
): Promise<readonly ListedContext[]> {
  const credentials = async ({ name, url }: ContextItem): Promise<ListedContext['credentials']> => {
    try {
      const login = await readLogin(found.folders.state, name);
      if (login === undefined || !isSameBase(login.url, url)) return 'none';
      return (login.expiresAt ?? Infinity) <= clock.now() ? 'expired' : 'stored';
    } catch {
      // One that is damaged, or that others can read, is there all the same.
      return 'stored';
    }
  };
  return Promise.all(knownContexts(found).map(async (item) => ({ ...item, credentials: await credentials(item) })));
}

/**
 * One named connection, the current one without a name.
 * @throws NOT_FOUND
 */
export function knownContext(name: string | undefined, found: KnownContexts): ContextItem {
  const all = knownContexts(found);
  const context = all.find((item) => (name === undefined ? item.current : item.name === name));
  if (context !== undefined) return context;
  const near =
    name === undefined
      ? undefined
      : closest(
          name,
          all.map((item) => item.name),
        );
  if (all.length === 0) {
    throw new CliError('NOT_FOUND', 'no contexts configured', {
      hints: ['cdapctl context add NAME --url https://cdap.example.com:10443'],
    });
  }
  if (name === undefined) {
    throw new CliError('NOT_FOUND', 'there is no current context', {
      hints: all.slice(0, 5).map((item) => commandLine(['context', 'use', item.name])),
    });
  }
  throw new CliError('NOT_FOUND', `context "${name}" not found`, {
    hints: [...didYouMean(near), 'cdapctl context list'],
  });
}

/** The hubs that are configured, with the policy in force and the number of keys pinned for each. */
export async function knownHubs(found: FoundSettings): Promise<readonly HubSourceItem[]> {
  const folder = join(found.folders.state, 'trust');
  const hubs: HubSourceItem[] = [];
  for (const { name = '', url, verify } of configuredHubs(found.sources)) {
    const keys = await pinnedFingerprints({ folder, base: url });
    hubs.push({ name, url, verify: policyOf(found, verify, keys.length), keys: keys.length });
  }
  return hubs;
}

/** The names of other hubs that have the same address; `/v2`, which may be left out, does not count. */
export function sameHubs(
  { name, url }: Pick<HubSourceItem, 'name' | 'url'>,
  found: Pick<FoundSettings, 'sources'>,
): readonly string[] {
  const others = configuredHubs(found.sources).filter((hub) => hub.name !== name && hubKey(hub.url) === hubKey(url));
  return others.map((hub) => hub.name ?? hub.url);
}

function shown(name: string, value: unknown): SettingItem['value'] | undefined {
  if (typeof value === 'string') return shownSetting(name, value);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((one) => settingWithoutCredentials(String(one)));
  return typeof value === 'object' && value !== null && 'name' in value ? String(value.name) : undefined;
}

/** Every setting that has a value, with the place it comes from. Users and passwords in addresses are hidden. */
export function effectiveSettings({ settings }: Pick<FoundSettings, 'settings'>): readonly SettingItem[] {
  // The list holds what the first one says.
  const { namespaces, namespace, ...others } = settings;
  const isOne = namespaces === undefined || namespaces.value.length === 1;
  const shownNamespace = namespace ?? { value: 'default', origin: 'built-in' as const, from: 'built-in' };
  const all: Record<string, Setting<unknown> | undefined> = {
    ...others,
    ...(isOne ? { namespace: shownNamespace } : { namespaces }),
  };
  return Object.entries(all).flatMap(([name, setting]) => {
    const value = setting === undefined ? undefined : shown(name, setting.value);
    return setting === undefined || value === undefined
      ? []
      : [{ name, value, origin: setting.origin, from: setting.from }];
  });
}

/**
 * One configured hub.
 * @throws HUB_NOT_FOUND
 */
export async function knownHub(name: string, found: FoundSettings): Promise<HubSourceItem> {
  const all = await knownHubs(found);
  const hub = all.find((item) => item.name === name);
  if (hub !== undefined) return hub;
  const near = closest(
    name,
    all.map((item) => item.name),
  );
  throw new CliError('HUB_NOT_FOUND', `hub "${name}" not found`, {
    hints: [
      ...didYouMean(near),
      ...(isPath(name) || /^https?:/iu.test(name) ? [{ next: 'name-hub' as const, hub: name }] : []),
      'cdapctl hub sources',
    ],
  });
}
