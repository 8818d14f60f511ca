import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  addContext,
  addHub,
  removeContext,
  removeHub,
  renameContext,
  setContext,
  useContext,
} from '../../../src/config/config-changes.js';
import {
  changeConfig,
  readConfig,
  type ConfigChange,
  type ConfigFile,
  type ConfigPorts,
} from '../../../src/config/config-file.js';
import { temporaryFolder, wordsOf } from './support.js';
import { errorOf } from '../../support/errors.js';

const root = temporaryFolder();
const PROD = { url: 'https://cdap.example.com:10443' };
const SECRET = 'hunter2';
let file = '';

beforeEach(() => {
  file = join(mkdtempSync(join(root, 'config-')), 'config.yaml');
});

const FULL = `# our platforms
version: 1
current: prod   # be careful
hubs:
  corp: { url: https://hub.example.com/v2, verify: require }
contexts:
  prod:
    url: https://cdap.example.com:10443
    namespace: etl
    hub: corp
    caFile: certs/root.pem
    proxy: http://me:pw@proxy.example.com:3128
    protected: true
  # the small one
  dev:
    url: http://localhost:11015
`;

describe('readConfig', () => {
  it.each([
    ['no file', undefined],
    ['an empty file', ''],
    ['a file of comments', '# nothing yet\n'],
  ])('takes %s for an empty configuration', async (_, text) => {
    if (text !== undefined) writeFileSync(file, text);
    expect(await readConfig(file)).toEqual({ file, config: { version: 1, contexts: {}, hubs: {} }, warnings: [] });
  });

  it('reads everything that may stand in it', async () => {
    writeFileSync(file, FULL);
    expect(await readConfig(file)).toEqual({
      file,
      warnings: [],
      config: {
        version: 1,
        current: 'prod',
        hubs: { corp: { url: 'https://hub.example.com/v2', verify: 'require' } },
        contexts: {
          prod: {
            url: 'https://cdap.example.com:10443',
            namespace: 'etl',
            hub: 'corp',
            caFile: 'certs/root.pem',
            proxy: 'http://me:pw@proxy.example.com:3128',
            protected: true,
          },
          dev: { url: 'http://localhost:11015' },
        },
      },
    });
  });

  it('warns about members that it does not know, with their place, and goes on', async () => {
    writeFileSync(
      file,
      `version: 1\ncolour: blue\ncontexts:\n  prod:\n    url: https://a.example.com\n    colour: ${SECRET}\n`,
    );
    const { config, warnings } = await readConfig(file);
    expect(config.contexts).toEqual({ prod: { url: 'https://a.example.com' } });
    expect(warnings.map(({ message }) => message).sort()).toEqual([
      `${file}, line 2, column 9: colour is unknown and ignored`,
      `${file}, line 6, column 13: contexts.prod.colour is unknown and ignored`,
    ]);
  });

  it.each([
    ['a broken line', `version: 1\ncontexts:\n  prod: "${SECRET}\n`, /line \d+, column \d+: not valid YAML/u],
    ['a tab', `version: 1\ncontexts:\n\tprod: ${SECRET}\n`, /line 3, column 1: not valid YAML \(/u],
    [
      'a member twice',
      `version: 1\ncurrent: a\ncurrent: ${SECRET}\n`,
      /line 3, column 1: not valid YAML \(duplicate key\)/u,
    ],
    [
      'an unknown alias',
      `version: 1\ncurrent: *${SECRET}\n`,
      /line 2, column 10: not valid YAML|not valid YAML \(bad alias\)/u,
    ],
    ['two documents', `version: 1\n---\nversion: 1\ncurrent: ${SECRET}\n`, /not valid YAML \(multiple docs\)/u],
    ['no version', `current: ${SECRET}\n`, /version must be 1/u],
    ['a newer version', `version: 2\ncurrent: ${SECRET}\n`, /line 1, column 10: version must be 1/u],
    ['a list', `- ${SECRET}\n`, /line 1, column 1: must be a map/u],
    ['a text', `${SECRET}\n`, /line 1, column 1: must be a map/u],
    [
      'contexts that are none',
      `version: 1\ncontexts: ${SECRET}\n`,
      /line 2, column 11: contexts must be a map of contexts/u,
    ],
    [
      'a context without URL',
      `version: 1\ncontexts:\n  a: { namespace: ${SECRET} }\n`,
      /line 3, column 6: contexts\.a\.url must be text/u,
    ],
    [
      'a URL without scheme',
      `version: 1\ncontexts:\n  a: { url: ${SECRET}.example.com }\n`,
      /line 3, column 13: contexts\.a\.url must be an http or https URL/u,
    ],
    [
      'a URL of another scheme',
      `version: 1\ncontexts:\n  a: { url: ftp://${SECRET} }\n`,
      /contexts\.a\.url must be an http/u,
    ],
    [
      'a URL with a password',
      `version: 1\ncontexts:\n  a: { url: "https://me:${SECRET}@h" }\n`,
      /contexts\.a\.url must be an http or https URL without user/u,
    ],
    [
      'a name that looks like a flag',
      `version: 1\ncontexts:\n  -a: { url: https://${SECRET} }\n`,
      /line 3, column \d+: contexts\.-a names hold/u,
    ],
    [
      'a hub policy that is none',
      `version: 1\nhubs:\n  a: { url: https://h, verify: ${SECRET} }\n`,
      /hubs\.a\.verify must be require, warn or off/u,
    ],
  ])('says where it found %s, and not what (L18)', async (_, text, expected) => {
    writeFileSync(file, text);
    const error = await errorOf(() => readConfig(file));
    expect(error.code).toBe('CONFIG');
    expect(error.message).toContain(file);
    expect(error.message).toMatch(expected);
    expect(wordsOf(error)).not.toContain(SECRET);
  });

  it('lists all problems at once', async () => {
    writeFileSync(file, 'version: 1\ncontexts:\n  a: { url: x }\nhubs:\n  b: { url: y }\n');
    const error = await errorOf(() => readConfig(file));
    expect(error.message).toBe(`${file} has 2 problems`);
    expect(error.details.lines).toEqual([
      expect.stringMatching(/^line 3, column 13: contexts\.a\.url must/u),
      expect.stringMatching(/^line 5, column 13: hubs\.b\.url must/u),
    ]);
  });

  it.each(['a b', 'a/b', 'é'])('refuses the name %j', async (name) => {
    writeFileSync(file, `version: 1\nhubs:\n  "${name}": { url: https://h.example.com }\n`);
    expect((await errorOf(() => readConfig(file))).message).toContain('names hold letters');
  });

  it('gives no entry the name that every object has', async () => {
    writeFileSync(file, 'version: 1\nhubs:\n  __proto__: { url: https://h.example.com }\n');
    expect((await readConfig(file)).config.hubs).toEqual({});
  });

  it('does not unfold a bomb of aliases', async () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let n = 1; n < 12; n++)
      lines.push(
        `a${n}: &a${n} [${Array(9)
          .fill(`*a${n - 1}`)
          .join(', ')}]`,
      );
    writeFileSync(file, `version: 1\n${lines.join('\n')}\n`);
    expect(await errorOf(() => readConfig(file))).toMatchObject({ code: 'CONFIG' });
  });

  it('refuses a folder and a file of more than a megabyte', async () => {
    writeFileSync(file, '#'.repeat(1024 * 1024 + 1));
    expect(await errorOf(() => readConfig(file))).toMatchObject({
      code: 'CONFIG',
      message: `${file} is larger than 1048576 bytes`,
    });
    mkdirSync(`${file}.d`);
    expect((await errorOf(() => readConfig(`${file}.d`))).message).toBe(`${file}.d is a folder`);
  });
});

