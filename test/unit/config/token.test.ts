import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { readToken, tokenFromText, type TokenSource } from '../../../src/config/token.js';
import { temporaryFolder, wordsOf } from './support.js';
import { errorOf } from '../../support/errors.js';

const root = temporaryFolder();
const SECRET = 'AbC-dEf_123.~+/=';
let folder = '';
let file = '';

const stream = (...chunks: readonly (string | Uint8Array)[]): Readable => Readable.from(chunks);

function from(path: string, more: Partial<TokenSource> = {}): TokenSource {
  return {
    file: path,
    stdin: stream(),
    signal: new AbortController().signal,
    strict: false,
    loosePermissions: false,
    ...more,
  };
}

beforeEach(() => {
  folder = mkdtempSync(join(root, 'token-'));
  file = join(folder, 'token');
});

describe('tokenFromText', () => {
  it.each([
    ['alone', SECRET],
    ['with blanks and lines around it', `\r\n  ${SECRET}\t\r\n\n`],
    ['after a byte order mark', `\uFEFF${SECRET}`],
    ['after Bearer', `Bearer ${SECRET}\n`],
    ['after bearer', `bearer   ${SECRET}`],
    ['in a token answer', JSON.stringify({ access_token: SECRET, token_type: 'Bearer', expires_in: 86400 }, null, 2)],
    ['in a token answer after a byte order mark', `\uFEFF\r\n{"access_token":"${SECRET}"}\r\n`],
    ["in the file of the platform's own CLI", JSON.stringify({ accessToken: { value: SECRET }, username: 'alice' })],
    ['after Bearer in a token answer', `{"access_token":"Bearer ${SECRET}"}`],
  ])('finds a token %s (L14)', (_, text) => {
    expect(tokenFromText(text)).toBe(SECRET);
  });

  it.each([
    ['is empty', ''],
    ['is empty', ' \r\n\t'],
    ['is empty', '\uFEFF'],
    ['is empty', 'Bearer '],
    ['is empty', '{"access_token":""}'],
    ['has more than one line', `${SECRET}\n${SECRET}`],
    ['has more than one line', `${SECRET}\r\n${SECRET}\r\n`],
    ['has more than one line', `{"access_token":"${SECRET}\\n${SECRET}"}`],
    ['has white space', `${SECRET} ${SECRET}`],
    ['has white space', `Basic ${SECRET}`],
    ['has white space', `${SECRET}\u00a0${SECRET}`],
    ['has invalid characters', `${SECRET}\u0000${SECRET}`],
    ['has invalid characters', `${SECRET}\u001b[2J`],
    ['has invalid characters', `${SECRET}\u007f`],
    ['has invalid characters', `${SECRET}é`],
    ['is invalid JSON', `{"access_token":"${SECRET}"`],
    ['is invalid JSON', `{access_token: ${SECRET}}`],
    ['is JSON without a string member access_token or token', `{"tokens":"${SECRET}"}`],
    ['is JSON without a string member access_token or token', `{"access_token":["${SECRET}"]}`],
    ['is JSON without a string member access_token or token', `{"status":{"tokens":"${SECRET}"},"credential":null}`],
  ])('says that a token %s without quoting it (L14, L15, L17): %j', async (why, text) => {
    const error = await errorOf(() => tokenFromText(text, 'in CDAPCTL_TOKEN'));
    expect(error).toMatchObject({ code: 'TOKEN_BAD', message: `the token in CDAPCTL_TOKEN ${why}` });
    expect(wordsOf(error)).not.toContain(SECRET);
  });

  it('gives a text that may stand in a header, or quotes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (text) => {
        const planted = `${text}${SECRET}`;
        try {
          expect(tokenFromText(planted)).toMatch(/^[\u0021-\u007e]+$/u);
        } catch {
          expect(wordsOf(await errorOf(() => tokenFromText(planted)))).not.toContain(SECRET);
        }
      }),
    );
  });
});

