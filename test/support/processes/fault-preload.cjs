// Loaded before the tool (NODE_OPTIONS=--require): makes what a test cannot make from outside. Each switch is a variable of the environment.
const fs = require('node:fs');
const { execFileSync } = require('node:child_process');
const { dirname, resolve, sep } = require('node:path');
const { setTimeout: later } = require('node:timers');
const timers = require('node:timers/promises');

const { env } = process;
const on = (name, make) => {
  const value = env[name];
  delete env[name];
  if (value !== undefined) make(value);
};

// Not for processes that the switches themselves start.
delete env.NODE_OPTIONS;

/** The version of Node that the tool sees. */
on('FAULT_NODE', (node) => {
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node } });
});

/** Milliseconds by which the clock of the machine is off. */
on('FAULT_CLOCK', (offset) => shiftClock(() => Number(offset)));

/** The clock of the machine steps by so many milliseconds with every look at it. */
on('FAULT_CLOCK_STEPS', (step) => {
  let looks = 0;
  shiftClock(() => Number(step) * looks++);
});

function shiftClock(offset) {
  const Real = Date;
  const now = () => Real.now() + offset();
  globalThis.Date = new Proxy(Real, {
    construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [now()] : args, made),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

on('FAULT_UMASK', (mask) => process.umask(Number.parseInt(mask, 8)));

/** Names that are put in place below this folder would be on another device. */
on('FAULT_OTHER_DEVICE', (folder) => {
  for (const name of ['renameSync', 'linkSync']) {
    const real = fs[name];
    fs[name] = (from, to) => {
      if (!resolve(String(to)).startsWith(resolve(folder) + sep)) return real(from, to);
      const error = new Error(`EXDEV: cross-device link not permitted, ${name.slice(0, -4)} '${from}' -> '${to}'`);
      throw Object.assign(error, { errno: -18, code: 'EXDEV', syscall: name.slice(0, -4), path: from, dest: to });
    };
  }
});

/** A disk that stalls: files beside this pipe give so many pieces (FAULT_STALLED_AFTER), then whoever reads on stands still, as a call to the system that is not answered. */
on('FAULT_STALLED', (pipe) => {
  const after = Number(env.FAULT_STALLED_AFTER);
  const pieces = new Map();
  // Not what lies in folders beside it: the tool's own compiled code, which is read before signals are heard.
  const isBeside = (path) => dirname(String(path)) === dirname(pipe);
  const stalls = (fd) => {
    if (!pieces.has(fd)) return false;
    pieces.set(fd, pieces.get(fd) + 1);
    if (pieces.get(fd) <= after) return false;
    process.stderr.write('the disk stalls\n');
    return true;
  };
  const { open } = fs.promises;
  fs.promises.open = async (path, ...more) => {
    const handle = await open(path, ...more);
    if (!isBeside(path)) return handle;
    pieces.set(handle.fd, 0);
    const read = handle.read.bind(handle);
    handle.read = (...args) => (stalls(handle.fd) ? open(pipe) : read(...args));
    return handle;
  };
  const { openSync, read, readSync } = fs;
  fs.openSync = (path, ...more) => {
    const fd = openSync(path, ...more);
    if (isBeside(path)) pieces.set(fd, 0);
    else pieces.delete(fd);
    return fd;
  };
  fs.read = (fd, ...args) => (stalls(fd) ? fs.open(pipe, () => undefined) : read(fd, ...args));
  fs.readSync = (fd, ...args) => (stalls(fd) ? openSync(pipe) : readSync(fd, ...args));
});

/** A bug: waiting never ends, and nothing keeps the process alive. */
on('FAULT_NEVER', () => {
  timers.setTimeout = () => new Promise(() => undefined);
});

/** A bug: an exception outside of everything, two seconds after the start. */
on('FAULT_THROW', (message) =>
  later(() => {
    throw new Error(message);
  }, 2000),
);

/** The longest wait for what is in flight takes so many milliseconds instead of 30 seconds; limits of requests, which can be as long, stay. */
on('FAULT_GRACE', (grace) => {
  const real = globalThis.setTimeout;
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => (isStopping = true));
  globalThis.setTimeout = (call, wait, ...more) => {
    if (!isStopping || wait !== 30_000) return real(call, wait, ...more);
    isStopping = false;
    return real(call, Number(grace), ...more);
  };
});

/** A limit of the system for open files. */
on('FAULT_OPEN_FILES', (limit) =>
  execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${limit}:${limit}`]),
);

/** The number of another user. */
on('FAULT_USER', (user) => {
  process.setgroups([]);
  process.setgid(Number(user));
  process.setuid(Number(user));
});
