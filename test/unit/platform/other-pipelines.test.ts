import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { otherPipelines } from '../../../src/platform/other-pipelines.js';
import { NO_PLATFORM } from '../services/install/support.js';

const LOOK = { pattern: 'orders', namespaces: ['etl'], known: [] };

describe('pipelines of other namespaces', () => {
  it.each(['FORBIDDEN', 'NET_REFUSED', 'BAD_ANSWER'] as const)(
    'are not named where namespaces cannot be listed: %s',
    async (code) => {
      const platform = { ...NO_PLATFORM, find: async () => Promise.reject(new CliError(code, 'no')) };
      const hints = await otherPipelines(LOOK, platform, new AbortController().signal);
      expect(hints).toEqual([{ next: 'list-pipelines', namespace: 'etl' }]);
    },
  );

  it('are not looked for after Ctrl-C', async () => {
    const stop = AbortSignal.abort();
    const platform = { ...NO_PLATFORM, find: async () => Promise.reject(new CliError('INTERRUPTED', 'stopped')) };
    await expect(otherPipelines(LOOK, platform, stop)).rejects.toMatchObject({ code: 'INTERRUPTED' });
  });
});
