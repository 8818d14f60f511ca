// What the benchmarks of large things are measured by: SHA-256 of a file (`sha256 FILE`), fetching and parsing a catalog (`parse URL`), and asking a platform for all paths of a file, eight at a time (`ask URL FILE`), asking for all pipelines of a namespace and what they do (`pipelines URL`), and reading and parsing all specifications of a source tree (`specifications FOLDER`).
import { createHash } from 'node:crypto';
import { openSync, readFileSync, readSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const [what, where, file] = process.argv.slice(2);
if (what === 'sha256') {
  const bytes = openSync(where, 'r');
  const piece = Buffer.allocUnsafe(262_144);
  const hash = createHash('sha256');
  for (let read = 1; read > 0; hash.update(piece.subarray(0, read))) read = readSync(bytes, piece);
  console.log(hash.digest('hex'));
} else if (what === 'specifications') {
  const names = (path) => readdir(path, { withFileTypes: true });
  let labels = 0;
  for (const name of await names(join(where, 'packages'))) {
    if (!name.isDirectory()) continue;
    const versions = await names(join(where, 'packages', name.name));
    const read = async ({ parentPath, name: version }) => readFile(join(parentPath, version, 'spec.json'), 'utf8');
    for (const text of await Promise.all(versions.map(read))) labels += JSON.parse(text).label.length;
  }
  console.log(labels);
} else if (what === 'ask') {
  const paths = readFileSync(file, 'utf8').split('\n');
  const ask = async () => {
    for (let path = paths.pop(); path !== undefined; path = paths.pop()) {
      const answer = await globalThis.fetch(where + path);
      const text = await answer.text();
      if (answer.ok && text.startsWith('[')) JSON.parse(text);
    }
  };
  await Promise.all(Array.from({ length: 8 }, ask));
} else if (what === 'pipelines') {
  const base = `${where}/v3/namespaces/default`;
  const post = async (path, body) => (await globalThis.fetch(`${base}/${path}`, { method: 'POST', body })).json();
  let lines = 0;
  for (let token = ''; token !== undefined;) {
    const page = `apps?artifactName=cdap-data-pipeline,cdap-data-streams&pageSize=1000${token === '' ? '' : `&pageToken=${token}`}`;
    const { applications, nextPageToken } = await (await globalThis.fetch(`${base}/${page}`)).json();
    const items = applications.map(({ name, artifact }) =>
      artifact.name === 'cdap-data-pipeline'
        ? { appId: name, programType: 'Workflow', programId: 'DataPipelineWorkflow' }
        : { appId: name, programType: 'Spark', programId: 'DataStreamsSparkStreaming' },
    );
    const body = JSON.stringify(items);
    const answers = await Promise.all(['status', 'runs', 'nextruntime'].map((path) => post(path, body)));
    lines += answers[0].length;
    token = nextPageToken;
  }
  console.log(lines);
} else {
  console.log(JSON.parse(await (await globalThis.fetch(where)).text()).length);
}
