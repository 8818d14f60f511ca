import type { Jar } from '../../../core/files/jar.js';
import type { PackageVersion } from '../../../hub/source.js';
import type { PublishedDifference } from '../tree/published-files.js';
import type { TreeFault } from '../tree/source-tree.js';
import type { Found, Path, Position } from './finding.js';
import type { JsonFile } from './json-file.js';

/** How much a fault matters: an error makes a tree invalid. */
export type Severity = 'warning' | 'error';

/** A fault as it is shown. */
export interface ShownFault extends Position {
  readonly file: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly fixable: boolean;
}

/** A fault; its file is below the root of its tree, with slashes. */
export interface LintFault extends ShownFault {
  /** The real path of the tree. */
  readonly root: string;
  /** The message without a line, which changes with every edit above it. */
  readonly lasting: string;
}

/** A package version with all that rules look at. */
export interface LintedPackage extends PackageVersion {
  /** `packages/NAME/VERSION`. */
  readonly folder: string;
  /** The plain files, sorted. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Entries that do not belong there. */
  readonly misplaced: readonly TreeFault[];
  /** Undefined when there is none. */
  readonly specification: JsonFile | undefined;
  readonly actions: readonly LintedAction[];
  /** JSON files that are named as `config`. */
  readonly configs: ReadonlyMap<string, JsonFile>;
  /** JARs that are named, or why one cannot be read. */
  readonly jars: ReadonlyMap<string, Jar | string>;
  /** Files that have changed since a commit that has this version. */
  readonly changed: readonly string[];
  /** Files that are not as they were published. */
  readonly republished: readonly PublishedDifference[];
  /** Files that hold a secret key. */
  readonly secrets: readonly string[];
  /** The first bytes of the icon. */
  readonly icon: Uint8Array | undefined;
}

/** An action whose type is text, with the values of its arguments by name. */
export interface LintedAction {
  readonly n: number;
  readonly type: string;
  readonly path: Path;
  readonly values: ReadonlyMap<string, { readonly value: unknown; readonly path: Path }>;
}

/** One rule; a new one is an entry in a table of `rules/`. A rule of many packages is asked for a check of its own. */
export interface Rule {
  readonly id: string;
  readonly severity: Severity;
  /** What is wrong, in a few words. */
  readonly summary: string;
  readonly check?: (one: LintedPackage) => Iterable<Found>;
  /** Made once in each run: it sees every package and tells at the end what is wrong between them. */
  readonly across?: () => TreeCheck;
}

/** What a rule knows of a whole tree; it must not keep the packages, of which there may be 100,000. */
export interface TreeCheck {
  readonly see: (one: LintedPackage) => unknown;
  readonly end: () => Iterable<Found>;
}

/** The path of the specification of a package. */
export const specOf = ({ folder }: LintedPackage): string => `${folder}/spec.json`;

/** The types of actions that upload an artifact. */
export const MAKES_ARTIFACT = /_artifact$|^one_step_deploy_plugin$/u;

/** A list, or none where the value is something else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The text of an argument, as which a number counts. */
export function textAt({ values }: LintedAction, name: string): string | undefined {
  const value = values.get(name)?.value;
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? value : undefined;
}

/** An own copy: a part of a text keeps the whole of it in memory. */
export const own = (text: string): string => Buffer.from(text).toString();
