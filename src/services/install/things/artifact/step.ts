import { isDeepStrictEqual } from 'node:util';
import { counted } from '../../../../core/counted.js';
import { CliError } from '../../../../core/errors.js';
import { isSnapshot, parseVersion } from '../../../../core/version.js';
import { warn } from '../../../../core/events.js';
import {
  getArtifact,
  putArtifactProperties,
  uploadArtifact,
  type ArtifactDetail,
} from '../../../../platform/artifacts.js';
import type { Plugin } from '../../../../hub/resource-config.js';
import type { JarSource, Observation, Step, StepContext, Target } from '../../action.js';
import { notAgreed } from '../../changed-since-plan.js';
import { visibleArtifacts } from '../../visible-artifacts.js';
import { missingClasses } from './missing-classes.js';
import { missingParents, type ArtifactParent } from './parents.js';
import { neverSent, sendOnce } from '../../../writing/send.js';

/** An artifact to upload, as an action describes it. */
export interface ArtifactTarget {
  readonly name: string;
  readonly version: string;
  readonly jar: JarSource;
  readonly parents: readonly ArtifactParent[];
  /** Plugin classes that the JAR does not declare itself (drivers). */
  readonly plugins: readonly Plugin[];
  readonly properties: Readonly<Record<string, string>>;
}

type Detail = ArtifactDetail | undefined;

const place = (wanted: ArtifactTarget, context: StepContext) => ({
  namespace: context.namespace,
  name: wanted.name,
  version: wanted.version,
});

const target = ({ name, version }: ArtifactTarget): Target => ({ kind: 'artifact', name, version });

const fetchDetail = (wanted: ArtifactTarget, context: StepContext): Promise<Detail> =>
  context.platform.find(getArtifact, place(wanted, context), context.signal);

const sameProperties = (wanted: ArtifactTarget, detail: ArtifactDetail): boolean =>
  isDeepStrictEqual({ ...detail.properties }, { ...wanted.properties });

/** The refusal of an artifact without its plugins; an uninstall takes away only what the install made. */
function emptyArtifact(wanted: ArtifactTarget, missing: string, context: StepContext): CliError {
  const { namespace, commands, history } = context;
  const { name, version } = wanted;
  return new CliError(
    'REMOTE_FAILED',
    `artifact ${name} ${version} was accepted, but the platform did not find ${missing} in its JAR`,
    {
      lines: [
        `it is now in namespace ${namespace}, and no pipeline can use it`,
        'its JAR was probably built for another platform version; another version of it may work',
      ],
      hints: mayBeOurs(history)
        ? ['uninstall it, then install with another JAR or another version of the package:', commands.uninstall]
        : [`if it is not needed, delete it: DELETE /v3/namespaces/${namespace}/artifacts/${name}/versions/${version}`],
      final: true,
      target: { artifact: name, version, namespace },
    },
  );
}

function conflict(wanted: ArtifactTarget): CliError {
  return new CliError('CONFLICT', `artifact ${wanted.name} ${wanted.version} already exists with other properties`, {
    hints: [{ next: 'force-overwrite', what: 'properties' }],
    final: true,
    target: { artifact: wanted.name, version: wanted.version },
  });
}

/** The state before an upload (a number: how many properties a snapshot had), then its outcome. */
const UPLOAD = 'upload';
type UploadFact = 'absent' | number | 'applied' | 'refused';

const noteUpload = (value: UploadFact, context: StepContext): Promise<void> => context.note(UPLOAD, value);

/** Whether an earlier run of ours uploaded the artifact, or was cut off while it was at it. */
function mayBeOurs({ facts }: StepContext['history']): boolean {
  const fact = facts.get(UPLOAD);
  return fact !== undefined && fact !== 'refused';
}

/** Whether it has no properties, or may lose those it has. An upload of ours that was cut off has left none. */
const mayWriteProperties = ({ properties = {} }: ArtifactDetail, { history, force }: StepContext): boolean =>
  force || Object.keys(properties).length === 0 || history.facts.get(UPLOAD) === 'applied';

/**
 * Whether a snapshot is replaced because it may not be this JAR. The journal can prove that it is (docs/conventions.md
 * D10), or wiped properties, an effect of uploads (docs/platform.md 4.1).
 * @throws UNKNOWN_OUTCOME when neither tells whether an earlier run replaced it
 */
function snapshotToReplace(wanted: ArtifactTarget, detail: ArtifactDetail, { history, again }: StepContext): boolean {
  const version = parseVersion(wanted.version);
  if (version === undefined || !isSnapshot(version) || history.done) return false;
  if (!mayBeOurs(history)) return true;
  const before = history.facts.get(UPLOAD);
  if (typeof before !== 'number') return false;
  if (before > 0) return Object.keys(detail.properties ?? {}).length > 0;
  if (again) return true;
  throw new CliError(
    'UNKNOWN_OUTCOME',
    `it is unknown whether an earlier run replaced the snapshot ${wanted.name} ${wanted.version}`,
    {
      hints: [{ next: 'do-again', how: 'upload' }],
      final: true,
    },
  );
}

