import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests of a connection that wait for the answer to an earlier one. */
const MOST_WAITING = 32;

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** The connections of a server, each of which gets one answer at a time. */
export interface Turns {
  /** Answers a request when it is its turn. A connection that sends too many before is closed. */
  take(request: IncomingMessage, response: ServerResponse): void;
  /** Whether an answer is on its way. */
  isBusy(socket: Socket): boolean;
}

/**
 * Answers the requests of a connection one after the other. Node would begin with all at once, each with an open file
 * and bytes that wait for the ones before.
 */
export function oneByOne(answer: (...exchange: Exchange) => Promise<void>): Turns {
  const lines = new WeakMap<Socket, Exchange[]>();
  const work = async (socket: Socket, line: Exchange[]): Promise<void> => {
    for (let [next] = line; next !== undefined && !socket.destroyed; [next] = line) {
      const [, response] = next;
      const closed = new Promise<void>((done) => response.once('close', done));
      await answer(...next);
      await closed;
      line.shift();
    }
    lines.delete(socket);
  };
  return {
    take(request, response) {
      const { socket } = request;
      const line = lines.get(socket);
      if (line === undefined) {
        const first: Exchange[] = [[request, response]];
        lines.set(socket, first);
        void work(socket, first);
      } else if (line.push([request, response]) > MOST_WAITING) socket.destroy();
    },
    isBusy: (socket) => lines.has(socket),
  };
}
