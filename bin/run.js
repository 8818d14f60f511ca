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
    var source = fs.readFileSync(file, 'utf8');
    var cache = cacheFile(path, source);
    var cachedData = cache && read(fs, path, cache);
    var script = new vm.Script('(function (exports, require, module, __filename, __dirname) {' + source + '\n})', {
      filename: file,
      cachedData: cachedData,
    });
    var module = { exports: {} };
    var require = process.getBuiltinModule('module').createRequire(file);
    script.runInThisContext()(module.exports, require, module, file, path.dirname(file));
    var known = cachedData && !script.cachedDataRejected;
    module.exports.main(process.argv.slice(2), {
      root: root,
      beforeEnd: function () {
        if (cache && !known) write(fs, path, cache, script);
      },
    });
  }

  /* The name holds everything that V8's code cache depends on; the first line of the bundle is its version and digest. */
  function cacheFile(path, source) {
    var env = process.env;
    var build = /^\/\* ([\w.+-]+) \*\//.exec(source);
    var home =
      env.XDG_CACHE_HOME ||
      (process.platform === 'win32' ? env.LOCALAPPDATA : env.HOME && path.join(env.HOME, '.cache'));
    var folder = env.CDAPCTL_CACHE_DIR || (home && path.join(home, 'cdapctl'));
    if (!build || !folder || !path.isAbsolute(folder)) return undefined;
    return path.join(folder, 'code', [build[1], process.version, process.arch].join('_') + '.bin');
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
    var temporary = cache + '.' + process.pid;
    attempt(function () {
      fs.mkdirSync(path.dirname(cache), { recursive: true, mode: 448 });
      fs.writeFileSync(temporary, script.createCachedData(), { mode: 384, flag: 'wx' });
      fs.renameSync(temporary, cache);
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
