// A checker for Stryker: lets through the mutants that were drawn. A range alone lets in what stands inside of it, too.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Where the keys of what was drawn are kept for this checker. */
export const DRAWN = '.cache/mutation/drawn.json';

/** Tells mutants apart. */
export const keyOf = ({ fileName, location: { start, end }, replacement }) =>
  [relative('', fileName), start.line, start.column, end.line, end.column, replacement].join(':');

class Drawn {
  async init() {
    this.keys = new Set(JSON.parse(readFileSync(DRAWN, 'utf8')));
  }
  group(mutants) {
    return [mutants.map(({ id }) => id)];
  }
  async check(mutants) {
    const status = (mutant) => (this.keys.has(keyOf(mutant)) ? 'passed' : 'compileError');
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, { status: status(mutant), reason: 'not drawn' }]));
  }
}

export const strykerPlugins = [{ kind: 'Checker', name: 'drawn', injectableClass: Drawn }];
