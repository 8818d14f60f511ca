import type { Clock } from '../core/clock.js';
import type { WireAnswer } from './exchange.js';

/** A token, and when it ends, in milliseconds since the epoch; undefined where nobody said so. */
export interface TimedToken {
  readonly token: string;
  readonly expiresAt?: number | undefined;
}

/** Where a transport gets its token from. */
export interface TokenSource {
  /** The token for a request that is about to be sent. */
  current(): Promise<string | undefined>;
  /** The token to send in place of one that was rejected; undefined where there is no other. */
  instead(rejected: string): Promise<string | undefined>;
}

/** A token that there is only once: nothing replaces it. */
export const onlyToken = (token: string): TokenSource => ({
  current: async () => token,
  instead: async () => undefined,
});

/**
 * Sends a request, once more with another token if the platform rejects the first. The router rejects a token before it
 * does anything, so that a write may be sent again, too (docs/platform.md 10.1).
 */
export async function withToken(
  tokens: TokenSource | undefined,
  send: (token: string | undefined) => Promise<WireAnswer>,
): Promise<WireAnswer> {
  const token = await tokens?.current();
  const answer = await send(token);
  if (answer.status !== 401 || token === undefined) return answer;
  const other = await tokens?.instead(token).catch((error: unknown) => {
    answer.body.cancel();
    throw error;
  });
  if (other === undefined) return answer;
  answer.body.cancel();
  return send(other);
}

/** The longest time before its end at which a token is no longer sent, in milliseconds. */
const MARGIN = 30_000;

interface Kept {
  readonly token: string;
  readonly endsAt: number;
  renewAt: number;
}

/**
 * Keeps a token until it is rejected or about to end, then asks for another one. However many requests wait for it, it
 * is asked for once (docs/faults.md P40).
 */
export function keptToken(
  ask: () => Promise<TimedToken>,
  { now }: Pick<Clock, 'now'>,
  first?: TimedToken,
): TokenSource {
  const keep = ({ token, expiresAt = Infinity }: TimedToken): Kept => {
    const left = expiresAt - now();
    // One that comes too late is sent all the same: the clock of the platform counts.
    return { token, endsAt: expiresAt, renewAt: left > 0 ? expiresAt - Math.min(MARGIN, left / 4) : Infinity };
  };
  let kept = first && keep(first);
  let asking: Promise<string> | undefined;
  const renew = async (): Promise<string> => {
    kept = keep(await ask());
    return kept.token;
  };
  const renewed = (): Promise<string> =>
    (asking ??= renew().finally(() => {
      asking = undefined;
    }));
  return {
    async current() {
      const before = kept;
      if (asking === undefined && before !== undefined && now() < before.renewAt) return before.token;
      try {
        return await renewed();
      } catch (error) {
        if (before === undefined || now() >= before.endsAt) throw error;
        before.renewAt = before.endsAt;
        return before.token;
      }
    },
    async instead(rejected) {
      const next = asking === undefined && kept?.token !== rejected ? kept?.token : await renewed();
      return next === rejected ? undefined : next;
    },
  };
}
