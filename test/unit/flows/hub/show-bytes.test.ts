import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { showBytes } from '../../../../src/flows/hub/show-bytes.js';
import { hubPackage, signedHub, writeHubTree } from '../../../support/sites/hub-tree.js';
import { runInProcess } from '../../../support/processes/in-process.js';
import { rawAnswer, rawServer } from '../../../support/raw-server.js';
import { withTempDir } from '../../../support/processes/run-cli.js';

/** What comes to stdout, on a terminal or in a pipe. */
async function shown(terminal: boolean, ...pieces: (string | Uint8Array)[]): Promise<string> {
  const written: Buffer[] = [];
  const to = {
    stdout: { terminal, color: false, columns: undefined, unicode: true, utc: true },
    write: async (text: string | Uint8Array) => {
      written.push(Buffer.from(text));
    },
  };
  await showBytes(
    pieces.map((piece) => Buffer.from(piece)),
    to,
  );
  return Buffer.concat(written).toString('latin1');
}

const HOSTILE = 'a\u001b]52;c;aGk=\u0007b\r\nc\u009b31md\u202ee\u0085\u0008';

describe('bytes of others', () => {
  it('go into a pipe as they are', async () => {
    expect(await shown(false, HOSTILE, Uint8Array.of(0, 255))).toBe(
      `${Buffer.from(HOSTILE).toString('latin1')}\u0000\u00ff`,
    );
  });

  it('come to a terminal without a byte that it would obey', async () => {
    const text = await shown(true, HOSTILE.slice(0, 5), HOSTILE.slice(5));
    expect(text).toBe('a\\x1b]52;c;aGk=\\x07b\nc\\x9b31md\\u{202e}e\\x85\\x08\n');
  });

  it('that are cut within a character come to a terminal whole', async () => {
    const bytes = Buffer.from('é\n');
    expect(Buffer.from(await shown(true, bytes.subarray(0, 1), bytes.subarray(1)), 'latin1').toString()).toBe('é\n');
  });

  it.each([
    ['hold a zero', [Uint8Array.of(65, 0, 66)]],
    ['are no UTF-8', [Uint8Array.of(0x9b, 0x33, 0x31, 0x6d)]],
    ['are too many', [Buffer.alloc(4 * 1024 * 1024, 65), Buffer.alloc(1, 65)]],
  ])('that %s are refused on a terminal, before any of them is shown', async (_, pieces) => {
    await expect(shown(true, ...pieces)).rejects.toMatchObject({
      code: 'USAGE',
      details: { hints: [expect.stringContaining('> FILE'), expect.any(String)] },
    });
  });
});

it('F23: hub show --raw and hub download to stdout write no byte of others to a terminal that it would obey', async () => {
  const hostile = hubPackage({
    spec: { description: `mean\u009b31m\u202e` },
    resources: { 'README.md': '\u001b]52;c;aGk=\u0007\u009b31m\n' },
  });
  const { files } = await signedHub({ packages: [hostile], index: false });
  await withTempDir(async (home) => {
    const hub = join(home, 'hub');
    await writeHubTree(hub, files);
    const outOf = async (id: string, words: readonly string[], terminal: boolean): Promise<string> => {
      const stdout = { terminal, color: false, columns: 80, unicode: true, utc: true };
      const ran = await runInProcess(id, [...words, '--hub', hub], home, { stdout });
      expect(ran.error, ran.terminal.notes.join('\n')).toBeUndefined();
      return ran.terminal.out.join('');
    };
    const raw = ['hub:show', ['test-package', '--raw']] as const;
    const readme = ['hub:download', ['test-package', '--resource', 'README.md', '-D', '-', '--no-verify']] as const;
    for (const [id, words] of [raw, readme]) {
      expect(await outOf(id, words, false)).toMatch(/[\u001b\u009b\u202e]/u);
      const shown = await outOf(id, words, true);
      expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
      expect(shown).toContain('\\x9b31m');
    }
  });
});

it('api --raw writes no byte of the platform to a terminal that it would obey', async () => {
  const head = Buffer.from('HTTP/1.1 200 OK\r\nServer: a\u009b31m\r\nContent-Length: 9\r\n\r\n', 'latin1');
  const hostile = Buffer.concat([head, Buffer.from('\u001b]52;c;'), Buffer.of(0x9b, 0)]);
  const server = await rawServer((socket, { target }) => {
    socket.write(target === '/v3/version' ? rawAnswer(200, '{"version":"6.11.0"}') : hostile);
  });
  const outOf = (terminal: boolean): Promise<string> =>
    withTempDir(async (home) => {
      const stdout = { terminal, color: false, columns: 80, unicode: true, utc: true };
      const words = ['GET', '/v3/x', '--raw', '--include', '-u', server.url];
      const ran = await runInProcess('api', words, home, { stdout });
      expect(ran.error, ran.terminal.notes.join('\n')).toBeUndefined();
      return ran.terminal.out.join('');
    });
  try {
    expect(await outOf(false)).toMatch(/\u009b31m[^]*\u001b\]52/u);
    const shown = await outOf(true);
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/u);
    expect(shown).toMatch(/server: a\\x9b31m[^]*\\x1b\]52;c;.\\x00\n$/u);
  } finally {
    await server.close();
  }
});
