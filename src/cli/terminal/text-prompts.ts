import { createPrompt, isEnterKey, isTabKey, useKeypress, usePrefix, useState } from '@inquirer/core';
import { visible } from '../../output/escape.js';
import { completePath } from '../line/local-path.js';
import type { PromptTheme } from './prompt-theme.js';

interface LineQuestion {
  readonly message: string;
  readonly theme: PromptTheme;
  /** Taken for an empty line; without it one is asked again. */
  readonly proposal: string | undefined;
  /** What is wrong with an answer; then the question is asked again. */
  readonly fault: (text: string) => string | undefined;
  /** Whether an answer ends the question without a tick. */
  readonly declines?: (text: string) => boolean;
  /** What is typed is not shown. */
  readonly isSecret?: boolean;
}

/** Asks for a line; a wrong one is explained and taken away before the next. */
export const linePrompt = createPrompt<string, LineQuestion>((question, done) => {
  const { message, theme, proposal, fault, declines, isSecret } = question;
  const [value, setValue] = useState('');
  const [below, setBelow] = useState('');
  const [status, setStatus] = useState<'idle' | 'done'>('idle');
  const isNo = status === 'done' && declines?.(value) === true;
  const prefix = usePrefix({ status: isNo ? 'idle' : status, theme });
  useKeypress((key, line) => {
    if (status === 'done') return;
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
      done(text);
      return;
    }
    setValue('');
    setBelow(theme.style.error(visible(wrong)));
  });
  const proposed =
    proposal !== undefined && proposal !== '' && value === '' ? ` ${theme.style.defaultAnswer(visible(proposal))}` : '';
  return [`${prefix} ${theme.style.message(message)}${proposed} ${isSecret === true ? '' : visible(value)}`, below];
});

interface PathQuestion {
  readonly message: string;
  readonly theme: PromptTheme;
  readonly home: string | undefined;
  /** True, or what is wrong with the path; then the question is asked again. */
  readonly validate: (path: string) => Promise<true | string>;
}

/** Asks for a path on this machine. Tab completes as in a shell; an invalid path is explained and asked for again. */
export const pathPrompt = createPrompt<string, PathQuestion>((question, done) => {
  const [value, setValue] = useState('');
  const [below, setBelow] = useState('');
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle');
  const { message, theme } = question;
  const prefix = usePrefix({ status, theme });
  useKeypress(async (key, line) => {
    if (status !== 'idle') return;
    if (isTabKey(key)) {
      const { text, candidates } = completePath(value, question.home);
      line.clearLine(0);
      line.write(text);
      setValue(text);
      setBelow(candidates.slice(0, 20).join('  '));
      return;
    }
    if (!isEnterKey(key)) {
      setValue(line.line);
      setBelow('');
      return;
    }
    setStatus('loading');
    // What Tab offered is no news any more.
    setBelow('');
    const verdict = await question.validate(value);
    if (verdict === true) {
      setStatus('done');
      done(value);
      return;
    }
    line.write(value);
    setBelow(theme.style.error(verdict));
    setStatus('idle');
  });
  return [`${prefix} ${message} ${value}`, below];
});
