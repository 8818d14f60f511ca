import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { redactor } from '../../../../src/core/secrets/redact.js';
import { CliError } from '../../../../src/core/errors.js';
import { renderError } from '../../../../src/output/writers/error.js';
import type { Format } from '../../../../src/output/format.js';
import type { Look } from '../../../../src/output/look.js';

const look: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: false };
const failure = new CliError('SIG_BAD', 'spec.json does not match its signature', {
  request: { method: 'GET', url: 'https://hub.example.com/v2/spec.json', status: 200, attempts: 3 },
  serverSaid: 'first line\nsecond line',
  hints: ['cdapctl hub verify x', 'cdapctl hub key list'],
  lines: ['one of two files'],
  target: { file: 'spec.json' },
  cause: new Error('digest differs', { cause: new Error('deeper') }),
});

function written(format: Format, error = failure, verbose = false): ReturnType<typeof renderError> {
  return renderError(
    format,
    error,
    { stdout: look, stderr: look },
    { warnings: [], verbose, hide: redactor(['canary-1234']) },
  );
}

describe('a failure', () => {
  it('has the important line first, then what is known, on stderr', () => {
    expect(written('table')).toEqual({
      stdout: '',
      stderr: [
        'Error: spec.json does not match its signature  [SIG_BAD]',
        '  one of two files',
        '  request      GET https://hub.example.com/v2/spec.json  ->  200   (3 attempts)',
        '  server said  first line',
        '  cause        digest differs',
        '               deeper',
        '  try          cdapctl hub verify x',
        '               cdapctl hub key list',
        '  more         cdapctl help trust',
        '',
      ].join('\n'),
    });
  });

  it('does not tell a cause twice', () => {
    const cause = new Error('it has no public key');
    const error = new CliError('KEY_UNUSABLE', 'a.asc cannot be read: it has no public key', { cause });
    expect(written('table', error).stderr).not.toContain('cause');
    expect(written('json', error).stdout).toContain('"causes":[]');
  });

  it('asks what was meant, before what can be tried', () => {
    const meant = new CliError('USAGE', 'no', { hints: ['cdapctl help', 'Did you mean "x"?'] });
    expect(written('table', meant).stderr).toBe('Error: no  [USAGE]\n  Did you mean "x"?\n  try      cdapctl help\n');
  });

  it('keeps what is to be pasted in one piece on a narrow terminal, and what is said of it below', () => {
    const download = 'cdapctl report download local-40bea868-93e3-465b-9da5-fe394071b71e -O FILE';
    const long = new CliError('USAGE', 'no', {
      lines: ['action 4  name (can be changed; -y accepts "OrderImport")    --set 4.name=VALUE'],
      hints: [
        `${download}  # then share the file`,
        'curl -X DELETE http://127.0.0.1:11015/v3/apps/x  # first delete the app that was deployed',
        'to use run records instead: cdapctl report run --last 24h --engine runs',
      ],
    });
    const narrow: Look = { ...look, terminal: true, columns: 80 };
    const options = { warnings: [], verbose: false, hide: (text: string) => text };
    expect(renderError('table', long, { stdout: look, stderr: narrow }, options).stderr.split('\n')).toEqual([
      'Error: no  [USAGE]',
      '  action 4  name (can be changed; -y accepts "OrderImport")',
      '    --set 4.name=VALUE',
      `  try      ${download}`,
      '             # then share the file',
      '           curl -X DELETE http://127.0.0.1:11015/v3/apps/x',
      '             # first delete the app that was deployed',
      '           to use run records instead:',
      '             cdapctl report run --last 24h --engine runs',
      '',
    ]);
  });

  it('quotes all words of the server when asked', () => {
    expect(written('csv', failure, true).stderr).toContain('second line');
  });

  it.each([
    ['json', (text: string): unknown => JSON.parse(text)],
    ['yaml', (text: string): unknown => parse(text)],
  ] as const)('is one document on stdout with %s', async (format, read) => {
    const { stdout, stderr } = written(format);
    expect(stderr).toBe('');
    const text = await stdout;
    expect(text).toMatch(format === 'yaml' ? /^schemaVersion: 1\n/u : /^\{/u);
    expect(read(text)).toEqual({
      schemaVersion: 1,
      kind: 'Error',
      error: {
        code: 'SIG_BAD',
        exitCode: 9,
        message: 'spec.json does not match its signature',
        details: 'one of two files\nfirst line\nsecond line',
        hints: ['cdapctl hub verify x', 'cdapctl hub key list'],
        target: { file: 'spec.json' },
        request: { method: 'GET', url: 'https://hub.example.com/v2/spec.json', status: 200, attempts: 3 },
        causes: ['digest differs', 'deeper'],
      },
      item: null,
      warnings: [],
    });
  });

  it.each([
    [{ sent: 'no' }, { sent: 'no' }],
    [
      { sent: 'unknown', target: { file: 'a.jar' } },
      { file: 'a.jar', sent: 'unknown' },
    ],
    [{ target: { file: 'a.jar' } }, { file: 'a.jar' }],
  ] as const)('shows in its target whether a write may have been sent: %j', async (details, target) => {
    const text = await written('json', new CliError('NET_RESET', 'the connection broke', details)).stdout;
    expect(JSON.parse(text)).toMatchObject({ error: { target } });
    expect(text).toContain(`"target":${JSON.stringify(target)}`);
  });

  it('names the code of a cause that has another one (P40)', () => {
    const cause = new CliError('AUTH', 'the token is not accepted');
    expect(written('table', new CliError('INSTALL_PARTIAL', 'stopped', { cause })).stderr).toContain(
      'the token is not accepted [AUTH]',
    );
  });

  it('holds what was done', async () => {
    const partial = new CliError('INSTALL_PARTIAL', 'stopped', { item: { state: 'partial' } });
    expect(JSON.parse(await written('json', partial).stdout)).toMatchObject({ item: { state: 'partial' } });
  });

  it.each(['table', 'json', 'ndjson', 'yaml'] as const)(
    'shows no secret with %s, wherever it stands',
    async (format) => {
      const leaky = new CliError('AUTH', 'rejected canary-1234', {
        request: { method: 'GET', url: 'https://u:canary-1234@h/?token=canary-1234' },
        serverSaid: 'you sent canary-1234',
        hints: ['cdapctl login canary-1234'],
        lines: ['canary-1234'],
        target: { url: 'canary-1234' },
        cause: new Error('Authorization: Bearer canary-1234'),
      });
      const { stdout, stderr } = written(format, leaky);
      const text = (await stdout) + stderr;
      expect(text).not.toContain('canary');
      expect(text).toContain('***');
    },
  );

  it('shows control characters of all its parts', () => {
    const hostile = '\u001b[2J\u202e\n';
    const { stderr } = written(
      'table',
      new CliError('CONFLICT', hostile, {
        serverSaid: hostile,
        hints: [hostile],
        lines: [hostile],
        cause: new Error(hostile),
      }),
    );
    expect(stderr.replaceAll('\n', '')).toMatch(/^[\u0020-\u007e]*$/u);
  });
});

it('a line to paste says what stands for a hidden value, which must not be pasted', () => {
  const hint = 'cdapctl install x --set 1.password=canary-1234';
  const said = 'cdapctl install x --set 1.password=***  # replace *** with your value';
  const error = new CliError('USAGE', 'more is needed', { hints: [hint, 'cdapctl hub list', 'ask canary-1234'] });
  expect(written('table', error).stderr).toContain(`${said}\n`);
  expect(JSON.parse(written('json', error).stdout as string)).toMatchObject({
    error: { hints: [said, 'cdapctl hub list', 'ask ***'] },
  });
});
