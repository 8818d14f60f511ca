import { describe, expect, it } from 'vitest';
import { logForTerminal } from '../../../src/output/log-text.js';
import { redactor } from '../../../src/core/secrets/redact.js';
import type { Look } from '../../../src/output/look.js';

const LOOK: Look = { terminal: true, color: true, columns: 80, unicode: true, utc: true };

async function shown(bytes: Buffer, size: number, look = LOOK, hide = (text: string) => text): Promise<string> {
  const pieces = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
  let text = '';
  for await (const piece of logForTerminal(pieces(), look, hide)) text += piece;
  return text;
}

const TEXT = [
  '2026-11-21 05:06:56,150 - ERROR [SparkRunner:i.c.Controller@98] - größer als ERROR erwartet 😀',
  'java.lang.Exception: \u001b[2Jcleared\u0007',
  '\tat io.cdap.X.y(X.java:1)\r',
  '2026-11-21 05:06:57,001 - WARN  [main:i.c.X@1] - no line end',
].join('\n');

describe('a log on a terminal', () => {
  it.each([1, 3, 7, 10_000])('is the same in pieces of %i bytes, with nothing that moves the cursor', async (size) => {
    const plain = await shown(Buffer.from(TEXT), size, { ...LOOK, color: false });
    expect(plain).toBe(
      TEXT.replace('\u001b', '\\x1b').replace('\u0007', '\\x07').replace('\t', '    ').replace('\r', ''),
    );
  });

  it('has its levels in colour, and no other word', async () => {
    const text = await shown(Buffer.from(TEXT), 50);
    expect(text.match(/\u001b\[[\d;]*m\w+/gu)).toEqual(['\u001b[31mERROR', '\u001b[33mWARN']);
  });

  it.each([1, 7, 10_000])('has no secret of its arguments in pieces of %i bytes', async (size) => {
    const line = "- started with arguments {date=2, api.token=Pl4nted, n=1}\n\tpassword: 'Pl4nted'\nend";
    expect(await shown(Buffer.from(line), size, LOOK, redactor([]))).toBe(
      "- started with arguments {date=2, api.token=***, n=1}\n    password: '***'\nend",
    );
  });

  it.each([65_000, 65_980, 65_988, 65_992])('has no secret where a long line is cut at about %i', async (at) => {
    const secrets = "password=Pl4nted-1 of my pass,word and token: 'Pl4nted 2' end";
    const line = `${'x '.repeat(at / 2)}${secrets}${' y'.repeat(10_000)}`;
    const hide = redactor(['my pass,word']);
    const short = (text: string): string => text.replace(/(?:x )+|(?: y)+/gu, '');
    expect(short(await shown(Buffer.from(line), 1000, LOOK, hide))).toBe(short(hide(line)));
  });

  it('is masked line by line, so that a quote without an end hides no line but its own', async () => {
    const text = 'password: "Pl4nted\nnext line\nlast';
    expect(await shown(Buffer.from(text), 100, LOOK, redactor([]))).toMatch(/^password: "\*\*\*"?\nnext line\nlast$/u);
  });

  it('cuts no character of a long line in two', async () => {
    const line = `x${'😀'.repeat(70_000)}`;
    const pieces: string[] = [];
    const whole = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from(line);
      yield Buffer.from('\n');
    };
    for await (const piece of logForTerminal(whole(), LOOK, (text) => text)) pieces.push(Buffer.from(piece).toString());
    expect(pieces.join('')).toBe(`${line}\n`);
  });

  it('is given on piece by piece where a line has no end', async () => {
    const line = 'x'.repeat(300_000);
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for (let at = 0; at < 3; at++) yield Buffer.from(line.slice(0, 100_000));
    };
    const shownPieces: string[] = [];
    for await (const piece of logForTerminal(pieces(), LOOK, (text) => text)) shownPieces.push(piece);
    expect(shownPieces.length).toBeGreaterThan(1);
    expect(shownPieces.join('')).toBe(line);
  });
});
