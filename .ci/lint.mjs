// Types, then the rules of the house, by one TypeScript program: what the compiler found out about a type, no rule works out again.
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { ROOT } from './build.mjs';

const host = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => ROOT,
  getNewLine: () => '\n',
};

function programOf(file) {
  const config = ts.getParsedCommandLineOfConfigFile(
    file,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: report },
  );
  return ts.createProgram({
    rootNames: config.fileNames,
    options: config.options,
    configFileParsingDiagnostics: config.errors,
  });
}

function report(...found) {
  process.exitCode = 1;
  console.error(ts.formatDiagnosticsWithColorAndContext(found, host));
}

const program = programOf(join(ROOT, 'tsconfig.json'));
const found = ts.getPreEmitDiagnostics(program);
if (found.length > 0) report(...found);
else {
  const parserOptions = { project: undefined, programs: [program] };
  const eslint = new ESLint({
    cwd: ROOT,
    overrideConfig: [{ files: ['**/*.ts'], languageOptions: { parserOptions } }],
  });
  const results = await eslint.lintFiles('.');
  process.exitCode = results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0) ? 0 : 1;
  process.stdout.write(await (await eslint.loadFormatter()).format(results));
}
