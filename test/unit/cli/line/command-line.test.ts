import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandLine, CONNECTION, hintsAt, withFlags } from '../../../../src/cli/line/command-line.js';
import { connectionFlags } from '../../../../src/flags/connection.js';
import { ROOT } from '../../../support/processes/run-cli.js';

interface Manifest {
  readonly commands: Readonly<Record<string, { readonly flags: Readonly<Record<string, object>> }>>;
}
const { commands } = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as Manifest;

it('quotes what a shell would read otherwise', () => {
  expect(commandLine(['hub', 'show', 'Trim Fields', "it's", '$(x)', '*'])).toBe(
    "cdapctl hub show 'Trim Fields' 'it'\\''s' '$(x)' '*'",
  );
});

it.each([
  [['report', 'delete', 'x'], 'cdapctl report delete x -y'],
  [['report', 'delete', '--', '-x'], 'cdapctl report delete -y -- -x'],
])('adds a flag to %j where it still counts', (argv, line) => {
  expect(commandLine(withFlags(argv, ['-y']))).toBe(line);
});

it('the flags of a connection are those of the table of flags', () => {
  const known = Object.entries(connectionFlags).map(([name, { type, char }]) => [name, type, char]);
  const here = [...CONNECTION].map(([name, { type, char }]) => [name, type, char]);
  expect(here).toEqual(known.filter(([name]) => name !== 'namespace'));
});

describe('a command in a hint', () => {
  it.each(Object.entries(commands))('has the flags that it is completed with: %s', (id, { flags }) => {
    const command = `cdapctl ${id.replaceAll(':', ' ')}`;
    expect(hintsAt(['report', 'run', '--context', 'auth'])(command)).toBe(
      'url' in flags && 'context' in flags ? `${command} --context auth` : command,
    );
    if (!('namespace' in flags)) expect(hintsAt(['-n', 'etl'])(command)).toBe(command);
  });

  it.each([
    [['upgrade', '-u', 'http://x', '--resume'], 'cdapctl upgrade --check', 'cdapctl upgrade --check -u http://x'],
    [
      ['pipeline', 'show', 'a', '-netl', '--context=auth'],
      'cdapctl pipeline list',
      'cdapctl pipeline list --context=auth -netl',
    ],
    [['install', 'p', '-f', 'nightly.yaml', '-y'], 'cdapctl installed list', 'cdapctl installed list'],
    [['pipeline', 'show', 'a', '-n', 'etl'], 'cdapctl pipeline list -n web', 'cdapctl pipeline list -n web'],
    [
      ['install', 'plug', '-u', 'http://x'],
      'cdapctl hub key add FILE --hub corp --fingerprint FPR',
      'cdapctl hub key add FILE --hub corp --fingerprint FPR',
    ],
    [['report', 'run', '-n', 'nope'], 'cdapctl namespace list', 'cdapctl namespace list'],
    [
      ['report', 'service', 'enable', '-n', 'etl', '-u', 'http://x'],
      'cdapctl api DELETE /v3/apps/A -y  # first',
      'cdapctl api DELETE /v3/apps/A -y -u http://x  # first',
    ],
    [
      ['report', 'save', '--context', 'auth', '-a', 'my token'],
      'cdapctl report download 1 -O report.csv  # for a copy elsewhere',
      "cdapctl report download 1 -O report.csv --context auth -a 'my token'  # for a copy elsewhere",
    ],
    [
      ['report', 'list', '--context', 'auth'],
      'nothing here; try cdapctl report service enable; to use run records instead: cdapctl report run --last 24h',
      'nothing here; try cdapctl report service enable --context auth; to use run records instead: cdapctl report run --last 24h --context auth',
    ],
    [['report', 'list', '--context', 'a'], 'cdapctl report list --url http://y', 'cdapctl report list --url http://y'],
    [['dashboard', '-a', 't'], 'cdapctl metrics top x -a t', 'cdapctl metrics top x -a t'],
    [['dashboard', '--context', 'auth'], 'cdapctl dashboard --help', 'cdapctl dashboard --help'],
    [['dashboard', '--context', 'auth'], 'to overwrite it: --clobber', 'to overwrite it: --clobber'],
    [['dashboard'], 'cdapctl report list', 'cdapctl report list'],
    [
      ['schedule', 'suspend', '-n', 'etl', '-u', 'http://x'],
      'to resume them: cdapctl schedule resume --from window.json',
      'to resume them: cdapctl schedule resume --from window.json -u http://x',
    ],
  ])('acts where the line does: %j, %s', (argv, hint, expected) => {
    expect(hintsAt(argv)(hint)).toBe(expected);
  });
});
