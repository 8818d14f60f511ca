// The other side of the benchmarks of serving: a plain file server (`serve FOLDER`, tells its port), and the client of both (`ask PORT PATHS TIMES`: that many requests by 32 connections, for the paths of a file in turn; fails unless all are 200).
import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join, normalize } from 'node:path';

const CONNECTIONS = 32;
const [what, where, file, times] = process.argv.slice(2);

if (what === 'serve') {
  const server = createServer(async (request, response) => {
    try {
      const path = join(where, normalize(decodeURIComponent(new URL(request.url, 'http://hub').pathname)));
      const { size, mtime } = await stat(path);
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': size,
        'last-modified': mtime.toUTCString(),
      });
      createReadStream(path).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
} else {
  const paths = readFileSync(file, 'utf8').split('\n');
  let left = Number(times);
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nhost: hub\r\n\r\n`);
  const work = (at) =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(where), '127.0.0.1');
      let awaited = 0;
      const next = () => {
        left -= 1;
        if (left < 0) socket.end();
        else socket.write(requests[(left + at) % requests.length]);
      };
      socket.on('connect', next).on('error', reject).on('close', resolve);
      socket.on('data', (piece) => {
        if (awaited === 0) {
          const end = piece.indexOf('\r\n\r\n');
          const head = piece.latin1Slice(0, end);
          const [, length] = /content-length: (\d+)/iu.exec(head) ?? [];
          if (!head.startsWith('HTTP/1.1 200') || length === undefined) reject(new Error(head));
          awaited = end + 4 + Number(length);
        }
        awaited -= piece.length;
        if (awaited === 0) next();
      });
    });
  await Promise.all(Array.from({ length: Math.min(CONNECTIONS, left) }, (_, at) => work(at)));
}
