import { createPrompt, isEnterKey, isTabKey, makeTheme, useKeypress, usePrefix, useState } from '@inquirer/core';
import { completePath } from './path-completion.js';

interface PathQuestion {
  readonly message: string;
  readonly home: string | undefined;
  /** True, or what is wrong with the path; then the question is asked again. */
  readonly validate: (path: string) => Promise<true | string>;
}

/** Asks for a path on this machine: Tab completes as in a shell, a wrong one is explained and asked for again. */
export const pathPrompt = createPrompt<string, PathQuestion>((question, done) => {
  const [value, setValue] = useState('');
  const [below, setBelow] = useState('');
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle');
  const theme = makeTheme();
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
    const verdict = await question.validate(value);
    if (verdict === true) {
      setBelow('');
      setStatus('done');
      done(value);
      return;
    }
    line.write(value);
    setBelow(theme.style.error(verdict));
    setStatus('idle');
  });
  return [`${prefix} ${question.message} ${value}`, below];
});
