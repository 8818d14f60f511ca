import { memberTexts } from '../../../../core/json/members.js';
import { sameJson } from '../../../../core/json/same.js';
import { getStream, putStream, putStreamProperties, type StreamProperties } from '../../../../platform/streams.js';
import type { Observation, Step, StepContext, Target } from '../../action.js';
import { notAgreed } from '../../changed-since-plan.js';
import { sendOnce } from '../../../writing/send.js';
import { refuseWithoutStreams } from './streams.js';

/** A stream to create; `properties` is the text of a JSON object, its description among them. */
export interface StreamTarget {
  readonly n: number;
  readonly name: string;
  readonly properties: string;
}

/** What counts as the configuration of a stream; a description is for people. */
const COMPARED = ['ttl', 'notification.threshold.mb'];
const COMPARED_OF_FORMAT = ['name', 'schema', 'settings'];

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
function isAsWanted({ properties }: StreamTarget, detail: StreamProperties): boolean {
  const shown = JSON.stringify(detail);
  const format = (object: string): string => memberTexts(object).get('format') ?? 'null';
  const [wanted, present] = [format(properties), format(shown)];
  const sameFormat = wanted === 'null' || (present !== 'null' && sameMembers(COMPARED_OF_FORMAT, wanted, present));
  return sameFormat && sameMembers(COMPARED, properties, shown);
}

async function observe(wanted: StreamTarget, context: StepContext): Promise<Observation> {
  const refused = refuseWithoutStreams(wanted.n, context);
  if (refused !== undefined) return refused;
  const detail = await findStream(wanted.name, context);
  if (detail === undefined) return { state: 'absent', effect: 'create' };
  if (isAsWanted(wanted, detail)) return { state: 'done', effect: 'already exists' };
  if (!context.force)
    return { state: 'done', effect: 'already exists with other properties, which are kept unless forced' };
  return { state: 'differs', effect: 'set its properties', consent: `change the properties of stream ${wanted.name}` };
}

const target = ({ name }: StreamTarget): Target => ({ kind: 'stream', name });

async function apply(wanted: StreamTarget, context: StepContext, observed: Observation): Promise<void> {
  const { name, properties } = wanted;
  const { platform, namespace, signal } = context;
  const present = await findStream(name, context);
  if (present === undefined) {
    await createStream(name, properties, context);
    return;
  }
  if (observed.state === 'absent') {
    if (isAsWanted(wanted, present)) return;
    throw notAgreed(target(wanted));
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

/**
 * The step that creates a stream. One that is there keeps its events, and its properties unless `--force` is given
 * (docs/hub-format.md 3.5 and 8).
 */
export function streamStep(wanted: StreamTarget): Step {
  const { name, properties } = wanted;
  return {
    title: `stream ${name}`,
    target: target(wanted),
    material: { name, properties },
    observe: (context) => observe(wanted, context),
    apply: (context, observed) => apply(wanted, context, observed),
  };
}
