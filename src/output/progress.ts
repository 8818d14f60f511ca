import type { ServiceEvent } from '../core/events.js';
import { visible } from './escape.js';
import { hintText } from './next-steps.js';

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;

/** An event with the hint of a warning in its message. */
export function withHint(event: ServiceEvent): ServiceEvent {
  if (event.type !== 'warning' || event.hint === undefined) return event;
  const { hint, ...warning } = event;
  return { ...warning, message: `${warning.message} (${hintText(hint)})` };
}

/** The words for a fact, one safe line; undefined for facts that are shown otherwise (warnings, notes). */
export function eventText(event: ServiceEvent): string | undefined {
  switch (event.type) {
    case 'stepStarted':
      return `[${event.n}/${event.of}] ${visible(event.title)}`;
    case 'stepDone':
      return `  ${event.n}  done     ${visible(event.title)}  ${secondsText(event.milliseconds)}`;
    case 'stepSkipped':
      return `  ${event.n}  skipped  ${visible(event.title)}  (${visible(event.reason)})`;
    case 'stepFailed':
      return `  ${event.n}  FAILED   ${visible(event.title)}: ${visible(event.message)}`;
    case 'bytes':
      return `${visible(event.what)}  ${bytesText(event.done)}${event.total === undefined ? '' : ` of ${bytesText(event.total)}`}`;
    case 'count':
      return `[${event.done}${event.of === undefined ? '' : `/${event.of}`}] ${visible(event.what)}${event.failed === 0 ? '' : `, ${event.failed} failed`}`;
    case 'state':
      return `${visible(event.what)}  ${visible(event.state)}${event.detail === undefined ? '' : `  ${visible(event.detail)}`}`;
    case 'retry':
      return `${visible(event.what)}: try ${event.attempt} in ${secondsText(event.milliseconds)} (${visible(event.reason)})`;
    case 'warning':
    case 'note':
      return undefined;
  }
}

/** The text of an ongoing event where it is redrawn, with the seconds that a wait has left. */
export function passingText(event: ServiceEvent): string | undefined {
  const text = eventText(event);
  const left = event.type === 'state' ? event.left : undefined;
  return text === undefined || left === undefined ? text : `${text}, ${Math.ceil(left / 1000)} s left`;
}

/** Bytes in the unit that people read: `985 KB`, `2.1 GB`. */
export function bytesText(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}

/** A short time: `0.4 s`, `1m 35s`. */
export function secondsText(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return whole < 3600
    ? `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, '0')}s`
    : `${Math.floor(whole / 3600)}h ${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}m`;
}
