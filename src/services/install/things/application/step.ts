import * as z from 'zod/mini';
import { CliError } from '../../../../core/errors.js';
import { isSnapshot, parseVersion } from '../../../../core/version.js';
import type { ApplicationRecord } from '../../../../platform/apps.js';
import type { JarSource, Observation, Step, StepContext } from '../../action.js';
import { deployApp, DEPLOY, FORMER, watchDeploy } from './deploy.js';
import { orphanedArtifact } from './errors.js';
import { formerName, isDeployed, lookAt, type AppLook, type AppName } from './look.js';
import { notAgreed } from '../../changed-since-plan.js';
import { keepSchedules, settleSchedules } from '../../kept-schedules.js';
import type { DeployTarget } from '../../../writing/schedules.js';

/** An application to deploy from its JAR, as an action describes it. `file` is the name that the platform is told. */
export interface AppTarget extends AppName {
  readonly file: string;
  readonly jar: JarSource;
}

const Identities = z.record(z.string(), z.string());

function notedFormer({ history }: StepContext): Readonly<Record<string, string>> {
  const noted = Identities.safeParse(history.facts.get(FORMER));
  return noted.success ? noted.data : {};
}

function formerOf(wanted: AppTarget, { related }: AppLook): ApplicationRecord | undefined {
  const name = formerName(
    wanted,
    related.map((one) => one.name),
  );
  return related.find((one) => one.name === name);
}

const isSnapshotOf = ({ version }: AppTarget): boolean => {
  const parsed = parseVersion(version);
  return parsed !== undefined && isSnapshot(parsed);
};

/**
 * Whether a snapshot is replaced because it may not be this JAR. The journal can prove that it is (docs/conventions.md
 * D10), or an application that differs from before our deploy.
 * @throws UNKNOWN_OUTCOME when neither tells whether an earlier run replaced it
 */
function snapshotToReplace(wanted: AppTarget, look: AppLook, context: StepContext): boolean {
  const { history, capabilities, again } = context;
  const state = history.facts.get(DEPLOY);
  if (history.done || state === 'applied') return false;
  if (state !== 'sent') return true;
  if (isDeployed(look, notedFormer(context))) return false;
  if (capabilities.applicationVersions || again) return true;
  throw new CliError(
    'UNKNOWN_OUTCOME',
    `it is unknown whether an earlier run replaced the snapshot ${wanted.name} ${wanted.version} and its application`,
    { hints: [{ next: 'do-again', how: 'deploy' }], final: true },
  );
}

/** The plan of a deploy, which may write over an application. */
function judgeDeploy(wanted: AppTarget, look: AppLook, { force }: StepContext): Observation {
  const former = formerOf(wanted, look);
  if (former === undefined)
    return look.artifact
      ? { state: 'incomplete', effect: 'replace the snapshot' }
      : { state: 'absent', effect: `create from ${wanted.file}` };
  const { name, artifact } = former;
  if (artifact.name !== wanted.name && !force) {
    const error = new CliError(
      'CONFLICT',
      `application ${name} already exists with another artifact (${artifact.name} ${artifact.version})`,
      { hints: [{ next: 'force-overwrite', what: 'it' }], final: true, target: { application: name } },
    );
    return { state: 'refused', effect: 'another application has this name', error };
  }
  const made = look.artifact ? 'replaces the snapshot' : `made from ${artifact.name} ${artifact.version}`;
  return {
    state: 'differs',
    effect: `overwrite application ${name} (${made})`,
    consent: `overwrite application ${name}`,
  };
}

async function observe(wanted: AppTarget, context: StepContext): Promise<Observation> {
  const look = await lookAt(wanted, context);
  if (!look.artifact) return judgeDeploy(wanted, look, context);
  if (look.made.length > 0) {
    const replaces = isSnapshotOf(wanted) && snapshotToReplace(wanted, look, context);
    return replaces
      ? judgeDeploy(wanted, look, context)
      : { state: 'done', effect: 'already exists (content not compared)', unproven: !isOurs(context) };
  }
  if (isSnapshotOf(wanted)) return judgeDeploy(wanted, look, context);
  if (context.history.facts.get(DEPLOY) === 'sent')
    return { state: 'incomplete', effect: 'wait for the interrupted deploy' };
  const error = orphanedArtifact(wanted, formerOf(wanted, look), context);
  return { state: 'refused', effect: 'its artifact exists without an application', error };
}

const isOurs = ({ history: { done, facts } }: StepContext): boolean =>
  done || facts.get(DEPLOY) === 'sent' || facts.get(DEPLOY) === 'applied';

/** Whether an application appeared after the step was judged and is not from our own deploy. */
const isNew = (observed: Observation, { history }: StepContext): boolean =>
  observed.state !== 'differs' && history.facts.get(DEPLOY) !== 'sent';

async function apply(wanted: AppTarget, context: StepContext, observed: Observation): Promise<void> {
  const release = !isSnapshotOf(wanted);
  const first = await lookAt(wanted, context);
  // The deploy of a run that was cut off may still be at work: its artifact comes first, and goes again where it fails.
  const look = first.artifact && release ? await watchDeploy(wanted, context) : first;
  if (look.made.length > 0 && (release || !snapshotToReplace(wanted, look, context))) return;
  const former = formerOf(wanted, look);
  if (look.artifact && release) throw orphanedArtifact(wanted, former, context);
  if (former !== undefined && isNew(observed, context)) throw notAgreed(deployed(former.name));
  const send = (): Promise<void> => deployApp({ ...wanted, over: former !== undefined }, look, context);
  await (former === undefined ? send() : keepSchedules(deployed(former.name), context, send));
}

const deployed = (name: string): DeployTarget => ({ kind: 'application', name });

async function settle(wanted: AppTarget, context: StepContext): Promise<void> {
  const name = formerName(wanted, Object.keys(notedFormer(context)));
  if (name !== undefined) await settleSchedules(deployed(name), context);
}

/**
 * The step that deploys an application from its JAR, once. The schedules of an application that it replaces stay as
 * they were (docs/conventions.md D10, D12).
 */
export function appStep(wanted: AppTarget): Step {
  const { name, version } = wanted;
  return {
    title: `application ${name} ${version}`,
    target: { kind: 'application', name, version },
    material: { name, version },
    jar: wanted.jar,
    observe: (context) => observe(wanted, context),
    apply: (context, observed) => apply(wanted, context, observed),
    settle: (context) => settle(wanted, context),
  };
}
