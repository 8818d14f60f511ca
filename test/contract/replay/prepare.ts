import { p1 } from './bodies.js';
import { JARS_4_3 } from './older-bodies.js';
import { REPORT_SERVICE } from './report-records.js';

interface Step {
  /** `{made}` stands for the id that an earlier step was answered with. */
  readonly path: string;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  readonly body?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
}

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const deploy = (name: string): Step => ({
  method: 'PUT',
  path: `/v3/namespaces/rec_a2/apps/${name}`,
  body: JSON.stringify(p1()),
});
const upload = (name: string, jar: string, headers: Readonly<Record<string, string>> = {}): Step => ({
  method: 'POST',
  path: `/v3/namespaces/rec43/artifacts/${name}`,
  headers: { 'Artifact-Extends': 'system:cdap-data-pipeline[4.0.0,5.0.0)', ...headers },
  body: JARS_4_3[`bytes of ${jar}.jar`]?.() ?? '',
});

const report = (path: string, method: Step['method'], body?: object): Step => ({
  path: REPORT_SERVICE + path,
  method,
  ...(body && { body: JSON.stringify(body) }),
});
const control = (order: object): Step => ({ path: '/emulator/reports', method: 'POST', body: JSON.stringify(order) });
const FINISH = [control({ finish: true })];
/** The clock of the replay goes on with each request. */
const WAIT = times(200, report('/available', 'GET'));

const started = (app: string): Step => ({
  method: 'POST',
  path: `/v3/namespaces/${app}/workflows/DataPipelineWorkflow/start`,
});
const resumed = (app: string): Step => ({
  method: 'POST',
  path: `/v3/namespaces/${app}/schedules/dataPipelineSchedule/resume`,
});

/** What the recorded server got in ways that are not replayed, or that stand in another recording, by the exchange before which it is there. */
const PREPARED: Readonly<Record<string, readonly Step[]>> = {
  '6.11.0/apps.json sched-keep-put': [...times(2, deploy('u3')), ...times(4, deploy('conc'))],
  '6.11.0/reports.json killed-runs': [report('/start', 'POST')],
  '6.11.0/reports.json starting-health-2': [control({ capability: true })],
  '6.11.0/reports.json gen': [
    report('/methods/reports', 'POST', { name: 'x', start: 1, end: 2, fields: ['run'], filters: [] }),
    report('/methods/reports/{made}/save', 'POST', { name: 'n', description: 'd' }),
    control({ collects: true }),
  ],
  '6.11.0/reports.json gen-info': FINISH,
  '6.11.0/reports.json gen2-download': FINISH,
  '6.11.0/reports.json info-deleted-running-later': FINISH,
  '6.11.0/reports.json exp-save': FINISH,
  '6.11.0/reports.json exp-info': WAIT,
  '6.11.0/reports.json sched-gen': [report('/stop', 'POST')],
  '6.11.0/reports.json sched-info': FINISH,
  '6.1.1/conventions.json bad-number-reports': [control({ running: true })],
  '6.1.1/reports.json gen1-info': FINISH,
  '6.1.1/reports.json gen2-info': FINISH,
  '6.1.1/reports.json gen-nofilter-info': FINISH,
  '6.1.1/reports.json conc-list-after': FINISH,
  '6.1.1/reports.json sched-info': FINISH,
  '6.1.1/reports.json exp-save': FINISH,
  '6.1.1/reports.json exp-info': WAIT,
  '6.11.0/upgrade.json noplugin': ['1.0.0', '1.1.0', '1.10.0', '2.0.0-SNAPSHOT'].map((version) => ({
    method: 'DELETE',
    path: `/v3/namespaces/rec_a2/artifacts/noop/versions/${version}`,
  })),
  '6.11.0/dashboard.json past': [started('rec_b1/apps/p1'), started('rec_b2/apps/p1'), resumed('rec_b1/apps/p1')],
  '6.1.1/dashboard.json one': [started('rec1/apps/orders'), started('rec_up/apps/pipe'), resumed('rec_up/apps/pipe')],
  '6.11.0/preferences.json after-runtimeargs': [
    {
      method: 'PUT',
      path: '/v3/namespaces/rec_b1/apps/p1/workflows/DataPipelineWorkflow/runtimeargs',
      body: '{"date": "2026-11-21", "n": "1"}',
    },
  ],
  '6.11.0/schedules.json every-minute-next': [resumed('rec_b2/apps/p1')],
  '6.1.1/schedules.json nextruntime-on': [resumed('rec_up/apps/pipe')],
  '6.11.0/metrics.json search-metric': [started('rec_b1/apps/p1')],
  '6.1.1/metrics.json search-tag': [started('rec1/apps/orders')],
  '4.3.5/applications.json list-empty': [
    upload('drv', 'driver'),
    upload('drv3', 'driver'),
    upload('plug', 'plug'),
    upload('plug6', 'plug6'),
    upload('snap', 'driver', { 'Artifact-Version': '2.0.0-SNAPSHOT' }),
  ],
};

/** Sends what has to be there before an exchange. */
export async function prepare(base: string, file: string, id: string): Promise<void> {
  let made = '';
  for (const { path, method, body = null, headers = {} } of PREPARED[`${file} ${id}`] ?? []) {
    const sent = method === 'GET' ? {} : { body: body as BodyInit | null };
    const answer = await fetch(base + path.replace('{made}', made), { method, headers, ...sent });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} could not be prepared: ${text}`);
    made = /"id":"([^"]+)"/u.exec(text)?.[1] ?? made;
  }
}
