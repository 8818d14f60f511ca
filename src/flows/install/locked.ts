import { statSync } from 'node:fs';
import { commandLine } from '../../cli/line/command-line.js';
import { CliError } from '../../core/errors.js';
import { isThere } from '../../core/files/exists.js';
import { readBounded } from '../../core/files/read-bounded.js';
import type { InstallResult } from '../../services/install/plan/install-result.js';
import { readLockFile, type LockedPackage } from '../../services/catalog/lock-file.js';
import { parsePackageRef } from '../../services/catalog/package-ref.js';
import { isPath } from '../../cli/line/local-path.js';

/** The lock file of the current folder. */
export const LOCK_FILE = 'packages.lock';

/** Bytes of a lock file. */
export const LARGEST_LOCK = 64 * 1024 * 1024;

/** One package to install, and what a lock file pins of it: SHA-256 by file. */
export interface NamedInstall {
  readonly named: string;
  /** The hub that the lock file names; undefined where the line names one before the package. */
  readonly hub: string | undefined;
  readonly locked: ReadonlyMap<string, string> | undefined;
  /** The lock file, where it has another name than the default. */
  readonly lockFile: string | undefined;
}

/** What of a line names packages. */
export interface NamingOptions {
  readonly named: string | undefined;
  readonly locked: boolean;
  /** A lock file, or a file with values. */
  readonly values: string | undefined;
}

/** What a line installs, and whether its file with values is a lock file. */
export interface Installs {
  readonly installs: readonly NamedInstall[];
  readonly fromLockFile: boolean;
}

/**
 * What a line installs: the package that it names, or all packages of a lock file.
 * @throws LOCK_MISMATCH when the lock file pins no such package, USAGE
 */
export async function installsOf({ named, locked, values }: NamingOptions): Promise<Installs> {
  if (named !== undefined) {
    const given = values !== undefined && (await isFileOf(values, beginsAsLock)) ? values : undefined;
    const fromLockFile = given !== undefined;
    if (!locked && !fromLockFile)
      return { installs: [{ named, hub: undefined, locked: undefined, lockFile: undefined }], fromLockFile };
    const file = given ?? LOCK_FILE;
    return { installs: [lockedPackage(await readLock(file, named), named, file)], fromLockFile };
  }
  if (values === undefined && !locked)
    throw new CliError('USAGE', 'specify a package, or a lock file with -f', {
      hints: ['cdapctl install NAME', 'cdapctl install -f packages.lock'],
    });
  const file = values ?? LOCK_FILE;
  if (values !== undefined && (await isFileOf(values, (text) => !text.includes('"lockVersion"'))))
    throw new CliError('USAGE', `specify a package: ${values} is not a lock file`, {
      hints: [commandLine(['install', 'NAME', '-f', values])],
      target: { file: values },
    });
  const packages = await readLock(file);
  if (packages.length === 0) throw new CliError('USAGE', `${file} pins no packages`);
  return { installs: packages.map((one) => pinned(one, file)), fromLockFile: true };
}

/** Refuses a plan for several packages: USAGE. It is of one. */
export function refuseSeveral(installs: readonly NamedInstall[]): void {
  if (installs.length < 2) return;
  const pin = (file: string | undefined): readonly string[] => (file === undefined ? ['--locked'] : ['-f', file]);
  throw new CliError('USAGE', 'a plan is of one package: name a package of the lock file', {
    hints: installs.slice(0, 5).map(({ named, lockFile }) => commandLine(['install', named, ...pin(lockFile)])),
  });
}

/** Exit codes that stay, whatever was changed before: of a bug, a no, this machine, an unknown outcome. */
const OWN_EXITS: readonly number[] = [1, 13, 15, 16];

/** The failure of one of several packages, with the results of those before it. Partial, if they changed anything. */
export function withInstalled(error: unknown, installed: readonly InstallResult[]): unknown {
  if (!(error instanceof CliError)) return error;
  const { item } = error.details;
  const isOwn = OWN_EXITS.includes(error.exitCode) || error.exitCode > 100;
  const hasChanged = installed.some(({ actions }) => actions.some(({ requests }) => requests.length > 0));
  const isPartial = hasChanged && !isOwn;
  return new CliError(isPartial ? 'INSTALL_PARTIAL' : error.code, error.message, {
    ...error.details,
    ...(isPartial && { cause: error }),
    item: { ...(typeof item === 'object' && item), installed },
  });
}

/** The packages of a lock file; LOCAL_IO with what makes one when there is none. */
export async function readLock(file: string, named?: string): Promise<readonly LockedPackage[]> {
  if (isThere(file)) return readLockFile(await readBounded(file, LARGEST_LOCK), file).packages;
  throw new CliError('LOCAL_IO', `there is no lock file ${file}`, {
    hints: [{ next: 'lock-packages', package: named, file: otherFile(file) }],
  });
}

/** Whether a text has the first member of lock files. */
const beginsAsLock = (text: string): boolean => /^\s*\{\s*"lockVersion"/u.test(text);

/** Whether the text of a file is one of these; a pipe is not read, for it can be read once only. */
async function isFileOf(file: string, matches: (text: string) => boolean): Promise<boolean> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  return matches(Buffer.from(await readBounded(file, LARGEST_LOCK)).toString());
}

const otherFile = (file: string): string | undefined => (file === LOCK_FILE ? undefined : file);

const pinned = ({ hub, name, version, files }: LockedPackage, file: string): NamedInstall => ({
  named: `${name}@${version}`,
  hub,
  locked: new Map(files.map(({ name: member, sha256 }) => [member, sha256])),
  lockFile: otherFile(file),
});

function lockedPackage(packages: readonly LockedPackage[], text: string, file: string): NamedInstall {
  if (isPath(text)) throw new CliError('USAGE', 'a folder cannot be used with --locked, which pins packages of hubs');
  const { hub, name, version } = parsePackageRef(text);
  const [found, ...others] = packages.filter(
    (one) => one.name === name && (version === undefined || one.version === version),
  );
  if (found === undefined)
    throw new CliError('LOCK_MISMATCH', `${file} does not pin ${text}`, {
      hints: [{ next: 'lock-packages', package: text, file: otherFile(file) }],
      target: { package: name },
    });
  if (others.length > 0)
    throw new CliError('USAGE', `${file} pins several packages ${text}`, {
      lines: [found, ...others].map((one) => `${one.name}@${one.version} of ${one.hub}`),
    });
  const one = pinned(found, file);
  return hub === undefined ? one : { ...one, named: `${hub}/${one.named}`, hub: undefined };
}
