/** The values of `--output` (docs/conventions.md 2.3). Every format but `table` and `wide` is a contract. */
export const FORMATS = ['table', 'wide', 'json', 'ndjson', 'yaml', 'csv', 'name'] as const;

/** One of the output formats. */
export type Format = (typeof FORMATS)[number];

/** Whether a text names an output format. */
export function isFormat(text: string | undefined): text is Format {
  return FORMATS.some((format) => format === text);
}

/** Whether a format is read by programs that expect failures in it, too. */
export function isMachineFormat(format: Format): format is 'json' | 'ndjson' | 'yaml' {
  return format === 'json' || format === 'ndjson' || format === 'yaml';
}
