import { hubAddress } from '../core/hub-address.js';
import type { FoundSettings } from './settings.js';

/** An address in one spelling, whose loopback is the same by name and by number. */
const placeOf = (url: string): string =>
  hubAddress(url).replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=[:/]|$)/u, '$1127.0.0.1');

/** The names of the protected contexts that stand for a platform: the chosen one first, then all that have its address. */
export function protectingContexts({ settings, sources }: FoundSettings, url: string): readonly string[] {
  const chosen = settings.context?.value;
  const here = [sources.user, sources.system].flatMap((file) =>
    Object.entries(file?.config.contexts ?? {}).flatMap(([name, context]) =>
      context.protected === true && placeOf(context.url) === placeOf(url) ? [name] : [],
    ),
  );
  return [...new Set([...(chosen?.protected === true ? [chosen.name] : []), ...here])];
}
