import { CliError } from '../core/errors.js';
import type { Connect } from './connect.js';

const PATIENCE = 2000;

/**
 * For a read over plain http that was cut off before any answer: asks whether a server of https stands there, many of
 * which close without a word (docs/faults.md N16). Returns the better error then, else the given one.
 */
export async function explainSilence(error: unknown, url: URL, connect: Connect): Promise<unknown> {
  if (!(error instanceof CliError) || error.code !== 'NET_RESET' || url.protocol !== 'http:') return error;
  const secure = new URL(`https://${url.hostname}:${url.port === '' ? '80' : url.port}`);
  if (!(await speaksTls(secure, connect))) return error;
  return new CliError('NET_PROTO', `${url.origin} requires https`, {
    ...error.details,
    hints: [`use https://${url.host}`],
  });
}

async function speaksTls(url: URL, connect: Connect): Promise<boolean> {
  try {
    (await connect(url, PATIENCE)).destroy();
    return true;
  } catch (error) {
    return error instanceof CliError && error.code === 'TLS';
  }
}
