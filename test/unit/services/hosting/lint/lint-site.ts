import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  lint,
  type LintedTree,
  type LintRequest,
  type LintResult,
} from '../../../../../src/services/hosting/lint/lint.js';
import type { LintFault } from '../../../../../src/services/hosting/lint/rule.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

/** Files below `packages`; an object is written as JSON with a line for each value. */
export type Tree = Readonly<Record<string, string | Uint8Array | object>>;

/** A specification in which nothing is wrong. */
export const GOOD = {
  label: 'A',
  categories: [],
  created: 1_700_000_000,
  cdapVersion: '[6.1.0,7.0.0-SNAPSHOT)',
  actions: [],
};

/** The specification of a package version with these members too; its label is the first letter of the name. */
export const spec = (members: object, place = 'a/1.0.0'): Tree => ({
  [`${place}/spec.json`]: { ...GOOD, label: place.slice(0, 1).toUpperCase(), ...members },
});

/** An action with its arguments. */
export const action = (type: string, given: object): object => ({
  type,
  arguments: Object.entries(given).map(([name, value]) => ({ name, value: value as unknown })),
});

/** Writes files below the folder `packages` of a tree. */
export function writeTree(root: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const file = join(root, 'packages', path);
    mkdirSync(dirname(file), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(file, isRaw ? content : JSON.stringify(content, undefined, 1));
  }
}

const told = ({ file, line, column, rule, severity, message, fixable }: LintFault): string =>
  `${file.replace(/^packages\//u, '')} ${line}:${column} ${severity} ${rule}${fixable ? ' (fixable)' : ''}: ${message}`;

/** What is wrong, each fault as a line. */
export const linesOf = ({ faults }: LintResult): readonly string[] => faults.map(told);

/** How a lint differs from that of one whole tree with the usual rules. */
export interface LintWishes extends Partial<Omit<LintRequest, 'trees'>> {
  readonly trees?: (root: string) => readonly LintedTree[];
  readonly before?: (root: string) => void;
}

/** Lints a tree with these files. */
export async function linted(
  tree: Tree,
  { trees = (root) => [{ root }], before, ...more }: LintWishes = {},
): Promise<LintResult> {
  return withTempDir(async (home) => {
    const root = realpathSync(home);
    mkdirSync(join(root, 'packages'));
    writeTree(root, tree);
    before?.(root);
    // Actions of these tests have no labels, but where they are about them.
    const severities = new Map([['LABEL_MISSING', 'off' as const]]);
    const usual = { severities, known: new Set<string>(), fix: false, emit: () => undefined };
    return lint({ ...usual, ...more, trees: trees(root) }, new AbortController().signal);
  });
}

/** What is wrong in a tree with these files, each fault as a line. */
export const faultsIn = async (tree: Tree, wishes?: LintWishes): Promise<readonly string[]> =>
  linesOf(await linted(tree, wishes));
