import * as z from 'zod/mini';
import type { EmulatorAnswer } from './exchange.js';
import type { PortName } from './request-log.js';

const FaultOrder = z.strictObject({
  match: z.strictObject({
    port: z.optional(z.enum(['platform', 'hub'])),
    method: z.optional(z.string()),
    path: z.optional(
      z.string().check(z.refine(isPattern, { error: 'match.path is not a regular expression', abort: true })),
    ),
  }),
  kind: z.enum(['status', 'delay', 'cut', 'length', 'reset']),
  when: z.enum(['before', 'during', 'after']),
  times: z._default(z.int().check(z.positive()), 1),
  status: z.optional(z.int().check(z.minimum(200), z.maximum(599))),
  body: z.optional(z.string()),
  milliseconds: z.optional(z.int().check(z.nonnegative())),
  bytes: z.optional(z.int().check(z.positive())),
});

/**
 * A failure that the emulator was told to show, as `POST /emulator/faults` takes it. `before` = the request has no
 * effect; `during` = neither has it, and the failure comes when `bytes` of its body have arrived (or all, when it is
 * shorter).
 */
export type Fault = z.infer<typeof FaultOrder>;

/** The part of a request that faults are matched with; `path` is as sent, with its query. */
export interface FaultSubject {
  readonly port: PortName;
  readonly method: string;
  readonly path: string;
}

/** The failures that are still to be shown. */
export class Faults {
  #open: { fault: Fault; left: number }[] = [];

  /** Adds a fault; answers with what is wrong with the order, or nothing. */
  add(order: unknown): string | undefined {
    const parsed = FaultOrder.safeParse(order);
    if (!parsed.success) {
      return parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
    }
    this.#open.push({ fault: parsed.data, left: parsed.data.times });
    return undefined;
  }

  /** The oldest fault for this request and moment; taking it uses up one of its times. */
  take(when: Fault['when'], subject: FaultSubject): Fault | undefined {
    const entry = this.#open.find(({ fault }) => fault.when === when && matches(fault.match, subject));
    if (entry === undefined) return undefined;
    entry.left -= 1;
    if (entry.left === 0) this.#open = this.#open.filter((other) => other !== entry);
    return entry.fault;
  }

  /** The faults with the times that are left. */
  list(): Fault[] {
    return this.#open.map(({ fault, left }) => ({ ...fault, times: left }));
  }

  clear(): void {
    this.#open = [];
  }
}

/** The answer that a fault shows in place of the real one, or that it damages when there is none. */
export function faultAnswer(fault: Fault): EmulatorAnswer {
  const body = fault.body ?? `emulated fault: ${fault.kind} ${fault.when} the effect`;
  const usual = fault.kind === 'status' ? 503 : 200;
  return { status: fault.status ?? usual, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function matches(match: Fault['match'], subject: FaultSubject): boolean {
  if (match.port !== undefined && match.port !== subject.port) return false;
  if (match.method !== undefined && match.method.toUpperCase() !== subject.method) return false;
  return match.path === undefined || new RegExp(match.path, 'u').test(subject.path);
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}
