import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { installJournalFile } from '../../src/state/install-journal.js';
import { acquireLock, runLockFile, type Lock } from '../../src/state/lock.js';
import { sampleHub, type Site } from '../support/sites/install-site.js';
import { broken } from './broken-machine.js';
import { CANARY, judge } from './judge.js';

const PACKAGE = 'example-trim-fields@1.10.0';
const JAR = join('example-trim-fields', '1.10.0', 'example-trim-fields-1.10.0.jar');

const state = (site: Site): string => join(site.home, '.local', 'state', 'cdapctl');
const out = (site: Site): string => join(site.home, 'out');
const install = (site: Site): string[] => site.line([PACKAGE, '-y']);
const download = (site: Site): string[] => ['hub', 'download', PACKAGE, '--hub', site.hub, '-D', out(site)];
const journal = (site: Site): string =>
  installJournalFile(state(site), {
    platform: site.url,
    namespace: 'default',
    hub: site.hub,
    package: 'example-trim-fields',
    version: '1.10.0',
  });

function write(path: string, text: string | Buffer, mode = 0o600): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, text, { mode });
}

describe('a file of the output', () => {
  it('L06: cannot be read: the disk reports an error', async () => {
    await judge({
      line: (site) => [...site.line(['example-order-import', '-y']), '--jar', `2=${join(site.home, 'driver.jar')}`],
      prepare: async (site) => {
        const { files, fingerprint, publicKey } = await sampleHub();
        await site.pin({ fingerprint, publicKey });
        const driver = files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar') ?? '';
        write(join(site.home, 'driver.jar'), driver);
      },
      // A file of the system whose start cannot be read.
      fault: (site) => {
        rmSync(join(site.home, 'driver.jar'));
        symlinkSync('/proc/self/mem', join(site.home, 'driver.jar'));
      },
      mend: async (site) => {
        rmSync(join(site.home, 'driver.jar'));
        const { files } = await sampleHub();
        write(
          join(site.home, 'driver.jar'),
          files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar') ?? '',
        );
      },
      exit: 15,
      code: 'LOCAL_IO',
      says: [/cannot read .*driver\.jar: the disk reported an error/u],
      holds: 'A',
    });
  });

  it('L07: would have to change its device on the way to its name', async () => {
    const switched: Record<string, string | undefined> = {};
    await judge({
      line: (site) => [...download(site), '--clobber'],
      options: { env: switched },
      fault: (site) => {
        Object.assign(switched, broken({ FAULT_OTHER_DEVICE: out(site) }));
      },
      mend: () => {
        switched['NODE_OPTIONS'] = undefined;
      },
      exit: 15,
      code: 'LOCAL_IO',
      says: ['another device'],
      holds: 'A',
      look: (_, site) => {
        expect(existsSync(join(out(site), JAR))).toBe(false);
      },
    });
  });

  it('L09: is there already', async () => {
    await judge({
      line: download,
      fault: (site) => {
        write(join(out(site), JAR), 'mine');
      },
      mend: (site) => {
        rmSync(out(site), { recursive: true });
      },
      exit: 6,
      code: 'EXISTS',
      says: ['--clobber'],
      holds: 'AD',
      look: (_, site) => {
        expect(readFileSync(join(out(site), JAR), 'utf8')).toBe('mine');
      },
    });
  });

  it('L10: is a link to another one, which stays as it is', async () => {
    await judge({
      line: (site) => [...download(site), '--clobber'],
      fault: (site) => {
        write(join(site.home, 'target'), 'mine');
        mkdirSync(dirname(join(out(site), JAR)), { recursive: true });
        symlinkSync(join(site.home, 'target'), join(out(site), JAR));
      },
      mend: (site) => {
        rmSync(out(site), { recursive: true });
      },
      exit: 15,
      code: 'SYMLINK',
      says: [/example-trim-fields-1\.10\.0\.jar is a symbolic link/u],
      holds: 'A',
      look: (_, site) => {
        expect(readFileSync(join(site.home, 'target'), 'utf8')).toBe('mine');
      },
    });
  });
});

