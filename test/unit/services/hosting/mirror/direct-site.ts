import type { HubSigner } from '../../../../../src/emulator/hub/sign.js';
import type { HubSource } from '../../../../../src/hub/source.js';
import { chooseMirror, runMirror } from '../../../../../src/services/hosting/mirror/mirror.js';
import type { MirrorRequest, MirrorResult } from '../../../../../src/services/hosting/mirror/mirror-plan.js';
import { hubKey, signedHub, writeHubTree, type SignedHubOptions } from '../../../../support/sites/hub-tree.js';
import { countedHub, setupWith } from '../../catalog/support-trust.js';

const { signal } = new AbortController();
/** All of a hub. */
export const ALL = {
  packages: [],
  categories: [],
  platformVersion: undefined,
  versions: undefined,
  locked: undefined,
};
let key: Promise<HubSigner> | undefined;
/** The key of the hubs. */
export const signedBy = (): Promise<HubSigner> => (key ??= hubKey());

/** A hub in a folder, and a folder for its mirror. */
export interface Site {
  readonly root: string;
  readonly opened: string[];
  /** What stands between the hub and the mirror from now on. */
  readonly between: (change: (open: HubSource['open']) => HubSource['open']) => void;
  /** Serves these packages from now on. */
  readonly publish: (hub: SignedHubOptions) => Promise<void>;
  /** What a mirror of all of it is asked for. */
  readonly request: (more?: Partial<MirrorRequest>) => Promise<MirrorRequest>;
  readonly mirror: (more?: Partial<MirrorRequest>, stop?: AbortSignal) => Promise<MirrorResult>;
}

/** A hub with one key, which is trusted, and its mirror without a command; both in new folders. */
export async function siteIn(newFolder: () => Promise<string>, hub: SignedHubOptions): Promise<Site> {
  const signer = await signedBy();
  const filesOf = async (options: SignedHubOptions) => (await signedHub({ key: signer, ...options })).files;
  const folder = await newFolder();
  const { source, opened } = await countedHub(folder, await filesOf(hub));
  const root = await newFolder();
  let open: HubSource['open'] = (...asked) => source.open(...asked);
  const request = async (more: Partial<MirrorRequest> = {}): Promise<MirrorRequest> => ({
    hub: { name: 'corp', source: { ...source, open: (...asked) => open(...asked) } },
    setup: await setupWith([signer.publicKey]),
    remember: async () => undefined,
    root,
    selection: ALL,
    signatures: true,
    prune: false,
    dry: false,
    concurrency: 1,
    emit: () => undefined,
    ...more,
  });
  return {
    root,
    opened,
    between: (change) => void (open = change((...asked) => source.open(...asked))),
    publish: async (next) => writeHubTree(folder, await filesOf(next)),
    request,
    mirror: async (more, stop = signal) => runMirror(await chooseMirror(await request(more), stop), stop),
  };
}
