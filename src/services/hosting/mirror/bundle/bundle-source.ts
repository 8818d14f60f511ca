import { createHash } from 'node:crypto';
import { CliError } from '../../../../core/errors.js';
import { openInside } from '../../../../hub/folder-files.js';
import { LIMITS, segmentsOf, type HubFile, type HubSource } from '../../../../hub/source.js';
import type { MirrorFolder } from '../folder/mirror-folder.js';
import type { BundleFile, BundleManifest } from './manifest.js';
import { openPending } from './pending.js';
import type { Bundle } from './read-bundle.js';

/** A hub as a bundle is of it, for what is decided by its address alone. */
export function sourceOf({ manifest }: Pick<Bundle, 'manifest'>): HubSource {
  const fail = (): Promise<never> => Promise.reject(new CliError('INTERNAL', 'a bundle is read before it is imported'));
  const { base } = manifest;
  return { base, kind: base.startsWith('file:') ? 'folder' : 'http', label: base, catalog: fail, open: fail };
}

/** The signed index is of a whole hub: in a part, it may be one of an earlier state. */
const isOfPart = ({ path }: BundleFile): boolean => !path.startsWith('index.json');

/** The hub that a bundle is of: what the bundle has, what came with others, and what the mirror has. */
export function bundleSource(folder: MirrorFolder, bundle: Bundle, { base, files, whole }: BundleManifest): HubSource {
  const listed = new Map((whole ? files : files.filter(isOfPart)).map((file) => [file.path, file]));
  const open: HubSource['open'] = async (place, { maxBytes }, signal) => {
    const segments = segmentsOf(place);
    const path = segments.join('/');
    const file = listed.get(path);
    if (file === undefined) return undefined;
    if (file.size > maxBytes)
      throw new CliError('TOO_LARGE', `${path} is larger than the limit of ${maxBytes} bytes`, {
        target: { file: path },
      });
    const { sha256 } = file;
    const content = bundle.content(sha256, path);
    if (content !== undefined) return content;
    const kept = await openPending(folder, sha256, signal);
    return checked(kept ?? (await openInside(folder.root, segments, LIMITS.resource, signal)), path, sha256);
  };
  return { ...sourceOf(bundle), base, open, catalog: () => Promise.reject(noCatalog(bundle)) };
}

const noCatalog = ({ file }: Bundle): CliError =>
  new CliError('BAD_BUNDLE', `${file} is not a valid bundle: it has no packages.json`, { target: { file } });

function checked(file: HubFile | undefined, path: string, sha256: string): HubFile | undefined {
  if (file === undefined) return undefined;
  const body = async function* (): AsyncGenerator<Uint8Array, void, void> {
    const hash = createHash('sha256');
    for await (const chunk of file.body) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256)
      throw new CliError('CHANGED_MEANWHILE', `${path} was changed while the bundle was imported`);
  };
  return { ...file, body: body() };
}
