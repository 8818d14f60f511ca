// The row of reports: a report of a million records to csv, beside curl with jq over the same pages. Needs curl and jq, and some 400 MB of disk in the temporary folder.
import { fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from './pairs.mjs';
import { FIELDS, pageTexts, runPart } from './report-server.mjs';

const PAGE = 2500;

/** Page by page as a careful person does it: the text of every cell by jq's own writer of csv. */
const CURL_AND_JQ = `rm -f "$OUT"
offset=0
while [ "$offset" -lt "$COUNT" ]; do
  curl -sf "$PAGES&offset=$offset&limit=${PAGE}" | jq -r '.details[] | [${FIELDS.map((field) => `.${field}`).join(', ')}] | @csv' >> "$OUT"
  offset=$((offset + ${PAGE}))
done`;

async function digestOf(file) {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece);
  return hash.digest('hex');
}

/** The digest of the file as it has to be, by a plain writer that shares nothing with the tool; no cell of these records looks like a formula but for the version. */
function wantedDigest(count) {
  const cell = (value) => {
    const text = value === null ? '' : typeof value === 'string' && /^[-=+@]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const isTime = (field) => ['start', 'running', 'end'].includes(field);
  const timeOf = (seconds) =>
    seconds === null ? null : new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');
  const header = FIELDS.flatMap((field) => (isTime(field) ? [field, `${field}Utc`] : [field])).join(',');
  const cells = (record, field) => (isTime(field) ? [record[field], timeOf(record[field])] : [record[field]]);
  const pages = pageTexts().map((text) =>
    JSON.parse(`[${text}]`)
      .map((record) => `${FIELDS.flatMap((field) => cells(record, field).map(cell)).join(',')}\r\n`)
      .join(''),
  );
  const hash = createHash('sha256').update(`${header}\r\n`);
  for (let page = 0; page * PAGE < count; page += 1)
    hash.update(pages[page % pages.length].replaceAll(runPart(0), runPart(page)));
  return hash.digest('hex');
}

/** Measures the download of a report of so many records; its file has to be right to the last byte. */
export async function measureReport({ cdapctl, folder, count, rounds }) {
  const child = fork(join(import.meta.dirname, 'report-server.mjs'), [String(count)]);
  const { url, pages, id } = await new Promise((resolve) => child.once('message', resolve));
  const [ours, theirs, peaks] = ['ours.csv', 'theirs.csv', 'peaks'].map((name) => join(folder, name));
  const side = cdapctl('report', 'download', id, '-u', url, '-o', 'csv', '-O', ours, '--clobber', '-q');
  const env = { ...side.env, NODE_OPTIONS: `--require=${join(import.meta.dirname, 'peak.cjs')}`, PEAK_FILE: peaks };
  const script = { ...side.env, OUT: theirs, COUNT: String(count), PAGES: `${url}${pages}?report-id=${id}` };
  try {
    const result = await compare({
      name: `csv of ${count} records / curl and jq`,
      bar: 0.2,
      rounds,
      ours: { ...side, env },
      theirs: { command: 'sh', args: ['-e', '-c', CURL_AND_JQ], env: script },
    });
    if ((await digestOf(ours)) !== wantedDigest(count)) throw new Error('the csv is not as it has to be');
    const memory = Math.max(...readFileSync(peaks, 'utf8').split('\n').map(Number));
    return [{ ...result, memory, memoryBar: 150 }];
  } finally {
    child.kill();
    for (const file of [ours, theirs, peaks]) rmSync(file, { force: true });
  }
}
