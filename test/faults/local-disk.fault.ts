import { chownSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSite, sampleHub, type Site } from '../support/sites/install-site.js';
import { broken, Disks, fill, giveTo, isRoot, STRANGER } from './broken-machine.js';
import { judge } from './judge.js';

const PACKAGE = 'example-trim-fields@1.10.0';

const disks = new Disks();

/** A site whose disks are gone before its folder is. */
const open = async (): ReturnType<typeof openSite> => {
  const site = await openSite();
  const close = site.close.bind(site);
  return Object.assign(site, {
    close: async () => {
      disks.removeAll();
      await close();
    },
  });
};

const state = (site: Site): string => join(site.home, '.local', 'state', 'cdapctl');
const out = (site: Site): string => join(site.home, 'out');
const install = (site: Site): string[] => site.line([PACKAGE, '-y']);
const download = (site: Site): string[] => [
  'hub',
  'download',
  PACKAGE,
  '--hub',
  site.hub,
  '-D',
  out(site),
  '--clobber',
];

/** Only whole files of the sample hub stand below a folder. */
async function onlyWhole(folder: string): Promise<void> {
  const { files } = await sampleHub();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const original = files.get(`packages/${relative(folder, path)}`);
    expect(original?.equals(readFileSync(path)), path).toBe(true);
  }
}

const asksNothing = async (_: unknown, site: Site): Promise<void> => {
  expect(await site.requests()).toEqual([]);
};

describe.skipIf(!isRoot)('a disk (needs root, for file systems and users of its own)', () => {
  it('L01: is full in the middle of a download', async () => {
    await judge({
      open,
      line: download,
      fault: (site) => {
        disks.mount(out(site), 8192);
      },
      mend: (site) => {
        disks.change(out(site), 'size=1000000');
      },
      exit: 15,
      code: 'DISK_FULL',
      says: [/no space left to write .*out/u],
      holds: 'A',
      look: async (_, site) => {
        await onlyWhole(out(site));
      },
    });
  });

  it('L02: is full when the journal is begun', async () => {
    await judge({
      open,
      line: install,
      fault: (site) => {
        disks.mount(join(state(site), 'installs'), 8192);
        fill(join(state(site), 'installs'));
      },
      mend: (site) => {
        rmSync(join(state(site), 'installs', 'filler'));
      },
      exit: 15,
      code: 'DISK_FULL',
      says: [/no space left to write .*installs/u],
      holds: 'AB',
    });
  });

  it('L04: does not let this user write into the output folder', async () => {
    const prepare = async (site: Site): Promise<void> => {
      await site.pin(await sampleHub());
      giveTo(STRANGER, site.home);
    };
    await judge({
      open,
      line: download,
      prepare,
      fault: (site) => {
        mkdirSync(out(site), { mode: 0o755 });
      },
      mend: (site) => {
        giveTo(STRANGER, site.home);
      },
      options: { env: broken({ FAULT_USER: String(STRANGER) }) },
      exit: 15,
      code: 'LOCAL_IO',
      says: [/cannot write .*out.*permission denied/u],
      holds: 'AD',
      look: asksNothing,
    });
  });

  it.for([
    ['the output folder', out, download],
    ['the state folder', state, install],
  ] as const)('L05: is read-only: %s', async ([, folder, line]) => {
    await judge({
      open,
      line,
      fault: (site) => {
        disks.mount(folder(site), 1_000_000);
        disks.change(folder(site), 'ro');
      },
      mend: async (site) => {
        disks.removeAll();
        await site.heal();
      },
      exit: 15,
      code: 'LOCAL_IO',
      says: ['the file system is read-only'],
      holds: 'A',
      ...(line === download && { look: asksNothing }),
    });
  });

  it('L05: is read-only below the cache, and nothing is missed', async () => {
    await judge({
      open,
      line: (site) => ['hub', 'list', '--hub', site.hub],
      fault: (site) => {
        disks.mount(join(site.home, '.cache'), 1_000_000);
        disks.change(join(site.home, '.cache'), 'ro');
      },
      mend: () => {
        disks.removeAll();
      },
      exit: 0,
      holds: 'A',
    });
  });

  it('L12: is of another user', async () => {
    await judge({
      open,
      line: install,
      fault: (site) => {
        chownSync(state(site), STRANGER, STRANGER);
      },
      mend: (site) => {
        chownSync(state(site), 0, 0);
      },
      exit: 2,
      code: 'STATE_PERMS',
      says: ['belongs to another user'],
      holds: 'AD',
    });
  });
});
