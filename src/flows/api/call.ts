import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { formatOf } from '../../cli/line/argv.js';
import { parseJson } from '../../core/json/json.js';
import { CliError } from '../../core/errors.js';
import { visibleLines } from '../../output/escape.js';
import { isMachineFormat } from '../../output/format.js';
import { answerJson, headOf, type ApiAnswer } from '../../output/views/api.js';
import type { WrittenCall } from '../../platform/access/any-call.js';
import type { Platform } from '../../platform/client.js';
import { CHECK_FIRST, sendCall, sendPages } from '../../services/api/send-call.js';
import { beginWrite } from '../writing.js';
import { writtenCall, type CallLine } from './written-call.js';

/** An answer with secrets hidden, and with `isRaw` the bytes as they came; for a terminal their text. */
export interface Called {
  readonly raw: Buffer | string | undefined;
  readonly answer: ApiAnswer;
  /** Of an answer that is not a success. */
  readonly failure: CliError | undefined;
}

function valueOf(text: string): unknown {
  if (!/^\s*[[{"]/u.test(text)) return text;
  try {
    return parseJson(Buffer.from(text), 'the response');
  } catch {
    return text;
  }
}

/** What is shown of an answer: its bytes as they came, status and headers, all pages. */
export interface ShownAs {
  readonly isRaw: boolean;
  readonly include: boolean;
  readonly paginate: boolean;
}

/**
 * Sends a request that a person wrote, after a yes for anything but a GET.
 * @throws USAGE for pages of a write
 */
export async function callPlatform(
  line: CallLine,
  { isRaw, include, paginate }: ShownAs,
  context: Pick<CommandContext, 'consent' | 'platform'>,
  session: Pick<Session, 'signal' | 'terminal' | 'writing'>,
): Promise<Called> {
  const { signal, terminal } = session;
  const call = await writtenCall(line, session);
  const { method, path } = call;
  if (paginate && method !== 'GET') throw new CliError('USAGE', '--paginate is for a GET');
  const { platform, url, context: name } = await context.platform();
  if (method !== 'GET') await context.consent.ask({ deed: `send ${method} ${path}`, target: { url, context: name } });
  const pages = paginate
    ? await sendPages(platform, call, signal)
    : ([await (method === 'GET' ? sendCall(platform, call, signal) : sendWrite(platform, call, session))] as const);
  const [{ status, contentType }] = pages;
  const hidden = ([key, value]: readonly [string, string]) => [key, terminal.hide(value)] as const;
  const headers = include ? Object.fromEntries(Object.entries(pages[0].headers).map(hidden)) : undefined;
  const bytes = pages.flatMap((page, at) => (at === 0 ? [page.bytes] : [Buffer.from('\n'), page.bytes]));
  const head = headOf({ status, headers }).map((text) => Buffer.from(`${text}\n`));
  const plain = isRaw ? Buffer.concat([...head, ...bytes]) : undefined;
  const raw = plain && terminal.stdout.terminal ? `${visibleLines(plain.toString('utf8').trimEnd())}\n` : plain;
  const texts = pages.map((page) => terminal.hide(page.bytes.toString('utf8')).replace(/\r?\n$/u, ''));
  const type = contentType === undefined ? undefined : terminal.hide(contentType);
  const body = paginate ? texts.map(valueOf) : valueOf(texts.join(''));
  const answer = {
    method,
    path: terminal.hide(path),
    status,
    contentType: type,
    headers,
    body,
    text: texts.join('\n'),
  };
  return { raw, answer, failure: pages.at(-1)?.failure };
}

/**
 * Shows an answer: its body, also if it is not a success.
 * @throws the error of an answer that is not a success
 */
export async function showCalled(
  { raw, answer, failure }: Called,
  { argv, env, terminal }: Pick<Session, 'argv' | 'env' | 'terminal'>,
  show: (answer: ApiAnswer) => Promise<void>,
): Promise<void> {
  const isOneDocument = failure !== undefined && isMachineFormat(formatOf(argv, env));
  if (!isOneDocument) await (raw === undefined ? show(answer) : terminal.write(raw));
  if (failure === undefined) return;
  // Its words are on stdout already.
  const more = isOneDocument ? { item: answerJson(answer) } : { serverSaid: undefined };
  throw new CliError(failure.code, failure.message, { ...failure.details, ...more });
}

async function sendWrite(platform: Platform, call: WrittenCall, session: Pick<Session, 'signal' | 'writing'>) {
  session.signal.throwIfAborted();
  // Never aborts: the first Ctrl-C lets the request in flight end (docs/faults.md L26).
  const { signal } = new AbortController();
  const write = beginWrite(session, CHECK_FIRST);
  return sendCall(platform, call, signal).finally(write.end);
}
