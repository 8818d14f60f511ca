// Runs one command line after the other in one process, without a new start of Node and a new compilation (docs/decisions/013-tests-run-many-lines-in-one-process.md).
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Script } from 'node:vm';

const EVENTS = ['exit', 'beforeExit', 'uncaughtException', 'unhandledRejection', 'warning'];
const LISTENED = [...EVENTS, 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGCONT'];
const [starter] = process.argv.slice(2);
const root = dirname(dirname(starter));
const file = join(root, 'dist', 'cdapctl.cjs');
const requireOutside = createRequire(file);
const leave = process.exit.bind(process);
// What a run left to do may fail when its connections are closed; a process of its own would be gone by then.
for (const event of ['uncaughtException', 'unhandledRejection']) process.on(event, () => undefined);
const listeners = new Map(LISTENED.map((event) => [event, process.rawListeners(event)]));
let program;

/** The listeners that the run added. */
const added = (event) => process.rawListeners(event).filter((one) => !listeners.get(event).includes(one));

/** A stream of the run, and what it took. */
function sink() {
  const parts = [];
  const stream = new Writable({
    write(bytes, _encoding, done) {
      parts.push(bytes);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(parts).toString() };
}

function replace(streams) {
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true });
}

function evaluate(name, require) {
  const filename = join(root, 'dist', name);
  const module = { exports: {} };
  new Script(readFileSync(filename, 'utf8'), { filename }).runInThisContext()(
    module.exports,
    require,
    module,
    file,
    dirname(file),
  );
  return module.exports;
}

/** What the bundle gets as "require": its second script is evaluated when it asks for it. */
function requireBundled() {
  let second;
  return (name) => {
    if (name !== './second.cjs') return requireOutside(name);
    return (second ??= evaluate('second.cjs', requireOutside));
  };
}

function run({ args, env, cwd, stdin }) {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const [stdout, stderr] = [sink(), sink()];
  const input = Readable.from(stdin === '' ? [] : [Buffer.from(stdin)], { objectMode: false });
  replace({ stdin: input, stdout: stdout.stream, stderr: stderr.stream });
  process.argv = [process.execPath, starter, ...args];
  process.exitCode = 1;
  return new Promise((resolve) => {
    process.exit = (code = process.exitCode ?? 0) => {
      process.exit = () => undefined;
      for (const listener of added('exit')) listener.call(process, code);
      for (const event of LISTENED) for (const one of added(event)) process.removeListener(event, one);
      // oclif keeps there what it read of stdin.
      delete globalThis.oclif?.stdinCache;
      process.exitCode = undefined;
      resolve({ code, stdout: stdout.text(), stderr: stderr.text() });
    };
    program ??= evaluate('cdapctl.cjs', requireBundled());
    program.main(args, { root, beforeEnd: () => undefined });
  });
}

/** Closes the connections of a run; what else it left open could work on in the next one. */
function isClean() {
  for (const handle of process._getActiveHandles()) if (handle !== process.channel) handle.destroy?.();
  return process.getActiveResourcesInfo().every((name) => name === 'PipeWrap' || name === 'Immediate');
}

process.on('disconnect', () => leave(0));
process.on('message', async (order) => {
  const result = await run(order);
  setImmediate(() => process.send({ ...result, isClean: isClean() }));
});
