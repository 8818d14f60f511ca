import { expect, it } from 'vitest';
import type { HubIndex } from '../../../../../src/hub/index-file.js';
import { openMemory, type NotedFile } from '../../../../../src/services/hosting/sign/sign-memory.js';
import { ID_BYTES } from '../../../../../src/services/hosting/tree/file-stamp.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const START = 1_000_000;
/** A stamp of its own for each number, of a file that had not just been changed. */
const stampOf = (at: number) => {
  const id = Buffer.alloc(ID_BYTES, 'x');
  id.writeUInt32BE(at);
  return { size: at, changedAt: 0, id: id.toString('base64') };
};
const digestOf = (at: number): Buffer => Buffer.alloc(32, `${at}`);

it('knows each of many files of a tree by its place in the index', () =>
  withTempDir(async (home) => {
    const counts = [3, 4500, 5000];
    const packages = counts.map((count, no) => ({
      ...{ name: `p${no}`, version: '1.0.0' },
      files: Array.from({ length: count }, (_, at) => ({ name: `f${at}`, size: at, sha256: `${no}` })),
    }));
    const index: HubIndex = { format: 1, sequence: 1, created: 0, expires: 0, files: [], packages, keys: [] };
    const request = { stateFolder: home, version: '1', root: '/hub', entries: [], now: new Date(START), start: START };
    const memory = await openMemory(request, undefined);
    expect(memory.find({ name: 'p0', version: '1.0.0' }, 'f0')).toBeUndefined();
    const all = packages.flatMap(({ name, files }) => files.map((file) => ({ name, file: file.name })));
    const noted = (at: number): NotedFile | undefined => {
      if (at % 3 === 0) return undefined;
      const signature = at % 3 === 1 ? { stamp: stampOf(at + 1), digest: digestOf(at) } : undefined;
      return { stamp: stampOf(at), signature };
    };
    for (const at of all.keys()) memory.note(noted(at));
    await memory.keep('digest');
    const again = await openMemory(request, { index, sha256: 'digest' });
    const wrong = all.filter(({ name, file }, at) => {
      const known = again.find({ name, version: '1.0.0' }, file);
      const isFile = known?.isUnchanged('file', stampOf(at)) === at % 3 > 0;
      const isSignature = known?.isUnchanged('signature', stampOf(at + 1)) === (at % 3 === 1);
      const isDigest = known?.signature === undefined ? at % 3 !== 1 : known.signature.equals(digestOf(at));
      return !isFile || !isSignature || !isDigest || known.listed.name !== file;
    });
    expect(wrong).toEqual([]);
    for (const other of [
      await openMemory(request, { index, sha256: 'other' }),
      await openMemory({ ...request, now: new Date(START - 1) }, { index, sha256: 'digest' }),
      await openMemory({ ...request, root: '/other' }, { index, sha256: 'digest' }),
    ])
      expect(other.find({ name: 'p0', version: '1.0.0' }, 'f1')).toBeUndefined();
  }));
