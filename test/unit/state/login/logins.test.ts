import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  loggedIn,
  loginFile,
  readLogin,
  removeLogin,
  removeLogins,
  writeLogin,
} from '../../../../src/state/login/logins.js';
import { looseModes, tighten } from '../../../../src/state/login/file-permissions.js';
import { codeOf, errorOf, saidBy } from '../../../support/errors.js';
import { temporaryFolder } from '../support.js';

const root = temporaryFolder();
let count = 0;
let state = '';
beforeEach(() => {
  state = join(root, `${(count += 1)}`, 'state');
});

const LOGIN = { context: 'dev', url: 'http://cdap.example', user: 'ann', token: 'secret', expiresAt: 5 };
const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('a login', () => {
  it('is kept for its context, for its owner only', async () => {
    await writeLogin(state, LOGIN);
    const file = join(state, 'logins', 'dev.json');
    expect(loginFile(state, 'dev')).toBe(file);
    expect(await readLogin(state, 'dev')).toEqual({ v: 1, ...LOGIN });
    expect(await readLogin(state, 'prod')).toBeUndefined();
    expect([modeOf(state), modeOf(join(state, 'logins')), modeOf(file)]).toEqual([0o700, 0o700, 0o600]);
    expect(readFileSync(file, 'utf8').endsWith('}\n')).toBe(true);
  });

  it('is replaced by the next, without what that does not have', async () => {
    await writeLogin(state, LOGIN);
    await writeLogin(state, { context: 'dev', url: 'http://b', token: 't' });
    expect(await readLogin(state, 'dev')).toEqual({ v: 1, context: 'dev', url: 'http://b', token: 't' });
  });

  it('is not that of a context whose name differs in capitals only', async () => {
    await writeLogin(state, LOGIN);
    writeFileSync(loginFile(state, 'DEV'), readFileSync(loginFile(state, 'dev')), { mode: 0o600 });
    expect(await readLogin(state, 'DEV')).toBeUndefined();
  });

  it.each([0o640, 0o604, 0o601, 0o610])('that others can read is refused: %o', async (mode) => {
    await writeLogin(state, LOGIN);
    const file = loginFile(state, 'dev');
    chmodSync(file, mode);
    expect(saidBy(await errorOf(readLogin(state, 'dev')))).toEqual({
      code: 'STATE_PERMS',
      message: `${file} can be read by other users`,
      hints: [`chmod 600 ${file}`],
      target: { file },
    });
  });

  it.each([
    'no JSON',
    '{}',
    JSON.stringify({ v: 2, ...LOGIN }),
    JSON.stringify({ v: 1, ...LOGIN, more: 1 }),
    JSON.stringify({ v: 1, ...LOGIN, token: 7 }),
  ])('that is damaged says so, and nothing of what it holds: %s', async (text) => {
    await writeLogin(state, LOGIN);
    const file = loginFile(state, 'dev');
    writeFileSync(file, text);
    const error = await errorOf(readLogin(state, 'dev'));
    expect(saidBy(error)).toEqual({
      code: 'LOCAL_IO',
      message: `${file} is damaged`,
      hints: [`rm ${file}`],
      target: { file },
    });
    expect(error.details.cause).toBeUndefined();
  });

  it('is removed once', async () => {
    await writeLogin(state, LOGIN);
    expect([await removeLogin(state, 'dev'), await removeLogin(state, 'dev')]).toEqual([true, false]);
    expect(existsSync(loginFile(state, 'dev'))).toBe(false);
  });

  it('is not removed with a context whose name differs in capitals only', async () => {
    await writeLogin(state, LOGIN);
    linkSync(loginFile(state, 'dev'), loginFile(state, 'DEV'));
    expect(await removeLogin(state, 'DEV')).toBe(false);
    expect(await readLogin(state, 'dev')).toEqual({ v: 1, ...LOGIN });
    await removeLogins(state, ['DEV', 'dev']);
    expect(await loggedIn(state)).toEqual([]);
    await removeLogins(state, ['dev']);
  });

  it('that is a link is removed, and what it leads to is kept', async () => {
    await writeLogin(state, LOGIN);
    symlinkSync(loginFile(state, 'dev'), loginFile(state, 'prod'));
    expect([await removeLogin(state, 'prod'), await loggedIn(state)]).toEqual([true, ['dev']]);
  });

  it('that is damaged is removed', async () => {
    await writeLogin(state, LOGIN);
    writeFileSync(loginFile(state, 'dev'), '{');
    expect([await removeLogin(state, 'dev'), await loggedIn(state)]).toEqual([true, []]);
  });

  it('that is a folder is not removed', async () => {
    mkdirSync(loginFile(state, 'dev'), { recursive: true });
    await expect(removeLogin(state, 'dev')).rejects.toThrow();
    expect(existsSync(loginFile(state, 'dev'))).toBe(true);
  });

  it('is listed by its context', async () => {
    expect(await loggedIn(state)).toEqual([]);
    for (const context of ['prod', 'dev', 'a.json']) await writeLogin(state, { ...LOGIN, context });
    writeFileSync(join(state, 'logins', 'dev.json.tmp'), '');
    expect(await loggedIn(state)).toEqual(['a.json', 'dev', 'prod']);
  });

  it('is not listed where its folder is a file', async () => {
    mkdirSync(state, { recursive: true });
    writeFileSync(join(state, 'logins'), '');
    expect(await codeOf(loggedIn(state))).toBe('LOCAL_IO');
  });
});

