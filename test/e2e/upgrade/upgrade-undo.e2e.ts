import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openUpgradeSite, type UpgradeSite } from '../../support/sites/upgrade-site.js';

const COUNT = 12;
const NAMES = Array.from({ length: COUNT }, (_, at) => `pipeline-${String(at).padStart(5, '0')}`);

describe('an upgrade that is rolled back', () => {
  let site: UpgradeSite;
  let before: readonly unknown[];
  const look = (): Promise<readonly unknown[]> =>
    Promise.all(
      NAMES.map(async (name) => {
        const { artifact, configuration } = await site.pipeline('default', name);
        return { artifact, configuration };
      }),
    );
  beforeAll(async () => {
    site = await openUpgradeSite({ seed: { pipelines: [{ count: COUNT }] } });
    before = await look();
  });
  afterAll(() => site.close());

  it('goes back as a whole when it was cut off and begun anew, and says how before', async () => {
    const path = '/v3/namespaces/default/apps/pipeline-00003';
    await site.fail({ match: { method: 'PUT', path }, kind: 'status', status: 403, when: 'before', times: 1 });
    const line = ['-n', 'default', '--concurrency', '1'];
    const first = await site.upgrade(...line, '--max-failures', '0');
    expect(first).toMatchObject({ code: 10, item: { summary: { upgraded: 3, failed: 1 } } });
    const second = await site.upgrade(...line);
    const undo = `cdapctl upgrade rollback -u ${site.url} ${second.item?.journal}`;
    expect(second).toMatchObject({ code: 0, item: { undo } });
    expect(second.stderr).toContain(`undo: ${undo}  # without a terminal, add -y\n`);
    const history = await site.cdapctl(['upgrade', 'history', '-u', site.url]);
    expect(history.stdout).toMatch(
      /^\S+\.ndjson +default +7 +0 +0 +0 +finished\n\S+\.ndjson +default +3 +1 +0 +0 +unfinished\n/mu,
    );
    const back = await site.cdapctl([...undo.split(' ').slice(1), '-y', '--json']);
    expect([back.code, (JSON.parse(back.stdout) as { item: unknown }).item]).toMatchObject([
      0,
      { summary: { upgraded: 10, failed: 0 } },
    ]);
    expect(await look()).toEqual(before);
  });

  it('sends nothing of a pipeline whose entry in the journal is damaged, and rolls back the others', async () => {
    const upgraded = await site.upgrade('-n', 'default');
    const after = await look();
    const file = upgraded.item?.journal ?? '';
    const name = basename(file);
    const text = await readFile(file, 'utf8');
    const at = text.indexOf('"before"', text.indexOf('"pipeline":"pipeline-00001"'));
    const where = text.indexOf('description', at);
    await writeFile(file, `${text.slice(0, where)}descriptjon${text.slice(where + 11)}`);
    const back = await site.upgrade('rollback', name, '-y');
    expect(back.item?.summary).toMatchObject({ upgraded: 9, failed: 1 });
    expect(back.item?.pipelines.find(({ state }) => state === 'failed')).toMatchObject({
      name: 'pipeline-00001',
      error: { code: 'JOURNAL' },
    });
    expect(back.code).not.toBe(0);
    const now = await look();
    expect(now[1]).toEqual(after[1]);
    expect(now.filter((_, index) => index !== 1)).toEqual(before.filter((_, index) => index !== 1));
  });
});
