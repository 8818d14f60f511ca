/** The values of `--output` (`cli.md` 2.3); every format but `table` and `wide` is a contract. */
export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name'] as const;

/** One of the output formats. */
export type Format = (typeof FORMATS)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a text names an output format. */
export function isFormat(text: string | undefined): text is Format {
  return FORMATS.some((format) => format === text);
}

/** The format that a command line asks for, found without parsing it, so that a wrong line still fails in the format that was asked for. */
export function formatOf(argv: readonly string[], env: Environment): Format {
  let found: string | undefined;
  for (const [at, argument] of argv.entries()) {
    if (argument === '--') break;
    if (argument === '--json') found = 'json';
    else if (argument === '--output') found = argv[at + 1];
    else if (argument.startsWith('--output=')) found = argument.slice('--output='.length);
    else found = shortOutput(argument, argv[at + 1]) ?? found;
  }
  if (isFormat(found)) return found;
  if (/^(?:1|true|y|yes)$/iu.test(env['CDAPCTL_JSON'] ?? '')) return 'json';
  const fromEnvironment = env['CDAPCTL_OUTPUT'];
  return isFormat(fromEnvironment) ? fromEnvironment : 'table';
}

/** Whether a format is read by programs that expect failures in it, too. */
export function isMachineFormat(format: Format): format is 'json' | 'ndjson' | 'yaml' {
  return format === 'json' || format === 'ndjson' || format === 'yaml';
}

function shortOutput(argument: string, next: string | undefined): string | undefined {
  const match = /^-[qvy]*o=?(.*)$/u.exec(argument);
  if (match === null) return undefined;
  return match[1] === '' ? next : match[1];
}