describe('readToken', () => {
  it('tells when a token answer ends, counted from the last change of its file (P02)', async () => {
    writeFileSync(file, JSON.stringify({ access_token: SECRET, expires_in: 60 }), { mode: 0o600 });
    utimesSync(file, 1_000_000, 1_000_000);
    expect((await readToken(from(file))).expiresAt).toBe(1_000_060_000);
  });

  it('reads a private file without a word', async () => {
    writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
    expect(await readToken(from(file))).toEqual({ token: SECRET, warnings: [] });
  });

  it('follows a link, as mounted secrets are', async () => {
    writeFileSync(join(folder, 'data'), SECRET, { mode: 0o600 });
    symlinkSync(join(folder, 'data'), file);
    expect(await readToken(from(file))).toEqual({ token: SECRET, warnings: [] });
  });

  it('reads from stdin in pieces', async () => {
    const bytes = Buffer.from(`\uFEFF${SECRET}\n`);
    expect(
      await readToken(
        from('-', { stdin: stream(bytes.subarray(0, 2), bytes.subarray(2, 5), bytes.subarray(5).toString()) }),
      ),
    ).toEqual({
      token: SECRET,
      warnings: [],
    });
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o602])(
    'warns about a file of mode %o, and refuses it when strict (L13)',
    async (mode) => {
      writeFileSync(file, SECRET);
      chmodSync(file, mode);
      const { token, warnings } = await readToken(from(file));
      expect(token).toBe(SECRET);
      expect(warnings).toEqual([{ code: 'TOKEN_READABLE', message: expect.stringContaining(file) as string }]);
      expect(await errorOf(() => readToken(from(file, { strict: true })))).toMatchObject({
        code: 'TOKEN_BAD',
        details: { hints: [`chmod 600 ${file}`] },
      });
      expect((await readToken(from(file, { strict: true, loosePermissions: true }))).warnings).toEqual([]);
    },
  );

  it.each([
    [
      'a folder',
      (path: string) => {
        mkdirSync(path);
      },
      'is a folder',
    ],
    [
      'a pipe',
      (path: string) => {
        execFileSync('mkfifo', [path]);
      },
      'is not a regular file',
    ],
    [
      'a device',
      (path: string) => {
        symlinkSync('/dev/zero', path);
      },
      'is not a regular file',
    ],
    [
      'too large',
      (path: string) => {
        writeFileSync(path, 'x'.repeat(65_537));
      },
      'is larger than 65536 bytes',
    ],
    [
      'UTF-16',
      (path: string) => {
        writeFileSync(path, Buffer.from(`\uFEFF${SECRET}`, 'utf16le'));
      },
      'is not UTF-8 text',
    ],
  ])('refuses a file that is %s, at once (L16)', async (_, make, why) => {
    make(file);
    const error = await errorOf(() => readToken(from(file)));
    expect(error).toMatchObject({ code: 'TOKEN_BAD', message: `the token in ${file} cannot be read: the file ${why}` });
  });

  it('takes 64 KB and stops reading stdin soon after', async () => {
    writeFileSync(file, 'x'.repeat(65_536), { mode: 0o600 });
    expect((await readToken(from(file))).token).toHaveLength(65_536);
    let asked = 0;
    async function* endless(): AsyncGenerator<string> {
      for (;;) {
        asked++;
        yield 'x'.repeat(16_384);
      }
    }
    expect(
      (await errorOf(() => readToken(from('-', { stdin: Readable.from(endless(), { highWaterMark: 1 }) })))).message,
    ).toBe('the token on stdin is larger than 65536 bytes');
    expect(asked).toBeLessThan(10);
  });

  it('says that there is no such file', async () => {
    expect(await errorOf(() => readToken(from(file)))).toMatchObject({
      code: 'LOCAL_IO',
      message: `the token file ${file} does not exist`,
    });
  });

  it.each([
    'AghyZXBvcnRzAMzJhdezY8zJ/ue+YwEAQAAAAAA=',
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg',
  ])('does not show a token that stands where a file belongs: %s', async (token) => {
    const error = await errorOf(() => readToken(from(token)));
    expect(error.code).toBe('LOCAL_IO');
    expect(JSON.stringify([error.message, error.details])).not.toContain(token.slice(0, 8));
  });

  it('shows the name of a file that is no token', async () => {
    for (const name of ['tokens-of-production-platform-2026.json', '~/tokens-of-production-platform-2026/now'])
      expect((await errorOf(() => readToken(from(name)))).message).toContain(name);
  });

  it('refuses bytes on stdin that are no text', async () => {
    const error = await errorOf(() => readToken(from('-', { stdin: stream(Buffer.from([0xff, 0xfe])) })));
    expect(error.message).toBe('the token on stdin is not UTF-8 text');
  });
});
