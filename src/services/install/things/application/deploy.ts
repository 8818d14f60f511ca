import { CliError } from '../../../../core/errors.js';
import { warn } from '../../../../core/events.js';
import { deployJar } from '../../../../platform/apps.js';
import type { StepContext } from '../../action.js';
import { explainedDeploy, orphanedArtifact } from './errors.js';
import { identitiesOf, isDeployed, lookAt, type AppLook, type AppName } from './look.js';
import { neverSent, sendDeploy, sendOnce } from '../../../writing/send.js';

/** The fact of a deploy: `sent`, then `applied` or `refused`. */
export const DEPLOY = 'deploy';
/** The fact of what was there directly before it: what could be deployed over. */
export const FORMER = 'former';

/** A JAR to send: the name that the platform is told, and whether it is deployed over an application. */
interface Sent extends AppName {
  readonly file: string;
  readonly over: boolean;
}

const LOOKS = 10;
const PAUSE = 1000;

/**
 * Waits until the application of an existing artifact shows up. Also ends when the artifact is gone or all looks are
 * used up.
 */
export async function watchDeploy(wanted: AppName, context: StepContext): Promise<AppLook> {
  for (let attempt = 1; ; attempt++) {
    const look = await lookAt(wanted, context);
    if (!look.artifact || look.made.length > 0 || attempt === LOOKS) return look;
    await context.wait(PAUSE);
  }
}

/** Whether a deploy without an answer was applied; throws where nobody can tell. */
async function applied(wanted: AppName, before: AppLook, context: StepContext): Promise<boolean> {
  const look = before.artifact ? await lookAt(wanted, context) : await watchDeploy(wanted, context);
  if (isDeployed(look, identitiesOf(before))) return true;
  if (!look.artifact) return false;
  if (!before.artifact)
    throw new CliError('UNKNOWN_OUTCOME', 'the artifact of the JAR exists, but no application uses it yet');
  if (before.made.length === 0 || context.capabilities.applicationVersions) return false;
  throw new CliError('UNKNOWN_OUTCOME', 'a redeployed snapshot cannot be distinguished from the previous one');
}

async function send(wanted: Sent, before: AppLook, context: StepContext): Promise<void> {
  const { jar, namespace, platform, signal, capabilities } = context;
  if (jar === undefined) throw new Error('the JAR is not staged');
  // Without it a deploy over an application suspends its schedules and deletes those that were added to it (docs/platform.md 5.3).
  const keeps = wanted.over && capabilities.applicationVersions;
  const request = {
    namespace,
    archive: wanted.file,
    file: jar.file,
    bytes: jar.bytes,
    sha256: jar.sha256,
    keepSchedules: keeps,
  };
  const what = `the deploy of ${wanted.name} ${wanted.version}`;
  let mayHaveArrived = false;
  const once = async (): Promise<void> => {
    try {
      await sendDeploy(
        what,
        () => platform.call(deployJar, request, signal),
        async () => isDeployed(await lookAt(wanted, context), identitiesOf(before)),
      );
    } catch (error) {
      // After a lost answer it is most likely our own deploy that came late.
      if (!(error instanceof CliError && error.code === 'CONFLICT') || mayHaveArrived) {
        mayHaveArrived ||= !neverSent(error);
        throw error;
      }
      const look = await watchDeploy(wanted, context);
      if (look.made.length === 0) throw orphanedArtifact(wanted, undefined, context);
      warn(
        context,
        `application ${wanted.name} ${wanted.version} was created by someone else in the meantime; content not compared`,
      );
    }
  };
  await sendOnce(what, context, once, () => applied(wanted, before, context));
}

/**
 * Deploys the JAR and notes each state in the journal. A run after a kill then knows whose application it finds.
 * @throws BAD_ANSWER when the platform accepts the JAR but does not return the application
 */
export async function deployApp(wanted: Sent, before: AppLook, context: StepContext): Promise<void> {
  await context.note(FORMER, identitiesOf(before));
  await context.note(DEPLOY, 'sent');
  try {
    await send(wanted, before, context);
  } catch (error) {
    const open = context.signal.aborted || (error instanceof CliError && error.code === 'UNKNOWN_OUTCOME');
    if (!open) await context.note(DEPLOY, 'refused');
    throw explainedDeploy(wanted, error);
  }
  await context.note(DEPLOY, 'applied');
  const { made } = await lookAt(wanted, context);
  if (made.length > 0) return;
  throw new CliError(
    'BAD_ANSWER',
    `the platform accepted application ${wanted.name} ${wanted.version}, but does not return it`,
  );
}
