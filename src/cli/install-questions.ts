import { CliError } from '../core/errors.js';
import type { Action } from '../hub/specification.js';
import { visible } from '../output/escape.js';
import { actionTypeOf } from '../services/install/actions/index.js';
import { declaredClasses, inspectLocalJar } from '../services/install/prepare.js';
import { hasProposal, inputMissing, type Gap } from '../services/install/gaps.js';
import type { Inputs } from '../services/install/inputs.js';
import type { Staging } from '../services/install/stage.js';
import { askPath, askText, askYesNo, type Asker } from './prompts.js';

/** How questions of an install are answered. */
export interface Answering {
  /** Undefined where nobody can be asked (`cli.md` 2.5). */
  readonly asker: Asker | undefined;
  /** `-y`: proposals and confirmations are taken as they are. */
  readonly yes: boolean;
  /** The command line to paste, without what is missing. */
  readonly command: string;
  readonly say: (line: string) => void;
}

/** What questions are about. */
export interface Asked {
  readonly actions: readonly Action[];
  readonly staging: Staging;
  readonly licenseText: string | undefined;
}

async function askLicense(file: string, asked: Asked, { say }: Answering, asker: Asker): Promise<void> {
  for (const line of (asked.licenseText ?? '').split(/\r?\n/u)) say(`  ${visible(line)}`);
  if (await askYesNo(`Do you accept the license "${visible(file)}"? (--accept-license)`, false, asker)) return;
  throw new CliError('DECLINED', 'the license was not accepted; nothing was changed');
}

async function askJar(
  gap: Extract<Gap, { kind: 'jar' }>,
  asked: Asked,
  { say }: Answering,
  asker: Asker,
): Promise<string> {
  const action = asked.actions.find(({ n }) => n === gap.n);
  const classes = action === undefined ? [] : await declaredClasses(action, asked.staging);
  say(`Action ${gap.n}  ${visible(gap.type)}  "${visible(gap.label)}": the package has no JAR for this step`);
  const { path, remark } = await askPath(
    `Path of the JAR (--jar ${gap.n}=PATH):`,
    (file) => inspectLocalJar(file, actionTypeOf(gap.type), classes),
    asker,
  );
  say(`  ok  ${visible(remark)}`);
  return path;
}

async function answer(gap: Gap, asked: Asked, answering: Answering, asker: Asker): Promise<Partial<Inputs>> {
  if (gap.kind === 'license') {
    await askLicense(gap.file, asked, answering, asker);
    return { acceptLicense: true };
  }
  if (gap.kind === 'jar') return { jars: new Map([[gap.n, await askJar(gap, asked, answering, asker)]]) };
  const question = `Action ${gap.n}  ${visible(gap.label)}: ${visible(gap.name)} (--set ${gap.n}.${visible(gap.name)}=...)`;
  const value = await askText(question, gap.proposal, asker);
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

/** Closes the gaps of an install: asks on a terminal, one after the other; elsewhere INPUT_MISSING lists all of them at once. */
export async function closeGaps(
  gaps: readonly Gap[],
  inputs: Inputs,
  asked: Asked,
  answering: Answering,
): Promise<Inputs> {
  const open = answering.yes ? gaps.filter((gap) => !hasProposal(gap)) : gaps;
  if (open.length === 0) return inputs;
  const { asker } = answering;
  if (asker === undefined) throw inputMissing(open, answering.command);
  let result = inputs;
  for (const gap of open) result = merge(result, await answer(gap, asked, answering, asker));
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

/** Asks whether to go on; without a terminal only what needs a yes is an error (CONSENT_MISSING, exit 13). */
export async function askConsent(consents: readonly string[], { asker, yes, command }: Answering): Promise<void> {
  if (yes) return;
  if (asker === undefined) {
    if (consents.length === 0) return;
    throw new CliError('CONSENT_MISSING', `this needs a yes: ${consents.join('; ')}`, { hints: [`${command} -y`] });
  }
  const what = consents.length === 0 ? '' : ` This will ${consents.map(visible).join(', and ')}.`;
  if (!(await askYesNo(`Install?${what} (-y)`, consents.length === 0, asker))) {
    throw new CliError('DECLINED', 'declined; nothing was changed');
  }
}
