const LONGEST_REQUEST_LINE = 4095;
const MOST_HEADER_BYTES = 8191;

/** Whether the request line passes the router's limit (docs/platform.md 0.4). */
export function lineIsTooLong(method: string, path: string): boolean {
  return `${method} ${path} HTTP/1.1`.length > LONGEST_REQUEST_LINE;
}

/** The headers that the router keeps, by lower-case name, and whether it dropped any. */
export interface KeptHeaders {
  readonly headers: Readonly<Record<string, string>>;
  readonly dropped: boolean;
}

/** Drops the header with which all lines pass 8191 bytes, and every later one. Of a repeated header the first stays. */
export function keptHeaders(raw: readonly string[], limited: boolean): KeptHeaders {
  const headers: Record<string, string> = {};
  let bytes = 0;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const [name = '', value = ''] = raw.slice(index, index + 2);
    bytes += name.length + value.length + 2;
    if (limited && bytes > MOST_HEADER_BYTES) return { headers, dropped: true };
    headers[name.toLowerCase()] ??= value;
  }
  return { headers, dropped: false };
}