function judgePresent(wanted: ArtifactTarget, detail: ArtifactDetail, context: StepContext): Observation {
  const missing = missingClasses(wanted.plugins, detail);
  if (snapshotToReplace(wanted, detail, context)) return { state: 'incomplete', effect: 'replace the snapshot' };
  if (missing !== undefined)
    return { state: 'refused', effect: 'exists without its plugins', error: emptyArtifact(wanted, missing, context) };
  const { history } = context;
  const unproven = !history.done && !mayBeOurs(history);
  if (sameProperties(wanted, detail))
    return { state: 'done', effect: 'already exists (content not compared)', unproven };
  if (mayWriteProperties(detail, context)) return { state: 'incomplete', effect: 'write its properties', unproven };
  return { state: 'refused', effect: 'exists with other properties', error: conflict(wanted) };
}

async function observe(wanted: ArtifactTarget, context: StepContext): Promise<Observation> {
  const detail = await fetchDetail(wanted, context);
  if (detail !== undefined) return judgePresent(wanted, detail, context);
  const present = wanted.parents.length === 0 ? [] : await visibleArtifacts(context);
  const error = missingParents(wanted.parents, present, context);
  if (error !== undefined) return { state: 'refused', effect: 'its parents are missing', error };
  const extending = wanted.parents.length === 0 ? '' : `, extends ${counted(wanted.parents.length, 'artifact')}`;
  return { state: 'absent', effect: `create${extending}` };
}

/** Sends the JAR; tells whether somebody else was faster. */
async function send(wanted: ArtifactTarget, context: StepContext, replaces: boolean): Promise<boolean> {
  const { jar } = context;
  if (jar === undefined) throw new Error('the JAR is not staged');
  const request = {
    ...place(wanted, context),
    file: jar.file,
    bytes: jar.bytes,
    sha256: jar.sha256,
    parents: wanted.parents.map(({ text }) => text),
    plugins: wanted.plugins.map(({ raw }) => raw),
  };
  let [mayHaveArrived, foreign] = [false, false];
  const once = async (): Promise<void> => {
    try {
      await context.platform.call(uploadArtifact, request, context.signal);
    } catch (error) {
      if (!(error instanceof CliError && error.code === 'CONFLICT')) {
        mayHaveArrived ||= !neverSent(error);
        throw error;
      }
      // After a lost answer it is most likely our own upload that came late.
      foreign = !mayHaveArrived;
      if (foreign)
        warn(
          context,
          `artifact ${wanted.name} ${wanted.version} was created by someone else in the meantime; content not compared`,
        );
    }
  };
  await sendOnce(`the upload of ${wanted.name} ${wanted.version}`, context, once, async () => {
    if (replaces)
      throw new CliError('UNKNOWN_OUTCOME', 'a replaced snapshot cannot be distinguished from the previous one');
    return (await fetchDetail(wanted, context)) !== undefined;
  });
  return foreign;
}

/** Uploads the JAR, unless someone else is faster. Keeps the journal current for a run after a kill. */
async function upload(wanted: ArtifactTarget, context: StepContext, before: Detail): Promise<void> {
  await noteUpload(before === undefined ? 'absent' : Object.keys(before.properties ?? {}).length, context);
  let foreign: boolean;
  try {
    foreign = await send(wanted, context, before !== undefined);
  } catch (error) {
    if (!(error instanceof CliError && error.code === 'UNKNOWN_OUTCOME')) await noteUpload('refused', context);
    throw error;
  }
  await noteUpload(foreign ? 'refused' : 'applied', context);
}

async function apply(wanted: ArtifactTarget, context: StepContext, observed: Observation): Promise<void> {
  const before = await fetchDetail(wanted, context);
  if (before !== undefined && observed.state === 'absent' && !mayBeOurs(context.history)) {
    const now = judgePresent(wanted, before, context);
    if (now.state === 'done') return;
    throw now.state === 'refused' ? now.error : notAgreed(target(wanted));
  }
  const uploads = before === undefined || snapshotToReplace(wanted, before, context);
  if (uploads) await upload(wanted, context, before);
  const stored = await fetchDetail(wanted, context);
  if (stored === undefined)
    throw new CliError(
      'BAD_ANSWER',
      `the platform accepted artifact ${wanted.name} ${wanted.version}, but does not return it`,
    );
  const missing = missingClasses(wanted.plugins, stored);
  if (missing !== undefined) throw emptyArtifact(wanted, missing, context);
  if (sameProperties(wanted, stored)) return;
  if (!mayWriteProperties(stored, context)) throw conflict(wanted);
  const properties = { ...place(wanted, context), properties: wanted.properties };
  const stands = async (): Promise<boolean> => {
    const detail = await fetchDetail(wanted, context);
    return detail !== undefined && sameProperties(wanted, detail);
  };
  await sendOnce(
    `the properties of ${wanted.name} ${wanted.version}`,
    context,
    () => context.platform.call(putArtifactProperties, properties, context.signal),
    stands,
  );
  if (!(await stands()))
    throw new CliError(
      'BAD_ANSWER',
      `the platform accepted the properties of artifact ${wanted.name} ${wanted.version}, but does not return them`,
      { target: { artifact: wanted.name, version: wanted.version } },
    );
}

/** The step that uploads an artifact, checks its classes and sets its properties. See docs/conventions.md D10. */
export function artifactStep(wanted: ArtifactTarget): Step {
  return {
    title: `artifact ${wanted.name} ${wanted.version}`,
    target: target(wanted),
    material: {
      name: wanted.name,
      version: wanted.version,
      parents: wanted.parents.map(({ text }) => text),
      plugins: wanted.plugins.map(({ raw }) => raw),
      properties: wanted.properties,
    },
    jar: wanted.jar,
    observe: (context) => observe(wanted, context),
    apply: (context, observed) => apply(wanted, context, observed),
  };
}
