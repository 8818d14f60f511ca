import { formatTime } from '../core/time.js';
import type { HubIndex, IndexFile } from './index-file.js';

/** The content of a signed index, except for what each publication renews. */
export type IndexContent = Pick<HubIndex, 'files' | 'packages' | 'keys' | 'signatures'>;

const AT_ONCE = 1000;

/** The bytes of `index.json` (docs/hub-format.md 7), compact. */
export function writeIndex({ sequence, created, expires, ...content }: Omit<HubIndex, 'format'>): Buffer {
  const head = { format: 1, sequence, created: formatTime(created), expires: formatTime(expires) };
  // Twice, as all of it at once and in pieces would take twice the memory.
  let size = 0;
  for (const { length } of piecesOf(head, content)) size += length;
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of piecesOf(head, content)) at += piece.copy(bytes, at);
  return bytes;
}

function* piecesOf(head: object, { files, packages, signatures, keys }: IndexContent): Generator<Buffer> {
  yield Buffer.from(`${JSON.stringify({ ...head, files: files.map(fileOf) }).slice(0, -1)},"packages":[`);
  for (let at = 0; at < packages.length; at += AT_ONCE) {
    const some = packages.slice(at, at + AT_ONCE);
    const texts = some.map(({ name, version, files }) => JSON.stringify({ name, version, files: files.map(fileOf) }));
    yield Buffer.from(`${at === 0 ? '' : ','}${texts.join()}`);
  }
  yield Buffer.from(`],${JSON.stringify({ ...(signatures !== undefined && { signatures }), keys }).slice(1)}\n`);
}

/** Whether two indexes list the same files, packages and keys. */
export function hasSameContent(one: IndexContent, other: IndexContent): boolean {
  const isSamePackage = (a: HubIndex['packages'][number], b: HubIndex['packages'][number]): boolean =>
    a.name === b.name && a.version === b.version && areSame(a.files, b.files, isSameFile);
  return (
    one.signatures === other.signatures &&
    one.keys.join() === other.keys.join() &&
    areSame(one.files, other.files, isSameFile) &&
    areSame(one.packages, other.packages, isSamePackage)
  );
}

const areSame = <T>(one: readonly T[], other: readonly T[], isSame: (a: T, b: T) => boolean): boolean =>
  one.length === other.length &&
  one.every((item, at) => {
    const same = other[at];
    return same !== undefined && isSame(item, same);
  });

const isSameFile = (a: IndexFile, b: IndexFile): boolean =>
  a.name === b.name && a.size === b.size && a.sha256 === b.sha256;

const fileOf = ({ name, size, sha256 }: IndexFile): IndexFile => ({ name, size, sha256 });