describe('changeConfig', () => {
  let calls: string[] = [];
  const ports: ConfigPorts = {
    locked: async (work) => {
      calls.push('lock');
      const result = await work();
      calls.push('unlock');
      return result;
    },
    writeFile: async (path, text) => {
      calls.push(`write ${path}`);
      await writeFile(path, text);
    },
  };
  const change = (made: ConfigChange): Promise<ConfigFile> => changeConfig(file, made, ports);

  beforeEach(() => {
    calls = [];
  });

  it('keeps comments, order and what it does not know', async () => {
    writeFileSync(file, `${FULL}future: [1, 2]\n`);
    await change(addContext('test', { url: 'https://test.example.com', protected: true }));
    await change(useContext('test'));
    await change(removeHub('corp'));
    await change(addHub('lab', { url: 'https://lab.example.com' }));
    expect(readFileSync(file, 'utf8')).toBe(
      FULL.replace('current: prod   #', 'current: test #')
        .replace('hubs:\n  corp: { url: https://hub.example.com/v2, verify: require }\n', '')
        .concat('  test:\n    url: https://test.example.com\n    protected: true\n')
        .concat('future: [ 1, 2 ]\nhubs:\n  lab:\n    url: https://lab.example.com\n'),
    );
  });

  it('writes once, between lock and unlock, and gives the result', async () => {
    const after = await change(addContext('prod', PROD));
    expect(calls).toEqual(['lock', `write ${file}`, 'unlock']);
    expect(after.config).toEqual({ version: 1, current: 'prod', contexts: { prod: PROD }, hubs: {} });
    expect(await readConfig(file)).toEqual(after);
    expect(readFileSync(file, 'utf8').startsWith('version: 1\n')).toBe(true);
  });

  it('makes the first context the current one, and no later one', async () => {
    await change(addContext('prod', PROD));
    expect((await change(addContext('dev', PROD))).config.current).toBe('prod');
  });

  it('takes the mark of the current context away with it', async () => {
    await change(addContext('prod', PROD));
    await change(addContext('dev', PROD));
    expect((await change(removeContext('dev'))).config).toMatchObject({ current: 'prod' });
    expect((await change(removeContext('prod'))).config).toEqual({ version: 1, contexts: {}, hubs: {} });
  });

  it('changes members of a context, and gives it another name with the mark of the current one', async () => {
    await change(addContext('prod', PROD));
    await change(addContext('prod', { ...PROD, url: `${PROD.url}/` }));
    await change(setContext('prod', { namespace: 'etl', protected: true }));
    await change(setContext('prod', { namespace: undefined }));
    expect((await change(renameContext('prod', 'live'))).config).toMatchObject({
      current: 'live',
      contexts: { live: { ...PROD, protected: true } },
    });
  });

  it('uses a context of the system file when told that it is there', async () => {
    expect((await change(useContext('shared', true))).config.current).toBe('shared');
  });

  it.each([
    ['a taken name', addContext('prod', { ...PROD, namespace: 'other' }), 'CONFLICT'],
    ['a taken name of a hub', addHub('corp', { url: 'https://x.example.com' }), 'CONFLICT'],
    ['another name that is taken', renameContext('prod', 'dev'), 'CONFLICT'],
    ['a change of an unknown context', setContext('x', { namespace: 'etl' }), 'NOT_FOUND'],
    ['a change to a bad URL', setContext('prod', { url: 'cdap' }), 'USAGE'],
    ['a change to no URL', setContext('prod', { url: undefined }), 'USAGE'],
    ['a bad name', addContext('-x', PROD), 'USAGE'],
    ['a name that every object has', addContext('__proto__', PROD), 'USAGE'],
    ['a bad URL', addContext('x', { url: 'cdap.example.com' }), 'USAGE'],
    ['a bad URL of a hub', addHub('x', { url: 'hub' }), 'USAGE'],
    ['the use of an unknown context', useContext('constructor'), 'NOT_FOUND'],
    ['the removal of an unknown context', removeContext('toString'), 'NOT_FOUND'],
    ['the removal of an unknown hub', removeHub('x'), 'HUB_NOT_FOUND'],
  ])('refuses %s and writes nothing', async (_, made, code) => {
    writeFileSync(file, FULL);
    expect((await errorOf(() => change(made))).code).toBe(code);
    expect(calls).toEqual(['lock']);
    expect(readFileSync(file, 'utf8')).toBe(FULL);
  });

  it('does not touch a file that it cannot read', async () => {
    writeFileSync(file, 'version: 1\ncontexts: 5\n');
    expect((await errorOf(() => change(addContext('prod', PROD)))).code).toBe('CONFIG');
    expect(calls).toEqual(['lock']);
  });
});
