import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressSecrets, looksSecret, redactor } from '../../../src/core/redact.js';

const SECRET = 'cän ary/+"5f2a\\9c=';
const hide = redactor([SECRET]);
const hideShapes = redactor([]);

describe('redactor', () => {
  it.each([
    ['raw', SECRET],
    ['in JSON', JSON.stringify({ value: SECRET })],
    ['in a URL', `https://host/p?x=${encodeURIComponent(SECRET)}&y`],
    ['in a URL, small escapes', encodeURIComponent(SECRET).toLowerCase()],
    ['in a form', new URLSearchParams({ v: SECRET }).toString()],
    ['as base64', Buffer.from(SECRET).toString('base64')],
    ['as base64url', Buffer.from(SECRET).toString('base64url')],
    ['as part of Basic credentials', Buffer.from(`user:${SECRET}`).toString('base64')],
    ['as part of other base64', Buffer.from(`ab${SECRET}tail`).toString('base64')],
  ])('hides a known secret %s', (_, text) => {
    const shown = hide(`before ${text} after`);
    expect(shown).toContain('***');
    for (const piece of [
      '5f2a',
      Buffer.from(SECRET).toString('base64').slice(4, 16),
      Buffer.from(`user:${SECRET}`).toString('base64').slice(10, 20),
    ]) {
      expect(shown).not.toContain(piece);
    }
    expect(shown).toMatch(/^before .*after$/su);
  });

  it('hides any known secret anywhere', () => {
    const secret = fc.string({ minLength: 8, unit: fc.constantFrom(...Array.from('abXY09+/=-_.~ "\\é')) });
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        const shown = redactor([value])(`${before} ${value} ${after}`);
        expect(before.includes(value) || after.includes(value) || !shown.includes(value)).toBe(true);
      }),
    );
  });

  it.each([
    ['Authorization: Bearer abc.def', 'Authorization: ***'],
    ['{"authorization":"Bearer abcdef"}', '{"authorization":"***"}'],
    ['sent Bearer abcdef12 twice', 'sent Bearer *** twice'],
    ['Proxy-Authorization: Basic dXNlcjpwdw==', 'Proxy-Authorization: ***'],
    ['at https://user:pw@host/x', 'at https://***@host/x'],
    ['at https://user:p@w@host/x', 'at https://***@host/x'],
    ['at https://tok@host/x', 'at https://***@host/x'],
    ['{"password": "a\\"b", "name": "n"}', '{"password": "***", "name": "n"}'],
    ['db.password=hunter22&x=1', 'db.password=***&x=1'],
    ['--token abcdef --json', '--token *** --json'],
    ['?access_token=abc&a=b', '?access_token=***&a=b'],
    [
      String.raw`{"said":"{\"password\":\"hunter22 and more\",\"n\":1}"}`,
      String.raw`{"said":"{\"password\":\"***\",\"n\":1}"}`,
    ],
    [
      JSON.stringify(JSON.stringify(JSON.stringify({ dbPassword: 'a "b\\', z: 1 }))),
      JSON.stringify(JSON.stringify(JSON.stringify({ dbPassword: '***', z: 1 }))),
    ],
    ['"password" = "x y", "n" = 1', '"password" = "***", "n" = 1'],
    ["{'password': 'x y'}", "{'password': '***'}"],
    ['{"secretKey":"x y","accessKeyId":"id"}', '{"secretKey":"***","accessKeyId":"id"}'],
    ['{"password": 123456, "n": 1}', '{"password": ***, "n": 1}'],
    ['password = "x y" and more', 'password = "***" and more'],
    ['{"password":"cut off in the mid', '{"password":"***"'],
    ['{"password"=>"x y"}', '{"password"=>"***"}'],
    ['[{"name":"db.password","value":"x y"}]', '[{"name":"db.password","value":"***"}]'],
    ['<password>x y</password>', '<password>***</password>'],
    ['<name>db.password</name><value>x y</value>', '<name>db.password</name><value>***</value>'],
    ['cdapctl install x --set 2.password=hunter22', 'cdapctl install x --set 2.password=***'],
    ['_password=zz, 3.dbPassword: "x y"', '_password=***, 3.dbPassword: "***"'],
    ['at http://user:PA/SS@host/x', 'at http://***@host/x'],
    ['at http://user:p/w@x@host/x', 'at http://***@host/x'],
  ])('hides what looks like a credential in %s', (text, shown) => {
    expect(hideShapes(text)).toBe(shown);
  });

  it.each([
    'the platform wants a valid access token',
    'GET https://host:11015/v3/namespaces/default?token-count',
    '{"name":"value","nextPageToken":"abc"}',
    'pipeline token: somebody changed it',
    'schedules of pipeline load_secret: not restored',
    'mail@host and https://host/@scope/name',
    'https://host:11015/@scope/name',
    '{"nextPageToken": "abc", "tokens": 12, "key": "value"}',
  ])('leaves %s as it is', (text) => {
    expect(hideShapes(text)).toBe(text);
  });

  it('shows what is said of a stage, whatever its name', () => {
    const said = 'stage "pass": no version of gone (user scope) is offered';
    expect(redactor([])(said)).toBe(said);
    expect(redactor([])('{"stage":"a","pass":"hunter22"}')).not.toContain('hunter22');
    expect(redactor([])('stage {"pass": "hunter22"}')).not.toContain('hunter22');
  });

  it('ignores secrets too short to be told from text', () => {
    expect(redactor(['', 'a'])('banana')).toBe('banana');
  });

  it('is fast on a long text', () => {
    const text = `${'a'.repeat(200_000)} ${'"x":"'.repeat(2_000)} ${'http://a'.repeat(20_000)}`;
    expect(hide(text).length).toBe(text.length);
  });
});

describe('addressSecrets', () => {
  it.each([
    ['http://u:PA/SS@host:3128/x', ['u:PA/SS', 'PA/SS']],
    ['https://user:p%40w@host', ['user:p%40w', 'p%40w', 'p@w']],
    ['https://tok@host', ['tok']],
    ['https://host/@scope/name', []],
    ['https://host:443/@scope', []],
    ['me:pass/word@host/v2', ['me:pass/word', 'pass/word']],
    ['//me:word@host', ['me:word', 'word']],
    ['example-csv-copy@1.0.0', []],
    ['sample/example-csv-copy@1.0.0', []],
    ['host', []],
  ])('finds the user and the password of %s', (address, secrets) => {
    expect([...new Set(addressSecrets(address))]).toEqual(secrets);
  });
});

describe('looksSecret', () => {
  it.each([
    'password',
    'DB_PASSWORD',
    'clientSecret',
    'api-key',
    'apiKey',
    'CDAPCTL_TOKEN',
    'Authorization',
    'privateKey',
    'passphrase',
    'set-cookie',
  ])('sees %s as secret', (name) => {
    expect(looksSecret(name)).toBe(true);
  });
  it.each(['name', 'tokens-used-count', 'nextPageToken', 'publicKeyPath', 'keyword', 'passenger', 'secretary'])(
    'sees %s as plain',
    (name) => {
      expect(looksSecret(name)).toBe(false);
    },
  );
});
