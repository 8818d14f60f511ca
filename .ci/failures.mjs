// A reporter of vitest that writes a line for each failure to the file CDAPCTL_FAILURES: cases, and what the JSON report leaves out: hooks, and rejections that nobody awaited. The end of a long output says them again.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

/** What a run of vitest needs to write its failures to `file`. */
export const failuresTo = (file) => ({
  args: [`--reporter=${fileURLToPath(import.meta.url)}`],
  env: { CDAPCTL_FAILURES: file },
});

/** The lines that a run wrote; none when it died before its end. */
export const failuresIn = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);

/** More than the first line: what a process printed says what went wrong. */
const MOST = 800;
const told = ({ message }) =>
  stripVTControlCharacters(message ?? '')
    .replaceAll(/\s*\n\s*/gu, ' / ')
    .slice(0, MOST);
const lines = (where, errors) => errors.slice(0, 1).map((error) => `${where}: ${told(error)}`);

function* failed(modules) {
  for (const module of modules) {
    const file = module.moduleId.replace(/^.*\/test\//u, 'test/');
    yield* lines(file, module.errors());
    for (const suite of module.children.allSuites()) yield* lines(`${file} > ${suite.fullName} (hook)`, suite.errors());
    for (const test of module.children.allTests('failed'))
      yield* lines(`${file} > ${test.fullName}`, test.result().errors);
  }
}

export default class Failures {
  onTestRunEnd(modules, unhandled) {
    const outside = unhandled.flatMap((error) => lines('outside of every case', [error]));
    writeFileSync(process.env.CDAPCTL_FAILURES, JSON.stringify([...failed(modules), ...outside]));
  }
}
