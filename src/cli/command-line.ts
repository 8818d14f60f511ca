const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** A command of this tool as a person would type it into a shell, for hints. */
export const commandLine = (argv: readonly string[]): string => ['cdapctl', ...argv].map(quoted).join(' ');
