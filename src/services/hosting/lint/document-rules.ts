import { isSnapshot, parseVersion } from '../../../core/version.js';
import { brief } from '../../../hub/fields.js';
import { hostedNameProblem } from '../mirror/hosted-name.js';
import { SECRET_KEY_PROBLEM } from '../tree/secret-key-file.js';
import type { JsonFile } from './json-file.js';
import type { Found } from './finding.js';
import { MOST_FAULTS } from './range-rules.js';
import { own, specOf, type LintedPackage, type Rule, type TreeCheck } from './rule.js';

/** A name that is the same in an address. */
const PLAIN = /^[A-Za-z0-9._-]+$/u;
const ESCAPED = 'needs escaping: use letters, digits, ".", "_" and "-"';
const ICON = Buffer.from('89504e470d0a1a0a', 'hex');

const DIFFERENCES = {
  changed: 'it has changed since this version was published',
  added: 'it was added to a published version',
  removed: 'it was removed from a published version',
} as const;

const documents = ({ specification, configs }: LintedPackage): readonly JsonFile[] => [
  ...(specification === undefined ? [] : [specification]),
  ...configs.values(),
];

const nameProblem = (text: string): string | undefined =>
  hostedNameProblem(text) ?? (PLAIN.test(text) ? undefined : ESCAPED);

function* names({ name, version, folder, files }: LintedPackage): Generator<Found> {
  for (const text of [name, version]) {
    const problem = nameProblem(text);
    if (problem !== undefined) yield { file: folder, message: `${text} ${problem}` };
  }
  for (const text of files) {
    const problem = nameProblem(text);
    if (problem !== undefined) yield { file: `${folder}/${text}`, message: `the file name ${problem}` };
  }
}

/** Packages of a tree, and versions of a package, that are one folder where case does not matter. */
function sameFolders(): TreeCheck {
  const names = new Map<string, string>();
  let versions = new Map<string, string>();
  let last = '';
  const faults: Found[] = [];
  const compare = (known: Map<string, string>, text: string, file: string): void => {
    const before = known.get(text.toLowerCase());
    if (before === undefined) known.set(own(text.toLowerCase()), own(text));
    else if (before !== text && faults.length < MOST_FAULTS)
      faults.push({ file, message: `${brief(text)} and ${brief(before)} differ in upper and lower case only` });
  };
  const see = ({ name, version, folder }: LintedPackage): void => {
    // Packages come by name, so each is compared once.
    if (name !== last) {
      last = name;
      versions = new Map();
      compare(names, name, folder);
    }
    compare(versions, version, folder);
  };
  return { see, end: () => faults };
}

/** What is wrong with an icon that begins with these bytes. */
export const iconProblem = (icon: Uint8Array): string | undefined =>
  Buffer.from(icon).subarray(0, ICON.length).equals(ICON) ? undefined : 'it is not a PNG image';

/** Rules for files and folders. */
export const DOCUMENT_RULES: readonly Rule[] = [
  {
    id: 'BAD_JSON',
    severity: 'error',
    summary: 'a specification or config is not a JSON object',
    check: (one) => documents(one).flatMap(({ problem }) => problem ?? []),
  },
  {
    id: 'DUP_KEY',
    severity: 'error',
    summary: 'an object has a duplicate member',
    check: (one) => documents(one).flatMap(({ repeats }) => repeats),
  },
  {
    id: 'SPEC_MISSING',
    severity: 'error',
    summary: 'a version folder has no spec.json',
    check: (one) =>
      one.specification === undefined
        ? [{ file: specOf(one), message: 'it does not exist: create it, or remove the folder' }]
        : [],
  },
  {
    id: 'MISPLACED',
    severity: 'error',
    summary: 'a hidden file, a link or a device is in the tree',
    check: ({ misplaced }) => misplaced,
  },
  {
    id: 'CATALOG_STALE',
    severity: 'warning',
    summary: 'packages.json is not the catalog of the packages in the tree',
  },
  {
    id: 'SECRET_KEY',
    severity: 'error',
    summary: 'a file contains a secret key',
    check: ({ folder, secrets }) => secrets.map((name) => ({ file: `${folder}/${name}`, message: SECRET_KEY_PROBLEM })),
  },
  {
    id: 'NESTED_FOLDER',
    severity: 'error',
    summary: 'a version folder has a folder in it',
    check: ({ folder, folders }) =>
      folders.map((name) => ({
        file: `${folder}/${name}`,
        message: 'the packager cannot sign a folder: move its files up',
      })),
  },
  {
    id: 'NAME_ESCAPE',
    severity: 'error',
    summary: 'a name needs escaping or is not allowed on some systems',
    check: names,
  },
  {
    id: 'NAME_CASE',
    severity: 'error',
    summary: 'two names of packages or of versions differ in upper and lower case only',
    across: sameFolders,
  },
  {
    id: 'VERSION_BAD',
    severity: 'warning',
    summary: 'the name of a version folder is not a valid version',
    check: ({ folder, version }) =>
      parseVersion(version) === undefined
        ? [{ file: folder, message: `${version} is not a valid version: use a name such as 1.2.0` }]
        : [],
  },
  {
    id: 'VERSION_NOT_RAISED',
    severity: 'error',
    summary: 'a file has changed since the compared commit, but the version has not',
    check: ({ version, folder, changed }) => {
      const parsed = parseVersion(version);
      if (parsed !== undefined && isSnapshot(parsed)) return [];
      return changed.map((name) => ({
        file: `${folder}/${name}`,
        message: 'it has changed, but the version has not: give the package a new version',
      }));
    },
  },
  {
    id: 'REPUBLISH',
    severity: 'error',
    summary: 'the files of a published version differ from the index of the hub',
    check: ({ folder, republished }) =>
      republished.map(({ name, how }) => ({ file: `${folder}/${name}`, message: DIFFERENCES[how] })),
  },
  {
    id: 'ICON_TYPE',
    severity: 'warning',
    summary: 'icon.png is not a PNG image',
    check: ({ folder, icon }) => {
      const message = icon && iconProblem(icon);
      return message === undefined ? [] : [{ file: `${folder}/icon.png`, message }];
    },
  },
];
