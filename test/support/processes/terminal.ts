import { Writable } from 'node:stream';
import type { Terminal } from '../../../src/cli/terminal/terminal.js';
import { redactor } from '../../../src/core/secrets/redact.js';
import type { Look } from '../../../src/output/look.js';
import type { Warning } from '../../../src/output/view-types.js';

const PLAIN: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };

/** A terminal in memory, and what was written to it. */
export interface FakeTerminal extends Terminal {
  readonly out: string[];
  readonly notes: string[];
}

/** A terminal that keeps what is written; off a terminal unless told otherwise. */
export function fakeTerminal(
  facts: Partial<Pick<Terminal, 'interactive' | 'attended' | 'ci' | 'animated' | 'stdout' | 'stderr' | 'closed'>> = {},
): FakeTerminal {
  const out: string[] = [];
  const notes: string[] = [];
  const warnings: Warning[] = [];
  const secrets = new Set<string>();
  const draw = (text: string): void => {
    notes.push(text);
  };
  return {
    stdout: PLAIN,
    stderr: PLAIN,
    interactive: false,
    attended: facts.interactive ?? false,
    ci: false,
    animated: false,
    closed: false,
    watching: false,
    ...facts,
    out,
    notes,
    warnings,
    secrets,
    hide: (text) => redactor([...secrets])(text),
    beforeResult: () => undefined,
    questions: new Writable({
      write: (_chunk, _encoding, done) => {
        done();
      },
    }),
    write: async (text) => {
      out.push(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'));
    },
    note: draw,
    tell: draw,
    draw,
    warn: (code, message) => {
      warnings.push({ code, message });
      draw(`warning: ${message}`);
    },
    size: () => undefined,
    flush: async () => undefined,
  };
}
