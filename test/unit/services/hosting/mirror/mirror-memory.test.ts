import { expect, it } from 'vitest';
import { collectNow } from '../../../../../src/core/collecting.js';
import type { HubSource } from '../../../../../src/hub/source.js';
import { chooseMirror, runMirror } from '../../../../../src/services/hosting/mirror/mirror.js';
import { errorOf } from '../../../../support/errors.js';
import { folders, setupWith } from '../../catalog/support-trust.js';

const newFolder = folders();
const signal = new AbortController().signal;
const ALL = { packages: [], categories: [], platformVersion: undefined, versions: undefined, locked: undefined };
const COUNT = 3000;
const FROM = 1000;

/** A hub that is not on a disk, with a package of each number. */
function hubOf(dry: boolean): HubSource {
  const names = Array.from({ length: COUNT }, (_, at) => `package-${at}`);
  const catalog = Buffer.from(
    JSON.stringify(names.map((name) => ({ name, version: '1.0.0', label: name, actions: [] }))),
  );
  const open: HubSource['open'] = async ({ name, file }) => {
    const bytes = file === 'packages.json' ? catalog : Buffer.from('{"actions":[]}');
    if (file !== 'packages.json' && (name === undefined || file !== 'spec.json' || !dry)) return undefined;
    const body = (async function* () {
      yield bytes;
    })();
    return { what: file, bytes: bytes.length, body, discard: async () => undefined };
  };
  return {
    base: 'https://hub.example.com',
    kind: 'http',
    label: 'corp',
    open,
    catalog: () => Promise.reject(new Error()),
  };
}

it.each([
  { what: 'would be added', dry: true },
  { what: 'failed', dry: false },
])('holds less than a kilobyte for each package that $what', async ({ dry }) => {
  const held: number[] = [];
  const request = {
    hub: { name: 'corp', source: hubOf(dry) },
    setup: await setupWith([], { policy: 'off' }),
    remember: async () => undefined,
    root: await newFolder(),
    selection: ALL,
    signatures: true,
    prune: false,
    dry,
    concurrency: 8,
    emit: (event: { readonly type: string; readonly done?: number }) => {
      if (event.type !== 'count' || (event.done !== FROM && event.done !== COUNT)) return;
      collectNow();
      held.push(process.memoryUsage().heapUsed);
    },
  };
  const mirrored = chooseMirror(request, signal).then((chosen) => runMirror(chosen, signal));
  if (dry) expect(await mirrored).toMatchObject({ added: COUNT });
  else expect(await errorOf(mirrored)).toMatchObject({ code: 'RESOURCE_MISSING' });
  expect(held).toHaveLength(2);
  expect(((held[1] ?? NaN) - (held[0] ?? NaN)) / (COUNT - FROM)).toBeLessThan(1000);
});
