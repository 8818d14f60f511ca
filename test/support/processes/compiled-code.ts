import { existsSync } from 'node:fs';
import { link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Names the folder with the compiled code that the homes of one run of tests share; `build.ts` makes it and removes it. */
export const SHARED_CODE = 'CDAPCTL_TEST_CODE';

const codeOf = (home: string): string => join(home, '.cache', 'cdapctl', 'code');

/** Gives a new home the code that earlier starts have compiled; a home that has a cache already keeps it as it is. */
export async function lendCode(home: string): Promise<void> {
  const shared = process.env[SHARED_CODE];
  if (shared === undefined || existsSync(codeOf(home))) return;
  await mkdir(codeOf(home), { recursive: true, mode: 0o700 });
  await linkAll(shared, codeOf(home));
}

/** Keeps what a start has compiled for the homes to come. */
export async function keepCode(home: string): Promise<void> {
  const shared = process.env[SHARED_CODE];
  if (shared !== undefined) await linkAll(codeOf(home), shared);
}

async function linkAll(from: string, to: string): Promise<void> {
  const names = await readdir(from).catch(() => []);
  const whole = names.filter((name) => name.endsWith('.bin'));
  await Promise.all(whole.map((name) => link(join(from, name), join(to, name)).catch(() => undefined)));
}
