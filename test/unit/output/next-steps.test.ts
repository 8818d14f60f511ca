import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NextStep, NextSteps } from '../../../src/core/next-step.js';
import { hintText } from '../../../src/output/next-steps.js';
import { ROOT } from '../../support/processes/run-cli.js';

const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
  readonly commands: Readonly<Record<string, { readonly flags: Readonly<Record<string, { readonly char?: string }>> }>>;
};

const flagsOf = (id: string): readonly string[] =>
  Object.entries(MANIFEST.commands[id]?.flags ?? {}).flatMap(([name, { char }]) => [
    `--${name}`,
    ...(char === undefined ? [] : [`-${char}`]),
  ]);
const ALL = new Set(Object.keys(MANIFEST.commands).flatMap(flagsOf));

/** One of each step, with all that its words may hold. */
const SAMPLES: { readonly [K in keyof NextSteps]: readonly NextSteps[K][] } = {
  'list-contexts': [{}],
  'show-context': [{ name: 'prod' }],
  'add-context': [{ name: 'prod' }],
  'set-context': [
    {
      name: 'prod',
      members: new Map<string, unknown>([
        ['caFile', 'my ca.pem'],
        ['protected', true],
      ]),
    },
  ],
  'own-configuration': [{}],
  'give-token-file': [{}],
  'correct-token-file': [{}],
  'trust-authority': [{}],
  'list-hubs': [{}],
  'cache-catalog': [{ hub: 'corp' }],
  'add-hub': [{ name: 'corp' }],
  'mirror-again': [
    { folder: './mirror', of: 'hub' },
    { folder: './mirror', of: 'key' },
  ],
  'publish-refreshed': [{ folder: './public' }],
  'name-hub': [{ hub: './my-hub' }],
  'remove-hub': [{ name: 'corp' }],
  'search-package': [{ package: 'trim fields' }],
  'name-hub-folder': [{ folder: './hub' }],
  'download-signatures': [{}],
  'finish-download': [{ package: 'copy@1.0.0', folder: undefined }],
  'download-again': [{}, { package: 'copy@1.0.0', folder: 'my files' }],
  'download-apart': [{}],
  'keep-files': [{}],
  'replace-files': [{}],
  'list-installed': [{}],
  'list-keys': [{}],
  'choose-key': [{}],
  'public-key': [{}],
  'secret-key': [{}],
  'build-hub': [{ folder: './my hub' }],
  'init-hub': [{ folder: './my hub' }],
  'generate-key': [{ file: './my hub.key' }],
  'pack-package': [{ folder: './my hub' }],
  'signer-key': [{ fingerprint: '4F2A91C07D110C5B92E61B0A66F13B8D20A977D1' }],
  'force-sequence': [{}],
  'force-file': [{ files: ['example-trim-fields/1.10.0/spec.json', 'example-trim-fields/1.10.0/a.jar'], more: true }],
  'restore-file': [{ folder: './my-hub' }],
  'publish-again': [{}],
  'refresh-index': [
    { folder: './my-hub', isLate: false },
    { folder: undefined, isLate: true },
  ],
  'lock-packages': [{}, { package: 'example-trim-fields@1.10.0' }, { file: 'etl.lock' }],
  'values-file': [{}],
  'use-namespace': [{ namespace: 'etl' }],
  'set-argument': [
    { n: 1, name: 'a', what: 'one' },
    { n: 1, name: 'a', what: 'another', fixed: true },
  ],
  'meant-argument': [{ n: 1, name: 'a' }],
  'force-argument': [{}],
  'rename-thing': [{ n: 1 }, { n: 1, mayForce: true }],
  'give-archive': [{}, { n: 1 }],
  'list-actions': [{}],
  'list-versions': [{ package: 'corp/copy' }],
  'skip-unknown': [{}],
  'skip-stream': [{ n: 1 }],
  'system-parent': [{ namespace: 'etl' }],
  'force-install': [{}],
  'force-in-vain': [{ n: 1 }],
  'force-overwrite': [{ what: 'it' }, { what: 'properties' }],
  'do-again': [{ how: 'deploy' }, { how: 'upload' }],
  'load-again': [{ n: 1 }],
  'write-plan': [{}],
  'resume-record': [{ file: 'window.json' }],
  'other-record': [{}],
  'look-at-plan': [{ of: 'install' }, { of: 'upgrade' }],
  'plan-namespaces': [{}, { namespace: 'etl' }],
  'list-upgrades': [{}],
  'help-upgrade': [{}],
  'add-key': [{ hub: 'NAME' }],
  'allow-expired-key': [{ fingerprint: 'FPR' }],
  'allow-stale': [{}],
  'forget-hub': [{}],
  'verify-with-hub': [{}],
  'verify-by-index': [{}],
  'replace-file': [{}],
  'replace-package': [{}],
  'write-time': [{}],
  'write-condition': [{ example: 'failed>0' }],
  'write-pattern': [{}],
  'list-metrics': [{}, { pipeline: 'etl/orders' }],
  'list-metric-tags': [{ namespace: 'etl', pipeline: 'orders' }],
  'tag-run': [{}],
  'take-latest-run': [{}],
  'wait-for-run': [{ pipeline: 'etl/orders', run: 'deadbeef' }],
  'start-run': [{ pipeline: 'etl/orders' }],
  'why-run': [{ pipeline: 'etl/orders', run: 'deadbeef' }],
  'stop-all-runs': [{ pipeline: 'etl/orders' }],
  'list-pipelines': [{ namespace: 'etl' }, { namespace: undefined }],
  'list-namespaces': [{}],
  'list-runs': [{ pipeline: 'etl/orders' }],
  'list-reports': [{}, { by: 'name' }, { by: 'running' }],
  'show-report': [{ report: 'r' }],
  'wait-for-report': [{ report: 'r' }],
  'wait-here': [{}],
  'download-report': [{ report: 'r' }, { report: 'r', to: 'save' }],
  'make-report-again': [{ report: 'r' }, { report: 'r', download: true }],
  'delete-stuck-report': [{ report: 'r' }],
  'make-from-runs': [{}, { like: 'r' }],
  'make-by-platform': [{ what: 'namespaces' }],
  'leave-engine-open': [{}],
  'report-service': [{}, { later: true }],
  'enable-report-service': [{}, { longer: true }],
  'write-capability-file': [{}],
  'delete-report-app': [{}],
};
const WORDS = Object.entries(SAMPLES).flatMap(([next, all]) =>
  all.map((facts) => [next, hintText({ next, ...facts } as NextStep)] as const),
);

