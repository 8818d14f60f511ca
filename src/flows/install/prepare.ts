import type { Action } from '../../hub/specification.js';
import { visible } from '../../output/escape.js';
import { signerText } from '../../output/views/hub/signer.js';
import { textLines } from '../../output/views/install.js';
import type { PackageCommands } from '../../services/install/action.js';
import { textsIn } from '../../services/install/arguments.js';
import { withAgreed } from '../../services/install/plan/agreed-plan.js';
import type { HubTrust } from '../../services/catalog/trust-setup.js';
import { resourcesOf } from '../../services/catalog/action-shapes.js';
import { refuseUnlocked } from '../../services/catalog/trusted-package.js';
import { findGaps, hasProposal, type Gap, type OpenInputs } from '../../services/catalog/open-inputs.js';
import { parseInputs, refuseOtherValues } from '../../services/install/package/inputs.js';
import { refuseNamespace } from '../../services/install/namespace.js';
import { observeAll } from '../../services/install/plan/observe.js';
import { openPackage, type OpenedPackage, type OpenOptions } from '../../services/install/package/open-package.js';
import { planInstall, type InstallPlan, type InstallTarget } from '../../services/install/plan/plan.js';
import { refuseWrongInputs } from '../../services/install/package/check-inputs.js';
import { isTextOnly } from '../../services/install/package/select.js';
import { prepareActions } from '../../services/install/package/prepare.js';
import type { InstallEntry } from '../../state/install-journal.js';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import type { InstallRequest, InstallOptions } from './install-run.js';
import { flagged } from './input-flags.js';
import { answeredFlags, closeGaps, type QuestionOptions } from './questions.js';
import { packageCommands } from './package-commands.js';
import { targetLine } from '../target-line.js';

/** An install that is ready: everything read and verified, all questions answered, nothing written. */
export interface ReadyInstall {
  readonly opened: OpenedPackage;
  readonly trust: HubTrust;
  readonly plan: InstallPlan;
  /** The commands about the package that hints give. */
  readonly commands: PackageCommands;
  /** The command that goes on where this run may stop. */
  readonly retry: string;
}

function answeringOf({ session, context, request }: InstallOptions): QuestionOptions {
  const { terminal, argv } = session;
  return {
    asker: context.asker,
    yes: request.yes,
    argv,
    say: (line) => {
      terminal.note(line);
    },
  };
}

function targetOf({ target, request }: InstallOptions): InstallTarget {
  if (target === undefined) return { url: '', namespace: request.namespace, namespaceFrom: 'offline' };
  const { url, namespace, namespaceFrom, version, context } = target;
  return { url, namespace, namespaceFrom, platformVersion: version, ...(context !== undefined && { context }) };
}

const commandsOf = ({ session, request, target, place }: InstallOptions): PackageCommands =>
  packageCommands(session.argv, request.named, place, target?.namespace ?? request.namespace);

async function openOptions(run: InstallOptions, { setup }: HubTrust, commands: PackageCommands): Promise<OpenOptions> {
  const { context, request, target, place } = run;
  const { selection, force, locked, lockFile } = request;
  const platform = target && { version: target.version, force };
  const folder = await context.scratch();
  return {
    setup: { ...setup, locked, lockFile },
    problems: place.problems,
    folder,
    selection,
    platform,
    commands,
  };
}

/** What the line gives, and what an agreed plan has where the line leaves something open. */
function inputsOf(run: InstallOptions, opened: OpenedPackage, commands: PackageCommands): OpenInputs {
  const { typed, agreed } = run.request;
  const { actions, specification, license } = opened;
  const inputs = parseInputs(typed, specification.actions, commands);
  const open = { inputs, gaps: findGaps(actions, inputs, license) };
  return agreed === undefined ? open : withAgreed(open, agreed);
}

/** What is given on the line and by answers; `open` is what a preview leaves open instead. */
async function inputsFor(run: InstallOptions, opened: OpenedPackage, commands: PackageCommands) {
  const { actions, staging, license } = opened;
  const { inputs, gaps } = inputsOf(run, opened, commands);
  await refuseWrongInputs(actions, inputs, { ...run.request, staging });
  const open = leftOpen(run.request, gaps);
  if (open !== undefined) return { inputs, given: inputs, open };
  const asked = { actions, staging, licenseText: license?.text };
  return { inputs, given: await closeGaps(gaps, inputs, asked, answeringOf(run)), open };
}

