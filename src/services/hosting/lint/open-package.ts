import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { collectEarly } from '../../../core/collecting.js';
import { CliError } from '../../../core/errors.js';
import { readJar, type Jar } from '../../../core/files/jar.js';
import { isRawObject } from '../../../hub/fields.js';
import type { IndexFile } from '../../../hub/index-file.js';
import type { PackageVersion } from '../../../hub/source.js';
import { MOST_ACTIONS } from '../../../hub/specification.js';
import { withoutSignatures } from '../../../hub/signature-names.js';
import { readUnchanged } from '../sign/read-unchanged.js';
import type { PublishedFiles } from '../tree/published-files.js';
import { readSmall } from '../tree/read-small.js';
import { hasSecretKey } from '../tree/secret-key-file.js';
import { secretKeysUnder } from '../tree/secret-keys.js';
import { filesOfVersion } from '../tree/source-tree.js';
import { firstBytes } from '../tree/first-bytes.js';
import { JsonFile } from './json-file.js';
import type { LintedAction, LintedPackage } from './rule.js';

/** Most JARs of a package that are opened. */
const MOST_JARS = 200;
/** How the file begins that Git LFS leaves in place of a large one. */
const LFS = Buffer.from('version https://');
/** Bytes of a document from which on memory matters more than time. */
const LARGE = 1_000_000;

/** What a package is compared with. */
interface Compared {
  /** Its files that have changed since a commit. */
  readonly changed?: readonly string[] | undefined;
  /** What was published; undefined where nobody asks. */
  readonly published?: PublishedFiles | undefined;
}

/**
 * Reads what rules look at: specification, configs, directories of JARs. What is wrong in them is left to the rules.
 * @throws LOCAL_IO
 */
export async function openPackage(
  root: string,
  place: PackageVersion,
  { changed = [], published }: Compared,
  signal: AbortSignal,
): Promise<LintedPackage> {
  const folder = `packages/${place.name}/${place.version}`;
  const { names: files, folders, faults: misplaced } = await filesOfVersion(root, place);
  const json = async (file: string): Promise<JsonFile | undefined> =>
    files.includes(file) ? readJson(join(root, folder, file), `${folder}/${file}`) : undefined;
  const specification = await json('spec.json');
  const actions = specification === undefined ? [] : actionsOf(specification.json['actions']);
  const configs = new Map<string, JsonFile>();
  for (const name of namesOf(actions, 'config')) {
    const config = await json(name);
    if (config !== undefined) configs.set(name, config);
  }
  const jars = new Map<string, Jar | string>();
  for (const name of namesOf(actions, 'jar').slice(0, MOST_JARS))
    if (files.includes(name)) jars.set(name, await jarOf(join(root, folder, name), name));
  const secrets: string[] = [];
  for (const name of files) if (await hasSecretKey(join(root, folder, name))) secrets.push(name);
  for (const { file } of await secretKeysUnder(join(root, folder), folders, signal)) secrets.push(file);
  const icon = files.includes('icon.png') ? await firstBytes(join(root, folder, 'icon.png')) : undefined;
  const republished = published?.guards(place)
    ? published.differences(place, await digestsOf(join(root, folder), { files, secrets }, signal))
    : [];
  const read = { specification, actions, configs, jars, secrets, icon };
  return { ...place, folder, files, folders, misplaced, changed, republished, ...read };
}

/** All files as an index lists them: signatures are not among them. */
async function digestsOf(
  folder: string,
  { files, secrets }: Pick<LintedPackage, 'files' | 'secrets'>,
  signal: AbortSignal,
): Promise<readonly Pick<IndexFile, 'name' | 'sha256'>[]> {
  const listed: Pick<IndexFile, 'name' | 'sha256'>[] = [];
  for (const name of withoutSignatures(files)) {
    const hash = createHash('sha256');
    // A rule tells of a secret key, which is no reason to end here.
    if (secrets.includes(name)) hash.update(await readSmall(join(folder, name)));
    else await readUnchanged(join(folder, name), signal, (chunk) => void hash.update(chunk));
    listed.push({ name, sha256: hash.digest('hex') });
  }
  return listed;
}

async function readJson(path: string, file: string): Promise<JsonFile> {
  try {
    const bytes = await readSmall(path);
    if (bytes.length > LARGE) collectEarly('catalog');
    return new JsonFile(file, bytes);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'TOO_LARGE') throw error;
    return JsonFile.unread(file, error.message);
  }
}

async function jarOf(path: string, shown: string): Promise<Jar | string> {
  try {
    return await readJar(path, shown);
  } catch (error) {
    if (error instanceof CliError && error.code === 'BAD_JAR')
      return LFS.equals(await firstBytes(path))
        ? 'it is a Git LFS pointer: get the file with git lfs pull'
        : error.message;
    throw error;
  }
}

/** The texts that actions name under an argument, each once. */
function namesOf(actions: readonly LintedAction[], argument: string): readonly string[] {
  const values = actions.map(({ values: given }) => given.get(argument)?.value);
  return [...new Set(values.filter((value) => typeof value === 'string'))];
}

function actionsOf(list: unknown): readonly LintedAction[] {
  if (!Array.isArray(list)) return [];
  return list.slice(0, MOST_ACTIONS).flatMap((action: unknown, index): LintedAction[] => {
    if (!isRawObject(action) || typeof action['type'] !== 'string') return [];
    const values = new Map<string, { value: unknown; path: readonly (string | number)[] }>();
    const given: readonly unknown[] = Array.isArray(action['arguments']) ? action['arguments'] : [];
    for (const [at, argument] of given.entries())
      if (isRawObject(argument) && typeof argument['name'] === 'string')
        values.set(argument['name'], { value: argument['value'], path: ['actions', index, 'arguments', at, 'value'] });
    return [{ n: index + 1, type: action['type'], path: ['actions', index], values }];
  });
}
