import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runInProcess, type InProcess } from '../../support/processes/in-process.js';
import { hintsOf } from '../../support/errors.js';
import { environmentOf, withTempDir } from '../../support/processes/run-cli.js';

const FILE = `# our platforms
version: 1
current: test
contexts:
  test:
    url: http://127.0.0.1:11015
    namespace: etl # for now
    proxy: http://me:hunter22@proxy.example.com:3128
  prod: { url: 'https://cdap.example.com', protected: true }
`;

interface Home {
  readonly run: (id: string, words: readonly string[], env?: Readonly<Record<string, string>>) => Promise<InProcess>;
  readonly text: () => string;
}

const withConfig = (use: (home: Home) => Promise<void>, content = FILE): Promise<void> =>
  withTempDir(async (home) => {
    const folder = environmentOf(home)['CDAPCTL_CONFIG_DIR'] ?? join(home, '.config', 'cdapctl');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, 'config.yaml');
    writeFileSync(file, content, { mode: 0o600 });
    await use({
      run: (id, words, env = {}) => runInProcess(id, words, home, { env }),
      text: () => readFileSync(file, 'utf8'),
    });
  });

const outOf = ({ terminal }: InProcess): string => terminal.out.join('');

describe('config get', () => {
  it.each([
    [['namespace'], {}, 'etl\n'],
    [['context'], {}, 'test\n'],
    [['retries'], {}, '3\n'],
    [['connect-timeout'], {}, '10s\n'],
    [['proxy'], {}, 'http://***@proxy.example.com:3128\n'],
    [['namespace'], { CDAPCTL_NAMESPACE: 'a,b' }, 'a,b\n'],
    [['namespace', '-n', 'other'], { CDAPCTL_NAMESPACE: 'a' }, 'other\n'],
    [['namespace', '--context', 'prod'], {}, 'default\n'],
  ])('prints the value of %j alone', async (words, env, printed) => {
    await withConfig(async ({ run }) => {
      const done = await run('config:get', words, env);
      expect([done.error, outOf(done)]).toEqual([undefined, printed]);
    });
  });

  it('says so where nothing is set, and ends well', async () => {
    await withConfig(async ({ run }) => {
      const done = await run('config:get', ['caFile']);
      expect([done.error, outOf(done), done.terminal.notes]).toEqual([undefined, '', ['caFile is not set']]);
      const json = JSON.parse(outOf(await run('config:get', ['caFile', '-o', 'json']))) as object;
      expect(json).toMatchObject({ kind: 'Setting', item: { name: 'caFile' } });
    });
  });

  it('says in JSON where a value comes from', async () => {
    await withConfig(async ({ run }) => {
      const json = JSON.parse(outOf(await run('config:get', ['namespace', '--json']))) as object;
      expect(json).toMatchObject({ item: { value: 'etl', origin: 'user', from: 'context "test"' } });
    });
  });
});

