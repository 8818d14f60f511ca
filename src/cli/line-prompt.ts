import { createPrompt, isEnterKey, makeTheme, useKeypress, usePrefix, useState } from '@inquirer/core';

interface LineQuestion {
  readonly message: string;
  /** Taken for an empty line; without it one is asked again. */
  readonly proposal: string | undefined;
  /** What is wrong with an answer; then the question is asked again. */
  readonly fault: (text: string) => string | undefined;
  /** Whether an answer ends the question without a tick. */
  readonly declines?: (text: string) => boolean;
}

/** How a question ended: with a line, or with Esc. */
export type LineAnswer = { readonly kind: 'answer'; readonly text: string } | { readonly kind: 'cancelled' };

/** Asks for a line; a wrong one is explained and taken away before the next, Esc gives the question up. */
export const linePrompt = createPrompt<LineAnswer, LineQuestion>((question, done) => {
  const { message, proposal, fault, declines } = question;
  const [value, setValue] = useState('');
  const [below, setBelow] = useState('');
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const theme = makeTheme();
  const isNo = status === 'done' && declines?.(value) === true;
  const prefix = usePrefix({ status: isNo ? 'idle' : status, theme });
  useKeypress((key, line) => {
    if (status === 'done') return;
    if (key.name === 'escape') {
      line.clearLine(0);
      setValue('');
      done({ kind: 'cancelled' });
      return;
    }
    if (!isEnterKey(key)) {
      setValue(line.line);
      setBelow('');
      return;
    }
    const text = value === '' ? (proposal ?? '') : value;
    const wrong = text === '' && proposal === undefined ? 'a value is needed' : fault(text);
    if (wrong === undefined) {
      setValue(text);
      setStatus('done');
      done({ kind: 'answer', text });
      return;
    }
    setValue('');
    setBelow(theme.style.error(wrong));
  });
  const proposed =
    proposal !== undefined && proposal !== '' && value === '' ? ` ${theme.style.defaultAnswer(proposal)}` : '';
  return [`${prefix} ${theme.style.message(message, status)}${proposed} ${value}`, below];
});
