import { p1 } from './bodies.js';
import { JARS_4_3 } from './older-bodies.js';

interface Step {
  readonly path: string;
  readonly method: 'PUT' | 'POST' | 'DELETE';
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

/** What the recorded server got in ways that are not replayed, or that stand in another recording, by the exchange before which it is there. */
const PREPARED: Readonly<Record<string, readonly Step[]>> = {
  '6.11.0/apps.json sched-keep-put': [...times(2, deploy('u3')), ...times(4, deploy('conc'))],
  '6.11.0/upgrade.json noplugin': ['1.0.0', '1.1.0', '1.10.0', '2.0.0-SNAPSHOT'].map((version) => ({
    method: 'DELETE',
    path: `/v3/namespaces/rec_a2/artifacts/noop/versions/${version}`,
  })),
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
  for (const { path, method, body = null, headers = {} } of PREPARED[`${file} ${id}`] ?? []) {
    const answer = await fetch(base + path, { method, headers, body: body as BodyInit | null });
    if (answer.status !== 200) throw new Error(`${path} could not be prepared: ${await answer.text()}`);
  }
}
