// The first five minutes: builds the tool, starts the embedded platform and its signed hub, and installs packages there with the real binary.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '..');
const home = mkdtempSync(join(tmpdir(), 'cdapctl-quickstart-'));
const env = { ...process.env, CDAPCTL_CONFIG_DIR: join(home, 'config'), CDAPCTL_STATE_DIR: join(home, 'state') };
for (const name of Object.keys(env))
  if (/^(?:CDAPCTL_(?!CONFIG_DIR|STATE_DIR)|https?_proxy$)/iu.test(name)) delete env[name];

function build() {
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed');
}

function cdapctl(...args) {
  process.stdout.write(`\n$ cdapctl ${args.join(' ')}\n`);
  const { status } = spawnSync(process.execPath, [join(root, 'bin/run.js'), ...args], {
    cwd: home,
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`cdapctl ${args[0]} ended with ${status}`);
}

async function startEmulator(key) {
  const args = ['emulator', 'start', '--key-out', key, '--json'];
  process.stdout.write(`\n$ cdapctl ${args.join(' ')} &\n`);
  const child = spawn(process.execPath, [join(root, 'bin/run.js'), ...args], {
    cwd: home,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => {
      throw new Error('the emulator did not start');
    }),
  ]);
  process.stdout.write(`${line}\n`);
  return { child, ...JSON.parse(line).item };
}

async function main() {
  build();
  const emulator = await startEmulator('hub-key.asc');
  try {
    cdapctl('context', 'add', 'local', '--url', emulator.url, '--namespace', 'default');
    cdapctl('hub', 'add', 'sample', emulator.hub);
    cdapctl('hub', 'key', 'add', 'hub-key.asc', '--hub', 'sample', '--fingerprint', emulator.fingerprint);
    cdapctl('hub', 'list');
    cdapctl('hub', 'show', 'example-trim-fields');
    cdapctl('hub', 'verify', 'example-trim-fields');
    cdapctl('install', 'example-trim-fields', '--dry-run');
    cdapctl('install', 'example-trim-fields', '-y');
    cdapctl('hub', 'download', 'example-memory-driver', '-D', 'downloads');
    cdapctl('install', 'example-csv-copy', '--set', '1.name=NightlyCopy', '-y');
    cdapctl('install', 'example-trim-fields', '-y');
    process.stdout.write(
      '\nDone. The emulator is stopped and its folder removed; `cdapctl --help` shows what else there is.\n',
    );
  } finally {
    emulator.child.kill('SIGTERM');
    const [code] = await once(emulator.child, 'exit');
    rmSync(home, { recursive: true, force: true });
    if (code !== 0) throw new Error(`the emulator ended with ${code}`);
  }
}

main().catch((error) => {
  process.stderr.write(`quickstart: ${error.message}\n`);
  process.exitCode = 1;
});
