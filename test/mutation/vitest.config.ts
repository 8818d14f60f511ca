import { defineConfig } from 'vitest/config';

/** The unit tests that `run.mjs` asks for. */
export default defineConfig({
  test: {
    include: JSON.parse(process.env['CDAPCTL_MUTATION_TESTS'] ?? '[]') as string[],
    setupFiles: ['test/mutation/load-changed.ts'],
    globalSetup: ['test/support/temporary.ts'],
    isolate: false,
    // Changed sources are slower, and so is a machine that does more than this.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
