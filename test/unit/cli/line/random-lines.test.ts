import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLineRules } from '../../../../src/cli/line/flag-tables.js';
import { asksForHelp, asksForVersion, isTopic, plainRequest, type Request } from '../../../../src/cli/line/argv.js';
import { readRequest } from '../../../../src/cli/read-request.js';
import { CliError } from '../../../../src/core/errors.js';
import { randomLine } from '../../../support/random-line.js';

const rules = readLineRules(join(import.meta.dirname, '../../../..'));
const ids = [...rules.keys()];

function requestOrRefusal(argv: readonly string[]): Request | CliError {
  try {
    return plainRequest(argv, ids) ?? readRequest(argv, ids, rules);
  } catch (error) {
    if (error instanceof CliError && error.code === 'USAGE') return error;
    throw error;
  }
}

/** Whether a line asks for help and for nothing else. */
const wantsHelp = (argv: readonly string[]): boolean =>
  asksForHelp(argv) || argv.length === 0 || argv.includes('help') || isTopic(argv, ids);

describe('any line', () => {
  it('is a command, or refused; help only where it was asked for', () => {
    fc.assert(
      fc.property(randomLine(rules), (argv) => {
        const request = requestOrRefusal(argv);
        if (request instanceof CliError) expect(request.exitCode).toBe(2);
        else if (request.kind === 'help') expect(wantsHelp(argv)).toBe(true);
        else if (request.kind === 'version') expect(asksForVersion(argv)).toBe(true);
        else expect(ids).toContain(request.id);
      }),
      { numRuns: 1000, examples: [[['--output', '--', '--version', 'logs']], [['--output', '--', '--version']]] },
    );
  });

  it('keeps all that it says beside the words of its command', () => {
    fc.assert(
      fc.property(randomLine(rules), (argv) => {
        const request = requestOrRefusal(argv);
        if (
          request instanceof CliError ||
          request.kind !== 'command' ||
          argv.some((word) => /^(?:--version|-V)$/u.test(word))
        )
          return;
        const left = [...argv];
        for (const word of request.argv) left.splice(left.indexOf(word), 1);
        expect(left).toHaveLength(request.id.split(':').length);
      }),
      { numRuns: 1000 },
    );
  });

  it.each(ids)('takes the flags of %s before, between and behind its words', (id) => {
    const flags = [...(rules.get(id)?.flags ?? [])].filter(([flag]) => flag.startsWith('--'));
    for (const [flag, takesNext] of flags) {
      // The value is a word that could be taken for one of a command.
      const given = takesNext ? [flag, 'list'] : [flag];
      const words = id.split(':');
      for (let at = 0; at <= words.length; at += 1) {
        const argv = [...words.slice(0, at), ...given, ...words.slice(at)];
        expect(requestOrRefusal(argv)).toEqual({ kind: 'command', id, argv: given });
      }
    }
  });
});