describe('modes that are too wide', () => {
  /** Folders of a configuration and of a state, each path with its mode. */
  function folders(modes: Readonly<Record<string, number>>) {
    const paths = { config: join(root, `${count}`, 'config'), state };
    for (const [name, mode] of Object.entries(modes)) {
      const path = join(root, `${count}`, name);
      if (/\.\w+$/u.test(name)) writeFileSync(path, '');
      else mkdirSync(path, { recursive: true });
      chmodSync(path, mode);
    }
    return paths;
  }
  const at = (name: string): string => join(root, `${count}`, name);

  it('are none where nothing is there', () => {
    expect(looseModes({ config: join(root, 'none'), state: join(root, 'neither') })).toEqual([]);
  });

  it('are those that let others write, and with tokens those that let others read', () => {
    const places = folders({
      config: 0o775,
      'config/config.yaml': 0o646,
      state: 0o777,
      'state/logins': 0o711,
      'state/logins/a.json': 0o604,
      'state/logins/b.json': 0o600,
    });
    const loose = [
      { path: at('config'), mode: 0o755 },
      { path: at('config/config.yaml'), mode: 0o644 },
      { path: at('state'), mode: 0o755 },
      { path: at('state/logins'), mode: 0o700 },
      { path: at('state/logins/a.json'), mode: 0o600 },
    ];
    expect(looseModes(places)).toEqual(loose);
    tighten(loose);
    expect(looseModes(places)).toEqual([]);
    expect(loose.map(({ path }) => modeOf(path))).toEqual(loose.map(({ mode }) => mode));
  });

  it('are none where others may only read what holds no token', () => {
    const modes = { config: 0o755, 'config/config.yaml': 0o644, state: 0o755, 'state/logins': 0o700 };
    expect(looseModes(folders(modes))).toEqual([]);
  });

  it('are not those behind a link', () => {
    const places = folders({ config: 0o755, state: 0o755, other: 0o777 });
    rmSync(at('config'), { recursive: true });
    symlinkSync(at('other'), at('config'));
    expect(looseModes(places)).toEqual([]);
  });

  it('that cannot be looked at are an error', () => {
    const places = folders({ state: 0o755 });
    writeFileSync(at('config'), '', { mode: 0o600 });
    writeFileSync(join(places.state, 'logins'), '', { mode: 0o600 });
    expect(() => looseModes(places)).toThrow('part of the path is not a folder');
    rmSync(at('config'));
    expect(() => looseModes(places)).toThrow('part of the path is not a folder');
  });

  it('that cannot be changed are an error', () => {
    const path = join(root, 'gone');
    expect(() => {
      tighten([{ path, mode: 0o600 }]);
    }).toThrow(`cannot write ${path}`);
  });
});
