import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const DOCUMENTS = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md'];
const ALLOWED = [
  /^bin\/(?:package\.json|run\.(?:js|cmd))$/u,
  /^dist\/(?:cdapctl|second)\.cjs$/u,
  /^dist\/NOTICE\.txt$/u,
  /^dist\/schemas\/\w+\.json$/u,
];

interface Packed {
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

describe('the package', () => {
  const output = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [packed] = JSON.parse(output) as [Packed];
  const paths = packed.files.map(({ path }) => path);

  it('holds the starter, the bundle, the manifest and the documents, and nothing else', () => {
    const others = paths.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)));
    const present = readdirSync(ROOT);
    expect(others.sort()).toEqual(
      ['oclif.manifest.json', 'package.json', ...DOCUMENTS.filter((name) => present.includes(name))].sort(),
    );
    expect(paths).toContain('bin/run.js');
  });

  it('T43: has one library at run time, unbundled and exactly pinned, and runs no script on installation', () => {
    const manifest = JSON.parse(
      execFileSync(process.execPath, ['-p', 'JSON.stringify(require("./package.json"))'], {
        cwd: ROOT,
        encoding: 'utf8',
      }),
    ) as {
      dependencies: Record<string, string>;
      scripts: Record<string, string>;
    };
    expect(manifest.dependencies).toEqual({ openpgp: expect.stringMatching(/^\d+\.\d+\.\d+$/u) as string });
    expect(Object.keys(manifest.scripts).filter((name) => /install|prepare$/u.test(name))).toEqual([]);
  });

  it('ships a starter that can be run', () => {
    const starter = packed.files.find(({ path }) => path === 'bin/run.js');
    expect((starter?.mode ?? 0) & 0o111).toBe(0o111);
  });
});

/** Works there all the same; the linter's engine asks for more because of its plug-ins, and there are none here (docs/decisions/014-linted-by-oxlint.md). */
const WORKS_THERE = ['node_modules/oxlint'];

it('can be built and tested with the oldest Node that it names', () => {
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { engines: { node: string } };
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { engines?: { node?: string }; optional?: boolean }>;
  };
  const semver = createRequire(import.meta.url)('semver') as {
    minVersion: (range: string) => object;
    satisfies: (version: object, range: string) => boolean;
  };
  const oldest = semver.minVersion(engines.node);
  const refusing = Object.entries(packages).filter(
    ([path, { engines: of, optional }]) =>
      optional !== true && !WORKS_THERE.includes(path) && !semver.satisfies(oldest, of?.node ?? '*'),
  );
  expect(Object.keys(packages).length).toBeGreaterThan(100);
  expect(refusing.map(([path, { engines: of }]) => `${path} ${of?.node ?? ''}`)).toEqual([]);
});
