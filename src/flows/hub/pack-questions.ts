import { basename } from 'node:path';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import { askChoice, askText, unanswered, type Asker } from '../../cli/terminal/prompts.js';
import { CliError } from '../../core/errors.js';
import { shellWord } from '../../core/shell-word.js';
import { visible } from '../../output/escape.js';
import {
  draftOf,
  nameProblem,
  parentsIn,
  rangeProblem,
  versionProblem,
  type PackDraft,
  type PackedJar,
  type PackGap,
  type PackWishes,
} from '../../services/hosting/pack/draft.js';
import { earlierTexts } from '../../services/hosting/pack/earlier-texts.js';
import { proposedTexts, type PackTexts } from '../../services/hosting/pack/package-files.js';

const PARENT = 'system:cdap-data-pipeline[FROM,TO)';

/** The flag that closes a gap, and the words for what it gives. */
const FLAGS = {
  type: { flag: '--type', value: 'TYPE', what: 'type' },
  name: { flag: '--name', value: 'NAME', what: 'name' },
  version: { flag: '--artifact-version', value: 'VERSION', what: 'version' },
  driverClass: { flag: '--driver-class', value: 'CLASS', what: 'driver class' },
  parents: { flag: '--parent', value: PARENT, what: 'artifacts that it extends' },
} as const;

/** How gaps of packages are closed. */
export interface PackQuestions {
  /** Undefined where nobody can be asked. */
  readonly asker: Asker | undefined;
  readonly argv: readonly string[];
}

/**
 * All that is needed for the packages of JARs; what is missing is prompted for.
 * @throws INPUT_MISSING without a terminal, with everything that is missing; DECLINED when the input ends
 */
export async function closePackGaps(
  jars: readonly PackedJar[],
  wishes: PackWishes,
  { asker, argv }: PackQuestions,
): Promise<readonly PackDraft[]> {
  const drafts: PackDraft[] = [];
  const gaps: PackGap[] = [];
  let before = '';
  for (const jar of jars) {
    let own = wishes;
    let draft = draftOf(jar, own);
    while (isOpen(draft) && asker !== undefined) {
      const [gap] = draft;
      if (gap === undefined) break;
      own = { ...own, ...(await answer(gap, jar, before, asker)) };
      if (gap.need === 'parents') before = own.parents.map(({ text }) => text).join(' ');
      draft = draftOf(jar, own);
    }
    if (isOpen(draft)) gaps.push(...draft);
    else drafts.push(draft);
  }
  if (gaps.length > 0) throw inputMissing(gaps, jars.length, argv);
  return drafts;
}

const isOpen = (draft: PackDraft | readonly PackGap[]): draft is readonly PackGap[] => Array.isArray(draft);

function inputMissing(gaps: readonly PackGap[], jars: number, argv: readonly string[]): CliError {
  const lines = gaps.map(({ jar, need, why, choices }) => {
    const { flag, value, what } = FLAGS[need];
    const known = choices.length === 0 ? '' : ` (${choices.join(', ')})`;
    return `${jar}: no ${what}: ${why}${known}    ${flag} ${shellWord(value)}`;
  });
  const needs = [...new Set(gaps.map(({ need }) => need))];
  const flags = needs.flatMap((need) => [FLAGS[need].flag, FLAGS[need].value]);
  const isForAll = jars === 1 || needs.every((need) => need === 'parents');
  return new CliError('INPUT_MISSING', gaps.length === 1 ? '1 input missing' : `${gaps.length} inputs missing`, {
    lines,
    hints: [isForAll ? commandLine(withFlags(argv, flags)) : 'pack these JARs one by one, with the flags for each'],
    item: { missing: gaps.map(({ jar, need }) => ({ jar, need, flag: FLAGS[need].flag })) },
  });
}

