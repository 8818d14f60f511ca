// Loaded before the tool (NODE_OPTIONS=--require): counts the writes, flushes, renames, links and removals below a folder, each on a line of a
// log, and kills its own process at one of them: before it, half way through a write, or when it is done and nobody has heard of it.
const fs = require('node:fs');
const { resolve, sep } = require('node:path');

const { KILL_FOLDER, KILL_LOG, KILL_N, KILL_MOMENT } = process.env;
const folder = resolve(KILL_FOLDER) + sep;
const real = { ...fs };
const files = new Set();
let count = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
}

/** Counts an operation, dies before or half way through it where told, and returns what to call when it is done. */
function begin(kind, half) {
  count += 1;
  if (KILL_LOG !== undefined) real.appendFileSync(KILL_LOG, `${kind}\n`);
  if (String(count) !== KILL_N) return () => undefined;
  // Operations side by side may come in another order than in the run that was counted.
  if (KILL_MOMENT === 'half') half?.();
  return KILL_MOMENT === 'after' ? die : die();
}

const isBelow = (path) => typeof path === 'string' && resolve(path).startsWith(folder);
const halfOf = (descriptor, bytes, at, length, position) => () =>
  real.writeSync(descriptor, bytes, at, Math.floor(length / 2), position);

fs.promises.open = (
  (open) =>
  async (path, ...more) => {
    const handle = await open(path, ...more);
    if (!isBelow(path)) return handle;
    const write = handle.write.bind(handle);
    handle.write = async (bytes, at = 0, length = bytes.length - at, position = null) => {
      const done = begin('write', halfOf(handle.fd, bytes, at, length, position));
      const result = await write(bytes, at, length, position);
      done();
      return result;
    };
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      const done = begin('sync');
      await sync();
      done();
    };
    return handle;
  }
)(fs.promises.open);

fs.openSync = (path, ...more) => {
  const descriptor = real.openSync(path, ...more);
  if (isBelow(path)) files.add(descriptor);
  return descriptor;
};

fs.closeSync = (descriptor) => {
  files.delete(descriptor);
  real.closeSync(descriptor);
};

fs.writeSync = (descriptor, bytes, at = 0, length = bytes.length - at, position = null) => {
  if (!files.has(descriptor)) return real.writeSync(descriptor, bytes, at, length, position);
  const done = begin('write', halfOf(descriptor, bytes, at, length, position));
  const written = real.writeSync(descriptor, bytes, at, length, position);
  done();
  return written;
};

fs.fsync = (descriptor, answer) => {
  if (!files.has(descriptor)) return real.fsync(descriptor, answer);
  const done = begin('sync');
  return real.fsync(descriptor, (error) => {
    done();
    answer(error);
  });
};

for (const name of ['renameSync', 'linkSync', 'rmSync', 'unlinkSync'])
  fs[name] = (path, ...more) => {
    if (!isBelow(path) || !real.existsSync(path)) return real[name](path, ...more);
    const done = begin(name.slice(0, -'Sync'.length));
    real[name](path, ...more);
    return done();
  };
