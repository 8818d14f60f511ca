import { createHash } from 'node:crypto';
import {
  existsSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createStaged, syncFolder, writeAtomically } from '../../../src/state/atomic-write.js';
import { errnoOf, localError } from '../../../src/core/files/local-error.js';
import { ownProcess } from '../../../src/state/process-identity.js';
import { temporaryName } from '../../../src/state/temporary.js';
import { childProgram, killChild, linesOf, makePipe, startChild, temporaryFolder } from './support.js';
import { codeOf, errorOf } from '../../support/errors.js';

const root = temporaryFolder();
let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(root, 'write-'));
  file = join(folder, 'result.json');
});

async function* pieces(...chunks: readonly (string | Uint8Array)[]): AsyncGenerator<string | Uint8Array> {
  yield* chunks;
}

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe('writeAtomically', () => {
  it.each([
    ['text', 'a ✓\n'],
    ['bytes', Buffer.from('a ✓\n')],
    ['a stream', pieces('a ', Buffer.from('✓'), '\n')],
  ])('writes %s and leaves nothing else', async (_, data) => {
    await writeAtomically(file, data);
    expect(readFileSync(file, 'utf8')).toBe('a ✓\n');
    expect(readdirSync(folder)).toEqual(['result.json']);
  });

  it('keeps an existing file unless told (L09)', async () => {
    writeFileSync(file, 'old');
    expect(await codeOf(() => writeAtomically(file, 'new'))).toBe('EXISTS');
    expect(readFileSync(file, 'utf8')).toBe('old');
    await writeAtomically(file, 'new', { overwrite: true });
    expect(readFileSync(file, 'utf8')).toBe('new');
    expect(readdirSync(folder)).toEqual(['result.json']);
  });

  it('asks for the file before it asks the source', async () => {
    writeFileSync(file, 'old');
    let asked = false;
    async function* source(): AsyncGenerator<string> {
      asked = true;
      yield 'new';
    }
    expect(await codeOf(() => writeAtomically(file, source()))).toBe('EXISTS');
    expect(asked).toBe(false);
  });

  it('leaves neither file nor rest when the source fails, and passes its error on', async () => {
    async function* source(): AsyncGenerator<string> {
      yield 'half';
      expect(readdirSync(folder)).toHaveLength(1);
      throw new Error('the source broke');
    }
    await expect(writeAtomically(file, source())).rejects.toThrow('the source broke');
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([true, false])('never follows a link (L10), overwrite %s', async (overwrite) => {
    const target = join(folder, 'target');
    writeFileSync(target, 'precious');
    symlinkSync(target, file);
    expect(await codeOf(() => writeAtomically(file, 'new', { overwrite }))).toBe('SYMLINK');
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
  });

  it('refuses a link that leads nowhere', async () => {
    symlinkSync(join(folder, 'nowhere'), file);
    expect(await codeOf(() => writeAtomically(file, 'new', { overwrite: true }))).toBe('SYMLINK');
    expect(readdirSync(folder)).toEqual(['result.json']);
  });

  it('replaces neither a folder nor a pipe', async () => {
    mkdirSync(file);
    makePipe(join(folder, 'pipe'));
    expect((await errorOf(() => writeAtomically(file, 'new', { overwrite: true }))).message).toContain(
      'it is a folder',
    );
    const pipe = await errorOf(() => writeAtomically(join(folder, 'pipe'), 'new', { overwrite: true }));
    expect(pipe).toMatchObject({
      code: 'LOCAL_IO',
      message: `cannot write ${join(folder, 'pipe')}: it is not a regular file`,
    });
    expect(readdirSync(folder).sort()).toEqual(['pipe', 'result.json']);
  });

  it('names the file and the reason when the folder is missing', async () => {
    const missing = join(folder, 'no', 'such', 'file');
    expect(await errorOf(() => writeAtomically(missing, 'x'))).toMatchObject({
      code: 'LOCAL_IO',
      message: `cannot write ${missing}: there is no folder ${dirname(missing)}`,
      details: { hints: [`mkdir -p ${dirname(missing)}`], target: { file: missing } },
    });
  });

  it.runIf(existsSync('/proc/self'))('does not tell to make a folder that is there', async () => {
    expect(await errorOf(() => writeAtomically('/proc/none', 'x'))).toMatchObject({
      code: 'LOCAL_IO',
      message: 'cannot write /proc/none: nothing can be created in /proc',
      details: { target: { file: '/proc/none' } },
    });
  });

  it('writes names of 255 bytes', async () => {
    const longest = join(folder, 'n'.repeat(255));
    await writeAtomically(longest, 'x');
    expect(readFileSync(longest, 'utf8')).toBe('x');
  });

  describe('under an open umask (L35)', () => {
    const program = `import { writeAtomically } from './atomic-write.ts';
      import { privateFolder } from './private-folder.ts';
      process.umask(Number(process.argv[3]));
      await privateFolder(process.argv[2] + '/made/inner');
      await writeAtomically(process.argv[2] + '/secret', 'x');
      await writeAtomically(process.argv[2] + '/open', 'x', { mode: 0o666 });
      console.log('done');`;
    it.each([
      ['0', 0o666],
      ['18', 0o644],
    ])('makes secret files 0600 and folders 0700 (umask %s)', async (umask, open) => {
      await linesOf(startChild(childProgram(root, `umask-${umask}`, program), folder, umask), 1);
      expect(['secret', 'open', 'made', 'made/inner'].map((name) => modeOf(join(folder, name)))).toEqual([
        0o600,
        open,
        0o700,
        0o700,
      ]);
    });
  });

  it('replaces an open file by one of its own mode', async () => {
    writeFileSync(file, 'old');
    chmodSync(file, 0o666);
    await writeAtomically(file, 'new', { overwrite: true });
    expect(modeOf(file)).toBe(0o600);
  });
});

it('a late file meets a link when it is put in its place', async () => {
  const staged = createStaged(file, { overwrite: true, late: true });
  staged.write('new');
  symlinkSync('/etc/passwd', file);
  const other = createStaged(file, { overwrite: true, late: true });
  for (const one of [staged, other]) expect(await codeOf(() => one.commit())).toBe('SYMLINK');
  expect(() => createStaged(file, { overwrite: true })).toThrow('symbolic link');
  expect(readdirSync(folder)).toEqual(['result.json']);
});

describe('syncFolder', () => {
  it('is silent where a folder cannot be synchronised, and fails where there is none', async () => {
    await syncFolder('/proc/self');
    expect(await syncFolder(join(folder, 'none')).catch(errnoOf)).toBe('ENOENT');
  });
});

describe('createStaged', () => {
  it('shows nothing under the final name before the commit, and the bytes under its own', async () => {
    const staged = createStaged(file);
    staged.write('one ');
    staged.write(Buffer.from('two'));
    expect(readdirSync(folder)).toHaveLength(1);
    expect(() => statSync(file)).toThrow('ENOENT');
    expect(readFileSync(staged.path, 'utf8')).toBe('one two');
    await staged.commit();
    expect(readdirSync(folder)).toEqual(['result.json']);
    await staged.abort();
    expect(readFileSync(file, 'utf8')).toBe('one two');
  });

  it('is gone after an abort, as often as one likes, and takes no more', async () => {
    const staged = createStaged(file);
    staged.write('one');
    await staged.abort();
    await staged.abort();
    expect(readdirSync(folder)).toEqual([]);
    expect(
      await codeOf(() => {
        staged.write('two');
      }),
    ).toBe('INTERNAL');
    expect(await codeOf(() => staged.commit())).toBe('INTERNAL');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('does not replace what appeared while it was written', async () => {
    const staged = createStaged(file);
    staged.write('mine');
    writeFileSync(file, 'theirs');
    expect(await codeOf(() => staged.commit())).toBe('EXISTS');
    expect(readFileSync(file, 'utf8')).toBe('theirs');
    expect(readdirSync(folder)).toEqual(['result.json']);
  });

  it('does not follow a link that was planted while it was written (T29)', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, 'precious');
    const staged = createStaged(file, { overwrite: true });
    staged.write('mine');
    symlinkSync(target, file);
    expect(await codeOf(() => staged.commit())).toBe('SYMLINK');
    expect(readFileSync(target, 'utf8')).toBe('precious');
    expect(readdirSync(folder).sort()).toEqual(['result.json', 'target']);
  });

  it('removes the rests of dead runs of this host only', async () => {
    const own = ownProcess();
    const mine = temporaryName();
    const other = (host: string, pid: number): string => mine.replace(/-[0-9a-f]{8}-\d+-/u, `-${host}-${pid}-`);
    const host = /^\.cdapctl-([0-9a-f]{8})-/u.exec(mine)?.[1] ?? '';
    const dead = other(host, 2 ** 30);
    const reused = mine.replace(own.start, '0'.repeat(16));
    const elsewhere = other(host === '00000000' ? '11111111' : '00000000', 2 ** 30);
    const foreign = '.cdapctl-notes.tmp';
    for (const name of [mine, dead, reused, elsewhere, foreign]) writeFileSync(join(folder, name), 'x');
    await writeAtomically(file, 'x');
    expect(readdirSync(folder).sort()).toEqual([mine, elsewhere, foreign, 'result.json'].sort());
  });
});

describe('several runs that write one file at a time', () => {
  it('let one of them have it, whole', async () => {
    const program = childProgram(
      root,
      'races',
      `import { writeAtomically } from './atomic-write.ts';
      let won = 0;
      for (let n = 0; n < 80; n++) {
        try {
          await writeAtomically(process.argv[2] + '/' + n, String(process.pid));
          won++;
        } catch (error) {
          if (error.code !== 'EXISTS') throw error;
        }
      }
      console.log(process.pid + ' ' + won);`,
    );
    const children = [0, 1, 2].map(() => startChild(program, folder));
    const results = (await Promise.all(children.map((child) => linesOf(child, 1)))).flat();
    const owners = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(owners).toHaveLength(80);
    for (const [pid, won] of results.map((line) => line.split(' '))) {
      expect(owners.filter((owner) => owner === pid)).toHaveLength(Number(won));
    }
  });
});

describe('a run that is killed while it writes', () => {
  it('leaves a whole file each time, and its rest goes with the next write (T24)', { timeout: 20_000 }, async () => {
    const program = childProgram(
      root,
      'writes',
      `import { writeAtomically } from './atomic-write.ts';
      import { createHash } from 'node:crypto';
      async function* parts(text) { for (let at = 0; at < text.length; at += 16384) yield text.slice(at, at + 16384); }
      for (let n = 0; ; n++) {
        const body = (n + ' ').repeat(20000 + n % 7);
        await writeAtomically(process.argv[2], parts(createHash('sha256').update(body).digest('hex') + body), { overwrite: true });
        console.log(n);
      }`,
    );
    const killed = async (kill: number): Promise<number> => {
      const place = join(folder, String(kill));
      mkdirSync(place);
      const child = startChild(program, join(place, 'result'));
      await linesOf(child, 1 + (kill % 3));
      await killChild(child);
      const text = readFileSync(join(place, 'result'), 'utf8');
      expect(createHash('sha256').update(text.slice(64)).digest('hex')).toBe(text.slice(0, 64));
      const rests = readdirSync(place).length - 1;
      await writeAtomically(join(place, 'other'), 'x');
      expect(readdirSync(place).sort()).toEqual(['other', 'result']);
      return rests;
    };
    let rests = 0;
    for (let round = 0; round < 10; round++) {
      const counts = await Promise.all([0, 1, 2, 3].map((n) => killed(4 * round + n)));
      rests += counts.reduce((sum, count) => sum + count, 0);
    }
    expect(rests).toBeGreaterThan(0);
  });
});

describe('localError', () => {
  it.each([
    ['ENOSPC', 'DISK_FULL', 'no space left to write /x/y'],
    ['EDQUOT', 'DISK_FULL', 'no space left to write /x/y'],
    ['ELOOP', 'SYMLINK', '/x/y is a symbolic link'],
    ['EEXIST', 'EXISTS', '/x/y exists'],
    ['EACCES', 'LOCAL_IO', 'cannot write /x/y: permission denied'],
    ['EROFS', 'LOCAL_IO', 'cannot write /x/y: the file system is read-only'],
    ['EIO', 'LOCAL_IO', 'cannot write /x/y: the disk reported an error'],
    ['EMFILE', 'LOCAL_IO', 'cannot write /x/y: too many open files'],
    ['EWEIRD', 'LOCAL_IO', 'cannot write /x/y: EWEIRD'],
  ])('says %s as %s', (code, ours, message) => {
    const cause = Object.assign(new Error(code), { code, syscall: 'write' });
    expect(localError(cause, 'write', '/x/y')).toMatchObject({ code: ours, message });
  });

  it('leaves errors alone that do not come from the file system', () => {
    const bug = new TypeError('x is not a function');
    expect(localError(bug, 'write', '/x/y')).toBe(bug);
  });
});
