import { expect } from 'vitest';

/**
 * The token answer of the auth server that a platform names, for an account `NAME:PASSWORD`: of a token that outlives the
 * tests, whatever the platform has for others.
 */
export async function signIn(platform: string, account: string): Promise<string> {
  const refused = await fetch(`${platform}/v3/version`);
  expect(refused.status).toBe(401);
  const { auth_uri: addresses } = (await refused.json()) as { auth_uri: string[] };
  const authorization = `Basic ${Buffer.from(account).toString('base64')}`;
  const given = await fetch((addresses[0] ?? '').replace(/token$/u, 'extendedtoken'), { headers: { authorization } });
  expect(given.status).toBe(200);
  return given.text();
}
