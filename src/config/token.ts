import type { Readable } from 'node:stream';
import * as z from 'zod/mini';
import { CliError } from '../core/errors.js';
import type { ConfigWarning } from './warning.js';
import { decode, readTextFile } from '../core/files/read-bounded.js';
import { readStream } from '../core/files/read-stream.js';
import { shellWord } from '../core/shell-word.js';

const MOST = 64 * 1024;
const ONE_LINE = 'the file must have one line with the token, or the JSON response of the authentication server';
const Text = z.optional(z.string());
/** What CDAP, plug-ins of kubectl (in `status`) and gcloud (in `credential`) answer. */
const TokenAnswer = z.looseObject({
  access_token: Text,
  token: Text,
  expires_in: z.catch(z.optional(z.coerce.number()), undefined),
  expiry: Text,
  expirationTimestamp: Text,
  token_expiry: Text,
});
const Wrapped = z.looseObject({ status: z.optional(z.unknown()), credential: z.optional(z.unknown()) });
/** What the platform's own CLI keeps (docs/platform.md 10.2). */
const Kept = z.looseObject({
  accessToken: z.looseObject({ value: z.string(), expiresIn: z.catch(z.optional(z.coerce.number()), undefined) }),
  username: Text,
});

/** A token with what an answer or a file says of it; `expiresAt` in milliseconds since the epoch. */
export interface GivenToken {
  readonly token: string;
  readonly expiresAt?: number;
  readonly user?: string;
}

/** Where a token is read from. */
export interface TokenSource {
  /** A path, or `-` for stdin. */
  readonly file: string;
  readonly stdin: Readable;
  /** Ends the wait for stdin. */
  readonly signal: AbortSignal;
  /** Refuse a file that other users can read, instead of warning. */
  readonly strict: boolean;
  /** `--allow-loose-permissions`: strict or not, other users may read the file, and nothing is said. */
  readonly loosePermissions: boolean;
}

function bad(source: string, why: string, hint?: string): CliError {
  // No cause: the messages of parsers quote what they parse (docs/faults.md L17).
  return new CliError('TOKEN_BAD', `the token ${source} ${why}`, {
    hints: hint === undefined ? [] : [hint],
    target: { source },
  });
}

/** The member of a JSON answer that holds the token, with what is said of its life. */
function answerIn(json: string, source: string): z.infer<typeof TokenAnswer> & { readonly user?: string | undefined } {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw bad(
      source,
      'is invalid JSON',
      'use the unchanged token response of the authentication server, or only the token',
    );
  }
  const { accessToken, username } = Kept.safeParse(value).data ?? {};
  if (accessToken !== undefined)
    return { access_token: accessToken.value, expires_in: accessToken.expiresIn, user: username };
  const { status, credential } = Wrapped.safeParse(value).data ?? {};
  for (const place of [value, status, credential]) {
    const { data } = TokenAnswer.safeParse(place);
    if (data?.access_token !== undefined || data?.token !== undefined) return data;
  }
  throw bad(source, 'is JSON without a string member access_token or token');
}

/**
 * The token in a raw text or in a JSON token answer (docs/faults.md L14 to L17). `expiresAt` is in milliseconds since
 * the epoch, where the answer tells it; `since` is when it was given. `source` completes "the token ..." in TOKEN_BAD,
 * which never quotes it.
 */
export function timedToken(text: string, source: string, since: number): GivenToken {
  const trimmed = text.replace(/^\uFEFF/u, '').trim();
  if (!trimmed.startsWith('{')) return { token: tokenIn(trimmed, source) };
  const answer = answerIn(trimmed, source);
  const { user, expires_in: seconds, expiry = answer.expirationTimestamp ?? answer.token_expiry ?? '' } = answer;
  const expiresAt = seconds === undefined ? Date.parse(expiry) : since + seconds * 1000;
  const token = tokenIn(answer.access_token ?? answer.token ?? '', source);
  return { token, ...(Number.isFinite(expiresAt) && { expiresAt }), ...(user !== undefined && { user }) };
}

/** The token alone, as `timedToken` finds it. */
export const tokenFromText = (text: string, source = 'that was given'): string => timedToken(text, source, 0).token;

function tokenIn(raw: string, source: string): string {
  const token = raw.replace(/^(?:bearer(?:\s+|$))+/iu, '').trim();
  if (token === '') throw bad(source, 'is empty', ONE_LINE);
  if (/[\r\n]/u.test(token)) throw bad(source, 'has more than one line', ONE_LINE);
  if (/\s/u.test(token)) throw bad(source, 'has white space');
  if (/[^\u0021-\u007e]/u.test(token)) throw bad(source, 'has invalid characters');
  return token;
}

async function textOfStdin({ stdin, signal }: TokenSource, source: string): Promise<string> {
  const text = decode(await readStream(stdin, MOST, (why) => bad(source, why), signal));
  if (text === undefined) throw bad(source, 'is not UTF-8 text');
  return text;
}

/** A token, and what was odd about its file. Its end is counted from the last change of the file. */
export interface ReadToken extends GivenToken {
  readonly warnings: readonly ConfigWarning[];
}

/** Whether somebody gave a token where its file belongs; it must not be shown then. */
export function looksLikeToken(file: string): boolean {
  return /^[\w+/=~-][\w+/=.~-]{31,}$/u.test(file) && !/^(?:[.~/]|[A-Za-z]:[\\/])|\.[a-z]{2,8}$/u.test(file);
}

/**
 * Reads a token from a file or stdin (docs/conventions.md 2.11).
 * @throws TOKEN_BAD, or LOCAL_IO when the system does not let us read the file
 */
export async function readToken(from: TokenSource): Promise<ReadToken> {
  if (from.file === '-') {
    return { token: tokenFromText(await textOfStdin(from, 'on stdin'), 'on stdin'), warnings: [] };
  }
  const source = `in ${from.file}`;
  const found = await readTextFile(from.file, MOST);
  if (found.kind === 'absent') {
    if (looksLikeToken(from.file))
      throw new CliError('LOCAL_IO', 'the token file does not exist; the value looks like a token, not like a path', {
        hints: ['save the token in a file with mode 600 and specify that file'],
      });
    throw new CliError('LOCAL_IO', `the token file ${from.file} does not exist`, {
      hints: [{ next: 'correct-token-file' }],
      target: { file: from.file },
    });
  }
  if (found.kind === 'unusable') throw bad(source, `cannot be read: the file ${found.why}`);
  const warnings: ConfigWarning[] = [];
  if ((found.mode & 0o077) !== 0 && !from.loosePermissions) {
    const message = `the token file ${from.file} can be read or changed by other users`;
    if (from.strict)
      throw new CliError('TOKEN_BAD', message, {
        hints: [`chmod 600 ${shellWord(from.file)}`],
        target: { file: from.file },
      });
    warnings.push({ code: 'TOKEN_READABLE', message: `${message}; to fix: chmod 600 ${shellWord(from.file)}` });
  }
  return { ...timedToken(found.text, source, found.changedAt), warnings };
}
