/** A request that was answered, or the beginning of one that was refused. */
export interface Access {
  /** Address of the client, as far as it is known. */
  readonly address: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Method, target and version; absent when they could not be read. */
  readonly asked?: Readonly<Record<'method' | 'target' | 'version', string>> | undefined;
  readonly status: number;
  /** Bytes of the body that were sent. */
  readonly bytes: number;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const LONGEST_TARGET = 2048;
const MASK = '***';

/** A request as a line of the common log format, in UTC, with its line end. */
export function accessLine({ address = '-', at, asked, status, bytes }: Access): string {
  const what = asked === undefined ? '-' : `${asked.method} ${shownTarget(asked.target)} HTTP/${asked.version}`;
  return `${address} - - [${timeText(at)}] "${what}" ${status} ${bytes === 0 ? '-' : bytes}\n`;
}

// No file of a hub needs a query or a user: whoever sends one may have meant a secret for another server.
function shownTarget(target: string): string {
  const [path = '', ...query] = target.split('?');
  const shown = path.replace(/^([^/]*\/\/)[^/]*@/u, `$1${MASK}@`);
  const short = shown.length > LONGEST_TARGET ? `${shown.slice(0, LONGEST_TARGET)}...` : shown;
  return `${short.replace(/[^\x21-\x7e]|["\\]/gu, escaped)}${query.length === 0 ? '' : `?${MASK}`}`;
}

const escaped = (character: string): string =>
  [...Buffer.from(character, 'latin1')].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

function timeText(at: number): string {
  const [day = '', time = ''] = new Date(at).toISOString().split(/[T.]/u);
  const [year = '', month = '', date = ''] = day.split('-');
  return `${date}/${MONTHS[Number(month) - 1] ?? ''}/${year}:${time} +0000`;
}
