import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HubSigner } from '../../../src/emulator/hub/sign.js';
import { hubKey, hubPackage, pluginSpec, serveHub, signedHub, type SignedHubOptions } from './hub-tree.js';
import { runInProcess, type InProcess } from '../processes/in-process.js';
import { withTempDir } from '../processes/run-cli.js';

const NOW = Date.now();

/** A package with a JAR of some content. */
export const plugin = (name: string, content = `jar of ${name}`, version = '1.0.0') =>
  hubPackage({ name, version, spec: pluginSpec(), resources: { 'plug.jar': content, 'plug.json': '{}' } });

/** What `hub mirror --json` shows. */
export interface Item {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly failed: number;
  readonly files: number;
  readonly signatures: number;
  readonly whole: boolean;
  readonly catalog: string;
  readonly unserved: readonly string[];
  readonly unverified: readonly string[];
  readonly failures: readonly { package: string; version: string; file: string; code: string }[];
}

/** A hub that is served, and a folder for its mirror. */
export interface MirrorSite {
  readonly home: string;
  readonly url: string;
  readonly folder: string;
  /** What is served, which a test may change. */
  readonly signer: HubSigner;
  readonly files: Map<string, Buffer>;
  /** Serves these packages from now on. */
  readonly publish: (packages: SignedHubOptions['packages'], more?: Partial<SignedHubOptions>) => Promise<void>;
  readonly mirror: (...more: readonly string[]) => Promise<InProcess>;
  readonly run: (id: string, ...words: readonly string[]) => Promise<InProcess>;
  /** Imports a bundle into a folder. */
  readonly load: (bundle: string, folder: string, ...more: readonly string[]) => Promise<InProcess>;
  /** What a run showed; its error, if any. */
  readonly item: (result: InProcess) => Item;
  /** The files of packages that were asked for since the last time, without signatures, and without those that were not wanted unchanged. */
  readonly fetched: () => readonly string[];
  /** The files of the mirror that are no part of its own folder, with their content. */
  readonly tree: () => ReadonlyMap<string, Buffer>;
  readonly read: (path: string) => string;
  /** Serves nothing from now on. */
  readonly close: () => Promise<void>;
}

let key: Promise<HubSigner> | undefined;

/** Serves a signed hub with the packages `one` and `two` whose key is trusted, unless told otherwise. */
export async function atMirror(
  test: (site: MirrorSite) => Promise<void>,
  { index = true, trusted = true }: { readonly index?: boolean; readonly trusted?: boolean } = {},
): Promise<void> {
  const signer = await (key ??= hubKey({ now: NOW - 1000 }));
  await withTempDir(async (home) => {
    const files = new Map<string, Buffer>();
    let sequence = 0;
    const publish: MirrorSite['publish'] = async (packages, more = {}) => {
      sequence += 1;
      const made = await signedHub({ packages, key: signer, now: NOW, sequence, index, ...more });
      files.clear();
      for (const [name, bytes] of made.files) files.set(name, bytes);
    };
    await publish([plugin('one'), plugin('two')]);
    const served = await serveHub(files);
    const { url, requests } = served;
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => (closing ??= served.close());
    try {
      const run: MirrorSite['run'] = (id, ...words) => runInProcess(id, words, home);
      if (trusted) {
        writeFileSync(join(home, 'key.asc'), signer.publicKey);
        const added = await run(
          'hub:key:add',
          join(home, 'key.asc'),
          '--hub',
          url,
          '--fingerprint',
          signer.fingerprint,
        );
        if (added.error !== undefined) throw added.error;
      }
      const folder = join(home, 'mirror');
      let seen = requests.length;
      await test({
        home,
        url,
        folder,
        signer,
        files,
        publish,
        run,
        load: (bundle, into, ...more) => run('hub:mirror', '--from', bundle, '-D', into, '--json', ...more),
        mirror: (...more) => run('hub:mirror', '--hub', url, '-D', folder, '--json', ...more),
        item: ({ error, terminal }) =>
          (error === undefined
            ? (JSON.parse(terminal.out.join('')) as { item: Item }).item
            : error.details.item) as Item,
        fetched: () => {
          const asked = requests.slice(seen).filter(({ headers }) => headers['if-none-match'] === undefined);
          seen = requests.length;
          return asked
            .map(({ path }) => path.replace(/^\/v2\//u, ''))
            .filter((path) => path.startsWith('packages/') && !path.endsWith('.asc'))
            .sort();
        },
        tree: () => treeOf(folder),
        close,
        read: (path) => readFileSync(join(folder, path), 'utf8'),
      });
    } finally {
      await close();
    }
  });
}

/** Serves the hub as `hub sign --index-only` leaves it; the version of `signed` keeps its signatures. */
export async function signIndexOnly({ files, signer }: MirrorSite, signed?: string): Promise<void> {
  for (const path of [...files.keys()])
    if (path.startsWith('packages/') && path.endsWith('.asc') && !path.startsWith(`packages/${signed}/`))
      files.delete(path);
  const index = JSON.parse(String(files.get('index.json'))) as object;
  const bytes = Buffer.from(JSON.stringify({ ...index, signatures: false }));
  files.set('index.json', bytes);
  files.set('index.json.asc', Buffer.from(await signer.sign(bytes)));
}

/** Every file of a folder by its path, but those that begin with a dot at the root. */
export function treeOf(folder: string): ReadonlyMap<string, Buffer> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('.'));
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(folder, name))]),
  );
}
