import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findProjectFile } from '../../../src/config/project-file.js';
import { temporaryFolder, wordsOf } from './support.js';
import { errorOf } from '../../support/errors.js';

const root = temporaryFolder();
const SECRET = 'https://evil.example.com';
let folder = '';
let deep = '';

beforeEach(() => {
  folder = mkdtempSync(join(root, 'project-'));
  deep = join(folder, 'a', 'b');
  mkdirSync(deep, { recursive: true });
});

describe('findProjectFile', () => {
  it('finds the nearest one upwards', async () => {
    writeFileSync(join(folder, '.cdapctl.yaml'), 'namespace: far\n');
    expect(await findProjectFile(deep)).toEqual({
      file: join(folder, '.cdapctl.yaml'),
      settings: { namespace: 'far' },
      warnings: [],
    });
    writeFileSync(join(folder, 'a', '.cdapctl.yaml'), 'namespace: near\n');
    expect((await findProjectFile(deep))?.settings).toEqual({ namespace: 'near' });
    expect((await findProjectFile(folder))?.settings).toEqual({ namespace: 'far' });
  });

  it('is content without one', async () => {
    expect(await findProjectFile(deep)).toBeUndefined();
  });

  it('reads everything that may stand in it', async () => {
    writeFileSync(join(deep, '.cdapctl.yaml'), 'version: 1\ncontext: prod\nnamespace: etl\nhubs: [corp, lab]\n');
    expect((await findProjectFile(deep))?.settings).toEqual({
      version: 1,
      context: 'prod',
      namespace: 'etl',
      hubs: ['corp', 'lab'],
    });
  });

  it.each(['.', '..', './hub', '../hub', '/', '~', 'C:', 'a/b', 'a\\b', '%2e', 'file:///srv/hub', SECRET, '-x', ''])(
    'refuses %j, which is not the name of a hub, with one error that names the file',
    async (named) => {
      writeFileSync(join(folder, '.cdapctl.yaml'), `hubs: [corp, ${JSON.stringify(named)}]\n`);
      const error = await errorOf(() => findProjectFile(deep));
      expect([error.code, error.message]).toEqual([
        'CONFIG',
        `${join(folder, '.cdapctl.yaml')}, line 1, column 14: hubs.1 must be the name of a configured hub, not a URL or a folder`,
      ]);
    },
  );

  it.each([
    'url',
    'URL',
    'hubUrl',
    'token',
    'tokenFile',
    'token-file',
    'ca',
    'caFile',
    'ca-file',
    'client-cert',
    'clientKey',
    'proxy',
    'httpsProxy',
    'insecure',
    'insecureSkipTlsVerify',
    'signer',
    'signerKey',
    'keys',
    'verify',
    'allow-http-token',
    'password',
    'credentials',
  ])('refuses %s at every depth', async (member) => {
    for (const text of [
      `${member}: ${SECRET}\n`,
      `output:\n  ${member}: ${SECRET}\n`,
      `more:\n  - deep:\n      ${member}: ${SECRET}\n`,
    ]) {
      writeFileSync(join(deep, '.cdapctl.yaml'), text);
      const error = await errorOf(() => findProjectFile(deep));
      expect(error.code).toBe('CONFIG');
      expect(error.message).toMatch(/line \d, column \d+: a project file must not set /u);
      expect(wordsOf(error)).not.toContain(SECRET);
    }
  });

  it.each([
    'hubs: [https://evil.example.com]\n',
    'context: https://evil.example.com\n',
    'hubs: { a: b }\n',
    '- a\n',
    'a: b: c\n',
  ])('refuses %j', async (text) => {
    writeFileSync(join(deep, '.cdapctl.yaml'), text);
    expect((await errorOf(() => findProjectFile(deep))).code).toBe('CONFIG');
  });

  it('warns about other members that it does not know', async () => {
    writeFileSync(join(deep, '.cdapctl.yaml'), 'namespace: etl\ncategory: x\n');
    const found = await findProjectFile(deep);
    expect(found?.settings).toEqual({ namespace: 'etl' });
    expect(found?.warnings).toEqual([
      {
        code: 'CONFIG_UNKNOWN_MEMBER',
        message: `${join(deep, '.cdapctl.yaml')}, line 2, column 11: category is unknown and ignored`,
      },
    ]);
  });
});
