import { join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import type { Emit } from '../../../core/events.js';
import { unlessAborted } from '../../../core/unless-aborted.js';
import { collectEarly } from '../../../core/collecting.js';
import type { HubIndex } from '../../../hub/index-file.js';
import type { PackageVersion } from '../../../hub/source.js';
import { staleCatalog } from '../build/stale-catalog.js';
import { secretKeysBeside } from '../tree/secret-keys.js';
import { categoriesWithIcon, findVersions, type SourceTree, type TreeFault } from '../tree/source-tree.js';
import { publishedIn, type PublishedFiles } from '../tree/published-files.js';
import { keyOf } from './baseline.js';
import type { ChangedFiles } from './changed-files.js';
import { iconProblem } from './document-rules.js';
import { firstBytes } from '../tree/first-bytes.js';
import { openPackage } from './open-package.js';
import type { Found } from './finding.js';
import { fixSpecification } from './fix-files.js';
import type { LintedPackage, LintFault, Rule, Severity } from './rule.js';
import { RULES } from './rule-list.js';

/** A tree, and which package versions of it are looked at. */
export interface LintedTree {
  /** The real path of the tree. */
  readonly root: string;
  /** All of them unless it is given. */
  readonly only?: readonly PackageVersion[] | undefined;
  /** What has changed since the commit that it is compared with. */
  readonly changed?: ChangedFiles | undefined;
}

/** What is linted, and with which rules. */
export interface LintRequest {
  readonly trees: readonly LintedTree[];
  /** Severities other than those of the table, by rule. */
  readonly severities: ReadonlyMap<string, Severity | 'off'>;
  /** Keys of faults that do not count. */
  readonly known: ReadonlySet<string>;
  /** Whether faults are corrected where that is certain. */
  readonly fix: boolean;
  /** The index of the published hub, with which the trees are compared as well. */
  readonly against?: HubIndex | undefined;
  /** Files of published versions that may change, as `NAME/VERSION/FILE`. */
  readonly forced?: readonly string[] | undefined;
  readonly emit: Emit;
}

/** What a lint found. Beyond a limit faults are only counted. */
export interface LintResult {
  readonly packages: number;
  readonly errors: number;
  readonly warnings: number;
  /** How many of the baseline were found again, and do not count. */
  readonly known: number;
  /** Sorted by file and place. */
  readonly faults: readonly LintFault[];
  /** Folders of the package versions without any fault, as absolute paths. */
  readonly passed: readonly string[];
}

const AT_ONCE = 16;
const TOLD_EVERY = 1000;
/** Most faults that are kept (`docs/limits.md`). */
const MOST_FAULTS = 20_000;
const MANY = 20_000;

/**
 * Looks for faults in source trees; each tree is judged alone.
 * @throws HUB_NOT_FOUND, BAD_SOURCE, TOO_LARGE, LOCAL_IO
 */
export async function lint(request: LintRequest, signal: AbortSignal): Promise<LintResult> {
  const { trees, severities, known } = request;
  const log = new FaultLog(severities, known);
  const looked: string[] = [];
  for (const tree of trees)
    for (const { name, version } of await lintTree(tree, log, request, signal))
      looked.push(join(tree.root, 'packages', name, version));
  return { packages: looked.length, ...log.result(), passed: looked.filter((folder) => !log.isFaulty(folder)) };
}

async function lintTree(
  tree: LintedTree,
  log: FaultLog,
  { emit, fix, against, forced = [] }: LintRequest,
  signal: AbortSignal,
): Promise<readonly PackageVersion[]> {
  const { root, only, changed } = tree;
  const isCompared = log.severityOf('REPUBLISH') !== 'off';
  const published = fix || isCompared ? await publishedIn(root, forced, against) : undefined;
  const whole = only === undefined ? await findVersions(root, signal) : undefined;
  const places = only ?? whole?.places ?? [];
  if (places.length > MANY) collectEarly('catalog');
  if (whole !== undefined) await lintBeside(whole, log, signal);
  const active = RULES.filter(({ id }) => log.severityOf(id) !== 'off');
  const across = active.flatMap(({ id, across: make }) => (make === undefined ? [] : [{ id, ...make() }]));
  const comparedOf = ({ name, version }: PackageVersion) => ({
    changed: changed?.get(`${name}/${version}`),
    published: isCompared ? published : undefined,
  });
  const look = (place: PackageVersion, both: AbortSignal): ReturnType<typeof openPackage> =>
    unlessAborted(openPackage(root, place, comparedOf(place), both), both);
  let done = 0;
  for await (const one of mapConcurrent(places, AT_ONCE, look, signal)) {
    const fixable = addAll(root, active, one, log);
    const isFixed = fix && published !== undefined && (await corrected(root, one, fixable, { published, emit, log }));
    for (const { id, found } of fixable) if (!isFixed || log.isKnown(id, found)) log.add(root, id, found);
    for (const { see } of across) see(one);
    if (++done % TOLD_EVERY === 0)
      emit({ type: 'count', what: 'packages read', done, of: places.length, failed: log.errors });
  }
  for (const { id, end } of across) for (const found of end()) log.add(root, id, found);
  // After corrections, of which the catalog does not know.
  const isWhole = whole !== undefined && log.severityOf('CATALOG_STALE') !== 'off';
  const stale = isWhole ? await staleCatalog(root, places, signal) : undefined;
  if (stale !== undefined) log.add(root, 'CATALOG_STALE', { file: 'packages.json', message: `it ${stale}` });
  return places;
}

/** Looks at what a whole tree has beside its package versions. */
async function lintBeside(tree: SourceTree, log: FaultLog, signal: AbortSignal): Promise<void> {
  const { root, faults } = tree;
  const isOn = (id: string): boolean => log.severityOf(id) !== 'off';
  for (const fault of faults) log.add(root, 'MISPLACED', fault);
  for (const fault of isOn('SECRET_KEY') ? await secretKeysBeside(tree, signal) : [])
    log.add(root, 'SECRET_KEY', fault);
  const misplaced: TreeFault[] = [];
  for (const name of [...(await categoriesWithIcon(root, misplaced))].sort()) {
    const file = `categories/${name}/icon.png`;
    const message = iconProblem(await firstBytes(join(root, file)));
    if (message !== undefined) log.add(root, 'ICON_TYPE', { file, message });
  }
  for (const fault of misplaced) log.add(root, 'MISPLACED', fault);
}

interface FoundBy {
  readonly id: string;
  readonly found: Found;
}

/** Adds what rules find, one by one: a package may have a million of them. Gives those that can be corrected. */
function addAll(root: string, rules: readonly Rule[], one: LintedPackage, log: FaultLog): readonly FoundBy[] {
  const fixable: FoundBy[] = [];
  for (const { id, check } of rules)
    for (const found of check?.(one) ?? [])
      if (found.fix === undefined) log.add(root, id, found);
      else fixable.push({ id, found });
  return fixable;
}

interface CorrectDeps {
  readonly published: PublishedFiles;
  readonly emit: Emit;
  readonly log: FaultLog;
}

/** Corrects what counts and can be corrected in the specification of a package; whether that was done. */
async function corrected(
  root: string,
  one: LintedPackage,
  all: readonly FoundBy[],
  { published, emit, log }: CorrectDeps,
): Promise<boolean> {
  const { specification } = one;
  const fixes = all.flatMap(({ id, found }) =>
    found.fix === undefined || log.isKnown(id, found) ? [] : [{ rule: id, edit: found.fix }],
  );
  if (specification === undefined || fixes.length === 0) return false;
  return fixSpecification(root, { ...one, specification }, fixes, { published, emit });
}

/** Gathers faults with the severities that are wanted. */
class FaultLog {
  errors = 0;
  readonly #faults: LintFault[] = [];
  readonly #faulty = new Set<string>();
  readonly #severities: ReadonlyMap<string, Severity | 'off'>;
  readonly #known: ReadonlySet<string>;
  readonly #usual: ReadonlyMap<string, Rule>;
  #warnings = 0;
  #ignored = 0;

  constructor(severities: ReadonlyMap<string, Severity | 'off'>, known: ReadonlySet<string>) {
    this.#severities = severities;
    this.#known = known;
    this.#usual = new Map(RULES.map((rule) => [rule.id, rule]));
  }

  severityOf(id: string): Severity | 'off' {
    return this.#severities.get(id) ?? this.#usual.get(id)?.severity ?? 'off';
  }

  /** Whether a fault is in the baseline. */
  isKnown(rule: string, { file, message }: Found): boolean {
    return this.#known.size > 0 && this.#known.has(keyOf({ file, rule, message }));
  }

  /** Whether the folder of a package version has a fault, listed or only counted. */
  isFaulty(folder: string): boolean {
    return this.#faulty.has(folder);
  }

  add(root: string, rule: string, found: Found): void {
    const severity = this.severityOf(rule);
    if (severity === 'off') return;
    if (this.isKnown(rule, found)) {
      this.#ignored += 1;
      return;
    }
    const { file, at, message: lasting, before, fix } = found;
    const message = before === undefined ? lasting : `${lasting}, first in line ${before}`;
    if (severity === 'error') this.errors += 1;
    else this.#warnings += 1;
    this.#faulty.add(join(root, ...file.split('/').slice(0, 3)));
    if (this.#faults.length === MOST_FAULTS) return;
    const { line = 1, column = 1 } = at ?? {};
    this.#faults.push({ root, file, line, column, rule, severity, message, lasting, fixable: fix !== undefined });
  }

  result(): Omit<LintResult, 'packages' | 'passed'> {
    const faults = this.#faults.sort(
      (a, b) => inOrder(a.root, b.root) || inOrder(a.file, b.file) || a.line - b.line || a.column - b.column,
    );
    return { errors: this.errors, warnings: this.#warnings, known: this.#ignored, faults };
  }
}

const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
