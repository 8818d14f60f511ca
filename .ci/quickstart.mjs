// The first five minutes: builds the tool, starts the embedded platform and its signed hub, and installs packages there with the real binary.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '..');
const starter = join(root, 'bin/run.js');
const home = mkdtempSync(join(tmpdir(), 'cdapctl-quickstart-'));
const folders = Object.fromEntries(
  ['CONFIG', 'STATE', 'CACHE'].map((name) => [`CDAPCTL_${name}_DIR`, join(home, name.toLowerCase())]),
);
// Neither settings nor a proxy of the person who runs this may reach the commands below.
const foreign = /^(?:CDAPCTL_.*|(?:https?|all)_proxy)$/iu;
const env = { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name))), ...folders };

const say = (text) => process.stdout.write(`${text}\n`);
const quoted = (word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word}'`);

function announce(why, args) {
  const bold = process.stdout.isTTY ? (text) => `\u001b[1m${text}\u001b[0m` : (text) => text;
  say(`\n# ${why}\n${bold(`$ cdapctl ${args.map(quoted).join(' ')}`)}`);
}

/** Runs one command, shows it, and insists on its exit code. */
function cdapctl(why, args, expected = 0) {
  announce(why, args);
  const { status } = spawnSync(process.execPath, [starter, ...args], {
    cwd: home,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (expected !== 0) say(`(exit code ${status})`);
  if (status !== expected) throw new Error(`cdapctl ${args.join(' ')} ended with ${status} instead of ${expected}`);
}

function build() {
  say('# Build the tool: dist/cdapctl.cjs, and dist/second.cjs for what only some commands need.\n$ npm run build');
  const { status } = spawnSync(process.execPath, ['.ci/build.mjs'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
}

async function startEmulator(key) {
  const args = ['emulator', 'start', '--key-out', key, '--json', '--quiet'];
  announce('Start a platform in miniature with a signed hub, in the background. Its line says where.', args);
  const child = spawn(process.execPath, [starter, ...args], { cwd: home, env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGTERM'));
  const ended = once(child, 'exit');
  const first = once(createInterface({ input: child.stdout }), 'line');
  const [line] = await Promise.race([
    first,
    ended.then(([code]) => {
      throw new Error(`the emulator did not start (exit code ${code})`);
    }),
  ]);
  say(line);
  const stop = async () => {
    child.kill('SIGTERM');
    const [code] = await ended;
    return code;
  };
  return { stop, ...JSON.parse(line).item };
}

function findAndTrust({ url, hub, fingerprint }) {
  const key = ['hub', 'key', 'add', 'hub-key.asc', '--hub', 'sample', '--fingerprint', fingerprint];
  cdapctl('Give the platform a name; the first one becomes the current one.', [
    ...['context', 'add', 'quickstart', '--url', url, '--namespace', 'default'],
  ]);
  cdapctl('Give the hub a name.', ['hub', 'add', 'sample', hub]);
  cdapctl('Trust its key, for this hub only. The fingerprint proves that it is the right one.', key);
  cdapctl('See what the hub has for this platform.', ['hub', 'list', '--fields', 'name,version,label,categories']);
  cdapctl('Look at one package: what would it do?', ['hub', 'show', 'example-trim-fields']);
  cdapctl('Check who signed it.', ['hub', 'verify', 'example-trim-fields']);
}

function install() {
  const plugin = ['install', 'example-trim-fields'];
  cdapctl('Plan an install; nothing is changed.', [...plugin, '--dry-run']);
  cdapctl('Install the plugin. All files are verified before the first change.', [...plugin, '-y']);
  cdapctl('Once more: it is there, so nothing is sent.', [...plugin, '-y']);
  cdapctl('Install a pipeline under a name of our own.', [
    ...['install', 'example-csv-copy', '--set', '1.name=NightlyCopy', '-y'],
  ]);
  cdapctl('Leave out what is needed: all gaps are listed, nothing is changed.', ['install', 'example-order-import'], 2);
}

function takeAlong() {
  const folder = join('downloads', 'example-memory-driver', '1.0.0');
  const verify = ['hub', 'verify', `./${folder}`, '--hub', 'sample'];
  cdapctl('Take a package along to a machine without a network.', [
    ...['hub', 'download', 'example-memory-driver', '-D', 'downloads'],
  ]);
  cdapctl('It can be verified there, too.', verify);
  appendFileSync(join(home, folder, 'spec.json'), ' ');
  cdapctl('And if somebody changes a single byte of it?', verify, 9);
}

async function main() {
  const began = performance.now();
  build();
  const emulator = await startEmulator('hub-key.asc');
  let code;
  try {
    findAndTrust(emulator);
    install();
    takeAlong();
  } finally {
    code = await emulator.stop();
  }
  if (code !== 0) throw new Error(`the emulator ended with ${code}`);
  const seconds = Math.round((performance.now() - began) / 1000);
  say(`\nDone in ${seconds} s. The emulator is stopped and nothing is left behind.`);
  say('README.md has the same steps to try by hand; `node bin/run.js --help` shows the rest.');
}

process.once('exit', () => rmSync(home, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
main().catch((error) => {
  process.stderr.write(`quickstart: ${error.message}\n`);
  process.exitCode = 1;
});
