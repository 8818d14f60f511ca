import { counted } from '../../../../core/counted.js';
import { CliError } from '../../../../core/errors.js';
import { loadStream } from '../../../../platform/streams.js';
import type { Observation, Step, StepContext } from '../../action.js';
import { contentTypeOf, type DataFile } from './data-files.js';
import { arrivalOf, hasEvents, markEnd, noteProgress, progressOf, type Mark } from './load-marks.js';
import { sendOnce } from '../../../writing/send.js';
import { createStream, findStream } from './step.js';
import { refuseWithoutStreams } from './streams.js';

/** Files to load into a stream, in their order. */
export interface LoadTarget {
  readonly n: number;
  readonly name: string;
  readonly files: readonly DataFile[];
}

const LOOKS = 3;
const PAUSE = 1000;

const linesOf = (files: readonly DataFile[]): number => files.reduce((sum, { content }) => sum + content.lines, 0);

/** `5574 lines of texts.csv`. */
function amount({ files }: LoadTarget): string {
  const lines = linesOf(files);
  const [first, ...more] = files;
  const from = first !== undefined && more.length === 0 ? first.name : `${files.length} files`;
  return `${counted(lines, 'line')} of ${from}`;
}

/** Whether everything is loaded. The journal tells, or the stream for a file whose sending was interrupted. */
async function isLoaded({ name, files }: LoadTarget, context: StepContext): Promise<boolean> {
  for (const [at, file] of files.entries()) {
    const progress = progressOf(at, context);
    if (progress.state === 'open' && file.content.lines > 0) return false;
    if (progress.state === 'sent' && (await arrivalOf(file, name, progress, context)) !== 'all') return false;
  }
  return true;
}

async function observe(wanted: LoadTarget, context: StepContext): Promise<Observation> {
  const { n, name } = wanted;
  const refused = refuseWithoutStreams(n, context);
  if (refused !== undefined) return refused;
  const what = amount(wanted);
  const { history, upcoming } = context;
  if ((await findStream(name, context)) === undefined) {
    const isMade = upcoming.some((target) => target.kind === 'stream' && target.name === name);
    return { state: 'absent', effect: isMade ? `load ${what}` : `create it and load ${what}` };
  }
  const isEmpty = !(await hasEvents(name, context));
  // A stream that was emptied or made anew has nothing of what the journal shows.
  if (linesOf(wanted.files) === 0 || !isEmpty) {
    if (history.done || (history.facts.size > 0 && (await isLoaded(wanted, context))))
      return { state: 'done', effect: 'already loaded (recorded in the journal)' };
    if (history.facts.size > 0) return { state: 'incomplete', effect: `load the rest of ${what}` };
  }
  if (isEmpty) return { state: 'incomplete', effect: `load ${what}` };
  return {
    state: 'differs',
    effect: `add ${what} to the existing data`,
    consent: `add ${what} to stream ${name}, which has data already`,
    appends: true,
  };
}

function unknown(file: DataFile, { n, name }: LoadTarget, { namespace }: StepContext, since: number): CliError {
  return new CliError(
    'UNKNOWN_OUTCOME',
    `it is unknown whether ${file.name} was loaded into stream ${name}: the new events do not match the file`,
    {
      hints: [
        `check the stream: GET /v3/namespaces/${namespace}/streams/${name}/events?start=${since}; the file has ${file.content.lines} lines`,
        { next: 'load-again', n },
      ],
      target: { stream: name, namespace, file: file.name },
    },
  );
}

/** Whether a file is in the stream as a whole; waits a little for a platform that is still at it. */
async function isThere(file: DataFile, wanted: LoadTarget, mark: Mark, context: StepContext): Promise<boolean> {
  for (let look = 1; ; look++) {
    const arrival = await arrivalOf(file, wanted.name, mark, context);
    if (arrival === 'all') return true;
    if (look === LOOKS && arrival === 'none') return false;
    if (look === LOOKS) throw unknown(file, wanted, context, mark.since);
    await context.wait(PAUSE);
  }
}

async function send(file: DataFile, wanted: LoadTarget, mark: Mark, context: StepContext): Promise<void> {
  const { platform, namespace, signal } = context;
  const request = {
    namespace,
    stream: wanted.name,
    file: file.file,
    bytes: file.bytes,
    sha256: file.sha256,
    contentType: contentTypeOf(file.name),
  };
  await sendOnce(
    `the load of ${file.name} into stream ${wanted.name}`,
    context,
    () => platform.call(loadStream, request, signal),
    async () => {
      const arrival = await arrivalOf(file, wanted.name, mark, context);
      return arrival === 'other' ? isThere(file, wanted, mark, context) : arrival === 'all';
    },
  );
}

/**
 * Sends a file unless it was sent before. Repeats a load only if the stream shows no effect of the first
 * (docs/decisions/009-loads-are-judged-by-their-lines.md, docs/faults.md P35).
 */
async function loadFile(at: number, file: DataFile, wanted: LoadTarget, context: StepContext): Promise<void> {
  const progress = progressOf(at, context);
  if (progress.state === 'applied' || file.content.lines === 0) return;
  const isCutOff = progress.state === 'sent';
  if (!isCutOff || !(await isThere(file, wanted, progress, context))) {
    const mark = isCutOff ? progress : await markEnd(wanted.name, context);
    if (!isCutOff) await noteProgress(at, { state: 'sent', ...mark }, context);
    await send(file, wanted, mark, context);
  }
  await noteProgress(at, { state: 'applied' }, context);
}

async function apply(wanted: LoadTarget, context: StepContext): Promise<void> {
  const isThere = (await findStream(wanted.name, context)) !== undefined;
  // What the journal may hold is of another stream of that name, or of an attempt that was not to count (--again).
  if (!isThere || context.history.facts.size === 0)
    for (const at of wanted.files.keys()) await noteProgress(at, { state: 'open' }, context);
  if (!isThere) await createStream(wanted.name, '{}', context);
  else if (!(await hasEvents(wanted.name, context)))
    for (const at of wanted.files.keys())
      if (progressOf(at, context).state === 'applied') await noteProgress(at, { state: 'open' }, context);
  for (const [at, file] of wanted.files.entries()) await loadFile(at, file, wanted, context);
}

/** The step that adds the lines of files to a stream, each file once (docs/hub-format.md 3.6). */
export function loadStep(wanted: LoadTarget): Step {
  const { name, files } = wanted;
  return {
    title: `${amount(wanted)} into stream ${name}`,
    target: { kind: 'stream', name },
    material: { name, files: files.map((file) => ({ name: file.name, sha256: file.sha256 })) },
    observe: (context) => observe(wanted, context),
    apply: (context) => apply(wanted, context),
  };
}
