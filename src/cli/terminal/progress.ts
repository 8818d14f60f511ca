import type { Ora } from 'ora';
import { timestamp, type Clock } from '../../core/clock.js';
import type { Emit, ServiceEvent } from '../../core/events.js';
import type { Format } from '../../output/format.js';
import { eventText, passingText, withHint } from '../../output/progress.js';
import { eventLine } from '../../output/writers/ndjson.js';
import type { Terminal } from './terminal.js';

/** Longest silence without an animated terminal, in milliseconds (docs/conventions.md 2.5). */
const HEARTBEAT = 30_000;

/** Milliseconds from which a wait for the next try is shown without `-v` too (docs/faults.md N34). */
const LONG_WAIT = 2000;

/** How much is to be said. */
export interface Talk {
  readonly format: Format;
  /** `-q` or `--no-progress`: only warnings. */
  readonly silent: boolean;
  /** `-v`: quick retries, too. */
  readonly verbose: boolean;
}

/** Shows facts while a command works; it ends by itself when the result is written. */
export interface Progress {
  readonly emit: Emit;
  /** Writes a line to stderr beside what is drawn. */
  readonly say: (line: string) => void;
  /** Takes away what is drawn until the next fact. */
  pause(): void;
  end(): void;
}

/**
 * Starts the progress display of a run. ndjson gets events on stdout. A terminal gets a spinner on stderr, anything
 * else a line for each change of state and at least one every 30 seconds.
 */
export function startProgress(terminal: Terminal, clock: Clock, talk: Talk): Progress {
  const ending = new AbortController();
  const lines = new Lines(terminal, clock, talk);
  const say = (line: string): void => {
    lines.aside(() => {
      terminal.note(line);
    });
  };
  const emit = (fact: ServiceEvent): void => {
    const event = withHint(fact);
    if (event.type === 'note') say(event.message);
    else if (talk.format !== 'ndjson') lines.take(event);
    else {
      if (event.type === 'warning') terminal.warnings.push({ code: event.code, message: terminal.hide(event.message) });
      void terminal.write(eventLine(event, clock.now(), (text) => terminal.hide(text)));
    }
  };
  const beat = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await clock.sleep(HEARTBEAT, ending.signal);
      lines.beat();
    }
  };
  if (!talk.silent && talk.format !== 'ndjson') beat().catch(() => undefined);
  const end = (): void => {
    ending.abort();
    lines.end();
  };
  if (talk.format !== 'ndjson') terminal.beforeResult = end;
  const pause = (): void => {
    lines.pause();
  };
  return { emit, say, pause, end };
}

class Lines {
  private spinner: Ora | undefined;
  private doing: { readonly text: string; readonly since: number } | undefined;
  private spokeAt = -Infinity;
  private last = '';
  private animating = false;
  private ended = false;
  private readonly terminal: Terminal;
  private readonly clock: Clock;
  private readonly talk: Talk;

  constructor(terminal: Terminal, clock: Clock, talk: Talk) {
    [this.terminal, this.clock, this.talk] = [terminal, clock, talk];
  }

  take(event: ServiceEvent): void {
    const { silent, verbose } = this.talk;
    if (event.type === 'warning')
      this.aside(() => {
        this.terminal.warn(event.code, event.message);
      });
    const text = eventText(event);
    const quick = event.type === 'retry' && event.milliseconds < LONG_WAIT;
    if (text === undefined || silent || (quick && !verbose)) return;
    if (this.terminal.animated && this.spinner === undefined) void this.animate();
    const counts = event.type === 'bytes' || event.type === 'count';
    const passing = counts || event.type === 'stepStarted';
    this.doing =
      event.type.startsWith('step') && !passing
        ? undefined
        : { text, since: this.doing?.since ?? this.clock.monotonic() };
    // What is drawn is what is under way, also where a line tells of it.
    if (this.spinner !== undefined && this.doing !== undefined)
      this.spinner.text = this.terminal.hide(passingText(event) ?? text);
    // Where it is about to be drawn, what is passing would stay behind as a line.
    const isDrawn = this.spinner !== undefined || this.terminal.animated;
    if (!(isDrawn && passing) && !counts && text !== this.last) this.say(text);
  }

  beat(): void {
    const now = this.clock.monotonic();
    if (this.doing === undefined || this.spinner !== undefined || now - this.spokeAt < HEARTBEAT) return;
    this.say(`still working (${Math.round((now - this.doing.since) / 1000)} s): ${this.doing.text}`);
  }

  pause(): void {
    this.doing = undefined;
    this.spinner?.stop();
    this.spinner = undefined;
  }

  end(): void {
    this.ended = true;
    this.pause();
  }

  private say(text: string): void {
    this.last = text;
    this.spokeAt = this.clock.monotonic();
    const stamp = this.terminal.ci ? `${timestamp(this.clock).slice(11, 19)} ` : '';
    this.aside(() => {
      this.terminal.note(stamp + text);
    });
  }

  /** Speaks while nothing is drawn. */
  aside(speak: () => void): void {
    this.spinner?.clear();
    speak();
    this.spinner?.render();
  }

  private async animate(): Promise<void> {
    if (this.animating) return;
    this.animating = true;
    const { default: ora } = await import('ora');
    this.animating = false;
    // Nothing is under way any more: a question may stand there by now.
    if (this.ended || this.doing === undefined || this.spinner !== undefined) return;
    const text = this.terminal.hide(this.doing.text);
    const color = this.terminal.stderr.color ? 'cyan' : false;
    this.spinner = ora({ discardStdin: false, isEnabled: true, color, text }).start();
  }
}
