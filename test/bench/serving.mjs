// The rows of serving a hub: small and large files against a plain file server of Node, and large ones against nginx, where there is one (Debian: nginx).
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { compare } from './pairs.mjs';

const FILES = 500;
const SMALL = 3000;
const LARGE = 256 * 1024 * 1024;
const here = import.meta.dirname;

/** A server, and its port: what stands in its first output as the first number that looks like one. */
async function started(command, args, env, pattern) {
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let told = '';
  for await (const piece of child.stdout) {
    told += piece;
    const [, port] = pattern.exec(told) ?? [];
    if (port !== undefined) {
      child.stdout.resume();
      return { child, port };
    }
  }
  throw new Error(`${command} ended: ${told}`);
}

function plainServer(root) {
  return started(process.execPath, [join(here, 'file-server.mjs'), 'serve', root], {}, /^(\d+)\n/u);
}

/** Undefined where there is no nginx. */
async function nginxServer(root, folder) {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined;
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => free.once('listening', done));
  const { port } = free.address();
  await new Promise((done) => free.close(done));
  const config = join(folder, 'nginx.conf');
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/temp;`);
  writeFileSync(
    config,
    // Its workers would be of a user who may not read the folder.
    `${process.getuid?.() === 0 ? 'user root; ' : ''}daemon off; pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; sendfile on; ${paths.join(' ')} server { listen 127.0.0.1:${port}; root ${root}; } }`,
  );
  const child = spawn('nginx', ['-c', config], { stdio: 'ignore' });
  const answers = () =>
    globalThis.fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => new Promise((done) => setTimeout(done, 20, false)),
    );
  while (!(await answers())) if (child.exitCode !== null) return undefined;
  return { child, port };
}

/** Measures all rows; `cdapctl` makes a side of a command line, `folder` is the home of its runs. */
export async function measureServing({ cdapctl, folder, rounds }) {
  const root = join(folder, 'served');
  const paths = Array.from({ length: FILES }, (_, at) => `/packages/package-${at}/1.0.0/spec.json`);
  for (const [at, path] of paths.entries()) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify({ label: `Package ${at}`, text: 'x'.repeat(SMALL) }));
  }
  writeFileSync(join(root, 'packages/package-0/1.0.0/large.jar'), Buffer.alloc(LARGE, 'x'));
  const [small, large] = ['small', 'large'].map((name) => join(folder, `paths-${name}`));
  writeFileSync(small, paths.join('\n'));
  writeFileSync(large, '/packages/package-0/1.0.0/large.jar');
  const { command, args, env } = cdapctl('hub', 'serve', root, '--port', '0', '--json');
  const ours = await started(command, args, env, /"port":\s*(\d+)/u);
  const plain = await plainServer(root);
  const nginx = await nginxServer(root, folder);
  const ask = ({ port }, file, times) => ({
    command: process.execPath,
    args: [join(here, 'file-server.mjs'), 'ask', port, file, String(times)],
    env: {},
  });
  const row = (name, bar, other, file, times) =>
    compare({ name, bar, rounds, ours: ask(ours, file, times), theirs: ask(other, file, times) });
  try {
    return [
      await row('hub serve, 10,000 small files / node:http', 1, plain, small, 10_000),
      await row('hub serve, 256 MB 4 times / node:http', 1.25, plain, large, 4),
      ...(nginx === undefined ? [] : [await row('hub serve, 256 MB 4 times / nginx', 2, nginx, large, 4)]),
    ];
  } finally {
    for (const { child } of [ours, plain, ...(nginx === undefined ? [] : [nginx])]) {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await new Promise((done) => child.once('close', done));
    }
  }
}
