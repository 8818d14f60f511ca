import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess } from '../../support/processes/in-process.js';
import { atMirror, plugin, treeOf, type MirrorSite } from '../../support/sites/mirror-site.js';
import { DEPTH, draw } from '../depth.js';

/** Each import reads a bundle and publishes what it has. */
const orders = (name: string): readonly (readonly number[])[] =>
  DEPTH === 'all' ? permutations([0, 1, 2, 3]) : draw(permutations([0, 1, 2, 3]), 6, name);

const permutations = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length < 2
    ? [items]
    : items.flatMap((item, at) => permutations(items.toSpliced(at, 1)).map((rest) => [item, ...rest]));

/** What is published one after the other: versions are added, changed where nobody verifies, removed, and come back. */
const statesOf = (policy: string): readonly (readonly ReturnType<typeof plugin>[])[] => {
  const changing = (content: string) => plugin('changing', policy === 'off' ? content : 'as it was');
  return [
    [plugin('one'), changing('first')],
    [plugin('one'), changing('second'), plugin('two')],
    [plugin('two'), changing('first'), plugin('three')],
    [plugin('one'), changing('second'), plugin('three'), plugin('four')],
  ];
};

interface Increments {
  readonly bundles: readonly string[];
  /** The files of the hub after each of them. */
  readonly states: readonly string[];
}

const contentOf = (folder: string): string =>
  !existsSync(folder)
    ? '[]'
    : JSON.stringify([...treeOf(folder)].map(([name, bytes]) => [name, bytes.toString('base64')]));

async function incrementsOf(site: MirrorSite, policy: string, index: boolean): Promise<Increments> {
  const { home, publish, mirror, folder } = site;
  const bundles: string[] = [];
  const states: string[] = [];
  for (const [at, packages] of statesOf(policy).entries()) {
    await publish(packages, { index });
    const bundle = join(home, `${at}.tar`);
    const since = bundles.at(-1);
    const more = since === undefined ? [] : ['--since', since];
    const made = await mirror('--verify', policy, '--prune', '--confirm', '99', '--bundle', bundle, ...more);
    expect(made.error).toBeUndefined();
    bundles.push(bundle);
    states.push(contentOf(folder));
  }
  return { bundles, states };
}

describe('four bundles, of which each has what is new', () => {
  it.each([
    { trusted: true, index: true, policy: 'require' },
    { trusted: false, index: false, policy: 'off' },
  ])('V26: lead to the last state in any order ($policy, with an index: $index)', ({ trusted, index, policy }) =>
    atMirror(
      async (site) => {
        const { home } = site;
        const [names, machine] = [readdirSync(home), join(home, 'machine')];
        mkdirSync(machine);
        for (const name of names) cpSync(join(home, name), join(machine, name), { recursive: true });
        const { bundles, states } = await incrementsOf(site, policy, index);
        for (const order of orders(policy)) {
          const own = join(home, order.join(''));
          cpSync(machine, own, { recursive: true });
          const closed = join(own, 'closed');
          let shown = -1;
          for (const [done, at] of order.entries()) {
            const words = ['--from', bundles[at] ?? '', '-D', closed, '--verify', policy, '--prune', '--confirm', '99'];
            const { error, terminal } = await runInProcess('hub:mirror', words, own);
            const told = [error, ...terminal.warnings].map((one) => one?.message ?? '').join();
            // Readers see nothing, or a state of the hub as it was, and none that is older than the one before.
            const state = contentOf(closed) === '[]' ? -1 : states.indexOf(contentOf(closed));
            expect([order, done, state === -1 ? contentOf(closed) : '[]', state >= shown]).toEqual([
              order,
              done,
              '[]',
              true,
            ]);
            shown = state;
            const latest = Math.max(...order.slice(0, done + 1));
            const isWhole = order.slice(0, done + 1).filter((one) => one <= latest).length === latest + 1;
            // It is the latest one, or files are missing; where all earlier ones came, none are.
            expect([order, done, told.includes('are missing and must come from other bundles')]).toEqual([
              order,
              done,
              state !== latest,
            ]);
            if (isWhole) expect([order, done, state]).toEqual([order, done, latest]);
            expect([undefined, 'PARTIAL']).toContain(error?.code);
          }
        }
      },
      { trusted, index },
    ),
  );
});