/** The command of a line, by its longest id. */
function commandOf(words: readonly string[]): string | undefined {
  const ids = words.map((_, at) => words.slice(0, at + 1).join(':'));
  return ids.reverse().find((id) => id in MANIFEST.commands);
}

describe('the words of a step', () => {
  it.each(WORDS)('%s names a command and flags of the program: %s', (_, words) => {
    const line = /cdapctl ([^`(]*)/u.exec(words)?.[1];
    const command = line === undefined ? undefined : commandOf(line.split(' '));
    if (line !== undefined) expect(command).toBeDefined();
    expect(words.split('cdapctl ').length, 'one command to paste').toBeLessThanOrEqual(2);
    const flags = (line ?? words).match(/(?<![\w-])--?[a-z][a-z-]*/giu) ?? [];
    const known = command === undefined ? ALL : new Set([...flagsOf(command), '--help']);
    expect(flags.filter((flag) => !known.has(flag))).toEqual([]);
  });

  it('are a line that a shell takes as it stands', () => {
    expect(hintText({ next: 'search-package', package: 'trim fields' })).toBe("cdapctl hub search 'trim fields'");
    expect(hintText({ next: 'list-metrics', pipeline: 'etl/a b' })).toBe("cdapctl metrics list 'etl/a b'");
  });

  it.each(Object.entries(SAMPLES).filter(([next]) => next !== 'system-parent'))(
    '%s gives a shell no syntax of a value from elsewhere',
    (next, all) => {
      const fixed = new Set(['what', 'how', 'by', 'of', 'after', 'to']);
      const evil = ';curl${IFS}x|sh';
      const hostile = (value: unknown, key = ''): unknown => {
        if (typeof value === 'string' && !fixed.has(key)) return evil;
        return Array.isArray(value) ? value.map((one: unknown) => hostile(one)) : value;
      };
      for (const facts of all) {
        const own = Object.fromEntries(Object.entries(facts).map(([key, value]) => [key, hostile(value, key)]));
        const words = hintText({ next, ...own } as unknown as NextStep);
        expect(words.replace(/'[^']*'/gu, '')).not.toMatch(/\$\{ifs/iu);
      }
    },
  );

  it('sign a changed file of a hub in a way that the index of the hub does not refuse', () => {
    expect(hintText({ next: 'restore-file', folder: './my-hub' })).toMatch(
      / cdapctl hub sign \.\/my-hub --key FILE --force-file NAME\/VERSION\/FILE$/u,
    );
  });

  it('name the value that is wanted', () => {
    expect(hintText({ next: 'set-argument', n: 2, name: 'version', what: 'one' })).toBe(
      'set one: --set 2.version=VERSION',
    );
  });

  it('are those of a text where there is one', () => {
    expect(hintText('try again')).toBe('try again');
  });
});
