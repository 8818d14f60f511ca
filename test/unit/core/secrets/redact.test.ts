import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressSecrets, looksSecret, redactor } from '../../../../src/core/secrets/redact.js';
import { hiderOf } from '../../../../src/core/secrets/hide-secrets.js';

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
    ['{"name":"password","value":123456,"n":1}', '{"name":"password","value":"***","n":1}'],
    ['{"name":"password","value":{"a":1},"n":1}', '{"name":"password","value":"***","n":1}'],
    ['{"value":123456,"name":"password"}', '{"value":"***","name":"password"}'],
    ['{"cookie":null}', '{"cookie":"***"}'],
    ['{"authorization": -12.5e3, "n": 1}', '{"authorization": "***", "n": 1}'],
    ['"cookie": 1234; b=2, c', '"cookie": "***"'],
    ['{"password": 123456, "n": 1}', '{"password": "***", "n": 1}'],
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
    ['at //user:PA/SS@host/x', 'at //***@host/x'],
    ['{"password": ["a b", "c]"], "n": 1}', '{"password": "***", "n": 1}'],
    ['{"password":{"value":"a}","x":["b"]},"n":1}', '{"password":"***","n":1}'],
    [String.raw`{\"password\":[\"a\",\"b c\"],\"n\":1}`, String.raw`{\"password\":\"***\",\"n\":1}`],
    ['{"credentials": {"user":"me","pw":"a', '{"credentials": "***"'],
    ['password: |\n  one\n\n  two more\nname: x', 'password: ***\nname: x'],
    ['x:\n  secret: >-\n    one two\n    three\n  name: x', 'x:\n  secret: ***\n  name: x'],
    ['password:\n  - one\n  - two\nname: y', 'password:***\nname: y'],
    ['--password "x y" --json', '--password "***" --json'],
    ["--db-password='x y' --json", "--db-password='***' --json"],
    ["install x --set '2.password=x y' -y", "install x --set '2.password=***' -y"],
    ['java -Dpassword="x y" Main', 'java -Dpassword="***" Main'],
    ['Digest username="u", response="ab12", opaque="o"', 'Digest username="u", response="***", opaque="o"'],
    ['at jdbc:oracle:thin:scott/x1@db:1521/x', 'at jdbc:oracle:thin:scott/***@db:1521/x'],
    ['the password is "x y", it says', 'the password is ***, it says'],
    ['the password was hunter22, it says', 'the password was ***, it says'],
    ['<password type="t">x y</password>', '<password type="t">***</password>'],
    ['<property name="password" value="x y"/>', '<property name="password" value="***"/>'],
    ['<property name="password">x y</property>', '<property name="password">***</property>'],
    ['install --set=1.password=hunter22 -y', 'install --set=1.password=*** -y'],
    ['-v=1.token=hunter22', '-v=1.token=***'],
    ['--opt=db.password=hunter22', '--opt=db.password=***'],
    ['--header=Api-Key:hunter22', '--header=Api-Key:***'],
    ['--set: token=hunter22', '--set: token=***'],
    ['error: password=hunter22', 'error: password=***'],
    [String.raw`Cookie: \"CDAP_Auth=hunter22; a=b\" x`, String.raw`Cookie: \"***\" x`],
    ['cookie => "sid=hunter22" x', 'cookie => "***" x'],
    ['authorization => "Bearer hunter22" x', 'authorization => "***" x'],
    [String.raw`Authorization: \"hunter22\" x`, String.raw`Authorization: \"***\" x`],
    ['Cookie: a="hunter22"; sid=abc', 'Cookie: ***'],
    ['set-cookie: ["sid=abc; Path=/"] x', 'set-cookie: *** x'],
    ['{"value":"hun\'ter2","name":"password"}', '{"value":"***","name":"password"}'],
    ['{"value":"hun\\"t{er2","key":"apiKey"}', '{"value":"***","key":"apiKey"}'],
    ['{"type":"password","value":"hunter22"}', '{"type":"password","value":"***"}'],
    ['{"passwords": ["a", "b"], "n": 1}', '{"passwords": "***", "n": 1}'],
    ['password[0]=hunter22 x', 'password[0]=*** x'],
    ['?db.password%3Dhunter22&a=b', '?db.password%3D***&a=b'],
    [
      '-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: a-b\n\nlQ==\n-----END PGP PRIVATE KEY BLOCK-----',
      '-----BEGIN PGP PRIVATE KEY BLOCK-----***-----END PGP PRIVATE KEY BLOCK-----',
    ],
    [
      '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\nlQ==\n-----END RSA PRIVATE KEY-----',
      '-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----',
    ],
  ])('hides what looks like a credential in %s', (text, shown) => {
    expect(hideShapes(text)).toBe(shown);
  });

  it.each([
    'the platform requires a valid access token',
    'GET https://host:11015/v3/namespaces/default?token-count',
    '{"name":"value","nextPageToken":"abc"}',
    'pipeline token: somebody changed it',
    'schedules of pipeline load_secret: not restored',
    'mail@host and https://host/@scope/name',
    'https://host:11015/@scope/name',
    'at //host:11015/@scope/name and sample/example-csv-copy@1.0.0',
    '// see: mail@host, or x//y:z@w',
    'the token is missing, the token was refused (401), the secret is base64 or sha256',
    'the password is what the platform asks for, and the token is not "x"',
    'keys:\n  - one\n  - two',
    'text: |\n  one\n  two',
    "install x --set '2.table=x y' --name 'x y'",
    '<name type="password">x y</name>',
    'response="ab12" of the service',
    'a digest of the response: ab12',
    '{"stages": [{"name": "a"}], "passes": {"count": 1}}',
    '{"nextPageToken": "abc", "tokens": 12, "key": "value"}',
  ])('leaves %s as it is', (text) => {
    expect(hideShapes(text)).toBe(text);
  });

  it('shows what is said of a stage, whatever its name', () => {
    const said = 'stage "pass": no version of gone (user scope) is available';
    expect(redactor([])(said)).toBe(said);
    expect(redactor([])('{"stage":"a","pass":"hunter22"}')).not.toContain('hunter22');
    expect(redactor([])('stage {"pass": "hunter22"}')).not.toContain('hunter22');
  });

  it.each([
    'context "prod-token": the platform could not be reached',
    'namespace "secret": no pipeline of it runs',
    'hub "api-key": 3 entries of the catalog skipped; the first one has no name',
    'hub "corp-token": cannot be read',
    'warning: hub "api-key": a version is none',
    'stage "pass": no version of gone (user scope) is available',
    'error: stage "api-key": no plugin, and no artifact',
    'preference "password": not set in namespace etl',
    'argument "token": must be a text',
    'etl/load_token: failed: the platform refused it',
    'etl/load-secret: unknown: its proof was cut off',
  ])('keeps what is said of a named thing: %s', (text) => {
    expect(hideShapes(text)).toBe(text);
  });

  it.each([
    'context "prod-token": "hunter22 and more"',
    'hub "api-key": hunter22',
    'namespace "secret": Hunter22 x',
    'stage "pass": hunter22',
    'stage {"pass": "hunter22"}',
    'stage "pass" = hunter22 is it',
    'hub "api-key":hunter22 is it',
    'preference "password": hunter22 in namespace etl',
    'plugin "passphrase": hunter22 horse battery',
    'plugin "passphrase": correct hunter22 battery',
    'stage "passphrase": correct hunter22 battery',
    'application "token": 12345678 hunter22 (expires)',
    'property "password": hunter22 is it',
    'preference "password": "not hunter22"',
    'the "password": hunter22 is it',
    'subcontext{"token": "hunter22"}',
    'load_token: hunter22: x',
    'load_token: failed22hunter22',
    String.raw`hub {\"api-key\": \"hunter22 and more\"}`,
  ])('hides what may be a value all the same: %s', (text) => {
    expect(hideShapes(text)).not.toMatch(/hunter22/iu);
  });

  it('ignores secrets too short to be told from text', () => {
    expect(redactor(['', 'a'])('banana')).toBe('banana');
  });

  it.each([
    ['{"passwords":[', '"hunter22",', ']}'],
    ['{"password":"', 'hunter22 ', '"}'],
  ])('hides all of a value that is very long: %s', (start, part, end) => {
    expect(hide(start + part.repeat(10_000) + end)).not.toContain('hunter');
  });

  it('is fast on a long text', () => {
    const text = `${'a'.repeat(200_000)} ${'"x":"'.repeat(2_000)} ${'http://a'.repeat(20_000)}`;
    expect(hide(text).length).toBe(text.length);
    const lines = `${'a1b2c3d4'.repeat(200_000)}\n${'password: |\n'.repeat(5_000)}${'digest '.repeat(20_000)}`;
    expect(redactor(['x'.repeat(2_000), SECRET])(lines).length).toBeGreaterThan(1_700_000);
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

describe('a known secret that somebody escaped in a way of their own', () => {
  const secret = 'Pl4nted/abc+71x==';
  const every = (write: (code: string, character: string) => string): string =>
    Array.from(secret)
      .map((character) => write(character.charCodeAt(0).toString(16), character))
      .join('');
  it.each([
    ['as Gson does', secret.replaceAll('=', '\\u003d')],
    ['with slashes as some writers of JSON do', secret.replaceAll('/', '\\/')],
    ['in JSON inside JSON', secret.replaceAll('/', '\\\\\\/').replaceAll('=', '\\\\u003d')],
    ['every character for JSON', every((code) => `\\u${code.padStart(4, '0')}`)],
    ['every character for an address', every((code) => `%${code}`)],
    ['twice for an address', encodeURIComponent(encodeURIComponent(secret))],
    ['with hexadecimal escapes', every((code) => `\\x${code}`)],
    ['with octal escapes', every((code) => `\\${parseInt(code, 16).toString(8).padStart(3, '0')}`)],
    ['with long escapes', every((code) => `\\U${code.padStart(8, '0')}`)],
    ['with escapes in braces', every((code) => `\\u{${code}}`)],
    ['in hexadecimal', every((code) => code)],
    ['in capital hexadecimal', every((code) => code).toUpperCase()],
    ['in hexadecimal with colons', every((code) => `:${code}`).slice(1)],
    ['in hexadecimal by lines', every((code) => `\n  ${code}`).slice(3)],
    ['as a list of bytes', every((code) => `, 0x${code}`).slice(4)],
    ['wrapped', `${secret.slice(0, 9)}\n${secret.slice(9)}`],
    ['wrapped and indented', `${secret.slice(0, 9)}\r\n    | ${secret.slice(9)}`],
    ['wrapped as in a shell', `${secret.slice(0, 9)}\\\n${secret.slice(9)}`],
    ['with numbers for HTML', every((code, character) => `&#${character === '/' ? `x${code}` : parseInt(code, 16)};`)],
  ])('is hidden %s', (_, text) => {
    expect(redactor([secret])(`before ${text} behind`)).toMatch(/^before (?:\\x)?\*{3} behind$/u);
  });
});

it.each([
  'Cookie: a=1; b=hidden',
  'java -Dpassword=hidden',
  'run --password=hidden',
  'secretKey=>hidden',
  '[{"value":"hidden","name":"db.password"}]',
  '{\\"value\\":\\"hidden\\",\\"key\\":\\"apiKey\\"}',
  'https://store/x?sig=hidden&a=1',
  '-----BEGIN RSA PRIVATE KEY-----\nhidden\n-----END RSA PRIVATE KEY-----',
])('the value in %s is hidden', (text) => {
  expect(redactor([])(text)).not.toContain('hidden');
  expect(redactor([])(text)).toContain('***');
});

it('base64 of a known secret is hidden where its lines are wrapped', () => {
  const wrapped = Buffer.from('xPl4nted/abc+71x==')
    .toString('base64')
    .replace(/(.{8})/gu, '$1\n');
  expect(redactor(['Pl4nted/abc+71x=='])(wrapped).replaceAll('\n', '')).toMatch(/^.{1,3}\*{3}.{0,4}$/u);
});

it('a long secret is hidden to its end where it is wrapped or in hexadecimal', () => {
  const secret = Array.from({ length: 500 }, (_, at) => `s${at}`).join('-');
  const wrapped = secret.replace(/(.{64})/gu, '$1\n  ');
  expect(redactor([secret])(`a ${wrapped} b`)).toBe('a *** b');
  expect(redactor([secret])(`a ${Buffer.from(secret).toString('hex')} b`)).toBe('a *** b');
});

it('a short secret is not looked for across lines', () => {
  const text = 'pa\nss, p a s s, feed beef';
  expect(redactor(['pass'])(text)).toBe(text);
});

describe('a known secret of any length', () => {
  const characters = Array.from('abcXYZ019-_./+=');
  const tokenOf = (length: number): string => {
    let state = 1;
    const next = (): string => {
      state = (state * 48_271) % 2_147_483_647;
      return characters[state % characters.length] ?? '';
    };
    return Array.from({ length }, next).join('');
  };
  const stepsFor = (secret: string, text: string): number => {
    const work = { steps: 0 };
    hiderOf([secret], '***', work)(text);
    return work.steps;
  };

  it.each([1_000, 6_000, 65_536])('is hidden in every spelling with %i characters', (length) => {
    const token = tokenOf(length);
    const hideToken = redactor([token]);
    const coded = Buffer.from(token).toString('base64').slice(0, -4);
    expect(hideToken('100% of \\n & more')).toBe('100% of \\n & more');
    for (const text of [
      token,
      encodeURIComponent(token),
      encodeURIComponent(encodeURIComponent(token)),
      token.replaceAll('/', '\\/').replaceAll('=', '\\u003d'),
      Array.from(token, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join(''),
      Array.from(token, (character) => `&#${character.charCodeAt(0)};`).join(''),
      token.replace(/(.{64})(?=.)/gu, '$1\n  '),
      Buffer.from(token).toString('hex'),
      coded.replace(/(.{76})/gu, '$1\r\n'),
      JSON.stringify(coded.replace(/(.{76})/gu, '$1\r\n')).slice(1, -1),
    ])
      expect(hideToken(`a ${text} b`).replace(/\*{3}[^ ]{0,4}/u, '***')).toBe('a *** b');
  });

  it('takes steps that grow with the length of the text and of the secret, whatever they hold', () => {
    const size = 65_536;
    const full = (piece: string): string => piece.repeat(Math.ceil(size / piece.length)).slice(0, size);
    const secrets = [
      tokenOf(size),
      full('a'),
      `${full('a').slice(1)}b`,
      full('ab'),
      full('\\'),
      full('%25'),
      full('00'),
    ];
    const texts = [...secrets, full('\\u0061'), full('%61'), full('&amp;'), full('&#97;'), full('a\n'), full('61 ')];
    texts.push(full(`${'a'.repeat(50)}b`));
    for (const secret of secrets)
      for (const text of texts) expect(stepsFor(secret, text)).toBeLessThan(80 * (text.length + secret.length));
  });

  it('takes no step for spellings that a text cannot hold', () => {
    expect(stepsFor(tokenOf(65_536), 'nothing of it')).toBeLessThan(1_000);
  });

  it('is hidden where somebody cut it', () => {
    const token = tokenOf(1_000);
    expect(redactor([token])(`at ${token.slice(0, 300)}`)).toBe('at ***');
    expect(redactor([token])(`at ${encodeURIComponent(token.slice(0, 300))} x`)).toBe('at *** x');
    expect(redactor([token])(`at ${token.slice(0, 60)}... x`)).toBe('at *** x');
    expect(redactor([token])(`at ${token.slice(0, 30)} x`)).toBe(`at ${token.slice(0, 30)} x`);
  });
});

it.each([
  ["pa'ssword1", String.raw`-u 'https://joe:pa'\''ssword1@host' now`, "-u 'https://***@host' now"],
  ["pa'ssword1", String.raw`{"say":"'pa'\\''ssword1'"}`, String.raw`{"say":"'***'"}`],
  ['\u{1F600}xyz', String.raw`"\U0001F600xyz"`, '"***"'],
  ['abcdΣ', 'abcdΣ.b', '***.b'],
  ['my secret!pw', 'q=my+secret!pw&a', 'q=***&a'],
  ['my secret!pw', 'q=my+secret%21pw&a', 'q=***&a'],
])('a known secret is hidden however it was written: %s in %s', (secret, text, shown) => {
  expect(redactor([secret])(text)).toBe(shown);
});

it('a secret that nobody knows is hidden to its end in the quoted word of a shell', () => {
  expect(redactor([])(String.raw`--set '1.password=pa'\''ssword1' -y`)).toBe("--set '1.password=***' -y");
});
