/** What is known about the place where text will be read. */
export interface Look {
  /** Whether it is a terminal: only there text is cut, coloured and redrawn. */
  readonly terminal: boolean;
  readonly color: boolean;
  /** Characters in a line; undefined = do not cut. */
  readonly columns: number | undefined;
  /** Whether more than ASCII can be shown. */
  readonly unicode: boolean;
  /** Times in UTC, not in the local zone. */
  readonly utc: boolean;
}

const PAINTS = { red: 31, green: 32, yellow: 33, magenta: 35, cyan: 36, bold: 1, dim: 2 } as const;

/** A colour, or another way to stand out. */
export type Style = keyof typeof PAINTS;

/** Colours a text where colour is wanted; never the only sign of a state. */
export function paint(look: Look, style: Style, text: string): string {
  return look.color ? `\u001b[${PAINTS[style]}m${text}\u001b[0m` : text;
}
