import { CliError } from '../../core/errors.js';
import { getStream, listEvents, loadStream, putStream } from '../../platform/streams.js';
import type { Observation, StagedFile, Step, StepContext } from './action.js';
import { sendOnce } from './send.js';
import { lastEventTime, refuseWithoutStreams } from './streams.js';

/** A file of a data pack; `events` is how many the platform will make of its lines. */
export interface DataFile extends StagedFile {
  readonly name: string;
  readonly events: number;
}

/** Files to load into a stream, in their order. */
export interface LoadWanted {
  readonly stream: string;
  readonly files: readonly DataFile[];
}

/** What is known of a file: not sent yet, lying whole in the stream, or neither for sure. */
type Standing = 'unsent' | 'loaded' | 'unclear';

const placeOf = ({ stream }: LoadWanted, { namespace }: StepContext) => ({ namespace, stream });

/** The journal's facts of a file: the platform's time from which its events count, and that it is loaded. */
const factsOf = (at: number) => ({ since: `since-${at + 1}`, loaded: `loaded-${at + 1}` });

/** Decides by the stream's events since the journal's time (decision 11): none, all, or something else. */
async function eventsSince(
  wanted: LoadWanted,
  { events }: DataFile,
  since: number,
  context: StepContext,
): Promise<Standing> {
  const question = { ...placeOf(wanted, context), start: since, limit: events + 1 };
  const found = (await context.platform.find(listEvents, question, context.signal)) ?? [];
  if (found.length === 0) return 'unsent';
  return found.length === events ? 'loaded' : 'unclear';
}

async function standingOf(wanted: LoadWanted, file: DataFile, at: number, context: StepContext): Promise<Standing> {
  const { facts } = context.history;
  const { since, loaded } = factsOf(at);
  if (facts.get(loaded) === true) return 'loaded';
  const time = facts.get(since);
  return typeof time === 'number' ? eventsSince(wanted, file, time, context) : 'unsent';
}

function unclear({ stream }: LoadWanted, { name, events }: DataFile): CliError {
  return new CliError('UNKNOWN_OUTCOME', `whether ${name} was loaded into stream ${stream} is not known`, {
    lines: [`the stream has other events since then than the ${events} of the file`],
    hints: [
      'look at its events: leave the action out with --skip N when the data is there',
      'add --again to load all of it once more',
    ],
    target: { stream },
  });
}

const count = (events: number): string => `${events} event${events === 1 ? '' : 's'}`;

async function observeBegun(wanted: LoadWanted, context: StepContext): Promise<Observation> {
  const left: DataFile[] = [];
  for (const [at, file] of wanted.files.entries()) {
    const standing = await standingOf(wanted, file, at, context);
    if (standing === 'unclear')
      return { state: 'refused', effect: 'what was loaded is not known', error: unclear(wanted, file) };
    if (standing === 'unsent') left.push(file);
  }
  if (left.length === 0) return { state: 'done', effect: 'already loaded' };
  return { state: 'incomplete', effect: `load the rest, ${count(left.reduce((sum, { events }) => sum + events, 0))}` };
}

async function observe(wanted: LoadWanted, context: StepContext): Promise<Observation> {
  const refused = refuseWithoutStreams(wanted.stream, context);
  if (refused !== undefined) return refused;
  const { platform, history, signal } = context;
  const all = count(wanted.files.reduce((sum, { events }) => sum + events, 0));
  const place = placeOf(wanted, context);
  if ((await platform.find(getStream, place, signal)) === undefined) {
    const isMade = context.upcoming.some(({ kind, name }) => kind === 'stream' && name === wanted.stream);
    return { state: 'absent', effect: isMade ? `load ${all}` : `create and load ${all}` };
  }
  if (history.done) return { state: 'done', effect: 'loaded by an earlier run' };
  if (history.begun) return observeBegun(wanted, context);
  const [first] = (await platform.find(listEvents, { ...place, start: 0, limit: 1 }, signal)) ?? [];
  if (first === undefined) return { state: 'incomplete', effect: `load ${all}` };
  const consent = `append ${all} to stream ${wanted.stream}, which has some already`;
  return { state: 'differs', effect: `append ${all}`, consent, appends: true };
}

async function sinceOf(wanted: LoadWanted, at: number, context: StepContext): Promise<number> {
  const { since } = factsOf(at);
  const noted = context.history.facts.get(since);
  if (typeof noted === 'number') return noted;
  const last = await lastEventTime(placeOf(wanted, context), context);
  const time = last === undefined ? 0 : last + 1;
  await context.note(since, time);
  return time;
}

async function load(wanted: LoadWanted, file: DataFile, at: number, context: StepContext): Promise<void> {
  const { platform, signal, note } = context;
  const since = await sinceOf(wanted, at, context);
  const applied = async (): Promise<boolean> => {
    const standing = await eventsSince(wanted, file, since, context);
    if (standing === 'unclear') throw unclear(wanted, file);
    return standing === 'loaded';
  };
  const [, extension = 'plain'] = /\.([a-z0-9]{1,20})$/u.exec(file.name.toLowerCase()) ?? [];
  const { file: path, bytes } = file;
  const call = { ...placeOf(wanted, context), file: path, bytes, contentType: `text/${extension}` };
  await sendOnce(`the data of ${file.name}`, context, () => platform.call(loadStream, call, signal), applied);
  await note(factsOf(at).loaded, true);
}

async function apply(wanted: LoadWanted, context: StepContext): Promise<void> {
  const { platform, signal } = context;
  const place = placeOf(wanted, context);
  const isThere = async (): Promise<boolean> => (await platform.find(getStream, place, signal)) !== undefined;
  if (!(await isThere())) {
    const create = () => platform.call(putStream, { ...place, properties: {} }, signal);
    await sendOnce(`stream ${wanted.stream}`, context, create, isThere);
  }
  for (const [at, file] of wanted.files.entries()) {
    if (file.events === 0) continue;
    const standing = await standingOf(wanted, file, at, context);
    if (standing === 'unclear') throw unclear(wanted, file);
    if (standing === 'unsent') await load(wanted, file, at, context);
  }
}

/** The step that loads the files of a data pack into a stream, each once: what the journal knows of is decided by the stream's events (decision 11; `hub.md` 3.6; contract 7). */
export function loadStep(wanted: LoadWanted): Step {
  const { stream, files } = wanted;
  return {
    title: `data of stream ${stream}`,
    target: { kind: 'stream', name: stream },
    material: { stream, files: files.map(({ name, sha256 }) => ({ name, sha256 })) },
    observe: (context) => observe(wanted, context),
    apply: (context) => apply(wanted, context),
  };
}