async function answer(gap: PackGap, jar: PackedJar, parents: string, asker: Asker): Promise<Partial<PackWishes>> {
  const { flag, what } = FLAGS[gap.need];
  const form = gap.need === 'parents' ? ` as ${PARENT}, FROM and TO versions of CDAP` : '';
  const title = `${visible(gap.jar)}: ${what}${form} (${flag})`;
  if (gap.choices.length > 0) {
    const items = gap.choices.map((value) => ({ value, row: visible(value), short: visible(value) }));
    const chosen = await askChoice(title, items, asker);
    return gap.need === 'type' ? { type: TYPES[chosen] } : { driverClass: chosen };
  }
  const text = async (proposal: string | undefined, fault: (typed: string) => string | undefined): Promise<string> =>
    answered(await askText(`${title}:`, proposal, fault, asker));
  switch (gap.need) {
    case 'parents': {
      const example = 'use system:cdap-data-pipeline[6.1.0,7.0.0), with spaces between several';
      const typed = await text(parents === '' ? undefined : parents, (list) => (parentsIn(list) ? undefined : example));
      return { parents: parentsIn(typed) ?? [] };
    }
    case 'version':
      return { version: await text(undefined, versionProblem) };
    case 'name': {
      const file = basename(jar.shown).replace(/(?:-\d[^/]*)?\.jar$/iu, '');
      return { name: await text(nameProblem(file) === undefined ? file : undefined, nameProblem) };
    }
    case 'type':
    case 'driverClass':
      return { driverClass: await text(undefined, (typed) => (jar.hasClass(typed) ? undefined : 'no such class')) };
  }
}

const TYPES: Readonly<Record<string, PackWishes['type']>> = {
  plugin: 'plugin',
  driver: 'driver',
  app: 'app',
  artifact: 'artifact',
};

function answered(text: string | undefined): string {
  if (text === undefined) throw unanswered();
  return text;
}

/** What a line says about packages for people. */
export type GivenTexts = Partial<PackTexts>;

/**
 * What people read about packages: as given, else as the JARs propose. A terminal prompts with the proposals, of which
 * some are those of an earlier version in the tree.
 * @throws DECLINED when the input ends
 */
export async function packTexts(
  root: string,
  drafts: readonly PackDraft[],
  given: GivenTexts,
  { asker }: Pick<PackQuestions, 'asker'>,
): Promise<readonly PackTexts[]> {
  const all: PackTexts[] = [];
  let shared: GivenTexts = given;
  for (const draft of drafts) {
    const ofJar = proposedTexts(draft);
    const earlier = asker && (await earlierTexts(root, draft.name));
    const platform = ofJar.platform ?? earlier?.platform;
    const proposed = { ...ofJar, ...earlier, platform, ...shared };
    const texts = asker === undefined ? proposed : await askTexts(draft, proposed, shared, asker);
    // They rarely differ between the JARs of one publisher.
    shared = asker === undefined ? given : { ...given, author: texts.author, org: texts.org };
    all.push(texts);
  }
  return all;
}

async function askTexts(
  { name, version }: PackDraft,
  proposed: PackTexts,
  given: GivenTexts,
  asker: Asker,
): Promise<PackTexts> {
  const ask = async (
    key: keyof PackTexts,
    what: string,
    proposal: string | undefined,
    fault: (text: string) => string | undefined = () => undefined,
  ): Promise<string | undefined> => {
    if (Object.hasOwn(given, key)) return proposal;
    const question = `${what} of ${visible(`${name} ${version}`)} (--${FLAG_OF[key]}):`;
    const text = answered(await askText(question, proposal ?? '', fault, asker)).trim();
    return text === '' ? undefined : text;
  };
  const notRange = (text: string): string | undefined => (text === '' ? undefined : rangeProblem(text));
  const label = (await ask('label', 'Label', proposed.label)) ?? proposed.label;
  const description = (await ask('description', 'Description', proposed.description)) ?? proposed.description;
  const categories = await ask('categories', 'Categories, with commas,', proposed.categories.join(','));
  const platform = await ask('platform', 'Range of platforms', proposed.platform, notRange);
  const author = await ask('author', 'Author', proposed.author);
  const org = await ask('org', 'Organization', proposed.org);
  return { label, description, categories: categoriesIn(categories ?? ''), platform, author, org };
}

const FLAG_OF: Readonly<Record<keyof PackTexts, string>> = {
  label: 'label',
  description: 'description',
  categories: 'category',
  platform: 'platform',
  author: 'author',
  org: 'org',
};

const categoriesIn = (text: string): readonly string[] =>
  text.split(',').flatMap((category) => (category.trim() === '' ? [] : [category.trim()]));
