/** The values of `--output` (`cli.md` 2.3); every format but `table` and `wide` is a contract. */
export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name'] as const;

/** One of the output formats. */
export type Format = (typeof FORMATS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a text names an output format. */
export function isFormat(text: string | undefined): text is Format {
  return FORMATS.some((format) => format === text);
}

/** The format that a command line asks for, found without parsing it, so that a wrong line still fails in the format that was asked for; `--json` wins. */
export function formatOf(argv: readonly string[], env: Environment): Format {
  const end = argv.indexOf('--');
  const words = end === -1 ? argv : argv.slice(0, end);
  if (words.some((word) => word === '--json' || word.startsWith('--json='))) return 'json';
  const found = words.map((word, at) => outputOf(word, words[at + 1])).findLast(isFormat);
  if (found !== undefined) return found;
  if (/^(?:1|true|y|yes)$/iu.test(env['CDAPCTL_JSON'] ?? '')) return 'json';
  const fromEnvironment = env['CDAPCTL_OUTPUT'];
  return isFormat(fromEnvironment) ? fromEnvironment : 'table';
}

/** Whether a format is read by programs that expect failures in it, too. */
export function isMachineFormat(format: Format): format is 'json' | 'ndjson' | 'yaml' {
  return format === 'json' || format === 'ndjson' || format === 'yaml';
}

/** The value of `--output` or `-o`, which may stand behind letters of flags without a value. */
function outputOf(word: string, next: string | undefined): string | undefined {
  const value = /^(?:--output(?:=|$)|-[Aqvy]*o=?)(.*)$/su.exec(word)?.[1];
  return value === '' ? next : value;
}
