#!/usr/bin/env node
/* Starts the bundle. No import and no new syntax, so that an old Node reads this far and can say what is wrong. */
(function () {
  var OLDEST = [20, 18, 1];
  process.exitCode = 1;
  var own = process.versions.node.split('.').map(Number);
  for (var at = 0; at < 3 && own[at] >= OLDEST[at]; at += 1) if (own[at] > OLDEST[at]) at = 3;
  if (at < 3) {
    var message = 'Node ' + process.versions.node + ' is too old, at least ' + OLDEST.join('.') + ' is needed';
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
    var vm = process.getBuiltinModule('vm');
    var here = fs.realpathSync(process.argv[1]);
    var root = path.dirname(path.dirname(here));
    var file = path.join(root, 'dist', 'cdapctl.cjs');
    var source = fs.readFileSync(file, 'latin1');
    var caches = cacheFiles(path, source);
    var cache = caches && caches(process.argv.slice(2)).filter(fs.existsSync)[0];
    var cachedData = cache && read(fs, path, cache);
    var script = new vm.Script(source, { filename: file, cachedData: cachedData });
    var module = { exports: {} };
    var require = process.getBuiltinModule('module').createRequire(file);
    script.runInThisContext()(module.exports, require, module, file, path.dirname(file));
    module.exports.main(process.argv.slice(2), {
      root: root,
      beforeEnd: function (id) {
        var target = caches && caches(id.split(':'))[0];
        var stale = target === cache && script.cachedDataRejected !== false;
        if (target && (stale || !fs.existsSync(target))) write(fs, path, target, script);
      },
    });
  }

  /* One cache per command, so that each holds the functions that it needs; from the most to the least special. Names hold all that V8's code cache depends on. */
  function cacheFiles(path, source) {
    var env = process.env;
    var build = /^\/\* ([\w.+-]+) \*\//.exec(source);
    var home =
      env.XDG_CACHE_HOME ||
      (process.platform === 'win32' ? env.LOCALAPPDATA : env.HOME && path.join(env.HOME, '.cache'));
    var folder = env.CDAPCTL_CACHE_DIR || (home && path.join(home, 'cdapctl'));
    if (!build || !folder || !path.isAbsolute(folder)) return undefined;
    var prefix = path.join(folder, 'code', [build[1], process.version, process.arch].join('_'));
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

  /* Code is taken only from a file and a folder that nobody else can write. */
  function read(fs, path, cache) {
    return attempt(function () {
      var good = isOurs(fs.lstatSync(path.dirname(cache)), 'isDirectory') && isOurs(fs.lstatSync(cache), 'isFile');
      return good ? fs.readFileSync(cache) : undefined;
    });
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
      /* The transport sets --liftoff-only, which changes all three; V8 refuses a cache that was made under other flags. */
      ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering'].forEach(function (flag) {
        process.getBuiltinModule('v8').setFlagsFromString(flag);
      });
      fs.writeFileSync(temporary, script.createCachedData(), { mode: 384, flag: 'wx' });
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
