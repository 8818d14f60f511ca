import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pluginJar } from '../../support/sites/pack-jars.js';
import { ROOT, runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { DEPTH, draw } from '../depth.js';

const PRELOAD = join(ROOT, 'test/support/processes/kill-at-write.cjs');
const LINE = ['hub', 'pack', 'acme.jar', '-D', 'hub', '--parent', 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)'];
/** What the package says of when it was made, in seconds; it must survive. */
const CREATED = 1_700_000_000;
const PACKAGE = ['acme-plugins-1.2.0.jar', 'acme-plugins-1.2.0.json', 'spec.json'];
/** What would take the rest of the tree for all of it. */
const REFUSED = [
  ['build', 'hub'],
  ['lint', 'hub'],
  ['publish', 'hub', 'public'],
];

interface Place {
  readonly folder: string;
  readonly pack: (label: string, env?: Readonly<Record<string, string>>) => Promise<RunResult>;
  /** The label of the package, if it is there; its folder is whole, and of the time at which it was first made. */
  readonly label: () => string | undefined;
  readonly run: (...line: readonly string[]) => Promise<RunResult>;
}

/** A hub with the package of a JAR, called `Old`. */
async function withPackage(use: (place: Place) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    writeFileSync(join(home, 'acme.jar'), pluginJar());
    const folder = join(home, 'hub');
    const version = join(folder, 'packages', 'acme-plugins', '1.2.0');
    const place: Place = {
      folder,
      pack: (label, env = {}) => runCli([...LINE, '--label', label, '--clobber'], { home, cwd: home, env }),
      run: (...line) => runCli(line, { home, cwd: home }),
      label: () => {
        if (!existsSync(version)) return undefined;
        expect(readdirSync(version)).toEqual(PACKAGE);
        expect(readFileSync(join(version, PACKAGE[0] ?? ''))).toEqual(pluginJar());
        const text = readFileSync(join(version, 'spec.json'), 'utf8');
        const { label, created } = JSON.parse(text) as { label: string; created: number };
        expect(created).toBe(CREATED);
        return label;
      },
    };
    expect((await place.pack('Old')).code).toBe(0);
    const spec = join(version, 'spec.json');
    writeFileSync(spec, readFileSync(spec, 'utf8').replace(/"created": \d+/u, `"created": ${CREATED}`));
    await use(place);
  });
}

it(`V27: hub pack is killed at any write: a package is there as a whole or set aside, which nobody builds or publishes, and a second run finishes (${DEPTH} points)`, async () => {
  let log: readonly string[] = [];
  await withPackage(async ({ folder, pack }) => {
    const file = join(folder, '..', 'writes.log');
    const env = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folder, KILL_LOG: file };
    expect((await pack('New', env)).code).toBe(0);
    log = readFileSync(file, 'utf8').trimEnd().split('\n');
  });
  expect(log.slice(-6)).toEqual(['rename', 'rename', 'sync', 'rename', 'rm', 'rm']);
  const all = log.flatMap((kind, at) =>
    (kind === 'write' ? ['before', 'half'] : ['before', 'after']).map((moment) => ({ at: at + 1, moment })),
  );
  const between = { at: log.length - 5, moment: 'after' };
  const points = DEPTH === 'all' ? all : [...draw(all, 4, 'hub pack'), between];
  for (const { at, moment } of points)
    await withPackage(async ({ folder, pack, label, run }) => {
      const env = {
        NODE_OPTIONS: `--require=${PRELOAD}`,
        KILL_FOLDER: folder,
        KILL_N: String(at),
        KILL_MOMENT: moment,
      };
      expect((await pack('New', env)).signal, 'the run ended before it was killed').toBe('SIGKILL');
      expect(at === between.at && moment === 'after' ? [undefined] : ['Old', 'New', undefined]).toContain(label());
      for (const line of label() === undefined ? REFUSED : []) {
        const { code, stderr } = await run('hub', ...line);
        expect([code, stderr]).toEqual([12, expect.stringContaining('packages/acme-plugins/1.2.0 was moved aside')]);
      }
      expect((await pack('New')).code).toBe(0);
      expect(label()).toBe('New');
      expect(readdirSync(join(folder, 'packages'))).toEqual(['acme-plugins']);
    });
});
