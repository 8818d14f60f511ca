import { afterEach, expect } from 'vitest';
import type { Clock } from '../../../src/core/clock.js';
import type { CliError, ErrorCode } from '../../../src/core/errors.js';
import type { ServiceEvent } from '../../../src/core/events.js';
import { readText } from '../../../src/http/answers.js';
import { path } from '../../../src/http/path.js';
import type { HttpRequest, Transport } from '../../../src/http/transport.js';
import {
  hubTransport,
  platformTransport,
  type HubTransportOptions,
  type PlatformTransportOptions,
} from '../../../src/http/undici/undici-transport.js';
import { ours } from '../../support/errors.js';
import { rawServer, type RawOptions, type RawScript, type RawServer } from '../../support/raw-server.js';

export const NOW = Date.UTC(2025, 5, 1, 12);

/** A clock on which sleeping takes no time and is remembered; `tick` is how far each look at it moves it on. */
export function testClock(tick = 0): Clock & { readonly slept: number[] } {
  let time = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => NOW + time,
    monotonic: () => (time += tick),
    async sleep(milliseconds, signal) {
      signal.throwIfAborted();
      slept.push(milliseconds);
      time += milliseconds;
    },
  };
}

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Closes something after the test. */
export function closing<T extends { close(): Promise<void> }>(one: T): T {
  open.push(one);
  return one;
}

/** A raw server that lives as long as the test. */
export async function serve(script: RawScript, options: RawOptions = {}): Promise<RawServer> {
  return closing(await rawServer(script, options));
}

const defaults = { random: () => 0.5, userAgent: 'test/1' };

export function hub(base: string, options: Partial<HubTransportOptions> = {}): Transport<'hub'> {
  return closing(hubTransport({ base, clock: testClock(), ...defaults, ...options }));
}

export function platform(base: string, options: Partial<PlatformTransportOptions> = {}): Transport<'platform'> {
  return closing(platformTransport({ base, clock: testClock(), ...defaults, ...options }));
}

export const never = new AbortController().signal;

/** A request that reads, or whatever the overrides make of it. */
export function get(overrides: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'GET', path: path`/x`, maxBytes: 1_000_000, signal: never, ...overrides };
}

/** The text of the answer to a request. */
export async function textOf(transport: Transport, request: HttpRequest = get()): Promise<string> {
  return readText(await transport.send(request));
}

/** The error of an attempt, which must be a CliError of this code. */
export async function failure(attempt: Promise<unknown>, code: ErrorCode): Promise<CliError> {
  const error = await attempt.then(
    (value) => new Error(`no failure, but ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code });
  return ours(error);
}

/** Collects the facts a transport reports. */
export function collector(): { readonly events: ServiceEvent[]; readonly emit: (event: ServiceEvent) => void } {
  const events: ServiceEvent[] = [];
  return { events, emit: (event) => events.push(event) };
}
