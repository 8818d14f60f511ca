// Bundles src/main.ts into two CommonJS files, with the table of commands and the licences of what went in.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as esbuild, transform } from 'esbuild';

export const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SCHEMAS = join(ROOT, 'src/output/schemas');
const EXTERNAL = ['openpgp', 'typescript', 'ts-node', 'tsx'];

/** Ids of the commands and their files, in order: `hub:list` -> `hub/list.ts`. */
export function commandFiles(folder = join(ROOT, 'src/commands')) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  return files
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => ({ id: file.slice(0, -3).replaceAll('/', ':'), file: join(folder, file) }));
}

/** The esbuild plug-in for the virtual modules: `commands`, `build`, and for the generator `views`. */
export function virtualModules(commands) {
  const table = () =>
    commandFiles(commands)
      .map(({ id, file }) => `${JSON.stringify(id)}: () => import(${JSON.stringify(file)})`)
      .join(',\n');
  const views = readdirSync(join(ROOT, 'src/output/views'), { recursive: true }).filter((file) => file.endsWith('.ts'));
  const viewModules = () =>
    [
      ...views.map((file, at) => `import * as v${at} from ${JSON.stringify(join(ROOT, 'src/output/views', file))};`),
      `const all = [${views.map((_, at) => `...Object.values(v${at})`).join(', ')}];`,
      `export const views = all.filter((view) => view !== null && typeof view === 'object' && 'kind' in view && 'render' in view);`,
    ].join('\n');
  const modules = {
    views: viewModules,
    commands: () => `export const commands = {\n${table()}\n};`,
    build: () =>
      `export const version = ${JSON.stringify(packageJson().version)}; export const commit = ${JSON.stringify(commit())};`,
  };
  return {
    name: 'virtual',
    setup(hooks) {
      hooks.onResolve({ filter: /^cdapctl:/ }, ({ path }) => ({
        path: path.slice('cdapctl:'.length),
        namespace: 'cdapctl',
      }));
      hooks.onLoad({ filter: /.*/, namespace: 'cdapctl' }, ({ path }) => ({
        contents: modules[path](),
        resolveDir: ROOT,
      }));
    },
  };
}

// What a library loads at every start for something that this tool never asks of it, and what stands there instead.
const OCLIF_UNUSED =
  /^(?:ejs|minimatch|clean-stack|indent-string|wrap-ansi|cli-spinners|\.\/plugin|\.{1,2}\/(?:config\/)?ts-path|\.{1,2}\/help(?:\/index)?)$/;
