import { p1 } from './bodies.js';

const times = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);

/** Applications that the recorded server got in ways that are not replayed, by the exchange before which they are there. */
const PREPARED: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  '6.11.0/apps.json sched-keep-put': { u3: times(2, p1()), conc: times(4, p1()) },
};

/** Deploys to `rec_a2` what has to be there before an exchange. */
export async function prepare(base: string, file: string, id: string): Promise<void> {
  for (const [name, requests] of Object.entries(PREPARED[`${file} ${id}`] ?? {})) {
    for (const request of requests) {
      const answer = await fetch(`${base}/v3/namespaces/rec_a2/apps/${name}`, {
        method: 'PUT',
        body: JSON.stringify(request),
      });
      if (answer.status !== 200) throw new Error(`${name} could not be prepared: ${await answer.text()}`);
    }
  }
}
