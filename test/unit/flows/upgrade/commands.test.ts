import { describe, expect, it } from 'vitest';
import { runCommands, upgradeWith, retryOf, undoOf } from '../../../../src/flows/upgrade/commands.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';

const sessionOf = (line: string) => ({ argv: line.split(' '), terminal: fakeTerminal() });

describe('the command that goes on with an upgrade', () => {
  it.each([
    ['upgrade -n etl -y', 'cdapctl upgrade -n etl -y --only-failed --journal j'],
    [
      'upgrade --confirm prod --context prod',
      'cdapctl upgrade --confirm prod --context prod --only-failed --journal j',
    ],
    ['upgrade --resume --journal i -y', 'cdapctl upgrade -y --only-failed --journal j'],
    ['-y upgrade -e ./failed --journal=i --only-failed', 'cdapctl -y upgrade -e ./failed --only-failed --journal j'],
    ['upgrade --journal i -- --journal', 'cdapctl upgrade --only-failed --journal j -- --journal'],
  ])('of `%s` repeats its yes', (line, expected) => {
    expect(retryOf({ session: sessionOf(line), command: 'upgrade' }, false, 'j')).toBe(expected);
  });

  it('names the journal of a run to roll it back, as that need not be the newest', () => {
    const given = { session: sessionOf('upgrade -u http://x'), command: 'upgrade' } as const;
    expect(runCommands(given, 'j')).toEqual({
      resume: 'cdapctl upgrade -u http://x --resume --journal j',
      retryFailed: 'cdapctl upgrade -u http://x --only-failed --journal j',
      undo: 'cdapctl upgrade rollback -u http://x j',
    });
  });

  it('has no flag twice', () => {
    expect(upgradeWith('--check', sessionOf('upgrade --only-failed --check'))).toBe('cdapctl upgrade --check');
    expect(upgradeWith('--check', sessionOf('upgrade --dry-run=online -D out -n etl'))).toBe(
      'cdapctl upgrade -n etl --check',
    );
  });

  it('keeps what only looks where it looks at failures', () => {
    const line = 'upgrade --resume --dry-run --detailed-exitcode';
    expect(upgradeWith('--only-failed', sessionOf(line))).toBe(
      'cdapctl upgrade --dry-run --detailed-exitcode --only-failed',
    );
  });

  it('of one that is complete has all that the line said', () => {
    expect(upgradeWith('--only-failed', sessionOf('upgrade --resume --context prod --confirm prod'))).toBe(
      'cdapctl upgrade --context prod --confirm prod --only-failed',
    );
  });

  it.each([
    ['upgrade rollback -p etl/* -y -u http://x', 'j', 'cdapctl upgrade rollback -u http://x -y j'],
    ['upgrade rollback --context a --confirm=a', 'j', 'cdapctl upgrade rollback --context a --confirm=a j'],
    ['upgrade -n etl -y -u http://x', 'j', 'cdapctl upgrade rollback -u http://x j'],
    ['upgrade --resume -y -u http://x', 'j', 'cdapctl upgrade rollback -u http://x j'],
    // A pipeline of that name.
    ['upgrade -p rollback -y -u http://x', 'j', 'cdapctl upgrade rollback -u http://x j'],
    ['upgrade rollback -u http://x -- -y', 'j', 'cdapctl upgrade rollback -u http://x j'],
  ])('of the rollback `%s` repeats the yes, that undoes an upgrade asks anew', (line, journal, expected) => {
    const command = line.startsWith('upgrade rollback') ? 'rollback' : 'upgrade';
    expect(undoOf({ session: sessionOf(line), command }, journal)).toBe(expected);
  });
});
