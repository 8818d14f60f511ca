import type { Emit } from '../core/events.js';
import type { HubSource } from '../hub/source.js';
import type { Transport } from '../http/transport.js';
import type { Capabilities } from '../platform/capabilities.js';
import type { Platform } from '../platform/client.js';
import type { NamedHub } from '../services/catalog/load.js';
import type { HubTrust } from '../services/catalog/trust-setup.js';
import type { Consent } from './consent.js';
import type { Asker } from './terminal/prompts.js';
import type { FoundSettings } from './settings.js';

/** The platform that a command speaks to, and the namespace it works in. */
export interface PlatformPlace {
  readonly platform: Platform;
  readonly url: string;
  /** Name of the context that has this address and was chosen, if any. */
  readonly context: string | undefined;
  readonly namespace: string;
  readonly namespaceFrom: string;
  readonly version: string;
  readonly capabilities: Capabilities;
}

/** Where the keys of a hub are kept. */
export interface TrustPlace {
  /** Normalised base URL of the hub. */
  readonly base: string;
  readonly folder: string;
  readonly name: string;
}

/** Everything that a command gets from configuration, environment and flags. Each part is made when it is asked for. */
export interface CommandContext {
  readonly found: FoundSettings;
  readonly emit: Emit;
  /** Undefined where nobody can be asked (docs/conventions.md 2.5). */
  readonly asker: Asker | undefined;
  /** Asked once, right before the first write. */
  readonly consent: Pick<Consent, 'ask'>;
  /**
   * The platform. Asks it for its version.
   * @throws USAGE when none is named
   */
  platform(): Promise<PlatformPlace>;
  /**
   * The address of the platform, which is asked nothing.
   * @throws USAGE when none is named
   */
  platformAddress(): string;
  /** The platform if one is named. */
  platformIfAny(): Promise<PlatformPlace | undefined>;
  /**
   * The hubs to read from: `--hub`, else those of the configuration, else what the platform announces. With the name of
   * a configured hub that one, unless `--hub` says another.
   * @throws HUB_NOT_FOUND when there is none
   */
  hubs(named?: string): Promise<readonly NamedHub[]>;
  /** What is trusted of a hub. */
  trust(source: HubSource): Promise<HubTrust>;
  /** The place of the keys of the hub: the named one, the only one, or the one that is chosen. */
  trustStore(): Promise<TrustPlace>;
  /** A private folder of this run below the state folder, removed by `close`. */
  scratch(): Promise<string>;
  /** The way to an address without a token; `isSecret` where a password goes along. */
  readonly bare: (url: string, isSecret: boolean) => Promise<Transport<'platform'>>;
  /** When the token that was sent last ends, in milliseconds since the epoch, where that is known. */
  readonly tokenExpiresAt: () => number | undefined;
  readonly home: string | undefined;
  readonly stateFolder: string;
  close(): Promise<void>;
}
