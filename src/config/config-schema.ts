import * as z from 'zod/mini';

/** What the name of a context or hub looks like; no address and no folder does. */
export const NAME = /^(?!__proto__$|\.{1,2}$)[A-Za-z0-9_.][A-Za-z0-9_.-]*$/u;
const HUB_SCHEMES = ['http:', 'https:', 'file:'];
const NAME_RULE = 'names hold letters, digits, "_", "." and "-", do not start with "-", and are not "." or ".."';

/** Whether a text is an address of some schemes, and nothing else. */
export function isAddress(text: string, schemes: readonly string[] = HUB_SCHEMES): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const bare = url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  return schemes.includes(url.protocol) && bare;
}

const Text = z.string('must be text').check(z.minLength(1, 'must not be empty'));
const PlatformUrl = Text.check(
  z.refine(
    (text) => isAddress(text, ['http:', 'https:']),
    'must be an http or https URL without user, query or fragment',
  ),
);
const HubUrl = Text.check(
  z.refine((text) => isAddress(text), 'must be an http, https or file URL without user, query or fragment'),
);
const ProxyUrl = Text.check(
  z.refine((text) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol), 'must be an http or https URL'),
);

/** The name of a context or hub. */
export const Name = z.string(NAME_RULE).check(z.regex(NAME, NAME_RULE));

/** A named connection to a platform. */
export const Context = z.strictObject(
  {
    url: PlatformUrl,
    namespace: z.optional(Text),
    /** Name or URL of the hub that goes with the platform. */
    hub: z.optional(Text),
    /** PEM file; a relative path starts at the folder of the configuration file. */
    caFile: z.optional(Text),
    proxy: z.optional(ProxyUrl),
    /**
     * File with the access token, for the address of this context only. A relative path starts at the folder of the
     * configuration file.
     */
    tokenFile: z.optional(Text),
    /** Program that prints an access token for the address of this context; `tokenFile` comes before it. */
    tokenCommand: z.optional(Text),
    /** Address of the platform's own UI, which a page of the dashboard links to. */
    uiUrl: z.optional(PlatformUrl),
    /** Changes on the platform want the name of the context typed. */
    protected: z.optional(z.boolean('must be true or false')),
  },
  'must be a map with at least the member url',
);

/** A named connection to a platform. */
export type Context = z.infer<typeof Context>;

/** A named hub. */
export const HubEntry = z.strictObject(
  { url: HubUrl, verify: z.optional(z.enum(['require', 'warn', 'off'], 'must be require, warn or off')) },
  'must be a map with at least the member url',
);

/** A named hub. */
export type HubEntry = z.infer<typeof HubEntry>;

/** What `config.yaml` holds (docs/conventions.md 2.9). */
export const Config = z.strictObject(
  {
    version: z.literal(1, 'must be 1, the only supported version'),
    current: z.optional(Name),
    contexts: z._default(z.record(Name, Context, 'must be a map of contexts'), {}),
    hubs: z._default(z.record(Name, HubEntry, 'must be a map of hubs'), {}),
  },
  'must be a map',
);

/** What `config.yaml` holds. */
export type Config = z.infer<typeof Config>;

/** The entry of a name, and never a member that every object has. */
export function entryOf<T>(entries: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
