import { baseAddress } from '../state/base-address.js';
import type { FoundSettings } from './settings.js';

/** The names of the protected contexts that stand for a platform: the chosen one first, then all that have its address. */
export function protectingContexts({ settings, sources }: FoundSettings, url: string): readonly string[] {
  const chosen = settings.context?.value;
  const here = [sources.user, sources.system].flatMap((file) =>
    Object.entries(file?.config.contexts ?? {}).flatMap(([name, context]) =>
      context.protected === true && baseAddress(context.url) === baseAddress(url) ? [name] : [],
    ),
  );
  return [...new Set([...(chosen?.protected === true ? [chosen.name] : []), ...here])];
}
