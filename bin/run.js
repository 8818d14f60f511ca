#!/usr/bin/env node
/* Starts the bundle. No import and no new syntax, so that an old Node reads this far and can say what is wrong. */
(function () {
  var OLDEST = [20, 18, 1];
  var HEAD = 8;
  var FIRST = 'cdapctl.cjs';
  /* What only some commands need. */
  var SECOND = 'second.cjs';
  var LIBRARY = 'openpgp';
  /* What takes back each flag of V8 that the bundle sets; --liftoff-only changes three. */
  var FLAGS_OF_START = {
    '--liftoff-only': ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'],
    '--heap-growing-percent=50': ['--heap-growing-percent=0'],
    '--heap-growing-percent=150': ['--heap-growing-percent=0'],
    '--semi-space-growth-factor=1': ['--semi-space-growth-factor=2'],
    '--expose-gc': ['--no-expose-gc'],
  };
  var flagsSet = [];
  process.exitCode = 1;
  var own = process.versions.node.split('.').map(Number);
  for (var at = 0; at < 3 && own[at] >= OLDEST[at]; at += 1) if (own[at] > OLDEST[at]) at = 3;
  /* Node 21 and the first of 22 are newer, and cannot load what a start needs. */
  if (at < 3 || typeof process.getBuiltinModule !== 'function') {
    var message =
      'Node ' +
      process.versions.node +
      ' is too old, at least ' +
      OLDEST.join('.') +
      (at < 3 ? '' : ' or 22.3') +
      ' is needed';
    if (process.argv.indexOf('--json') === -1) process.stderr.write('Error: ' + message + '  [NODE_TOO_OLD]\n');
    else {
      var error = {
        code: 'NODE_TOO_OLD',
        exitCode: 2,
        message: message,
        details: '',
        hints: [],
        target: {},
        causes: [],
      };
      process.stdout.write(
        JSON.stringify({ schemaVersion: 1, kind: 'Error', error: error, item: null, warnings: [] }) + '\n',
      );
    }
    process.exitCode = 2;
    return;
  }
  start();

  function start() {
    var fs = process.getBuiltinModule('fs');
    var path = process.getBuiltinModule('path');
    var here = fs.realpathSync(process.argv[1]);
    var root = path.dirname(path.dirname(here));
    var require = requireOf(path.join(root, 'dist', FIRST));
    var loaded = [];
    var second;
    var library;
    function requireCompiled(name) {
      if (name === 'node:v8') return v8OfBundle();
      if (name === './' + SECOND) return (second = second || loadScript(SECOND));
      if (name !== LIBRARY) return require(name);
      library = library || attempt(loadLibrary);
      return library || require(name);
    }
    /* Each script begins with the name of the build. EIO tells of files that are not as they should be, not of a bug. */
    function loadScript(name) {
      var file = path.join(root, 'dist', name);
      var source = fs.readFileSync(file, 'latin1');
      var build = (/^\/\* ([\w.+-]+) \*\//.exec(source) || [])[1];
      if (loaded[0] && loaded[0].build !== build)
        throw Object.assign(new Error('cdapctl was replaced while it started: run it again, or install it again'), {
          code: 'EIO',
          syscall: 'read',
        });
      var part = compiled(fs, path, file, source, build && name !== FIRST ? build + '-' + name : build);
      part.build = build;
      loaded.push(part);
      return evaluate(path, part.script, file, requireCompiled);
    }
    /* The file is named by its bytes, so that another version of the library is compiled anew. */
    function loadLibrary() {
      var found = require.resolve(LIBRARY);
      var bytes = fs.readFileSync(found);
      var wrapped = '(function (exports, require, module, __filename, __dirname) {' + bytes.toString() + '\n})';
      var part = compiled(fs, path, found, wrapped, LIBRARY + '-' + headOf(bytes).toString('hex'));
      loaded.push(part);
      return evaluate(path, part.script, found, requireOf(found));
    }
    loadScript(FIRST).main(process.argv.slice(2), {
      root: root,
      beforeEnd: function (id) {
        loaded.forEach(function (part) {
          part.keep(id);
        });
      },
    });
  }

  /* What the bundle gets as "node:v8", so that the flags it sets are known. */
  function v8OfBundle() {
    return {
      setFlagsFromString: function (flag) {
        flagsSet.push(flag);
        setFlags([flag]);
      },
    };
  }

  /* Without flags node:v8 is not loaded, which takes a millisecond. */
  function setFlags(flags) {
    flags.forEach(function (flag) {
      process.getBuiltinModule('v8').setFlagsFromString(flag);
    });
  }

  /* V8 refuses a code cache that was made under other flags than it is read under, so code is compiled and stored under the flags of a start. */
  function underFlagsOfStart(work) {
    flagsSet.forEach(function (flag) {
      setFlags(FLAGS_OF_START[flag]);
    });
    try {
      return work();
    } finally {
      setFlags(flagsSet);
    }
  }

  function requireOf(file) {
    return process.getBuiltinModule('module').createRequire(file);
  }

  function evaluate(path, script, file, require) {
    var module = { exports: {} };
    script.runInThisContext()(module.exports, require, module, file, path.dirname(file));
    return module.exports;
  }

  /* The script of a file, compiled before where it was; "keep" stores the code at the end of a run, told which command it was. */
  function compiled(fs, path, file, source, name) {
    var caches = cacheFiles(path, name);
    var cache = caches && caches(process.argv.slice(2)).filter(fs.existsSync)[0];
    var cachedData = cache && !hasCrashed(fs, path, cache) && read(fs, path, cache);
    if (cachedData) note(fs, cache);
    var vm = process.getBuiltinModule('vm');
    var script = underFlagsOfStart(function () {
      return new vm.Script(source, { filename: file, cachedData: cachedData || undefined });
    });
    function keep(id) {
      var target = caches && caches(id.split(':'))[0];
      var stale = target === cache && script.cachedDataRejected !== false;
      if (target && (stale || !fs.existsSync(target))) write(fs, path, target, script);
    }
    return { script: script, keep: keep };
  }

  /* One cache per command, so that each holds the functions that it needs; from the most to the least special. Names hold what V8's code cache depends on but flags, which are those of a start. */
  function cacheFiles(path, name) {
    var env = process.env;
    var home =
      env.XDG_CACHE_HOME ||
      (process.platform === 'win32' ? env.LOCALAPPDATA : env.HOME && path.join(env.HOME, '.cache'));
    var folder = env.CDAPCTL_CACHE_DIR || (home && path.join(home, 'cdapctl'));
    if (!name || !folder || !path.isAbsolute(folder)) return undefined;
    var prefix = path.join(folder, 'code', [name, process.version, process.arch].join('_'));
    return function (line) {
      var words = [];
      while (words.length < Math.min(line.length, 3) && /^[a-z][a-z-]{0,30}$/.test(line[words.length]))
        words.push(line[words.length]);
      var names = [];
      for (var count = words.length; count >= 0; count -= 1)
        names.push(prefix + '_' + words.slice(0, count).join('.') + '.bin');
      return names;
    };
  }

  /* A run that takes compiled code leaves a note until its end. The note of a run that is gone tells that it crashed (or was killed): that code is not taken again. */
  function hasCrashed(fs, path, cache) {
    var found = false;
    attempt(function () {
      var folder = path.dirname(cache);
      var start = path.basename(cache) + '.run-';
      fs.readdirSync(folder).forEach(function (name) {
        if (name.indexOf(start) !== 0 || isAlive(Number(name.slice(start.length)))) return;
        found = true;
        fs.rmSync(cache, { force: true });
        fs.unlinkSync(path.join(folder, name));
      });
    });
    return found;
  }

  function isAlive(id) {
    try {
      return process.kill(id, 0);
    } catch (error) {
      return error.code === 'EPERM';
    }
  }

  function note(fs, cache) {
    var own = cache + '.run-' + process.pid;
    attempt(function () {
      fs.closeSync(fs.openSync(own, 'wx', 384));
      process.once('exit', function () {
        attempt(function () {
          fs.unlinkSync(own);
        });
      });
    });
  }

  /* Code is taken only from a file and a folder that nobody else can write, and as it was written: V8 does not look, and crashes on a wrong bit. */
  function read(fs, path, cache) {
    return attempt(function () {
      var good = isOurs(fs.lstatSync(path.dirname(cache)), 'isDirectory') && isOurs(fs.lstatSync(cache), 'isFile');
      var bytes = good ? fs.readFileSync(cache) : undefined;
      var code = bytes && bytes.subarray(HEAD);
      return code && bytes.subarray(0, HEAD).equals(headOf(code)) ? code : undefined;
    });
  }

  /* Length and checksum of compiled code. */
  function headOf(code) {
    var head = Buffer.alloc(HEAD);
    head.writeUInt32LE(code.length, 0);
    head.writeUInt32LE(process.getBuiltinModule('zlib').crc32(code), 4);
    return head;
  }

  function isOurs(stat, kind) {
    return stat[kind]() && (process.platform === 'win32' || (stat.uid === process.getuid() && (stat.mode & 18) === 0));
  }

  function write(fs, path, cache, script) {
    var folder = path.dirname(cache);
    var temporary = cache + '.' + process.pid;
    [path.dirname(path.dirname(folder)), path.dirname(folder), folder].forEach(function (each) {
      attempt(function () {
        fs.mkdirSync(each, 448);
      });
    });
    attempt(function () {
      var code = underFlagsOfStart(function () {
        return script.createCachedData();
      });
      var file = fs.openSync(temporary, 'wx', 384);
      try {
        fs.writeFileSync(file, Buffer.concat([headOf(code), code]));
        fs.fsyncSync(file);
      } finally {
        fs.closeSync(file);
      }
      fs.renameSync(temporary, cache);
      fs.readdirSync(folder).forEach(function (name) {
        var old = path.join(folder, name);
        if (Date.now() - fs.lstatSync(old).mtimeMs > 30 * 86400000) fs.unlinkSync(old);
      });
    });
    attempt(function () {
      fs.rmSync(temporary, { force: true });
    });
  }

  /* A cache that cannot be used or written costs time, nothing else. */
  function attempt(work) {
    try {
      return work();
    } catch (error) {
      return void error;
    }
  }
})();
