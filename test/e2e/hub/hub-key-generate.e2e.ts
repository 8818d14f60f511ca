import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSecretKey } from '../../../src/trust/signing/secret-key.js';
import { hasGpg } from '../../support/gpg.js';
import { ENTER, startPty } from '../../support/processes/pty.js';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

const LINE = ['hub', 'key', 'generate', '--name', 'Example hub'];

describe('hub key generate', () => {
  it.each([
    ['rsa3072', 'RSA 3072'],
    ['ed25519', 'Ed25519'],
  ])('writes a locked %s key that only its owner reads and that gpg imports', (type, algorithm) =>
    withTempDir(async (home) => {
      writeFileSync(join(home, 'passphrase'), 'correct horse\n');
      const line = [...LINE, '--email', 'hub@example.org', '--type', type, '--passphrase-file', 'passphrase'];
      const { code, stdout } = await runCli([...line, '-O', 'hub.key', '--expires', '1y', '--json'], {
        env: { HOME: home },
        cwd: home,
      });
      expect(code).toBe(0);
      const { item } = JSON.parse(stdout) as { item: Record<string, string> };
      expect(item).toMatchObject({ algorithm, locked: true, userId: 'Example hub <hub@example.org>' });
      expect(statSync(join(home, 'hub.key')).mode & 0o777).toBe(0o600);
      const now = new Date();
      const key = await readSecretKey(readFileSync(join(home, 'hub.key')), 'hub.key', { created: now, now });
      expect(key).toMatchObject({
        signer: item['fingerprint'],
        locked: true,
        expires: new Date(item['expiresAt'] ?? ''),
      });
      expect((await key.open('correct horse')).key.type).toBe('private');
      if (!hasGpg) return;
      const gnupg = join(home, 'gnupg');
      mkdirSync(gnupg, { mode: 0o700 });
      const gpg = ['--homedir', gnupg, '--batch', '--no-autostart', '--with-colons'];
      const shown = execFileSync('gpg', [...gpg, '--show-keys', join(home, 'hub.key.pub')], { stdio: 'pipe' });
      expect(shown.toString()).toContain(`fpr:::::::::${item['fingerprint'] ?? ''}:`);
      expect(shown.toString()).toMatch(/^pub:-:.*:scSC:/mu);
      const shownOnly = [...gpg, '--import-options', 'show-only', '--import', join(home, 'hub.key')];
      expect(execFileSync('gpg', shownOnly, { stdio: 'pipe' }).toString()).toMatch(/^sec:-:.*:scSC:/mu);
    }),
  );

  it('replaces no file, and prints the whole fingerprint', () =>
    withTempDir(async (home) => {
      const line = [...LINE, '--type', 'ed25519', '--no-passphrase', '-O', 'hub.key'];
      const first = await runCli(line, { env: { HOME: home }, cwd: home });
      expect(first).toMatchObject({ code: 0 });
      expect(first.stdout).toMatch(/^fingerprint {2}(?:[0-9A-F]{4} ){9}[0-9A-F]{4}$/mu);
      const before = readFileSync(join(home, 'hub.key'));
      const second = await runCli(line, { env: { HOME: home }, cwd: home });
      expect(second.code).toBe(6);
      expect(second.stderr).toContain('[EXISTS]');
      const third = await runCli([...line.slice(0, -1), 'other.key', '--public', 'hub.key.pub'], {
        env: { HOME: home },
        cwd: home,
      });
      expect(third.code).toBe(6);
      expect(existsSync(join(home, 'other.key'))).toBe(false);
      expect(readFileSync(join(home, 'hub.key')).equals(before)).toBe(true);
    }));

  it('writes nothing without a passphrase, a terminal and --no-passphrase', () =>
    withTempDir(async (home) => {
      const { code, stderr } = await runCli([...LINE, '-O', 'hub.key'], { env: { HOME: home }, cwd: home });
      expect(code).toBe(2);
      expect(stderr).toContain('--passphrase-file FILE');
      expect(stderr).toContain('--no-passphrase');
      expect(readdirSync(home).filter((name) => name.startsWith('hub.key'))).toEqual([]);
    }));

  it('names all that is missing without a terminal at once', () =>
    withTempDir(async (home) => {
      const line = ['hub', 'key', 'generate', '-O', 'hub.key'];
      const both = await runCli(line, { home, cwd: home });
      expect([both.code, both.stderr]).toEqual([
        2,
        expect.stringContaining('the key needs --name, --email or both, and without a terminal a passphrase'),
      ]);
      expect(both.stderr).toContain(`cdapctl ${line.join(' ')} --name NAME --passphrase-file FILE`);
      expect(both.stderr).toContain('--no-passphrase');
      const one = await runCli([...line, '--no-passphrase'], { home, cwd: home });
      expect([one.code, one.stderr.includes('a passphrase')]).toEqual([2, false]);
    }));

  it('asks for the name, and again where the two passphrases differ, up to three times', () =>
    withTempDir(async (home) => {
      const line = ['hub', 'key', 'generate', '--type', 'ed25519', '-O', 'hub.key'];
      const pty = startPty(line, home, join(home, 'result'));
      await pty.see('Name of the publisher:');
      pty.type(` ${ENTER}`);
      await pty.see('enter a name');
      pty.type(`Example hub ${ENTER}`);
      const type = async (first: string, second: string): Promise<void> => {
        await pty.see('Passphrase for the new key:');
        pty.type(first + ENTER);
        await pty.see('Repeat the passphrase:');
        pty.type(second + ENTER);
      };
      await type('correct', 'corect');
      await pty.see('do not match');
      await type('correct', 'correct');
      expect(await pty.end()).toBe(0);
      expect(readFileSync(join(home, 'result'), 'utf8')).toMatch(/user id +Example hub\n/u);
      expect(existsSync(join(home, 'hub.key'))).toBe(true);
    }));

  it.each(['0d', '0', '0y'])('makes no key that is over at once: --expires %s', (time) =>
    withTempDir(async (home) => {
      const line = [...LINE, '--type', 'ed25519', '--no-passphrase', '-O', 'hub.key', '--expires', time];
      const { code, stderr } = await runCli(line, { env: { HOME: home }, cwd: home });
      expect([code, stderr]).toEqual([2, expect.stringContaining('[USAGE]')]);
      expect(existsSync(join(home, 'hub.key'))).toBe(false);
    }),
  );

  it('warns of a key inside of a hub', () =>
    withTempDir(async (home) => {
      mkdirSync(join(home, 'hub/packages/one'), { recursive: true });
      const make = (file: string) =>
        runCli([...LINE, '--type', 'ed25519', '--no-passphrase', '-O', file], { env: { HOME: home }, cwd: home });
      expect((await make('hub/packages/one/a.key')).stderr).toContain('is inside the hub');
      expect((await make('b.key')).stderr).not.toContain('is inside the hub');
    }));

  it('takes no file for both parts', () =>
    withTempDir(async (home) => {
      const line = [...LINE, '--type', 'ed25519', '--no-passphrase', '-O', 'hub.key', '--public', './hub.key'];
      const { code, stderr } = await runCli(line, { env: { HOME: home }, cwd: home });
      expect([code, stderr]).toEqual([2, expect.stringContaining('[USAGE]')]);
      expect(readdirSync(home).filter((name) => name.startsWith('hub.key'))).toEqual([]);
    }));

  it.each([
    ['--name', 'a\nb', '"a\\nb" has "<", ">" or a control character'],
    ['--name', 'a <b@c.d>', 'has "<", ">" or a control character'],
    ['--email', 'hub', '"hub" is not an email address'],
  ])('takes no %s that a key cannot have: %j', (flag, text, message) =>
    withTempDir(async (home) => {
      const line = ['hub', 'key', 'generate', flag, text, '--no-passphrase', '-O', 'hub.key'];
      const { code, stderr } = await runCli(line, { env: { HOME: home }, cwd: home });
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
      expect(readdirSync(home).filter((name) => name.startsWith('hub.key'))).toEqual([]);
    }),
  );
});
