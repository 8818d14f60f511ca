import { CliError } from '../../core/errors.js';
import type { Action } from '../../hub/specification.js';
import { visible } from '../../output/escape.js';
import { actionTypeOf } from '../../services/install/actions/index.js';
import { declaredClasses, inspectLocalJar } from '../../services/install/package/local-jar.js';
import { hasProposal, type Gap, type Inputs } from '../../services/catalog/open-inputs.js';
import { inputMissing } from './input-flags.js';
import { faultOfInput } from '../../services/install/package/resolve-arguments.js';
import type { StagedFiles } from '../../services/install/package/stage.js';
import { commandLine } from '../../cli/line/command-line.js';
import { askPath, askText, askYesNo, type Asker } from '../../cli/terminal/prompts.js';

/** How questions of an install are answered. */
export interface QuestionOptions {
  /** Undefined where nobody can be asked (docs/conventions.md 2.5). */
  readonly asker: Asker | undefined;
  /** `-y`: proposals and confirmations are taken as they are. */
  readonly yes: boolean;
  /** The words of the command line to paste, without what is missing. */
  readonly argv: readonly string[];
  readonly say: (line: string) => void;
}

/** What questions are about. */
export interface QuestionTopics {
  readonly actions: readonly Action[];
  readonly staging: StagedFiles;
  readonly licenseText: string | undefined;
}

async function askLicense(
  file: string,
  questionTopics: QuestionTopics,
  { say }: QuestionOptions,
  asker: Asker,
): Promise<void> {
  for (const line of (questionTopics.licenseText ?? '').split(/\r?\n/u)) say(`  ${visible(line)}`);
  if (await askYesNo(`Do you accept the license "${visible(file)}"? (--accept-license)`, false, asker)) return;
  throw new CliError('DECLINED', 'the license was not accepted; nothing was changed');
}

async function askJar(
  gap: Extract<Gap, { kind: 'jar' }>,
  questionTopics: QuestionTopics,
  { say }: QuestionOptions,
  asker: Asker,
): Promise<string | undefined> {
  const action = questionTopics.actions.find(({ n }) => n === gap.n);
  const classes = action === undefined ? [] : await declaredClasses(action, questionTopics.staging);
  say(
    `Action ${gap.n}  ${visible(gap.type)}  "${visible(gap.label)}": the package does not include the JAR for this action`,
  );
  const answer = await askPath(
    `Path of the JAR (--jar ${gap.n}=PATH):`,
    (file) => inspectLocalJar(file, actionTypeOf(gap.type), classes),
    asker,
  );
  if (answer !== undefined) say(`  ok  ${visible(answer.remark)}`);
  return answer?.path;
}

/** What closes a gap; undefined when the input ended before it was said. */
async function answer(
  gap: Gap,
  questionTopics: QuestionTopics,
  options: QuestionOptions,
  asker: Asker,
): Promise<Partial<Inputs> | undefined> {
  if (gap.kind === 'license') {
    await askLicense(gap.file, questionTopics, options, asker);
    return { acceptLicense: true };
  }
  if (gap.kind === 'jar') {
    const file = await askJar(gap, questionTopics, options, asker);
    return file === undefined ? undefined : { jars: new Map([[gap.n, file]]) };
  }
  const question = `Action ${gap.n}  ${visible(gap.label)}: ${visible(gap.name)} (--set ${gap.n}.${visible(gap.name)}=...)`;
  const action = questionTopics.actions.find(({ n }) => n === gap.n);
  const type = actionTypeOf(gap.type);
  const fault = (text: string): string | undefined =>
    action === undefined || type === undefined ? undefined : faultOfInput(action, type, gap.name, text);
  const value = await askText(question, gap.proposal, fault, asker);
  if (value === undefined) return undefined;
  return value === gap.proposal ? {} : { set: new Map([[gap.n, new Map([[gap.name, value]])]]) };
}

function merge(inputs: Inputs, more: Partial<Inputs>): Inputs {
  const set = new Map([...inputs.set].map(([n, values]) => [n, new Map(values)]));
  for (const [n, values] of more.set ?? []) set.set(n, new Map([...(set.get(n) ?? []), ...values]));
  return {
    set,
    jars: new Map([...inputs.jars, ...(more.jars ?? [])]),
    acceptLicense: inputs.acceptLicense || more.acceptLicense === true,
  };
}

/**
 * Closes the gaps of an install: asks on a terminal, one after the other. Elsewhere, or when the input ends,
 * INPUT_MISSING lists all that are open.
 */
export async function closeGaps(
  gaps: readonly Gap[],
  inputs: Inputs,
  questionTopics: QuestionTopics,
  options: QuestionOptions,
): Promise<Inputs> {
  const open = options.yes ? gaps.filter((gap) => !hasProposal(gap)) : gaps;
  if (open.length === 0) return inputs;
  const { asker } = options;
  let result = inputs;
  for (const [at, gap] of open.entries()) {
    const more = asker && (await answer(gap, questionTopics, options, asker));
    if (more === undefined)
      throw inputMissing(open.slice(at), commandLine([...options.argv, ...answeredFlags(inputs, result)]));
    result = merge(result, more);
  }
  return result;
}

/** The flags that give what was answered beyond what was typed, so that a retry does not ask again. */
export function answeredFlags(typed: Inputs, given: Inputs): readonly string[] {
  const jars = [...given.jars].filter(([n]) => !typed.jars.has(n)).map(([n, file]) => ['--jar', `${n}=${file}`]);
  const values = [...given.set].flatMap(([n, changed]) =>
    [...changed]
      .filter(([name]) => typed.set.get(n)?.has(name) !== true)
      .map(([name, value]) => ['--set', `${n}.${name}=${value}`]),
  );
  const license = given.acceptLicense && !typed.acceptLicense ? ['--accept-license'] : [];
  return [...jars.flat(), ...values.flat(), ...license];
}
