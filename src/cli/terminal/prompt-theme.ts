import { paint, type Look, type Style } from '../../output/look.js';

/** How the parts of a question look. */
export interface PromptTheme {
  readonly prefix: { readonly idle: string; readonly done: string };
  readonly spinner: { readonly interval: number; readonly frames: string[] };
  readonly keybindings: [];
  readonly style: Readonly<
    Record<'answer' | 'message' | 'error' | 'defaultAnswer' | 'help' | 'highlight' | 'key', (text: string) => string>
  >;
}

/** Colours of questions: as the stream where they are drawn takes them. Those of the library look at stdout. */
export function promptTheme(look: Look): PromptTheme {
  const as =
    (style: Style) =>
    (text: string): string =>
      paint(look, style, text);
  return {
    prefix: { idle: paint(look, 'cyan', '?'), done: paint(look, 'green', look.unicode ? '✔' : '√') },
    spinner: { interval: 80, frames: ['|', '/', '-', '\\'].map(as('yellow')) },
    keybindings: [],
    style: {
      answer: as('cyan'),
      message: as('bold'),
      error: (text) => paint(look, 'red', `> ${text}`),
      defaultAnswer: (text) => paint(look, 'dim', `(${text})`),
      help: as('dim'),
      highlight: as('cyan'),
      key: as('bold'),
    },
  };
}