describe('a place of our own', () => {
  it.for([
    ['the journals', (site: Site): string => join(state(site), 'installs')],
    ['a journal', journal],
    ['the locks', (site: Site): string => join(state(site), 'locks')],
    ['the memory of hubs', (site: Site): string => join(state(site), 'trust')],
    ['the staging', (site: Site): string => join(state(site), 'staging')],
  ] as const)('L11: is a planted link: %s', async ([, place]) => {
    await judge({
      line: install,
      fault: (site) => {
        const planted = place(site);
        mkdirSync(join(site.home, 'elsewhere'), { recursive: true });
        mkdirSync(dirname(planted), { recursive: true, mode: 0o700 });
        rmSync(planted, { recursive: true, force: true });
        symlinkSync(join(site.home, 'elsewhere'), planted);
      },
      mend: async (site) => {
        rmSync(place(site));
        await site.pin(await sampleHub());
      },
      exit: 15,
      code: 'SYMLINK',
      says: ['is a symbolic link'],
      holds: 'AD',
    });
  });

  it('L12: can be written by others', async () => {
    await judge({
      line: install,
      fault: (site) => {
        execFileSync('chmod', ['0777', state(site)]);
      },
      mend: (site) => {
        execFileSync('chmod', ['0700', state(site)]);
      },
      exit: 2,
      code: 'STATE_PERMS',
      says: [/is writable by other users.*chmod go-w/u],
      holds: 'AD',
    });
  });

  it.for([
    ['cannot be used at all', 'hubs: [ {', /config\.yaml.*line 1/u],
    ['holds a secret in the wrong place', `currentContext: prod\ntoken: ${CANARY}\nhubs: 5\n`, /hubs/u],
  ] as const)('L18: the configuration %s', async ([, text, says]) => {
    const config = (site: Site): string => join(site.home, '.config', 'cdapctl', 'config.yaml');
    await judge({
      line: install,
      fault: (site) => {
        // Not the secret itself: what is in the file before the run is no leak of it.
        write(config(site), text.replace(CANARY, 'never-shown'));
      },
      mend: (site) => {
        rmSync(config(site));
      },
      exit: 2,
      code: 'CONFIG',
      says: [says],
      holds: 'AD',
      look: ({ stdout, stderr }) => {
        expect(stdout + stderr).not.toContain('never-shown');
      },
    });
  });

  it.for([
    ['text of something else', 'no journal\n'],
    ['bytes of nothing', Buffer.alloc(300)],
    [
      'a line that is cut, and another',
      '{"v":1,"at":"2025-01-01T00:0\n{"v":1,"at":"2025-01-01T00:00:00Z","type":"finished"}\n',
    ],
  ] as const)('L19: the journal is damaged: %s', async ([, content]) => {
    const bytes = Buffer.from(content);
    const damaged = Buffer.concat([bytes, Buffer.from('\n')]);
    await judge({
      line: install,
      fault: (site) => {
        write(journal(site), damaged);
      },
      mend: (site) => {
        rmSync(journal(site));
      },
      exit: 15,
      code: 'JOURNAL',
      says: [/damaged at line 1/u, /a copy was saved as .*\.damaged-/u, /found on the platform/u],
      holds: 'A',
      look: ({ error }, site) => {
        const { copy = '' } = (error as unknown as { target: Record<string, string> }).target;
        expect(readFileSync(journal(site)).equals(damaged)).toBe(true);
        expect(readFileSync(copy).equals(damaged)).toBe(true);
      },
    });
  });

  it('L20: the journal is of a newer format', async () => {
    await judge({
      line: install,
      fault: (site) => {
        write(journal(site), '{"v":2,"at":"2025-01-01T00:00:00Z","type":"moved"}\n');
      },
      mend: (site) => {
        rmSync(journal(site));
      },
      exit: 2,
      code: 'JOURNAL_NEWER',
      says: ['newer version'],
      holds: 'AD',
    });
  });
});

describe('the lock of a namespace', () => {
  const clock = { now: () => Date.UTC(2025, 0, 1) };
  const file = (site: Site): string =>
    runLockFile(state(site), { kind: 'namespace', url: site.url, namespace: 'default' });

  it.for([
    ['L21', 'a run that is alive', hostname(), /another run is in progress: process \d+ on .* since 2025-01-01/u],
    ['L23', 'a run of another machine', 'elsewhere.example', /elsewhere\.example.* rm .*\.lock/u],
  ] as const)('%s: is held by %s', async ([, , host, says]) => {
    const locks: Lock[] = [];
    await judge({
      line: install,
      fault: async (site) => {
        locks.push(await acquireLock(file(site), { pid: process.pid, host, clock }));
      },
      mend: async () => {
        for (const lock of locks.splice(0)) await lock.release();
      },
      exit: 6,
      code: 'LOCKED',
      says: [says],
      holds: 'AD',
    });
  });

  it.for([
    ['a process that is gone', 4_194_300],
    ['a process of the same number before the machine was started anew', process.pid],
  ] as const)('L22: was left behind by %s', async ([, pid]) => {
    await judge({
      line: install,
      fault: (site) => {
        const id = '00000000-0000-4000-8000-000000000000';
        const holder = { v: 1, id, pid, start: '0000000000000001', host: hostname(), since: '2025-01-01T00:00:00Z' };
        write(file(site), JSON.stringify(holder));
      },
      exit: 0,
      look: ({ stderr }) => {
        expect(stderr).toContain(`note: took over the lock of process ${pid}, which has ended`);
      },
    });
  });
});

