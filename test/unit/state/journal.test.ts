import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { InstallEntry, installJournalFile } from '../../../src/state/install-journal.js';
import { openJournal } from '../../../src/state/journal.js';
import { childProgram, killChild, linesOf, startChild, temporaryFolder } from './support.js';
import { codeOf, errorOf } from '../../support/errors.js';

const root = temporaryFolder();
const Entry = z.strictObject({ v: z.literal(1), text: z.string() });
type Entry = z.infer<typeof Entry>;
const entry = (text: string): Entry => ({ v: 1, text });
let folder = '';
let file = '';

beforeEach(() => {
  folder = join(mkdtempSync(join(root, 'journal-')), 'installs');
  file = join(folder, 'one.ndjson');
});

async function written(...texts: readonly string[]): Promise<Buffer> {
  const journal = await openJournal(file, Entry);
  for (const text of texts) await journal.append(entry(text));
  await journal.close();
  return readFileSync(file);
}

describe('openJournal', () => {
  it('is empty without a file and makes none', async () => {
    const journal = await openJournal(file, Entry);
    expect(journal.entries).toEqual([]);
    await journal.close();
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('keeps what was appended, for us alone', async () => {
    await written('one', 'two\nlines ✓');
    expect((await openJournal(file, Entry)).entries).toEqual([entry('one'), entry('two\nlines ✓')]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('has many appended at once on the disk before each of them returns, in the order of the calls', async () => {
    const journal = await openJournal(file, Entry);
    const texts = Array.from({ length: 500 }, (_, at) => `entry ${at}`);
    const early: string[] = [];
    await Promise.all(
      texts.map(async (text, at) => {
        await journal.append(entry(text));
        if (!readFileSync(file, 'utf8').includes(`entry ${at}"}\n`)) early.push(text);
      }),
    );
    await journal.close();
    expect(early).toEqual([]);
    expect((await openJournal(file, Entry)).entries.map(({ text }) => text)).toEqual(texts);
  });

  it('shows each entry once it is on the disk, in the order of the calls', async () => {
    const journal = await openJournal(file, Entry);
    const first = journal.append(entry('one'));
    expect(journal.entries).toEqual([]);
    await Promise.all([first, journal.append(entry('two')), journal.append(entry('three'))]);
    expect(journal.entries.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    await journal.close();
    expect((await openJournal(file, Entry)).entries).toEqual(journal.entries);
  });

  it('drops a cut last line, and goes on after the last whole one', async () => {
    await written('one', 'two');
    appendFileSync(file, `{"v":1,"text":"${'x'.repeat(99)}`);
    const journal = await openJournal(file, Entry);
    expect(journal.entries).toEqual([entry('one'), entry('two')]);
    await journal.append(entry('3'));
    await journal.close();
    expect(readFileSync(file, 'utf8')).toBe('{"v":1,"text":"one"}\n{"v":1,"text":"two"}\n{"v":1,"text":"3"}\n');
  });

  it('does not touch the file by reading it', async () => {
    await written('one');
    appendFileSync(file, '{"v":1');
    const before = readFileSync(file);
    await (await openJournal(file, Entry)).close();
    expect(readFileSync(file)).toEqual(before);
  });

  it.each([
    ['no JSON', 'junk\n'],
    ['an empty line', '\n'],
    ['no UTF-8', Buffer.from('{"v":1,"text":"\u00ff"}\n', 'latin1')],
    ['zeros', Buffer.concat([Buffer.alloc(8), Buffer.from('\n')])],
    ['a missing member', '{"v":1}\n'],
    ['an unknown member', '{"v":1,"text":"x","more":1}\n'],
    ['no version', '{"text":"x"}\n'],
  ])('stops at a line with %s, keeps a copy and leaves the journal as it is (L19)', async (_, line) => {
    await written('one');
    appendFileSync(file, line);
    appendFileSync(file, '{"v":1,"text":"three"}\n');
    const before = readFileSync(file);
    const error = await errorOf(() => openJournal(file, Entry));
    expect(error).toMatchObject({ code: 'JOURNAL', message: `the journal ${file} is damaged at line 2` });
    expect(readFileSync(String(error.details.target?.['copy']))).toEqual(before);
    expect(readFileSync(file)).toEqual(before);
    await codeOf(() => openJournal(file, Entry));
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('leaves the journal of a newer version alone (L20)', async () => {
    await written('one');
    appendFileSync(file, '{"v":2,"words":["new"]}\n');
    const before = readFileSync(file);
    expect(await codeOf(() => openJournal(file, Entry))).toBe('JOURNAL_NEWER');
    expect(readFileSync(file)).toEqual(before);
    expect(readdirSync(folder)).toEqual(['one.ndjson']);
  });

  it('reads and writes through no link', async () => {
    await written('one');
    const target = join(folder, 'target');
    writeFileSync(target, '');
    const journal = await openJournal(join(folder, 'later'), Entry);
    symlinkSync(target, join(folder, 'later'));
    expect(await codeOf(() => openJournal(join(folder, 'later'), Entry))).toBe('SYMLINK');
    expect(await codeOf(() => journal.append(entry('x')))).toBe('SYMLINK');
    expect(journal.entries).toEqual([]);
    expect(readFileSync(target, 'utf8')).toBe('');
  });

  it('goes on after an append that failed', async () => {
    const journal = await openJournal(file, Entry);
    symlinkSync('/nowhere', join(folder, '..', 'installs'));
    expect(await codeOf(() => journal.append(entry('one')))).toBe('SYMLINK');
    rmSync(folder);
    await journal.append(entry('two'));
    await journal.close();
    expect((await openJournal(file, Entry)).entries).toEqual([entry('two')]);
  });

  it('reads any prefix of any history as its whole entries, and goes on from there', async () => {
    const history = fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(history, fc.nat(), fc.string({ unit: 'binary' }), async (texts, cut, next) => {
        rmSync(folder, { recursive: true, force: true });
        const all = texts.length === 0 ? Buffer.alloc(0) : await written(...texts);
        const prefix = all.subarray(0, cut % (all.length + 1));
        await written('');
        writeFileSync(file, prefix);
        const whole = texts.slice(0, prefix.toString('latin1').split('\n').length - 1).map(entry);
        const journal = await openJournal(file, Entry);
        expect(journal.entries).toEqual(whole);
        await journal.append(entry(next));
        await journal.close();
        expect((await openJournal(file, Entry)).entries).toEqual([...whole, entry(next)]);
      }),
      { numRuns: 40 },
    );
  });

  it('holds every entry that a killed run was told about (T23)', { timeout: 20_000 }, async () => {
    const program = childProgram(
      root,
      'appends',
      `import { openJournal } from './journal.ts';
      import * as z from 'zod/mini';
      const journal = await openJournal(process.argv[2], z.strictObject({ v: z.literal(1), text: z.string() }));
      for (let n = journal.entries.length; ; n++) {
        await journal.append({ v: 1, text: n + ' ' + 'x'.repeat(n % 5000) });
        console.log(n);
      }`,
    );
    for (let kill = 0; kill < 6; kill++) {
      const child = startChild(program, file);
      const told = Number((await linesOf(child, 3 + kill)).at(-1));
      await killChild(child);
      const { entries } = await openJournal(file, Entry);
      expect(entries.map(({ text }) => parseInt(text, 10))).toEqual(entries.map((_, index) => index));
      expect(entries.length).toBeGreaterThan(told);
    }
  });
});

describe('InstallEntry', () => {
  const at = '2023-11-14T22:30:00Z';
  const key = 'a'.repeat(64);
  it.each([
    { v: 1, type: 'step', n: 0, key, state: 'started', at },
    { v: 1, type: 'step', n: 3, key, state: 'unknown', at, detail: 'no answer' },
    { v: 1, type: 'fact', n: 2, name: 'schedules', value: { daily: 'SUSPENDED', list: [1, null] }, at },
    { v: 1, type: 'finished', at: '2023-11-14T22:30:00.250Z' },
  ])('takes %j', (value) => {
    expect(InstallEntry.parse(value)).toEqual(value);
  });

  it.each([
    { v: 1, type: 'step', n: 0, key, state: 'maybe', at },
    { v: 1, type: 'step', n: -1, key, state: 'done', at },
    { v: 1, type: 'step', n: 0, key: 'short', state: 'done', at },
    { v: 1, type: 'step', n: 0, key, state: 'done', at: 'yesterday' },
    { v: 1, type: 'fact', n: 0, name: 'schedules', at },
    { v: 1, type: 'finished', at, more: true },
    { v: 1, type: 'other', at },
  ])('refuses %j', (value) => {
    expect(InstallEntry.safeParse(value).success).toBe(false);
  });

  it('goes through the journal', async () => {
    const journal = await openJournal(file, InstallEntry);
    await journal.append({ v: 1, type: 'fact', n: 1, name: 'schedules', value: [], at });
    await journal.close();
    expect((await openJournal(file, InstallEntry)).entries).toEqual([
      { v: 1, type: 'fact', n: 1, name: 'schedules', value: [], at },
    ]);
  });
});

describe('installJournalFile', () => {
  const identity = {
    platform: 'https://cdap.example.com:10443',
    namespace: 'etl',
    hub: 'https://hub.example.com/v2',
    package: 'p',
    version: '1.0.0',
  };

  it('is one file per platform, namespace, hub, package and version', () => {
    const file = installJournalFile('/state', identity);
    expect(file).toMatch(/^\/state\/installs\/[0-9a-f]{64}\.ndjson$/u);
    const others = Object.keys(identity).map((member) =>
      installJournalFile('/state', { ...identity, [member]: 'https://other' }),
    );
    expect(new Set([file, ...others]).size).toBe(6);
  });

  it('knows one hub by each spelling of its address', () => {
    expect(installJournalFile('/state', { ...identity, hub: 'HTTPS://Hub.Example.com:443/v2/' })).toBe(
      installJournalFile('/state', identity),
    );
  });
});
