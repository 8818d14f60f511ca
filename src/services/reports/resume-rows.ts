const QUOTE = 0x22;
const LINE_FEED = 0x0a;

/** Counts the rows of a text that comes in pieces. */
export interface RowCounter {
  take(piece: Uint8Array): void;
  /** Rows that have their end. */
  readonly rows: number;
  /** The text ends with the end of a row. */
  readonly whole: boolean;
}

/** Counts rows of csv, whose quoted cells may hold line ends, or lines of ndjson. */
export function countRows(format: 'csv' | 'ndjson'): RowCounter {
  const quotes = format === 'csv';
  let rows = 0;
  let quoted = false;
  let last = LINE_FEED;
  return {
    take: (piece) => {
      for (const byte of piece) {
        if (byte === QUOTE && quotes) quoted = !quoted;
        else if (byte === LINE_FEED && !quoted) rows += 1;
      }
      last = piece.at(-1) ?? last;
    },
    get rows() {
      return rows;
    },
    get whole() {
      return !quoted && last === LINE_FEED;
    },
  };
}