const LEFT_OUT = [
  { of: /@oclif\/core\/lib\//, path: OCLIF_UNUSED, stub: 'left-out.cjs' },
  { of: /@oclif\/core\/lib\//, path: /^node:child_process$/, stub: 'left-out.cjs' },
  { of: /@oclif\/core\/lib\//, path: /^debug$/, stub: 'debug.cjs' },
  { of: /undici\/lib\//, path: /client-h2/, stub: 'left-out.cjs' },
  { of: /undici\/lib\//, path: /^node:http$/, stub: 'http.cjs' },
  { of: /undici\/lib\//, path: /^node:assert$/, stub: 'assert.cjs' },
  { of: /node_modules/, path: /^node:perf_hooks$/, stub: 'perf-hooks.mjs' },
  { of: /node_modules/, path: /^wsl-utils$/, stub: 'wsl-utils.mjs' },
];

function leftOut() {
  return {
    name: 'left-out',
    setup(hooks) {
      hooks.onResolve({ filter: /.*/ }, ({ path, importer }) => {
        const found = LEFT_OUT.find((entry) => entry.path.test(path) && entry.of.test(importer.replaceAll('\\', '/')));
        return found && { path: join(ROOT, '.ci/stubs', found.stub) };
      });
    },
  };
}

/** Names inside of libraries are shortened, which V8 need not keep then; ours stay, so that a stack trace can be read. */
function shortened() {
  return {
    name: 'shortened',
    setup(hooks) {
      hooks.onLoad({ filter: /[\\/]node_modules[\\/].*\.[cm]?js$/ }, async ({ path }) => {
        const { code } = await transform(readFileSync(path, 'utf8'), { minifyIdentifiers: true, logLevel: 'silent' });
        return { contents: code, loader: 'js' };
      });
    },
  };
}

/** esbuild's settings for anything of ours that Node shall run. */
export function settings(commands) {
  return {
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20.18',
    external: EXTERNAL,
    supported: { 'dynamic-import': false },
    plugins: [virtualModules(commands), leftOut(), shortened()],
    absWorkingDir: ROOT,
    logLevel: 'warning',
    legalComments: 'none',
  };
}

/** Writes the bundle into a folder; the commands may come from elsewhere, for tests. */
export async function build(folder, commands) {
  const { outputFiles, metafile } = await esbuild({
    ...settings(commands),
    entryPoints: ['src/main.ts'],
    format: 'esm',
    splitting: true,
    supported: {},
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    write: false,
    outdir: folder,
  });
  const first = withoutSecond(metafile, commands);
  const parts = [outputFiles.filter(({ path }) => first.has(path)), outputFiles.filter(({ path }) => !first.has(path))];
  const texts = [firstScript(parts[0]), `module.exports=${chunkTable(parts[1])};`].map(latin1);
  const digest = createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 16);
  // The starter compiles a file as one function expression, without a copy of its text around it.
  const scripts = texts.map(
    (text) =>
      `/* ${packageJson().version}-${digest} */\n(function (exports, require, module, __filename, __dirname) {${text}\n})`,
  );
  const files = new Map([
    ['cdapctl.cjs', scripts[0]],
    ['second.cjs', scripts[1]],
    ['NOTICE.txt', notice(Object.keys(metafile.inputs))],
  ]);
  for (const name of readdirSync(SCHEMAS)) files.set(join('schemas', name), readFileSync(join(SCHEMAS, name), 'utf8'));
  writeFolder(folder, files);
}

// The starter reads the file as Latin-1, which is faster than UTF-8; esbuild leaves such characters in regular expressions only.
const latin1 = (text) =>
  text.replace(/[^\0-\x7f]/gu, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

const IMPORT =
  /(?<=^|[;}\n])import(?: (?<one>[\w$]+),?)?(?: ?\*as (?<all>[\w$]+)|\{(?<names>[^}]*)\})? ?(?:from ?)?"(?<from>[^"]+)";/gu;
const EXPORT = /(?<=^|[;}\n])export(?: default (?<only>[^;]+)|\{(?<names>[^}]*)\});\s*$/u;
const DYNAMIC = /\bimport\((?<from>"[^"]+")\)/gu;

/** An import of a chunk as calls. */
function required({ one, all, names, from }) {
  const bound = [one, all, names === undefined ? undefined : `{${names.replaceAll(' as ', ':')}}`];
  const calls = bound.filter((name) => name !== undefined).map((name) => `const ${name}=require("${from}");`);
  return calls.length === 0 ? `require("${from}");` : calls.join('');
}

/** What a chunk exports, as an object; of a library in CommonJS its members and, as `default`, itself. */
function exported({ only, names } = {}) {
  if (only !== undefined) return `Object.create(${only},{default:{value:${only}}})`;
  const pairs = (names?.split(',') ?? []).map((name) => name.split(' as '));
  return `{${pairs.map(([name, as = name]) => `${as}:${name}`)}}`;
}

/**
 * The code that only these commands need stands in a second script: it is a third of the program, and every start would
 * read it. Most of them run long.
 */
const SECOND =
  /^(?:emulator|install|installed|uninstall|upgrade|doctor|hub:(?:build|download|init|key|lint|lock|mirror|pack|publish|serve|sign))\b/;

/** Paths of the chunks that are reached without the commands of the second script. */
function withoutSecond({ outputs }, commands) {
  const second = new Set(
    commandFiles(commands)
      .filter(({ id }) => SECOND.test(id))
      .map(({ file }) => file),
  );
  const reached = new Set();
  const walk = (path) => {
    const { entryPoint = '', imports } = outputs[path] ?? {};
    if (imports === undefined || reached.has(resolve(ROOT, path)) || second.has(resolve(ROOT, entryPoint))) return;
    reached.add(resolve(ROOT, path));
    for (const found of imports) walk(found.path);
  };
  walk(Object.keys(outputs).find((path) => outputs[path].entryPoint === 'src/main.ts'));
  return reached;
}

/**
 * Chunks as functions, so that V8 keeps compiled code only of those that a run needs. Chunks import each other in no
 * circle and export nothing that changes later, so names are bound once.
 */
function chunkTable(files) {
  const chunks = files.map(({ path, text }) => {
    const { index, groups } = EXPORT.exec(text) ?? { index: text.length };
    const body = text
      .slice(0, index)
      .replaceAll(IMPORT, (...found) => required(found.at(-1)))
      .replaceAll(DYNAMIC, 'Promise.resolve().then(()=>require($<from>))');
    return `"./${basename(path)}"(require){${body}\nreturn ${exported(groups)}}`;
  });
  return `{${chunks.join(',\n')}}`;
}

function firstScript(files) {
  return `const chunks=${chunkTable(files)};
const loaded=new Map();
const outside=require;
function inside(name){
if(!name.startsWith("./"))return outside(name);
let found=loaded.get(name);
if(found===undefined)loaded.set(name,found=(chunks[name]??outside("./second.cjs")[name])(inside));
return found;
}
module.exports=inside("./main.js");`;
}

/** Each file appears whole, so that a program that runs from the folder meanwhile is not disturbed. */
function writeFolder(folder, files) {
  mkdirSync(join(folder, 'schemas'), { recursive: true });
  for (const [name, text] of files) {
    const temporary = join(folder, `${name}.${process.pid}`);
    writeFileSync(temporary, text);
    renameSync(temporary, join(folder, name));
  }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!files.has(name) && name !== 'schemas' && !/\.\d+$/u.test(name))
      rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function notice(inputs) {
  const folders = new Set(
    inputs.flatMap((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(input)?.[0] ?? []),
  );
  const parts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(ROOT, folder)).find((entry) => /^licen[cs]e/iu.test(entry));
    const text = file === undefined ? '' : `\n${readFileSync(join(ROOT, folder, file), 'utf8').trim()}\n`;
    return `${name} ${version}  (${license})\n${text}`;
  });
  return `This program contains the following libraries.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}

function packageJson() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
}

function commit() {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: ROOT,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder = join(ROOT, 'dist'), commands] = process.argv.slice(2).map((path) => resolve(path));
  await build(folder, commands);
}
