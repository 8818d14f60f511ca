/** A word as a person would type it into a shell: in quotes where the shell would read more than a word. */
export const shellWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
