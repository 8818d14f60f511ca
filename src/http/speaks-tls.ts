import { CliError } from '../core/errors.js';
import type { Connect } from './connect.js';

const PATIENCE = 2000;

/**
 * Explains a connection reset over plain http if the server turns out to speak https. For reads without any answer:
 * many https servers just close the connection (docs/faults.md N16). Any other error is returned as it is.
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
