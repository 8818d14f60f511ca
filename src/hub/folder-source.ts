import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CliError } from '../core/errors.js';
import { localError } from '../core/files/local-error.js';
import { unlessAborted } from '../core/unless-aborted.js';
import { readCatalog, type CatalogOptions, type CatalogProblem } from './catalog.js';
import { filesIn, isGone, openInside, realInside } from './folder-files.js';
import {
  LIMITS,
  readAll,
  segmentsOf,
  type CatalogAnswer,
  type FilePlace,
  type HubFile,
  type HubSource,
  type PackageVersion,
} from './source.js';
import { packagerElement, packagerList } from './packager-json.js';
import { placesIn, readTree, specificationText } from './tree-catalog.js';

/** What a folder turned out to be; `alone` is a folder that holds one package version. */
type Layout =
  | { readonly kind: 'catalog' | 'tree'; readonly root: string }
  | { readonly kind: 'alone'; readonly root: string; readonly place: PackageVersion };

/**
 * Opens a hub on disk. The folder holds `packages.json`, a source tree (`packages/NAME/VERSION`), or a single package
 * version.
 * @throws HUB_NOT_FOUND otherwise
 */
export async function folderSource(folder: string, label: string, signal: AbortSignal): Promise<HubSource> {
  const layout = await unlessAborted(layoutOf(folder), signal);
  const open = (
    place: FilePlace,
    { maxBytes }: { readonly maxBytes: number },
    both: AbortSignal,
  ): Promise<HubFile | undefined> => {
    const segments = segmentsBelow(layout, place);
    return segments === undefined ? Promise.resolve(undefined) : openInside(layout.root, segments, maxBytes, both);
  };
  return {
    base: pathToFileURL(layout.root).href.replace(/\/$/u, ''),
    kind: 'folder',
    holds: layout.kind === 'alone' ? 'package' : 'hub',
    label,
    open,
    catalog: (options, both) =>
      layout.kind === 'catalog' ? storedCatalog(open, layout.root, options, both) : madeCatalog(open, layout, both),
    list: (place) => unlessAborted(listedIn(layout, place), signal),
  };
}

async function listedIn(layout: Layout, place: PackageVersion): ReturnType<typeof filesIn> {
  const segments = segmentsBelow(layout, { ...place, file: 'spec.json' });
  if (segments === undefined) return [];
  const path = await realInside(layout.root, join(layout.root, ...segments.slice(0, -1)));
  return path === undefined ? [] : filesIn(path);
}

/** The version in a single-package folder, as `hub download` writes it; undefined for a hub. */
export async function packageInFolder(folder: string, signal: AbortSignal): Promise<PackageVersion | undefined> {
  const layout = await unlessAborted(layoutOf(folder), signal);
  return layout.kind === 'alone' ? layout.place : undefined;
}

async function layoutOf(folder: string): Promise<Layout> {
  let root: string;
  try {
    root = await realpath(folder);
  } catch (error) {
    if (isGone(error)) throw new CliError('HUB_NOT_FOUND', `no folder at ${folder}`);
    throw localError(error, 'read', folder);
  }
  if (await exists(join(root, 'packages.json'))) return { kind: 'catalog', root };
  if (await exists(join(root, 'v2', 'packages.json')))
    return { kind: 'catalog', root: await realpath(join(root, 'v2')) };
  if (await exists(join(root, 'packages'))) return { kind: 'tree', root };
  if (await exists(join(root, 'spec.json'))) return { kind: 'alone', root, place: nameOf(root) };
  throw new CliError('HUB_NOT_FOUND', `${folder} has no hub and no package`, {
    hints: ['a hub has packages.json or packages/NAME/VERSION/spec.json, a package has spec.json'],
  });
}

/**
 * `.../NAME/VERSION` gives both; a version folder starts with a digit. Any other folder is called by its own name,
 * version 0.
 */
function nameOf(root: string): PackageVersion {
  const [own, above] = [basename(root), dirname(root)];
  const name = basename(above);
  const named = name !== '' && (/^\d/u.test(own) || basename(dirname(above)) === 'packages');
  return named ? { name, version: own } : { name: own, version: '0' };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw localError(error, 'read', path);
  }
}

function segmentsBelow(layout: Layout, place: FilePlace): readonly string[] | undefined {
  const segments = segmentsOf(place);
  if (layout.kind !== 'alone') return segments;
  return place.name === layout.place.name && place.version === layout.place.version ? [place.file] : undefined;
}

async function storedCatalog(
  open: HubSource['open'],
  root: string,
  options: CatalogOptions,
  signal: AbortSignal,
): Promise<CatalogAnswer> {
  const file = await open({ file: 'packages.json' }, { maxBytes: LIMITS.catalog }, signal);
  if (file === undefined) throw new CliError('HUB_NOT_FOUND', `packages.json in ${root} is not a file`);
  const bytes = await readAll(file, LIMITS.catalog);
  return { catalog: readCatalog(bytes, file.what, options), bytes, notModified: false, synthesized: false };
}

async function madeCatalog(open: HubSource['open'], layout: Layout, signal: AbortSignal): Promise<CatalogAnswer> {
  const problems: CatalogProblem[] = [];
  const places =
    layout.kind === 'alone' ? [layout.place] : await unlessAborted(placesIn(layout.root, problems), signal);
  const read = async (place: PackageVersion, both: AbortSignal) => {
    const file = await open({ ...place, file: 'spec.json' }, { maxBytes: LIMITS.specification }, both);
    return file && specificationText(await readAll(file, LIMITS.specification), file.what);
  };
  const { catalog, raw } = await readTree(places, read, signal);
  const bytes = Buffer.from([...packagerList(raw.map(packagerElement))].join(''));
  return {
    catalog: { ...catalog, problems: [...catalog.problems, ...problems] },
    bytes,
    notModified: false,
    synthesized: true,
  };
}
