import { EventEmitter } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { oneByOne } from '../../../../../src/services/hosting/serve/one-by-one.js';

/** A connection, and a request of it with its answer. */
function connection() {
  const socket = new Socket();
  const ask = (url: string) => {
    const request = Object.assign(new IncomingMessage(socket), { url });
    return [request, new ServerResponse(request)] as const;
  };
  return { socket, ask };
}

it('answers the requests of a connection in turn, and those of others meanwhile', async () => {
  const done = new EventEmitter();
  const log: string[] = [];
  const turns = oneByOne(async ({ url = '' }, response) => {
    log.push(`begun ${url}`);
    await new Promise((go) => done.once(url, go));
    log.push(`ended ${url}`);
    response.emit('close');
  });
  const [one, other] = [connection(), connection()];
  expect(turns.isBusy(one.socket)).toBe(false);
  for (const url of ['a', 'b']) turns.take(...one.ask(url));
  turns.take(...other.ask('c'));
  expect(log).toEqual(['begun a', 'begun c']);
  for (const url of ['a', 'c', 'b']) {
    done.emit(url);
    await new Promise(setImmediate);
  }
  expect(log).toEqual(['begun a', 'begun c', 'ended a', 'begun b', 'ended c', 'ended b']);
  expect([one, other].map(({ socket }) => turns.isBusy(socket))).toEqual([false, false]);
});

it('closes a connection with more than 32 requests, and answers no more of it', async () => {
  let [begun, go] = [0, (): void => undefined];
  const turns = oneByOne(async (_, response) => {
    begun += 1;
    await new Promise<void>((resolve) => (go = resolve));
    response.emit('close');
  });
  const { socket, ask } = connection();
  for (let at = 0; at < 32; at += 1) turns.take(...ask('x'));
  expect([socket.destroyed, turns.isBusy(socket)]).toEqual([false, true]);
  turns.take(...ask('x'));
  expect(socket.destroyed).toBe(true);
  go();
  await new Promise(setImmediate);
  expect([begun, turns.isBusy(socket)]).toEqual([1, false]);
});
