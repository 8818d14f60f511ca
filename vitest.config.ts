import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';

const built = { globalSetup: ['test/support/processes/build.ts'] };
/** Many times what the slowest test takes: a busy machine is no failure. */
const patient = { testTimeout: 120_000, hookTimeout: 120_000 };
const forked = { pool: 'forks' as const, ...patient };
/** With every point of a sweep in one test, it takes as many times longer. */
const sweeping = process.env['CDAPCTL_DEPTH'] === 'all' ? { testTimeout: 1_200_000 } : {};

/** What decides whether bytes are believed, what is asked of a server and what is changed: branches that unit tests reach, in percent. It may rise only. */
const branches = {
  'src/trust/*.ts': 94,
  'src/trust/signing/**': 83,
  'src/core/**': 94,
  'src/http/**': 90,
  'src/services/*/{plan*.ts,*-plan.ts,plan/**}': 76,
  'src/services/hosting/*/{plan*.ts,*-plan.ts}': 94,
};

const contract = 'test/contract/**/*.contract.ts';
const e2e = 'test/e2e/**/*.e2e.ts';
const faults = 'test/faults/**/*.fault.ts';

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    coverage: {
      provider: 'custom',
      customProviderModule: 'test/support/coverage.ts',
      include: Object.keys(branches),
      reporter: ['json-summary'],
      reportsDirectory: '.cache/coverage',
      thresholds: Object.fromEntries(Object.entries(branches).map(([files, floor]) => [files, { branches: floor }])),
    },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/architecture.test.ts', 'test/package.test.ts'],
          globalSetup: ['test/support/temporary.ts'],
          pool: 'threads',
          ...patient,
        },
      },
      { test: { name: 'contract', include: [contract], ...forked } },
      { test: { name: 'platform', include: ['test/platform/**/*.platform.ts'], ...built, ...forked } },
      { test: { name: 'e2e', include: [e2e], ...built, ...forked } },
      { test: { name: 'faults', include: [faults], ...built, ...forked, ...sweeping } },
      // All three by the same workers, which else would be started for each.
      { test: { name: 'tool', include: [contract, e2e, faults], ...built, ...forked } },
    ],
  },
});
