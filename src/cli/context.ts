import type { Emit } from '../core/events.js';
import type { Capabilities } from '../platform/capabilities.js';
import type { Platform } from '../platform/client.js';
import type { NamedHub } from '../services/catalog/load.js';
import type { TrustSetup } from '../services/catalog/trust-setup.js';
import type { HubSource } from '../hub/source.js';
import type { HubMemory } from '../trust/memory.js';
import type { Asker } from './prompts.js';

/** The platform that a command speaks to, and the namespace it works in. */
export interface PlatformPlace {
  readonly platform: Platform;
  readonly url: string;
  /** Name of the context it comes from, if any. */
  readonly context: string | undefined;
  readonly namespace: string;
  readonly namespaceFrom: string;
  readonly version: string;
  readonly capabilities: Capabilities;
}

/** What is trusted of a hub, and where its memory goes. */
export interface HubTrust {
  readonly setup: TrustSetup;
  /** Stores what was seen; called once, after every check passed. */
  remember(memory: HubMemory): Promise<void>;
}

/** Everything that a command gets from configuration, environment and flags; each part is made when it is asked for. */
export interface CommandContext {
  readonly emit: Emit;
  /** Undefined where nobody can be asked (`cli.md` 2.5). */
  readonly asker: Asker | undefined;
  /** The platform; USAGE when none is named. Asks it for its version. */
  platform(): Promise<PlatformPlace>;
  /** The platform if one is named. */
  platformIfAny(): Promise<PlatformPlace | undefined>;
  /** The hubs to read from: `--hub`, else those of the context, the configuration, and what the platform announces; HUB_NOT_FOUND when there is none. */
  hubs(): Promise<readonly NamedHub[]>;
  /** What is trusted of a hub. */
  trust(source: HubSource): Promise<HubTrust>;
  /** A private folder of this run below the state folder, removed by `close`. */
  scratch(): Promise<string>;
  readonly home: string | undefined;
  readonly stateFolder: string;
  close(): Promise<void>;
}
