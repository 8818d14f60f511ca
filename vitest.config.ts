import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';

const built = { globalSetup: ['test/support/build.ts'] };
const forked = { pool: 'forks' as const, testTimeout: 60_000, hookTimeout: 60_000 };

/** What decides whether bytes are believed, what is asked of a server and what is changed: branches that unit tests reach, in percent. It may rise only. */
const branches = {
  'src/trust/**': 94,
  'src/core/**': 94,
  'src/http/**': 90,
  'src/services/*/{plan*.ts,plan/**}': 76,
};

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    coverage: {
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
          testTimeout: 20_000,
        },
      },
      { test: { name: 'contract', include: ['test/contract/**/*.contract.ts'], ...forked } },
      { test: { name: 'platform', include: ['test/platform/**/*.platform.ts'], ...built, ...forked } },
      { test: { name: 'e2e', include: ['test/e2e/**/*.e2e.ts'], ...built, ...forked } },
      { test: { name: 'faults', include: ['test/faults/**/*.fault.ts'], ...built, ...forked } },
    ],
  },
});
