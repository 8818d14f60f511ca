import { describe, expect, it } from 'vitest';
import { contentType, fileAnswer, type AskedHeaders } from '../../../../../src/services/hosting/serve/file-answer.js';

const FILE = {
  name: 'a.jar',
  size: 100,
  inode: 7n,
  modified: new Date(1_700_000_000_000),
  changed: 1_700_000_000_000n,
};
const ETAG = String(fileAnswer(FILE, {}).headers['etag']);

/** Status and bytes of an answer. */
function answerTo(asked: AskedHeaders, size = FILE.size): readonly [number, string] {
  const { status, bytes } = fileAnswer({ ...FILE, size }, asked);
  return [status, bytes === undefined ? '' : `${bytes.start}-${bytes.end}`];
}

describe('the answer to a request for a file', () => {
  it.each([
    ['bytes=0-', 206, '0-99'],
    ['bytes=10-19', 206, '10-19'],
    ['bytes=5-5', 206, '5-5'],
    ['bytes=10-9999', 206, '10-99'],
    ['bytes=-5', 206, '95-99'],
    ['bytes=-500', 206, '0-99'],
    ['bytes=-0', 416, ''],
    ['bytes=100-', 416, ''],
    ['bytes=9999999-', 416, ''],
    ['bytes=99999999999999999999999-', 416, ''],
    ['bytes=5-2', 200, '0-99'],
    ['bytes=0-1,5-6', 200, '0-99'],
    ['bytes=-', 200, '0-99'],
    ['lines=1-2', 200, '0-99'],
    ['megabytes=1-2', 200, '0-99'],
    [' bytes=1-2\t', 206, '1-2'],
    ['bytes=a-b', 200, '0-99'],
  ])('V19: to the range %s is %i %s', (range, status, bytes) => {
    expect(answerTo({ range })).toEqual([status, bytes]);
  });

  it('says which bytes it has', () => {
    expect(fileAnswer(FILE, { range: 'bytes=-5' }).headers).toMatchObject({
      'content-range': 'bytes 95-99/100',
      'content-length': 5,
    });
    expect(fileAnswer(FILE, { range: 'bytes=100-' }).headers['content-range']).toBe('bytes */100');
    expect([answerTo({}, 0), answerTo({ range: 'bytes=0-' }, 0), answerTo({ range: 'bytes=-5' }, 0)]).toEqual([
      [200, '0--1'],
      [416, ''],
      [416, ''],
    ]);
  });

  it('is not sent again to those who have it, and in part only to those who have the rest of the same file', () => {
    for (const tag of [ETAG, `"x", W/${ETAG}`, '*'])
      expect([tag, ...answerTo({ 'if-none-match': tag })]).toEqual([tag, 304, '']);
    for (const other of ['"x"', `"W/${ETAG.slice(1)}`]) expect(answerTo({ 'if-none-match': other })[0]).toBe(200);
    expect(answerTo({ range: 'bytes=-5', 'if-range': ETAG })[0]).toBe(206);
    for (const other of ['"x"', `W/${ETAG}`, FILE.modified.toUTCString()])
      expect(answerTo({ range: 'bytes=-5', 'if-range': other })[0]).toBe(200);
    const others = [{ size: 101 }, { inode: 8n }, { changed: FILE.changed + 1n }];
    for (const other of others) expect(fileAnswer({ ...FILE, ...other }, {}).headers['etag']).not.toBe(ETAG);
  });

  it('is not sent again to those who have it by its date, to the second, unless they name tags', () => {
    const since = (seconds: number): string => new Date(FILE.modified.getTime() + seconds * 1000).toUTCString();
    const statusAt = (date: string): number => answerTo({ 'if-modified-since': date })[0];
    expect([since(0), since(1), since(-1), 'yesterday', ''].map(statusAt)).toEqual([304, 304, 200, 200, 200]);
    expect(answerTo({ 'if-modified-since': since(0), 'if-none-match': '"x"' })[0]).toBe(200);
    const later = { ...FILE, modified: new Date(FILE.modified.getTime() + 400) };
    expect(fileAnswer(later, { 'if-modified-since': since(0) }).status).toBe(304);
  });

  it('has the type of its name', () => {
    const names = ['a.JSON', 'icon.png', 'a.asc', 'a.txt', 'a.csv', 'a.tsv', 'a.jar', 'a.html', 'a'];
    expect(names.map((name) => contentType(name).split(';')[0])).toEqual([
      'application/json',
      'image/png',
      ...Array.from({ length: 4 }, () => 'text/plain'),
      ...Array.from({ length: 3 }, () => 'application/octet-stream'),
    ]);
  });
});
