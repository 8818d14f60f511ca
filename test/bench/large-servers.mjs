// The other side of the benchmarks of large things: a hub that serves a folder, and a platform that takes an artifact and forgets its bytes. Run as a program of its own.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, normalize } from 'node:path';

/** Serves the files of a folder below `/v2`. */
function hub(folder) {
  return createServer((request, response) => {
    const path = join(folder, normalize(new URL(request.url, 'http://hub').pathname.replace(/^\/v2\//u, '/')));
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || !stat.isFile()) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': stat.size });
    createReadStream(path, { highWaterMark: 1024 * 1024 }).pipe(response);
  });
}

const SYSTEM = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };

/** Answers what an install of one artifact asks; `DELETE /` forgets that the artifact was uploaded. */
function platform() {
  let stored;
  const answers = {
    '/v3/version': () => ({ version: '6.11.0' }),
    '/v3/namespaces/default': () => ({ name: 'default' }),
    '/v3/namespaces/default/artifacts': () => [SYSTEM],
    '/v3/namespaces/default/artifacts/big/versions/1.0.0': () => stored,
  };
  return createServer((request, response) => {
    const { method, url } = request;
    const end = (status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    if (method === 'GET') {
      const answer = answers[url.replace(/\?.*$/u, '')]?.();
      end(answer === undefined ? 404 : 200, JSON.stringify(answer ?? {}));
      return;
    }
    if (method === 'DELETE') stored = undefined;
    request.resume().on('end', () => {
      if (method === 'POST') {
        const plugins = [{ name: 'big', type: 'batchsource', className: 'com.example.Big' }];
        stored = { name: 'big', version: '1.0.0', scope: 'USER', properties: {}, classes: { apps: [], plugins } };
      }
      end(200, '');
    });
  });
}

/** Starts a server on a free port of loopback and tells its address. */
async function listen(server) {
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

if (process.send !== undefined)
  process.send({ hub: `${await listen(hub(process.argv[2]))}/v2`, platform: await listen(platform()) });
