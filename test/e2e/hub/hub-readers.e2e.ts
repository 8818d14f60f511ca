import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { watch } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../../support/processes/in-process.js';
import { withTempDir } from '../../support/processes/run-cli.js';
import { startCli } from '../../support/processes/running-cli.js';

const KEYS = resolve(import.meta.dirname, '../../fixtures/keys/signing');
const BUILD = ['build', './hub'];
const KEY = ['--key', 'ed25519.secret.asc'];
const SIGN = ['sign', './hub', ...KEY];
/** What a reader runs; without a key, of a hub that nobody has signed. */
const LIST = ['hub:list', '--hub', './hub'];
const PUBLIC = ['hub:list', '--hub', './public'];
const VERIFY = ['hub:verify', '--all', '--keyring', './ed25519.public.asc'];
const PUBLISH = ['publish', './hub', './public'];
const COPY = ['mirror', '-D', './copy', '--verify', 'warn'];
const OF_COPY = [...VERIFY, './copy', '--strict'];
const FIVE = [0, 1, 2, 3, 4].map((at) => `package-${at}`);

/** A command, what its reader reads, and how many packages are added before. */
interface Step {
  readonly line: readonly string[];
  readonly reads: readonly string[] | undefined;
  readonly added?: number;
}

interface Answer {
  readonly items?: readonly unknown[];
  readonly packages?: number;
}

const steps: Readonly<Record<string, readonly Step[]>> = {
  'hub build, without an index': [
    { line: BUILD, reads: LIST, added: 5 },
    { line: BUILD, reads: LIST, added: 10 },
  ],
  'hub sign, for the first time': [
    { line: BUILD, reads: undefined, added: 10 },
    { line: SIGN, reads: LIST },
  ],
  'hub sign, with another key and a new date': [
    { line: BUILD, reads: undefined, added: 10 },
    { line: SIGN, reads: undefined },
    { line: [...SIGN, '--key', 'rsa3072.secret.asc'], reads: [...VERIFY, './hub'] },
    { line: [...SIGN, '--key', 'rsa3072.secret.asc', '--refresh'], reads: [...VERIFY, './hub', '--strict'] },
  ],
  'hub publish, for the first time and again': [
    { line: BUILD, reads: undefined, added: 10 },
    { line: SIGN, reads: undefined },
    { line: PUBLISH, reads: PUBLIC },
    { line: BUILD, reads: undefined, added: 5 },
    { line: SIGN, reads: undefined },
    { line: PUBLISH, reads: [...VERIFY, './public', '--strict'] },
  ],
  'hub mirror of a part with a key of its own, and of a smaller part': [
    { line: BUILD, reads: undefined, added: 10 },
    { line: SIGN, reads: undefined },
    { line: [...COPY, '--hub', './hub', '--category', 'example', ...KEY], reads: OF_COPY },
    {
      line: [...COPY, '--hub', './hub', ...FIVE, ...KEY, '--prune', '--confirm', '5', '--grace', '2s'],
      reads: OF_COPY,
    },
  ],
  'hub mirror --from a bundle, and a later one': [
    { line: BUILD, reads: undefined, added: 5 },
    { line: SIGN, reads: undefined },
    { line: ['mirror', '--hub', './hub', '-D', './whole', '--bundle', './1.tar'], reads: undefined },
    { line: [...COPY, '--from', './1.tar'], reads: OF_COPY },
    { line: BUILD, reads: undefined, added: 10 },
    { line: SIGN, reads: undefined },
    { line: ['mirror', '--hub', './hub', '-D', './whole', '--bundle', './2.tar'], reads: undefined },
    { line: [...COPY, '--from', './2.tar'], reads: OF_COPY },
  ],
};

function countOf(json: string): number {
  const { items, packages = items?.length } = JSON.parse(json) as Answer;
  return packages ?? 0;
}

/** Whenever something changes in one of the hubs in a folder, until the end. */
async function* changesIn(folder: string, signal: AbortSignal): AsyncGenerator<void> {
  try {
    for await (const { filename } of watch(folder, { recursive: true, signal }))
      if (/^(?:hub|public|copy)\//u.test(filename ?? '')) yield;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

describe('a reader of the folder', () => {
  it.each(Object.keys(steps))('sees all of the old hub or of the new one beside %s', (of) =>
    withTempDir(async (home) => {
      for (const name of ['ed25519.secret.asc', 'ed25519.public.asc', 'rsa3072.secret.asc']) {
        copyFileSync(join(KEYS, name), join(home, name));
        chmodSync(join(home, name), 0o600);
      }
      let packages = 0;
      const counts = new Set<number>();
      const wrong: unknown[] = [];
      for (const { line, reads, added = 0 } of steps[of] ?? []) {
        for (const end = packages + added; packages < end; packages += 1) {
          const file = join(home, `hub/packages/package-${packages}/1.0.0/spec.json`);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, JSON.stringify({ label: 'A', categories: ['example'], actions: [], created: 1 }));
        }
        const cli = startCli(['hub', ...line], { home, env: {} });
        const over = new AbortController();
        const done = cli.ended.finally(() => {
          over.abort();
        });
        for await (const _ of reads === undefined ? [] : changesIn(home, over.signal)) {
          // A reader that has a key waits until a publication is complete.
          if (reads === LIST || reads === PUBLIC) cli.kill('SIGSTOP');
          const [id = '', ...words] = reads?.map((word) => (word.startsWith('./') ? join(home, word) : word)) ?? [];
          const { terminal, error } = await runInProcess(id, [...words, '--json'], home);
          cli.kill('SIGCONT');
          if (error === undefined) counts.add(countOf(terminal.out.join('')));
          else if (error.code !== 'HUB_NOT_FOUND') wrong.push([error.code, error.message]);
        }
        const { code, stderr } = await done;
        expect([code, stderr]).toEqual([0, expect.anything()]);
        expect(wrong).toEqual([]);
      }
      expect(counts.size).toBeGreaterThan(0);
      for (const count of counts) expect([5, 10, 15]).toContain(count);
    }),
  );
});
