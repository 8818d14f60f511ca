// A platform on loopback with one pipeline, whose run has a log of so many megabytes; run as a program of its own.
import { createServer } from 'node:http';

const PROGRAM = '/v3/namespaces/default/apps/big/workflows/DataPipelineWorkflow';
const RUN = 'ae713758-e56c-11f1-a000-acde48001122';

/** A megabyte of lines as a platform writes them. */
function megabyte() {
  const lines = [];
  for (let at = 0, size = 0; size < 1024 * 1024; at += 1) {
    const line = `2026-11-21 05:06:49,${String(at % 1000).padStart(3, '0')} - INFO  [SparkRunner-phase-1:i.c.c.e.c.Progress@61] - ${at} records processed\n`;
    lines.push(line);
    size += line.length;
  }
  return Buffer.from(lines.join('').slice(0, 1024 * 1024 - 1) + '\n');
}

const piece = megabyte();
const megabytes = Number(process.argv[2]);
const run = JSON.stringify({ runid: RUN, starting: 1, start: 2, end: 3, status: 'COMPLETED', properties: {} });
const app = {
  name: 'big',
  artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
  programs: [{ type: 'Workflow', name: 'DataPipelineWorkflow' }],
};
const fixed = new Map([
  ['/v3/version', '{"version":"6.11.0"}'],
  ['/v3/namespaces/default/apps/big', JSON.stringify(app)],
  [`${PROGRAM}/runs`, `[${run}]`],
  [`${PROGRAM}/runs/${RUN}`, run],
]);
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://platform');
  const text = fixed.get(pathname);
  if (text !== undefined || pathname !== `${PROGRAM}/runs/${RUN}/logs`) {
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text ?? '');
    return;
  }
  response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' });
  let left = megabytes;
  const more = () => {
    while (left > 0) {
      left -= 1;
      if (!response.write(piece)) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
});
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  process.send({ url, log: `${url}${PROGRAM}/runs/${RUN}/logs?escape=false` });
});
