import { rm } from 'node:fs/promises';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SeveralMeant } from '../../../src/core/several-meant.js';
import { withOneMeant } from '../../../src/flows/one-meant.js';
import { NEVER } from '../../support/clock.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { rawAnswer, rawServer, type RawServer } from '../../support/raw-server.js';
import { ROOT } from '../../support/processes/run-cli.js';
import { fakeTerminal } from '../../support/processes/terminal.js';

const BEGINNING = '5933a68e';
const IDS = [`${BEGINNING}-e569-11f1-ab56-acde48001122`, `${BEGINNING}-e569-11f1-ab57-acde48001122`] as const;
const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
const APP = '/v3/namespaces/etl/apps/orders';
const PROGRAM = `${APP}/workflows/DataPipelineWorkflow`;
const SERVICE = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';
const RUNS = IDS.map((runid, at) => ({
  ...{ runid, status: 'FAILED', starting: 1_714_600_000 - at, start: 1_714_600_000 - at },
  properties: {},
}));

/** What the platform answers: a pipeline and the report service, each with two ids that begin alike. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/v3/version': { version: '6.11.0' },
  [APP]: { name: 'orders', artifact, programs: [{ type: 'Workflow', name: 'DataPipelineWorkflow' }] },
  [`${PROGRAM}/runs`]: RUNS,
  [`${PROGRAM}/runs/${IDS[1]}`]: RUNS[1],
  [`${SERVICE}/status`]: { status: 'RUNNING' },
  [`${SERVICE}/methods/health`]: {},
  [`${SERVICE}/methods/reports`]: {
    reports: IDS.map((id, at) => ({ id, name: `one ${at}`, created: 1_714_600_000 - at, status: 'COMPLETED' })),
  },
};

let home: string;
let platform: RawServer;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cdapctl-several-'));
  platform = await rawServer((socket, { target }) => {
    const found = ANSWERS[target.replace(/\?.*$/u, '')];
    socket.write(found === undefined ? rawAnswer(404) : rawAnswer(200, JSON.stringify(found)));
  });
  expect((await runInProcess('context:add', ['here', '-u', platform.url], home)).error).toBeUndefined();
});
afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true, force: true });
});

const OF_RUNS = `2 runs of "orders" have an ID that starts with ${BEGINNING}`;
const OF_REPORTS = `"${BEGINNING}" matches 2 reports`;

it.each([
  ['pipeline show etl/orders ID', OF_RUNS],
  ['pipeline why etl/orders ID', OF_RUNS],
  ['pipeline logs etl/orders ID --level ERROR', OF_RUNS],
  ['pipeline wait etl/orders ID', OF_RUNS],
  [`pipeline stop etl/orders ${IDS[1]} ID -y`, OF_RUNS],
  ['pipeline start etl/orders -y --like ID', OF_RUNS],
  ['args explain etl/orders --run ID', OF_RUNS],
  ['metrics list etl/orders --run ID', OF_RUNS],
  ['metrics get etl/orders --run ID', OF_RUNS],
  ['metrics get etl/orders --watch --run ID', OF_RUNS],
  ['metrics top etl/orders --run ID', OF_RUNS],
  ['report show ID', OF_REPORTS],
  ['report wait ID --timeout 1s', OF_REPORTS],
  ['report download ID -O report.csv', OF_REPORTS],
  ['report save ID --name kept -y', OF_REPORTS],
  ['report share ID -y', OF_REPORTS],
  [`report delete ${IDS[1]} ID -y`, OF_REPORTS],
  ['report generate --last 7d --like ID', OF_REPORTS],
])('without a terminal the error has the whole command for each: %s', async (line, message) => {
  const [topic = '', verb = '', ...words] = line.split(' ');
  const given = words.map((word) => (word === 'ID' ? BEGINNING : word));
  const { error } = await runInProcess(`${topic}:${verb}`, given, home);
  expect(error).toMatchObject({ code: 'USAGE', message });
  expect(error?.details.hints).toEqual(IDS.map((id) => `cdapctl ${line.replace(/\bID\b/u, id)}`));
  expect(error?.details.lines?.map((text) => text.slice(0, IDS[0].length))).toEqual(IDS);
});

it('on a terminal one is chosen, and the line does what it would do with the whole ID', async () => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let screen = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    if (screen === '') setImmediate(() => input.write('\u001b[B\r'));
    screen += text;
  });
  const look = { terminal: true, color: false, columns: 120, unicode: true, utc: true };
  const session = {
    ...{ argv: ['report', 'show', BEGINNING], terminal: fakeTerminal({ stderr: look }) },
    build: { version: '0.0.0', commit: '', root: ROOT, node: '20.18.1', system: 'linux x64' },
  };
  const context = { asker: { input, output, look, home: undefined, signal: NEVER } };
  const words: string[] = [];
  const find = async (word: string): Promise<string> => {
    words.push(word);
    if (word !== BEGINNING) return `found ${word}`;
    const [first, second] = IDS;
    throw new SeveralMeant('2 reports', [
      { id: first, status: 'COMPLETED', at: 1_714_600_000, name: 'nightly' },
      { id: second, status: 'FAILED' },
    ]);
  };
  expect(await withOneMeant(BEGINNING, find, { context, session })).toBe(`found ${IDS[1]}`);
  expect(words).toEqual([BEGINNING, IDS[1]]);
  expect(screen).toContain(`${IDS[0]}  COMPLETED  2024-05-01 21:46Z  nightly`);
});
