// A report service on loopback with a finished report of so many records, whose pages are made before and lie in memory; run as a program of its own.
import { createServer } from 'node:http';

const PAGE = 2500;
/** Different pages, served in turn. */
const PAGES = 8;
const CREATED = 1_795_239_600;
const REPORT = 'fb6e8934-e56c-11f1-a9aa-acde48001122';
const SPARK = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';

const pick = (list, at) => list[at % list.length];
const USERS = ['alice', 'bob', null, 'system', 'o\\"neill, jr'];

/** A record as a platform 6.1.1 writes it: members in its order and with its blanks. */
function recordText(at) {
  const start = CREATED - 90_000 + at;
  const [status, ended] = pick(
    [
      ['COMPLETED', true],
      ['FAILED', true],
      ['KILLED', true],
      ['RUNNING', false],
    ],
    (at * 7) >> 2,
  );
  const duration = 4 + (at % 900);
  const user = pick(USERS, at);
  const run = `${(0xae713758 + at).toString(16).padStart(8, '0').slice(-8)}-e56c-11f1-${(0xa000 + (at >> 16)).toString(16)}-acde48001122`;
  return (
    `{"run": "${run}", "duration": ${ended ? duration : null}, "program": "${pick(['DataPipelineWorkflow', 'phase-1'], at)}", ` +
    `"running": ${at % 3 === 0 ? null : start + 2}, "programType": "${pick(['Workflow', 'Mapreduce', 'Spark'], at)}", ` +
    `"applicationVersion": "-SNAPSHOT", "numRecordsOut": 0, "artifactVersion": "6.1.1", "applicationName": "orders-${at % 97}", ` +
    `"artifactName": "cdap-data-pipeline", "startMethod": "${pick(['MANUAL', 'SCHEDULED', 'TRIGGERED'], at)}", "numLogErrors": 0, ` +
    `"status": "${status}", "end": ${ended ? start + duration : null}, "start": ${start}, "numLogWarnings": 0, ` +
    `"namespace": "${pick(['default', 'etl'], at >> 3)}", "user": ${user === null ? null : `"${user}"`}, "artifactScope": "USER"}`
  );
}

/** The fields of the report, in the order of its columns. */
export const FIELDS = [
  'namespace',
  'applicationName',
  'applicationVersion',
  'artifactName',
  'artifactVersion',
  'artifactScope',
  'program',
  'programType',
  'run',
  'status',
  'start',
  'running',
  'end',
  'duration',
  'user',
  'startMethod',
];

/** What is the same in the id of every run, so that a page that comes again can be given other ids. */
const RUN_PART = '-e56c-11f1-a000-';

/** That part of the ids of a page: no run stands twice in a report. */
export const runPart = (page) => RUN_PART.replace('a000', (0xa000 + page).toString(16));

/** The texts of the records of the pages that are served in turn, page by page. */
export function pageTexts() {
  return Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: PAGE }, (_, at) => recordText(page * PAGE + at)).join(', '),
  );
}

function infoText(count) {
  const [start, end] = [CREATED - 90_000, CREATED];
  const request = { name: 'bench', start, end, fields: FIELDS, filters: [] };
  const summary = {
    namespaces: [{ namespace: 'default', runs: count }],
    start,
    end,
    artifacts: [],
    durations: { min: 4, max: 903, average: 450.5 },
    starts: { oldest: start, newest: end },
    owners: [],
    startMethods: [],
    recordCount: count,
    creationTimeMillis: CREATED * 1000,
    expirationTimeMillis: (CREATED + 172_800) * 1000,
  };
  return JSON.stringify({
    request,
    summary,
    name: 'bench',
    created: CREATED,
    expiry: CREATED + 172_800,
    status: 'COMPLETED',
  });
}

function bodyOf({ body, places }, page) {
  const own = Buffer.from(body);
  const part = Buffer.from(runPart(page));
  for (const place of places) part.copy(own, place);
  return own;
}

/** Serves a report of `count` records, a multiple of a page. */
export async function serveReport(count) {
  const pages = pageTexts().map((text) => {
    const places = [...text.matchAll(new RegExp(RUN_PART, 'g'))].map(({ index }) => index);
    return { body: Buffer.from(`${text}]}`), places };
  });
  const fixed = new Map([
    ['/v3/version', '{"version":"6.1.1"}'],
    [`${SPARK}/status`, '{"status":"RUNNING"}'],
    [`${SPARK}/methods/health`, ''],
    [`${SPARK}/methods/reports/info`, infoText(count)],
  ]);
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url, 'http://platform');
    const text = fixed.get(pathname);
    if (text !== undefined || !pathname.endsWith('/reports/download')) {
      response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(text ?? '');
      return;
    }
    const offset = Number(searchParams.get('offset'));
    if (offset % PAGE !== 0 || searchParams.get('limit') !== String(PAGE)) {
      response.writeHead(400, { 'content-type': 'text/plain' }).end(`only pages of ${PAGE} are ready`);
      return;
    }
    const head = Buffer.from(`{"offset":${offset}, "limit":${PAGE}, "total":${count}, "details":[`);
    const body = bodyOf(pages[(offset / PAGE) % PAGES], offset / PAGE);
    response.writeHead(200, {
      'content-type': 'text/plain; charset=UTF-8',
      'content-length': head.length + body.length,
    });
    response.write(head);
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    server,
    url: `http://127.0.0.1:${server.address().port}`,
    pages: `${SPARK}/methods/reports/download`,
    id: REPORT,
  };
}

if (process.send !== undefined) {
  const { url, pages, id } = await serveReport(Number(process.argv[2]));
  process.send({ url, pages, id });
}