describe('a setting that the file does not have', () => {
  it.each([
    ['config:get', ['namespce'], 'unknown setting "namespce"', 'Did you mean "namespace"?'],
    ['config:get', ['constructor'], 'unknown setting "constructor"', 'one of '],
    ['config:set', ['token', 'x'], 'unknown setting "token"', 'one of context, url, namespace'],
    ['config:set', ['protected', 'false'], 'unknown setting "protected"', 'one of context, url, namespace'],
    [
      'config:set',
      ['retries', '5'],
      'retries cannot be set in the configuration file',
      'use --retries, or set CDAPCTL_RETRIES',
    ],
    [
      'config:set',
      ['insecureSkipTlsVerify', 'true'],
      'insecureSkipTlsVerify cannot be set',
      'CDAPCTL_INSECURE_SKIP_TLS_VERIFY',
    ],
    ['config:unset', ['verify'], 'verify cannot be set in the configuration file', 'CDAPCTL_VERIFY'],
    ['config:unset', ['url'], 'the url of a context cannot be removed', 'cdapctl context remove test'],
    ['config:set', ['namespace', ''], 'the value of namespace is empty', 'cdapctl config unset namespace'],
    [
      'config:set',
      ['tokenFile', 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9'],
      'looks like a token',
      'save the token in a file',
    ],
    ['config:set', ['tokenFile', '-'], 'a context needs a file', ''],
    ['config:set', ['uiUrl', 'https://me:hunter22@ui.example.com'], 'uiUrl must be an http or https URL', ''],
    ['config:set', ['url', 'cdap.example.com'], 'is not an http(s) URL', ''],
  ])('%s %j is refused, nothing is written', async (id, words, message, hint) => {
    await withConfig(async ({ run, text }) => {
      const { error } = await run(id, words);
      expect(error?.code).toBe('USAGE');
      expect(error?.message).toContain(message);
      expect(error === undefined ? '' : hintsOf(error).join('\n')).toContain(hint);
      expect(JSON.stringify([error?.message, error?.details])).not.toMatch(/hunter22|eyJhb/u);
      expect(text()).toBe(FILE);
    });
  });

  it.each([
    ['config:set', ['context', 'nosuch'], 'NOT_FOUND'],
    ['config:set', ['namespace', 'x', '--context', 'nosuch'], 'NOT_FOUND'],
    ['config:set', ['hub', 'nosuch'], 'HUB_NOT_FOUND'],
  ])('%s %j names what is not there', async (id, words, code) => {
    await withConfig(async ({ run, text }) => {
      expect((await run(id, words)).error?.code).toBe(code);
      expect(text()).toBe(FILE);
    });
  });

  it('cannot be set without a context', async () => {
    await withConfig(async ({ run }) => {
      expect((await run('config:set', ['namespace', 'x'])).error).toMatchObject({
        code: 'NOT_FOUND',
        message: 'no contexts configured',
      });
    }, 'version: 1\n');
  });
});

describe('config set and unset', () => {
  it('change one member of the current context, and keep comments', async () => {
    await withConfig(async ({ run, text }) => {
      const set = await run('config:set', ['namespace', 'web']);
      expect([set.error, outOf(set)]).toEqual([undefined, 'namespace is set to web (context "test")\n']);
      expect(text()).toBe(FILE.replace('etl #', 'web #'));
      const unset = await run('config:unset', ['namespace']);
      expect([unset.error, outOf(unset)]).toEqual([undefined, 'namespace is unset (context "test")\n']);
      const before = text();
      expect(before).not.toContain('namespace');
      const again = await run('config:unset', ['namespace']);
      expect([again.error, outOf(again)]).toEqual([
        undefined,
        'namespace was not set; nothing changed (context "test")\n',
      ]);
      expect(JSON.parse(outOf(await run('config:unset', ['namespace', '--json'])))).toMatchObject({
        item: expect.not.objectContaining({ isUnchanged: true }) as unknown,
      });
      expect(text()).toBe(before);
    });
  });

  it('hide the password of a proxy', async () => {
    await withConfig(async ({ run, text }) => {
      const done = await run('config:set', ['proxy', 'http://me:other77@p.example.com']);
      expect(outOf(done)).toBe('proxy is set to http://***@p.example.com (context "test")\n');
      expect(text()).toContain('other77');
    });
  });

  it('switch the current context, and leave none', async () => {
    await withConfig(async ({ run, text }) => {
      expect((await run('config:set', ['context', 'prod'])).error).toBeUndefined();
      expect(text()).toContain('current: prod');
      expect((await run('config:unset', ['context'])).error).toBeUndefined();
      expect(text()).not.toContain('current');
    });
  });

  it('say which variable is stronger', async () => {
    await withConfig(async ({ run }) => {
      const { terminal } = await run('config:set', ['namespace', 'web'], { CDAPCTL_NAMESPACE: 'other' });
      expect(terminal.notes).toEqual(['note: CDAPCTL_NAMESPACE overrides the configuration file']);
    });
  });

  it.each([
    ['config:set', ['namespace', 'x', '--context', 'prod'], 'change namespace of context prod'],
    ['config:set', ['url', 'http://127.0.0.1:1', '--context', 'prod', '-y'], 'change url of context prod'],
  ])('%s %j wants the name of a protected context', async (id, words, deed) => {
    await withConfig(async ({ run, text }) => {
      const { error } = await run(id, words);
      expect(error).toMatchObject({ code: 'CONSENT_MISSING' });
      expect(error?.message).toContain(deed);
      expect(text()).toBe(FILE);
      expect((await run(id, [...words.filter((word) => word !== '-y'), '--confirm', 'prod'])).error).toBeUndefined();
      expect(text()).not.toBe(FILE);
    });
  });
});

describe('the address of the UI', () => {
  it.each([
    [['-o', 'name'], {}, 'uiUrl\n'],
    [[], {}, 'https://ui.example.com\n'],
    [[], { CDAPCTL_UI_URL: 'https://other.example.com' }, 'https://other.example.com\n'],
    [['-u', 'http://127.0.0.1:9'], {}, ''],
  ])('is taken from the context for its own platform: %j %j', async (words, env, printed) => {
    await withConfig(async ({ run, text }) => {
      expect((await run('context:set', ['test', '--ui-url', 'https://ui.example.com'])).error).toBeUndefined();
      expect(text()).toContain('    uiUrl: https://ui.example.com\n');
      expect(outOf(await run('config:get', ['uiUrl', ...words], env))).toBe(printed);
    });
  });

  it('is not kept with a password', async () => {
    await withConfig(async ({ run, text }) => {
      const { error } = await run('context:set', ['test', '--ui-url', 'https://me:hunter22@ui.example.com']);
      expect(error).toMatchObject({ code: 'USAGE' });
      expect(error?.message).not.toContain('hunter22');
      expect(text()).toBe(FILE);
    });
  });
});
