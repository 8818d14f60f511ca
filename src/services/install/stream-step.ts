import { CliError } from '../../core/errors.js';
import { memberTexts } from '../../core/json-members.js';
import { sameJson } from '../../core/same-json.js';
import { getStream, putStream, putStreamProperties, type StreamDetail } from '../../platform/streams.js';
import type { Observation, ResolvedAction, Step, StepContext } from './action.js';
import { sendOnce } from './send.js';

/** A stream to create; `properties` is the text of a JSON object, its description among them. */
export interface StreamWanted {
  readonly n: number;
  readonly name: string;
  readonly properties: string;
}

/** The fact of a creation: only a stream that was absent is created, so one that is there after it is ours. */
const CREATE = 'create';
/** What counts as the configuration of a stream; a description is for people. */
const COMPARED = ['ttl', 'notification.threshold.mb'];
const COMPARED_OF_FORMAT = ['name', 'schema', 'settings'];
const NAME = /^[A-Za-z0-9_-]+$/u;

/** Refuses a name of a stream that the platform does not take; BAD_ACTION. */
export function refuseStreamName({ n }: ResolvedAction, name: string): void {
  if (NAME.test(name)) return;
  throw new CliError('BAD_ACTION', `action ${n}: the platform does not take "${name}" as the name of a stream`, {
    hints: [`use letters, digits, "_" and "-": --set ${n}.name=NAME`],
  });
}

/** The refusal of a step on a platform without streams, before anything is written; undefined where there are some. */
export function withoutStreams(n: number, { capabilities }: StepContext): Observation | undefined {
  if (capabilities.streams) return undefined;
  const error = new CliError('INCOMPATIBLE', `action ${n} needs a stream, and this platform has none`, {
    hints: [`streams were removed with version 6.0 of the platform; --skip ${n} leaves the action out`],
  });
  return { state: 'refused', effect: 'this platform has no streams', error };
}

/** A stream of the target namespace; undefined when it is absent. */
export const findStream = (name: string, { platform, namespace, signal }: StepContext) =>
  platform.find(getStream, { namespace, stream: name }, signal);

/** Creates a stream that was absent; when the answer is lost, a look shows whether it is there. */
export async function createStream(name: string, properties: string, context: StepContext): Promise<void> {
  const { platform, namespace, signal } = context;
  const request = { namespace, stream: name, properties };
  await sendOnce(
    `the creation of stream ${name}`,
    context,
    () => platform.call(putStream, request, signal),
    async () => (await findStream(name, context)) !== undefined,
  );
}

function sameMembers(names: readonly string[], wanted: string, shown: string): boolean {
  const [ours, theirs] = [memberTexts(wanted), memberTexts(shown)];
  return names.every((name) => {
    const text = ours.get(name) ?? 'null';
    return text === 'null' || sameJson(text, theirs.get(name) ?? 'null');
  });
}

/** Whether a stream has the properties that are wanted; the others are the platform's. */
function isAsWanted({ properties }: StreamWanted, detail: StreamDetail): boolean {
  const shown = JSON.stringify(detail);
  const format = (object: string): string => memberTexts(object).get('format') ?? 'null';
  const [wanted, present] = [format(properties), format(shown)];
  const sameFormat = wanted === 'null' || (present !== 'null' && sameMembers(COMPARED_OF_FORMAT, wanted, present));
  return sameFormat && sameMembers(COMPARED, properties, shown);
}

async function observe(wanted: StreamWanted, context: StepContext): Promise<Observation> {
  const refused = withoutStreams(wanted.n, context);
  if (refused !== undefined) return refused;
  const detail = await findStream(wanted.name, context);
  if (detail === undefined) return { state: 'absent', effect: 'create' };
  const isOurs = context.history.done || context.history.facts.has(CREATE);
  if (isOurs || isAsWanted(wanted, detail)) return { state: 'done', effect: 'already there' };
  if (context.force)
    return {
      state: 'differs',
      effect: 'change its properties',
      consent: `change the properties of stream ${wanted.name}`,
    };
  const error = new CliError('CONFLICT', `stream ${wanted.name} is there already with other properties`, {
    hints: ['add --force to change them; its events stay'],
    target: { stream: wanted.name, namespace: context.namespace },
  });
  return { state: 'refused', effect: 'present with other properties', error };
}

async function apply(wanted: StreamWanted, context: StepContext): Promise<void> {
  const { name, properties } = wanted;
  const { platform, namespace, signal } = context;
  if ((await findStream(name, context)) === undefined) {
    await context.note(CREATE, 'sent');
    await createStream(name, properties, context);
    return;
  }
  await sendOnce(
    `the properties of stream ${name}`,
    context,
    () => platform.call(putStreamProperties, { namespace, stream: name, properties }, signal),
    async () => {
      const detail = await findStream(name, context);
      return detail !== undefined && isAsWanted(wanted, detail);
    },
  );
}

/** The step that creates a stream, or finds it there with the same properties (`hub.md` 3.5; contract 7). */
export function streamStep(wanted: StreamWanted): Step {
  const { name, properties } = wanted;
  return {
    title: `stream ${name}`,
    target: { kind: 'stream', name },
    material: { name, properties },
    observe: (context) => observe(wanted, context),
    apply: (context) => apply(wanted, context),
  };
}
