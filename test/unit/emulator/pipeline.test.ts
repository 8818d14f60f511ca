import { describe, expect, it } from 'vitest';
import { p1 } from '../../contract/replay/bodies.js';
import { withEmulator } from './emulator.js';

const BODY = JSON.stringify(p1());
const FORMAT = '"format":"csv"';

interface Deployed {
  readonly status: number;
  readonly text: string;
  readonly plugins: readonly string[];
}

async function deployed(body: string): Promise<Deployed> {
  let result: Deployed = { status: 0, text: '', plugins: [] };
  await withEmulator(async ({ url }) => {
    const path = `${url}/v3/namespaces/default/apps/orders`;
    const answer = await fetch(path, { method: 'PUT', body });
    const detail = (await (await fetch(path)).text()) || '{}';
    const plugins = answer.ok ? (JSON.parse(detail) as { plugins: { id: string }[] }).plugins.map(({ id }) => id) : [];
    result = { status: answer.status, text: await answer.text(), plugins };
  });
  return result;
}

describe('a pipeline that is deployed in the emulator', () => {
  it('gets the plugins of its stages and of the formats of its files', async () => {
    expect((await deployed(BODY)).plugins).toEqual(['src:csv', 'src', 'sink:csv', 'sink']);
  });

  it('gets all formats when the format is a macro', async () => {
    const { plugins } = await deployed(BODY.replace(FORMAT, '"format":"${f}"'));
    expect([...plugins].sort()).toEqual(['sink', 'sink:csv', 'src', 'src:csv', 'src:delimited', 'src:tsv']);
  });

  it.each([
    [
      FORMAT,
      '"format":"json"',
      "Failed to configure pipeline: Stage 'src' encountered : Could not find the 'json' input format.",
    ],
    [
      '"version":"2.12.0"',
      '"version":"zz"',
      'zz is an invalid artifact version.Must be an exact version or a version range with a lower and upper bound.',
    ],
    [
      '[{"from":"src","to":"sink"}]',
      '[]',
      'Invalid pipeline. There are no connections between stages. This is only allowed if the pipeline consists of a single action plugin.',
    ],
  ])('is refused with %s changed to %s', async (from, to, sentence) => {
    expect(BODY).toContain(from);
    expect(await deployed(BODY.replace(from, to))).toEqual({ status: 400, text: sentence, plugins: [] });
  });
});
