import { describe, expect, it } from 'vitest';
import { EXAMPLES, testExamples } from '../support/help-examples.js';
import { openShell, plainWords } from '../support/processes/shell.js';

describe('the examples of the help', () => {
  testExamples(0);

  it('are taken apart as a shell does', async () => {
    const plain = EXAMPLES.map(([, example]) => example).filter((example) => plainWords(example) !== undefined);
    expect(plain.length).toBeGreaterThan(200);
    const shell = await openShell();
    const script = plain.map((example) => example.replace(/^cdapctl/u, "printf '%s\\n'")).join('\n');
    const { output } = await shell.run(script, shell.root);
    await shell.close();
    expect(output.trimEnd().split('\n')).toEqual(plain.flatMap((example) => plainWords(example)));
    for (const line of ['cdapctl a | b', 'cdapctl "$a"', 'cdapctl a > b', 'cdapctl ~/a', 'gpg a'])
      expect(plainWords(line)).toBeUndefined();
  });
});
