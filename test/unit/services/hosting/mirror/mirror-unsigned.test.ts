import { chmodSync, copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { InProcess } from '../../../../support/processes/in-process.js';
import { ROOT } from '../../../../support/processes/run-cli.js';
import { atMirror, signIndexOnly } from '../../../../support/sites/mirror-site.js';

const KEYS = join(ROOT, 'test/fixtures/keys/signing');
const REASON = 'has no signature files for one 1.0.0, only its index is signed';

const warningsOf = ({ terminal }: InProcess): readonly string[] =>
  terminal.warnings.filter(({ code }) => code === 'UNSIGNED').map(({ message }) => message);

const PARTS = ['one', '--category=example', '--platform-version=6.10.0', '--versions=1'];

describe('a mirror of a part of a hub that signs its index only', () => {
  it.each(PARTS)('is refused where signatures are required, before anything is written: %s', (part) =>
    atMirror(async (site) => {
      await signIndexOnly(site);
      for (const more of [[], ['--verify', 'require'], ['--dry-run']]) {
        const { error } = await site.mirror(part, ...more);
        expect([error?.code, error?.exitCode, error?.message]).toEqual([
          'SIG_MISSING',
          9,
          expect.stringContaining(`${REASON}: this mirror would be unsigned`),
        ]);
        expect(error?.details.hints).toEqual(['to sign it: --key FILE', 'to mirror it unsigned: --verify warn']);
        expect(existsSync(site.folder)).toBe(false);
      }
    }),
  );

  it.each([
    ['warn', true],
    ['off', true],
    ['warn', false],
  ] as const)('is made with a warning elsewhere (--verify %s, with a trusted key: %s)', (policy, trusted) =>
    atMirror(
      async (site) => {
        await signIndexOnly(site);
        const result = await site.mirror('one', '--verify', policy);
        expect(site.item(result)).toMatchObject({ added: 1, whole: false });
        expect(warningsOf(result)).toEqual([
          `the hub ${site.url} ${REASON}: this mirror is unsigned (to sign it: --key FILE)`,
        ]);
      },
      { trusted },
    ),
  );

  it('is signed with a key, and nothing is said', () =>
    atMirror(async (site) => {
      await signIndexOnly(site);
      const key = join(site.home, 'own.key');
      copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
      chmodSync(key, 0o600);
      const result = await site.mirror('one', '--key', key);
      expect(site.item(result)).toMatchObject({ added: 1, signed: { sequence: 1 } });
      expect(warningsOf(result)).toEqual([]);
      const verify = [site.folder, '--all', '--strict', '--keyring', join(KEYS, 'ed25519.public.asc')];
      expect((await site.run('hub:verify', ...verify)).error).toBeUndefined();
    }));

  it('is made without a warning where its own files have signatures, or where it has all of the hub', () =>
    atMirror(async (site) => {
      await signIndexOnly(site, 'two');
      const part = await site.mirror('two');
      expect(site.item(part)).toMatchObject({ added: 1, whole: false });
      expect([...site.tree().keys()]).toContain('packages/two/1.0.0/spec.json.asc');
      const whole = await site.mirror();
      expect(site.item(whole)).toMatchObject({ added: 1, whole: true });
      for (const result of [part, whole]) expect(warningsOf(result)).toEqual([]);
      expect(
        (await site.run('hub:mirror', 'one', 'two', '--hub', site.url, '-D', join(site.home, 'other'))).error?.code,
      ).toBe('SIG_MISSING');
    }));

  it('fails for want of a trusted key where there is none', () =>
    atMirror(
      async (site) => {
        await signIndexOnly(site);
        expect((await site.mirror('one', '--verify', 'require')).error?.code).toBe('NO_TRUST');
      },
      { trusted: false },
    ));
});
