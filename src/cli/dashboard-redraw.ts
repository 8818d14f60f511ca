import type { Terminal } from './terminal.js';

const UP = (lines: number): string => (lines === 0 ? '' : `\u001b[${lines}A`);
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
// A line that is longer than the screen would become two, and the next frame begin too low.
const [NO_WRAP, WRAP] = ['\u001b[?7l', '\u001b[?7h'];

/** Draws one frame over the one before, at the place where the first one began; what does not fit on the screen is cut off below. */
export class Redraw {
  readonly #terminal: Terminal;
  #drawn = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  async draw(text: string): Promise<void> {
    const most = Math.max(1, (this.#terminal.size()?.rows ?? Infinity) - 1);
    const lines = text.replace(/\n$/u, '').split('\n').slice(0, most);
    const frame = lines.map((line) => `${CLEAR_LINE}${line}\n`).join('');
    const back = UP(Math.min(this.#drawn, most));
    this.#drawn = lines.length;
    await this.#terminal.write(`${NO_WRAP}${back}${frame}${CLEAR_BELOW}${WRAP}`);
  }
}
