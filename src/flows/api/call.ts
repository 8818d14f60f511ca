import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { parseJson } from '../../core/json/json.js';
import type { ApiAnswer } from '../../output/views/api.js';
import { sendCall } from '../../services/api/send-call.js';
import { writtenCall, type CallLine } from './written-call.js';

/** An answer with secrets hidden, or with `isRaw` the bytes as they came. */
export type Called = { readonly raw: Buffer } | { readonly answer: ApiAnswer };

function valueOf(text: string): unknown {
  if (!/^\s*[[{"]/u.test(text)) return text;
  try {
    return parseJson(Buffer.from(text), 'the response');
  } catch {
    return text;
  }
}

/** Sends a request that a person wrote, after a yes for anything but a GET. */
export async function callPlatform(
  line: CallLine,
  isRaw: boolean,
  context: Pick<CommandContext, 'consent' | 'platform'>,
  { signal, terminal }: Pick<Session, 'signal' | 'terminal'>,
): Promise<Called> {
  const call = await writtenCall(line, { signal });
  const { platform, url, context: name } = await context.platform();
  const { method, path } = call;
  if (method !== 'GET') await context.consent.ask({ deed: `send ${method} ${path}`, target: { url, context: name } });
  const { status, contentType, bytes } = await sendCall(platform, call, signal);
  if (isRaw) return { raw: bytes };
  const text = terminal.hide(bytes.toString('utf8')).replace(/\r?\n$/u, '');
  const type = contentType === undefined ? undefined : terminal.hide(contentType);
  return { answer: { method, path, status, contentType: type, body: valueOf(text), text } };
}