/**
 * Reads and verifies one of several packages before any of them is installed. Its JARs come later. Writes nothing, and
 * asks nothing.
 * @throws LOCK_MISMATCH, and the errors of `openPackage`
 */
export async function verifyFirst(run: InstallOptions): Promise<void> {
  const { context, place, session } = run;
  try {
    const trust = await context.trust(place.source);
    const options = await openOptions(run, trust, commandsOf(run));
    const { trusted, actions } = await openPackage(place, place.entry, options, session.signal);
    refuseUnlocked(trusted, place, actions.flatMap(resourcesOf));
  } finally {
    await context.close();
  }
}

/** Reads and verifies the package, asks what is open, looks at the platform and makes the plan. Writes nothing. */
export async function makeReady(run: InstallOptions, entries: readonly InstallEntry[]): Promise<ReadyInstall> {
  const { context, request, target, place, session } = run;
  const trust = await context.trust(place.source);
  const commands = commandsOf(run);
  const opened = await openPackage(place, place.entry, await openOptions(run, trust, commands), session.signal);
  introduce(run, opened);
  if (target !== undefined) await refuseNamespace(target, session.signal);
  const namespace = target?.namespace ?? request.namespace;
  refuseOtherValues(request.typed.values, place, namespace);
  const { inputs, given, open } = await inputsFor(run, opened, commands);
  const preparing = { ...request, namespace, staging: opened.staging };
  const prepared = await prepareActions(preparable(opened.actions, open), given, preparing);
  const observing = target && {
    ...target,
    force: request.force,
    again: request.again,
    entries,
    jar: opened.staging.jar,
    commands,
    signal: session.signal,
  };
  const observations = observing === undefined ? new Map() : await observeAll(prepared, observing);
  const { actions, label = place.name } = opened.specification;
  const { name, version, hub } = place;
  const identity = { package: { name, version, hub, label }, target: targetOf(run) };
  const unverified = isUnverified(trust, opened);
  return {
    opened,
    trust,
    commands,
    retry: session.terminal.hide(commandLine(withFlags(session.argv, answeredFlags(inputs, given)))),
    plan: planInstall(identity, actions, prepared, observations, unverified, open && flagged(open)),
  };
}

/**
 * What a preview leaves open, as it asks nothing. Undefined for a plan that is to be carried out, now or from a file.
 */
function leftOpen({ dryRun, toAgree, yes }: InstallRequest, gaps: readonly Gap[]): readonly Gap[] | undefined {
  if (dryRun === undefined || toAgree) return undefined;
  return yes ? gaps.filter((gap) => !hasProposal(gap)) : gaps;
}

/** The actions of which nothing is missing that preparing needs. */
function preparable(actions: readonly Action[], open: readonly Gap[] = []): readonly Action[] {
  return actions.filter(({ n }) => !open.some((gap) => gap.kind !== 'license' && gap.n === n && !hasProposal(gap)));
}

/** A signature that cannot be verified is no better than none. */
const isUnverified = ({ setup }: HubTrust, { trusted }: OpenedPackage): boolean =>
  setup.policy === 'warn' &&
  trusted.reports.some(({ name, verdict }) => name === 'spec.json' && verdict.state !== 'valid');

/** Tells on stderr what will be installed, who signed it, and where it goes. Notes of its publisher follow. */
function introduce(run: InstallOptions, opened: OpenedPackage): void {
  const { terminal } = run.session;
  const tell = (line: string): void => {
    terminal.tell(line);
  };
  const { name, version, hub, chosen } = run.place;
  const [specification] = opened.trusted.reports;
  tell(
    `${visible(`${name} ${version}`)}  from ${visible(hub)}  ${signerText(specification?.verdict, opened.trusted.setup)}`,
  );
  if (chosen) tell(`note: selected ${visible(version)} from ${run.place.versions.length} versions`);
  const { preview, beta, paidLink } = opened.specification;
  if (preview || beta) tell(`note: this package is a ${preview ? 'preview' : 'beta'}`);
  if (paidLink !== undefined) tell(`note: additional charges may apply: ${visible(paidLink)}`);
  const { target } = run;
  if (target !== undefined) {
    const where = `namespace ${target.namespace} (${target.namespaceFrom})`;
    tell(targetLine({ ...target, where }));
  }
  // They often say what the next question wants, so they come before the questions (docs/hub-format.md 3.1).
  for (const { n, type, label, arguments: given } of opened.actions.filter(isTextOnly))
    for (const line of textLines(
      label ?? type,
      n,
      given.flatMap(({ value }) => textsIn(value)),
    ))
      tell(line);
}
