import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hubPackage, signedHub, writeHubTree } from '../../../support/sites/hub-tree.js';
import { runInProcess, type InProcess } from '../../../support/processes/in-process.js';
import { withTempDir } from '../../../support/processes/run-cli.js';

interface Site {
  readonly home: string;
  /** Paths of two hubs: of `one` and `two`, and of `one` and `three`. */
  readonly corp: string;
  readonly lab: string;
  readonly run: (id: string, ...words: readonly string[]) => Promise<InProcess>;
  /** Mirrors with the lock file into a folder. */
  readonly mirror: (folder: string, ...more: readonly string[]) => Promise<InProcess>;
  readonly lock: string;
}

async function atSite(test: (site: Site) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const [corp, lab, lock] = [join(home, 'corp'), join(home, 'lab'), join(home, 'packages.lock')];
    const one = hubPackage({ name: 'one' });
    await writeHubTree(corp, (await signedHub({ packages: [one, hubPackage({ name: 'two' })] })).files);
    await writeHubTree(lab, (await signedHub({ packages: [one, hubPackage({ name: 'three' })] })).files);
    const run: Site['run'] = (id, ...words) => runInProcess(id, words, home);
    const mirror: Site['mirror'] = (folder, ...more) =>
      run('hub:mirror', '--lock', lock, '-D', join(home, folder), '--json', ...more);
    await test({ home, corp, lab, run, mirror, lock });
  });
}

const shown = ({ error, terminal }: InProcess) => {
  expect(error).toBeUndefined();
  return (JSON.parse(terminal.out.join('')) as { item: { hub: string; versions: { added: readonly string[] } } }).item;
};

async function add({ run }: Pick<Site, 'run'>, name: string, folder: string): Promise<void> {
  expect((await run('hub:add', name, folder)).error).toBeUndefined();
}

async function pin({ run, lock }: Pick<Site, 'run' | 'lock'>, name: string, hub: string): Promise<void> {
  expect((await run('hub:lock', name, '--hub', hub, '-O', lock)).error).toBeUndefined();
}

describe('a mirror of what a lock file pins', () => {
  it('is of the hub of the lock file, which may be configured, alone or among others, or not at all', () =>
    atSite(async (site) => {
      const { corp, lab, mirror } = site;
      await pin(site, 'two', corp);
      const address = pathToFileURL(corp).href;
      expect(shown(await mirror('none'))).toMatchObject({ hub: address, versions: { added: ['two@1.0.0'] } });
      await add(site, 'lab', lab);
      expect(shown(await mirror('other'))).toMatchObject({ hub: address, versions: { added: ['two@1.0.0'] } });
      await add(site, 'corp', corp);
      expect(shown(await mirror('both'))).toMatchObject({ hub: 'corp', versions: { added: ['two@1.0.0'] } });
    }));

  it('is of the hub that the line names, before that of the lock file, and before a variable', () =>
    atSite(async (site) => {
      const { home, corp, lab, lock, mirror } = site;
      await pin(site, 'one', corp);
      expect(shown(await mirror('line', '--hub', lab))).toMatchObject({ hub: lab, versions: { added: ['one@1.0.0'] } });
      const words = ['--lock', lock, '-D', join(home, 'variable'), '--json'];
      const result = await runInProcess('hub:mirror', words, home, { env: { CDAPCTL_HUB: lab } });
      expect(shown(result)).toMatchObject({ hub: pathToFileURL(corp).href });
    }));

  it('is of one hub: where the lock file has several, the line names one, and the others are told of', () =>
    atSite(async (site) => {
      const { home, corp, lab, mirror } = site;
      await pin(site, 'two', corp);
      await pin(site, 'three', lab);
      const { error } = await mirror('several');
      expect([error?.code, error?.message]).toEqual([
        'USAGE',
        `${site.lock} pins packages of 2 hubs, but only one hub can be mirrored at a time`,
      ]);
      const [first, second] = [pathToFileURL(lab).href, pathToFileURL(corp).href];
      expect(error?.details.hints).toEqual([`--hub ${first}`, `--hub ${second}`]);
      for (const [hub, added] of [
        [second, 'two@1.0.0'],
        [lab, 'three@1.0.0'],
      ] as const) {
        const result = await mirror(join('of', added), '--hub', hub);
        expect(shown(result).versions.added).toEqual([added]);
        expect(result.terminal.notes.join('\n')).toContain('1 package of other hubs is not mirrored');
      }
      // None of them is of this one, which then stands for all of them.
      await writeHubTree(join(home, 'copy'), (await signedHub({ packages: [hubPackage({ name: 'two' })] })).files);
      const refused = await mirror('copied', '--hub', join(home, 'copy'));
      expect(refused.error).toMatchObject({ code: 'PACKAGE_NOT_FOUND', message: 'package three not found' });
    }));

  it('says in one line what a lock file lacks, and what makes one', () =>
    atSite(async (site) => {
      const { lock, corp, mirror } = site;
      const failure = async () => {
        const { error } = await mirror('failed');
        return [error?.code, error?.message, error?.details.hints];
      };
      const hints = [{ next: 'lock-packages', file: lock }];
      expect(await failure()).toEqual(['LOCAL_IO', `there is no lock file ${lock}`, hints]);
      writeFileSync(lock, '{"lockVersion": 1, "packages": []}');
      expect(await failure()).toEqual(['USAGE', `${lock} pins no packages`, hints]);
      writeFileSync(lock, '{}');
      expect((await failure()).slice(0, 2)).toEqual(['BAD_FIELD', `${lock} is not a lock file`]);
      await pin({ ...site, lock: `${lock}.2` }, 'one', corp);
      writeFileSync(lock, readFileSync(`${lock}.2`, 'utf8').replace(/"hub": ".*"/u, '"hub": "gone"'));
      expect((await failure()).slice(0, 2)).toEqual(['HUB_NOT_FOUND', 'hub "gone" not found']);
    }));
});
