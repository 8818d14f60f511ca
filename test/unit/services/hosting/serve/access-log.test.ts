import { mkdtempSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { accessLine, type Access } from '../../../../../src/services/hosting/serve/access-line.js';
import { AccessLog, logFile } from '../../../../../src/services/hosting/serve/access-log.js';

const AT = Date.UTC(2026, 10, 3, 4, 5, 6, 789);

const asked = (target: string): Access => ({
  address: '127.0.0.1',
  at: AT,
  asked: { method: 'GET', target, version: '1.1' },
  status: 200,
  bytes: 12,
});

describe('a line of the access log', () => {
  it('has the common format', () => {
    expect(accessLine(asked('/v2/packages.json'))).toBe(
      '127.0.0.1 - - [03/Nov/2026:04:05:06 +0000] "GET /v2/packages.json HTTP/1.1" 200 12\n',
    );
    expect(accessLine({ address: undefined, at: AT, status: 431, bytes: 0 })).toBe(
      '- - - [03/Nov/2026:04:05:06 +0000] "-" 431 -\n',
    );
  });

  it.each([
    ['/a\n1.2.3.4 - - "GET /', '/a\\x0a1.2.3.4\\x20-\\x20-\\x20\\x22GET\\x20/'],
    ['/\u001b[31m\u007f\u0000', '/\\x1b[31m\\x7f\\x00'],
    ['/\\x0a', '/\\x5cx0a'],
    ['/\u00e4\u0085', '/\\xe4\\x85'],
    ['/packages.json?token=hunter2', '/packages.json?***'],
    ['/packages.json?a?hunter2', '/packages.json?***'],
    ['http://me:hunter2@x/packages.json', 'http://***@x/packages.json'],
    ['//me:hunter2@x/', '//***@x/'],
    [`/${'x'.repeat(9000)}`, `/${'x'.repeat(2047)}...`],
  ])('shows %j without control characters and secrets', (target, shown) => {
    expect(accessLine(asked(target))).toBe(
      `127.0.0.1 - - [03/Nov/2026:04:05:06 +0000] "GET ${shown} HTTP/1.1" 200 12\n`,
    );
  });
});

describe('the access log', () => {
  it('appends to a file that others cannot read, and continues in a new one when that was renamed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cdapctl-log-'));
    const file = join(folder, 'log');
    const log = await AccessLog.open(
      () => logFile(file),
      () => undefined,
    );
    log.add(asked('/1'));
    renameSync(file, `${file}.1`);
    await log.reopen();
    log.add(asked('/2'));
    await log.close();
    expect(readFileSync(`${file}.1`, 'utf8')).toBe(accessLine(asked('/1')));
    expect(readFileSync(file, 'utf8')).toBe(accessLine(asked('/2')));
    expect(statSync(file).mode & 0o007).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('loses lines, and says so, rather than to keep more than a million characters', async () => {
    const [warned, written]: [string[], string[]] = [[], []];
    let release = (): void => undefined;
    const stalled = new Promise<void>((done) => (release = done));
    const sink = {
      write: async (text: string) => {
        written.push(text);
        if (written.length === 1) await stalled;
      },
      close: () => Promise.resolve(),
    };
    const log = await AccessLog.open(
      () => Promise.resolve(sink),
      (message) => warned.push(message),
    );
    const line = accessLine(asked('/x'));
    for (let at = 0; at < 20_000; at += 1) log.add(asked('/x'));
    expect(warned).toEqual(['the access log cannot be written; lines are lost']);
    release();
    await log.close();
    const kept = written.join('').length / line.length;
    expect([kept, written.join('').length <= 1_000_000 + line.length]).toEqual([Math.round(kept), true]);
    expect(warned[1]).toBe(`the access log is written again; lines lost: ${20_000 - kept}`);
  });

  it('continues after a write that failed, and in the old file when the new one cannot be opened', async () => {
    const [warned, written]: [string[], string[]] = [[], []];
    let isFull = true;
    let opened = 0;
    const log = await AccessLog.open(
      () => {
        opened += 1;
        if (opened > 1) return Promise.reject(new Error('gone'));
        const write = (text: string): Promise<void> => {
          if (isFull) return Promise.reject(new Error('no space'));
          written.push(text);
          return Promise.resolve();
        };
        return Promise.resolve({ write, close: () => Promise.resolve() });
      },
      (message) => warned.push(message),
    );
    log.add(asked('/1'));
    await expect(log.reopen()).rejects.toThrow('gone');
    isFull = false;
    log.add(asked('/2'));
    await log.close();
    expect(written).toEqual([accessLine(asked('/2'))]);
    expect(warned).toEqual([
      'the access log cannot be written; lines are lost',
      'the access log is written again; lines lost: 1',
    ]);
  });
});
