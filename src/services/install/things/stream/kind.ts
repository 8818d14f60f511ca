import type { ApplicationDetail } from '../../../../platform/apps.js';
import { deleteStream, getStream } from '../../../../platform/streams.js';
import type { Thing } from '../../../../state/ledger.js';
import { removeOnce } from '../../remove-once.js';
import { present, type ThingState } from '../../thing-state.js';
import type { LookDeps, RemovalDeps, ThingKind } from '../../thing-kind.js';
import { lastEventTime } from './streams.js';

async function look({ name }: Thing, deps: LookDeps): Promise<ThingState> {
  const { platform, namespace, capabilities, signal } = deps;
  const place = { namespace, stream: name };
  const found = capabilities.streams ? await platform.find(getStream, place, signal) : undefined;
  // Who appends an event changes the stream.
  return found === undefined
    ? { state: 'absent' }
    : present({ properties: found, last: await lastEventTime(place, deps) });
}

const isNamed = (listed: unknown, name: string): boolean =>
  typeof listed === 'object' && listed !== null && 'name' in listed && listed.name === name;

/**
 * Whether an application may read or write a stream. Its name is anywhere in the configuration, even in a macro or a
 * nested text, or among the streams that the platform lists.
 */
export function usesStream({ configuration = '', streams }: ApplicationDetail, name: string): boolean {
  const listed: readonly unknown[] = Array.isArray(streams) ? streams : [];
  return configuration.includes(name) || listed.some((one) => isNamed(one, name));
}

async function remove({ name }: Thing, deps: RemovalDeps): Promise<void> {
  const { platform, namespace, signal } = deps;
  const gone = async (): Promise<boolean> => (await look({ kind: 'stream', name }, deps)).state === 'absent';
  const send = (): Promise<unknown> => platform.call(deleteStream, { namespace, stream: name }, signal);
  await removeOnce(`stream ${name}`, send, gone, deps);
}

/** A stream; it goes last, for everything may read it. */
export const streamKind: ThingKind = {
  order: 5,
  look,
  applications: async () => [],
  users: async ({ name }) => ({ known: [], includes: (application) => usesStream(application, name) }),
  remove,
};
