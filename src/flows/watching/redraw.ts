import { paint } from '../../output/look.js';
import type { Terminal } from '../../cli/terminal/terminal.js';

const UP = (lines: number): string => (lines === 0 ? '' : `\u001b[${lines}A`);
/** Empties the line that the cursor is in. */
export const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
// A line that is longer than the screen would become two, and the next frame begin too low.
const [NO_WRAP, WRAP] = ['\u001b[?7l', '\u001b[?7h'];

/**
 * Draws one frame over the one before, at the place where the first one began. Of what does not fit on the screen only
 * the number of lines is told.
 */
export class Redraw {
  readonly #terminal: Terminal;
  #drawn = 0;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  /** Lines that a frame may have now; undefined: as many as it likes. */
  get rows(): number | undefined {
    const size = this.#terminal.size();
    return size === undefined ? undefined : Math.max(1, size.rows - 1);
  }

  async draw(text: string): Promise<void> {
    const most = this.rows ?? Infinity;
    const all = text.replace(/\n$/u, '').split('\n');
    const lines = all.length <= most ? all : [...all.slice(0, most - 1), this.#more(all.length - most + 1)];
    const frame = lines.map((line) => `${CLEAR_LINE}${line}\n`).join('');
    const back = UP(Math.min(this.#drawn, most));
    this.#drawn = lines.length;
    await this.#terminal.write(`${NO_WRAP}${back}${frame}${CLEAR_BELOW}${WRAP}`);
  }

  #more(lines: number): string {
    return paint(this.#terminal.stdout, 'dim', `${lines} more lines: enlarge the terminal window`);
  }
}
