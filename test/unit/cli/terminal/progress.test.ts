import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { startProgress } from '../../../../src/cli/terminal/progress.js';
import type { Clock } from '../../../../src/core/clock.js';
import type { ServiceEvent } from '../../../../src/core/events.js';
import { bytesText, eventText, passingText, secondsText } from '../../../../src/output/progress.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';

const started: ServiceEvent = { type: 'stepStarted', n: 1, of: 2, title: 'artifact x\u001b[2J' };
const done: ServiceEvent = { type: 'stepDone', n: 1, title: 'artifact x', milliseconds: 1234 };
const retry: ServiceEvent = { type: 'retry', what: 'GET x', attempt: 2, milliseconds: 500, reason: '503' };
const warning: ServiceEvent = { type: 'warning', code: 'BAD_FIELD', message: 'odd' };
const bytes: ServiceEvent = { type: 'bytes', what: 'x.jar', done: 5, total: 10 };

class Time implements Clock {
  private at = 0;
  private wake: (() => void) | undefined;
  now = (): number => 1_714_687_200_000 + this.at;
  monotonic = (): number => this.at;
  sleep = (_milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      this.wake = resolve;
      signal.addEventListener('abort', () => {
        reject(new Error('ended'));
      });
    });

  async pass(milliseconds: number): Promise<void> {
    this.at += milliseconds;
    this.wake?.();
    await new Promise(setImmediate);
  }
}

function shown(
  events: readonly ServiceEvent[],
  talk: Partial<Parameters<typeof startProgress>[2]> = {},
  facts: Parameters<typeof fakeTerminal>[0] = {},
): ReturnType<typeof fakeTerminal> {
  const terminal = fakeTerminal(facts);
  const progress = startProgress(terminal, new Time(), { format: 'table', silent: false, verbose: false, ...talk });
  for (const event of events) progress.emit(event);
  progress.end();
  return terminal;
}

describe('progress off a terminal', () => {
  it('is a line per change of state, without control characters', () => {
    expect(shown([started, bytes, done, retry]).notes).toEqual([
      String.raw`[1/2] artifact x\x1b[2J`,
      '  1  done     artifact x  1.2 s',
    ]);
  });

  it('leaves nothing of what is passing where it is about to be drawn', () => {
    expect(shown([started, done], {}, { animated: true }).notes).toEqual(['  1  done     artifact x  1.2 s']);
  });

  it('says a state once', () => {
    const state: ServiceEvent = { type: 'state', what: 'run 5d9c', state: 'RUNNING' };
    expect(shown([state, state, { ...state, state: 'COMPLETED', detail: 'after 95 s' }]).notes).toEqual([
      'run 5d9c  RUNNING',
      'run 5d9c  COMPLETED  after 95 s',
    ]);
  });

  it('tells retries when asked', () => {
    expect(shown([retry], { verbose: true }).notes).toEqual(['GET x: try 2 in 0.5 s (503)']);
  });

  it('tells a long wait before another try anyhow', () => {
    expect(shown([{ ...retry, milliseconds: 2000 }]).notes).toEqual(['GET x: try 2 in 2.0 s (503)']);
  });

  it('keeps warnings when silent, and collects them', () => {
    const terminal = shown([started, warning, done], { silent: true });
    expect(terminal.notes).toEqual(['warning: odd']);
    expect(terminal.warnings).toEqual([{ code: 'BAD_FIELD', message: 'odd' }]);
  });

  it('has a time stamp on a build server', () => {
    expect(shown([done], {}, { ci: true }).notes[0]).toMatch(/^22:00:00 {3}1 {2}done/u);
  });

  it('is events on stdout with ndjson, warnings among them', () => {
    const terminal = shown([started, warning], { format: 'ndjson' });
    expect(terminal.notes).toEqual([]);
    expect(terminal.out.map((line) => JSON.parse(line) as unknown)).toEqual([
      { ...started, at: '2024-05-02T22:00:00.000Z' },
      { ...warning, at: '2024-05-02T22:00:00.000Z' },
    ]);
    expect(terminal.warnings).toHaveLength(1);
  });

  it('gives a sign of life after 30 quiet seconds, while something is under way', async () => {
    const [terminal, time] = [fakeTerminal(), new Time()];
    const progress = startProgress(terminal, time, { format: 'table', silent: false, verbose: false });
    await time.pass(30_000);
    progress.emit(started);
    await time.pass(20_000);
    await time.pass(10_000);
    progress.emit(done);
    await time.pass(30_000);
    progress.end();
    expect(terminal.notes.slice(1)).toEqual([
      String.raw`still working (30 s): [1/2] artifact x\x1b[2J`,
      '  1  done     artifact x  1.2 s',
    ]);
  });
});

it('is what is under way where it is drawn, also while a state is told as a line', async () => {
  let frame = '';
  const drawn = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    frame = stripVTControlCharacters(String(text));
    return true;
  });
  const terminal = fakeTerminal({ animated: true });
  const progress = startProgress(terminal, new Time(), { format: 'table', silent: false, verbose: false });
  const state: ServiceEvent = { type: 'state', what: 'run 5d9c', state: 'RUNNING', left: 19_001 };
  const frames: string[] = [];
  for (const event of [started, bytes, state, { ...state, left: 8000 }]) {
    progress.emit(event);
    await vi.dynamicImportSettled();
    // It is drawn again below what is said.
    progress.say('');
    frames.push(frame.slice(2));
  }
  progress.end();
  drawn.mockRestore();
  expect(frames).toEqual([
    String.raw`[1/2] artifact x\x1b[2J`,
    eventText(bytes),
    'run 5d9c  RUNNING, 20 s left',
    'run 5d9c  RUNNING, 8 s left',
  ]);
  expect(terminal.notes.filter((line) => line !== '')).toEqual(['run 5d9c  RUNNING']);
});

it('draws no secret', async () => {
  const drawn: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => drawn.push(String(text)) > 0);
  try {
    const terminal = fakeTerminal({ animated: true });
    terminal.secrets.add('Pl4nted');
    const progress = startProgress(terminal, new Time(), { format: 'table', silent: false, verbose: false });
    progress.emit({ ...started, title: 'artifact Pl4nted' });
    await import('ora');
    await new Promise(setImmediate);
    progress.emit({ type: 'state', what: 'run Pl4nted', state: 'RUNNING' });
    progress.say('meanwhile');
    progress.end();
  } finally {
    write.mockRestore();
  }
  const text = drawn.join('');
  for (const shown of ['artifact ***', 'run ***']) expect(text).toContain(shown);
  expect(text).not.toContain('Pl4nted');
});

it('counts down a wait of a fixed length where it is drawn, and not in lines', () => {
  const waiting: ServiceEvent = { type: 'state', what: 'service', state: 'RUNNING', detail: 'watching', left: 19_001 };
  expect(passingText(waiting)).toBe('service  RUNNING  watching, 20 s left');
  expect(eventText(waiting)).toBe('service  RUNNING  watching');
  expect(shown([waiting, { ...waiting, left: 18_000 }]).notes).toEqual(['service  RUNNING  watching']);
});

describe('amounts', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [985_000, '985 KB'],
    [14_200, '14.2 KB'],
    [2_100_000_000, '2.1 GB'],
    [5e13, '50000 GB'],
  ])('%d bytes are %s', (count, text) => {
    expect(bytesText(count)).toBe(text);
  });

  it.each([
    [400, '0.4 s'],
    [95_000, '1m 35s'],
    [7_380_000, '2h 03m'],
  ])('%d milliseconds are %s', (milliseconds, text) => {
    expect(secondsText(milliseconds)).toBe(text);
  });
});