const tokens = mkdtempSync(join(tmpdir(), 'cdapctl-tokens-'));
afterAll(() => {
  rmSync(tokens, { recursive: true, force: true });
});

describe('a token file', () => {
  const tokenFile = (site: Site): string => join(tokens, basename(site.home));
  const line = (site: Site): string[] => [...install(site), '--token-file', tokenFile(site)];
  const good = (site: Site): void => {
    rmSync(tokenFile(site), { recursive: true, force: true });
    write(tokenFile(site), CANARY);
  };
  const prepare = async (site: Site): Promise<void> => {
    await site.pin(await sampleHub());
    good(site);
  };
  const sent = async (_: unknown, site: Site): Promise<void> => {
    const platform = (await site.requests()).filter(({ port }) => port === 'platform');
    // The log of the emulator hides what it was.
    expect(new Set(platform.map(({ headers }) => headers['authorization']))).toEqual(new Set(['***']));
  };

  it('L13: can be read by others', async () => {
    await judge({
      line,
      prepare,
      fault: (site) => {
        execFileSync('chmod', ['0644', tokenFile(site)]);
      },
      exit: 0,
      says: [/can be read or changed by other users; to fix: chmod 600 \S/u],
      look: sent,
    });
  });

  it.for([
    ['ends with a line feed', `${CANARY}\n`],
    ['has spaces around it', `  ${CANARY}\t`],
    ['has a BOM', `\uFEFF${CANARY}`],
    ['has the line ends of Windows', `${CANARY}\r\n`],
    ['says Bearer', `Bearer ${CANARY}\n`],
    ['is an answer of an auth server', JSON.stringify({ access_token: CANARY, token_type: 'Bearer' })],
  ] as const)('L14: %s', async ([, text]) => {
    await judge({
      line,
      prepare,
      fault: (site) => {
        write(tokenFile(site), text);
      },
      exit: 0,
      look: sent,
    });
  });

  it.for([
    ['L14', 'is empty', '', /is empty/u],
    ['L14', 'has only spaces', ' \r\n ', /is empty/u],
    ['L14', 'has two lines', `${CANARY}\n${CANARY}\n`, /more than one line/u],
    ['L14', 'is an answer without a token', JSON.stringify({ error: CANARY }), /without a string member access_token/u],
    ['L15', 'has a line end inside', `ab\r${CANARY}`, /more than one line/u],
    ['L15', 'has a control character inside', `ab\u0000${CANARY}`, /invalid characters/u],
    ['L15', 'is not UTF-8', Buffer.from([0x61, 0xff, 0x62]), /token in .* cannot be read|not UTF-8/u],
    ['L16', 'is too large', 'x'.repeat(100_000), /larger than/u],
    ['L17', 'is invalid JSON', `{"access_token":"${CANARY}"`, /is invalid JSON/u],
  ] as const)('%s: %s', async ([, , text, says]) => {
    await judge({
      line,
      prepare,
      fault: (site) => {
        write(tokenFile(site), text);
      },
      mend: good,
      exit: 2,
      code: 'TOKEN_BAD',
      says: [says],
      holds: 'AD',
    });
  });

  it.for([
    [
      'a folder',
      (path: string) => {
        mkdirSync(path);
      },
    ],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
    [
      'an endless device',
      (path: string) => {
        symlinkSync('/dev/zero', path);
      },
    ],
    [
      'a gigabyte',
      (path: string) => {
        writeFileSync(path, '');
        truncateSync(path, 2 ** 30);
      },
    ],
  ] as const)('L16: is %s', async ([, make]) => {
    await judge({
      line,
      prepare,
      fault: (site) => {
        rmSync(tokenFile(site));
        make(tokenFile(site));
      },
      mend: good,
      deadline: 10_000,
      exit: 2,
      code: 'TOKEN_BAD',
      says: ['cannot be read'],
      holds: 'AD',
    });
  });
});
