// Changes the sources here and there (mutants) and counts how many of the changes a unit test notices.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Stryker } from '@stryker-mutator/core';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { DRAWN, keyOf } from './drawn.mjs';

const ROOMS = ['trust', 'core', 'http', 'state', 'services'];
const FLOOR = 85;
const COUNT = process.argv.includes('--all') ? Infinity : Number(process.env.CDAPCTL_MUTANTS ?? 50);
const SEED = process.env.CDAPCTL_SEED ?? '';
/** So many tests of those that load a file are run, the nearest ones. */
const NEAR = Number(process.env.NEAR ?? 8);
const EQUIVALENT = JSON.parse(readFileSync('test/mutation/equivalent.json', 'utf8'));

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));
const textOf = (file) => readFileSync(file, 'utf8');
const chance = (name, end) => createHash('sha256').update(`${SEED}\n${name}`).digest().readUInt32BE() % end;

/** The line on which a mutant begins, what it changes there, and into what: the form of `equivalent.json`. */
function described({ fileName: file, location: { start, end }, replacement }) {
  const line = textOf(file).split('\n')[start.line];
  const from = line.slice(start.column, start.line === end.line ? end.column : undefined);
  return { file, line: line.trim(), from, to: replacement };
}
const isEquivalent = (mutant) => {
  const { file, line, from, to } = described(mutant);
  return EQUIVALENT.some((one) => one.file === file && one.line === line && one.from === from && one.to === to);
};

const log = { debug() {}, info() {}, isDebugEnabled: () => false };
async function mutantsOf(files) {
  const sources = files.map((name) => ({ name, mutate: true, content: textOf(name) }));
  const { mutants } = await new Instrumenter(log).instrument(sources, { ignorers: [], excludedMutations: [], plugins: null });
  return mutants.filter((mutant) => !isEquivalent(mutant));
}

/** One mutant of a file for each line drawn; lines are drawn one from every stretch of all lines. */
async function draw(files) {
  const lines = files.flatMap((file) => textOf(file).split('\n').map(() => file));
  const start = (stretch) => Math.floor((stretch * lines.length) / COUNT);
  const drawn = Array.from({ length: COUNT }, (_, at) => lines[start(at) + chance(`line ${at}`, start(at + 1) - start(at))]);
  const mutants = await mutantsOf([...new Set(drawn)]);
  const ones = drawn.map((file, at) => {
    const here = mutants.filter(({ fileName }) => fileName === file);
    return here[chance(`mutant ${at}`, here.length)];
  });
  return [...new Set(ones)].filter((one) => one !== undefined);
}

/** The tests that load one of the files, through others, too; of each the nearest ones. */
function testsNear(files) {
  const users = new Map();
  for (const file of ['src', 'test/unit', 'test/support'].flatMap(filesIn))
    for (const [, from] of textOf(file).matchAll(
      /(?:^(?:import|export)\s+(?!type\s)|\bimport\()[^;'"]*?['"](\.[^'"]+)['"]/gmu,
    )) {
      const target = join(dirname(file), from.replace(/\.js$/u, '.ts'));
      users.set(target, [...(users.get(target) ?? []), file]);
    }
  const near = (file) => {
    const found = new Set([file]);
    for (const one of found) for (const user of users.get(one) ?? []) found.add(user);
    return [...found].filter((name) => name.endsWith('.test.ts')).slice(0, NEAR);
  };
  return [...new Set(files.flatMap(near))];
}

const files = ROOMS.flatMap((room) => filesIn(`src/${room}`));
const mutants = COUNT === Infinity ? await mutantsOf(files) : await draw(files);
const mutated = [...new Set(mutants.map(({ fileName }) => fileName))];
rmSync('.cache/mutation', { recursive: true, force: true });
mkdirSync('.cache/mutation', { recursive: true });
writeFileSync(DRAWN, JSON.stringify(mutants.map(keyOf)));
const tests = COUNT === Infinity ? ['test/unit/**/*.test.ts'] : testsNear(mutated);
process.env.CDAPCTL_MUTATION_TESTS = JSON.stringify(tests);
console.log(`${mutants.length} mutants in ${mutated.length} files, ${tests.length} files of tests`);
const place = ({ fileName, location: { start, end } }) =>
  `${fileName}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;
const results = await new Stryker({
  mutate: COUNT === Infinity ? mutated : mutants.map(place),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './test/mutation/drawn.mjs'],
  vitest: { configFile: 'test/mutation/vitest.config.ts', related: process.env.REL === '1' },
  checkers: ['drawn'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  disableTypeChecks: false,
  tempDirName: '.cache/mutation/sandbox',
  cleanTempDir: 'always',
  ignorePatterns: ['.cache', 'dist', 'bin', 'test/platform', 'test/e2e', 'coverage'],
  reporters: [],
  logLevel: process.env.LL ?? 'warn',
  allowConsoleColors: false,
}).runMutationTest();
const count = {};
let noticed = 0;
for (const one of results.filter(({ statusReason }) => statusReason !== 'not drawn')) {
  count[one.status] = (count[one.status] ?? 0) + 1;
  if (['Killed', 'Timeout'].includes(one.status)) noticed += 1;
  else console.log(one.status, JSON.stringify({...described(one), at: place(one), n: one.mutatorName, st: one.static}));
}
console.log(count);
