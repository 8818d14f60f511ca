import { expect, vi } from 'vitest';

/**
 * Removes the namespace of a case, with all that is in it.
 *
 * What a stopped workflow has begun ends after it, and holds the namespace until then. One that is held for longer
 * stays, with a warning: no case is about that.
 */
export async function removeNamespace(
  platform: string,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const url = `${platform}/v3/unrecoverable/namespaces/${name}`;
  let last = { status: 0, text: '' };
  const remove = async (): Promise<void> => {
    const answer = await fetch(url, { method: 'DELETE', headers });
    last = { status: answer.status, text: await answer.text() };
    expect(last).toMatchObject({ status: 200 });
  };
  await vi.waitFor(remove, { timeout: 120_000, interval: 1000 }).catch(() => {
    expect(last, url).toMatchObject({ status: 409 });
    console.warn(`namespace ${name} stays: ${last.text}`);
  });
}
