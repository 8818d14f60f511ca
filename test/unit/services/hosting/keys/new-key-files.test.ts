import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeNewKey } from '../../../../../src/services/hosting/keys/new-key-files.js';
import { withTempDir } from '../../../../support/run-cli.js';

describe('the files of a new key', () => {
  it('are both there or none, when the second one cannot be written', () =>
    withTempDir(async (folder) => {
      const publicFile = join(folder, 'hub.key.pub');
      const wishes = {
        type: 'ed25519',
        name: 'Example',
        email: undefined,
        // It is read when the key is made, which is after both files were begun.
        get created() {
          mkdirSync(publicFile, { recursive: true });
          return new Date(1_700_000_000_000);
        },
        lifetime: 0,
        passphrase: undefined,
      } as const;
      await expect(writeNewKey(wishes, join(folder, 'hub.key'), publicFile)).rejects.toMatchObject({ exitCode: 15 });
      expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual(['hub.key.pub']);
    }));
});
