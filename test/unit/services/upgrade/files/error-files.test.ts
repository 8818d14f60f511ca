import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../../../src/core/clock.js';
import { fileNameProblem } from '../../../../../src/core/names.js';
import { capabilitiesOf } from '../../../../../src/platform/capabilities.js';
import { chooseErrorFiles } from '../../../../../src/services/upgrade/files/error-file-names.js';
import { openErrorFiles, type SavedRequest } from '../../../../../src/services/upgrade/files/error-files.js';
import { temporaryFolder } from '../../../state/support.js';
import { codeOf, errorOf } from '../../../../support/errors.js';

const clock: Clock = { now: () => Date.UTC(2024, 4, 2, 22), monotonic: () => 0, sleep: () => Promise.resolve() };
const text = capabilitiesOf('6.11.0');
const root = temporaryFolder();
let made = 0;
const newFolder = (): string => join(root, String(++made), 'failed');

const place = (namespace: string, name: string) => ({ namespace, name });
const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' } as const;

function saved(message: string, configuration = '{"a":1.0}'): SavedRequest {
  return { change: { engine: 'client', made: { artifact, configuration } }, message, serverSaid: undefined };
}

const digest = (namespace: string, name: string): string =>
  createHash('sha256').update(`${namespace}\0${name}`).digest('hex');

function indexOf(folder: string): { files: Record<string, string>[] } {
  return JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as { files: Record<string, string>[] };
}

const open = (folder: string, ...places: ReturnType<typeof place>[]) => openErrorFiles(folder, places, text, clock);

/** A folder in which an earlier run left the files of these pipelines. */
async function folderWith(...places: ReturnType<typeof place>[]): Promise<string> {
  const folder = newFolder();
  const files = await open(folder, ...places);
  for (const one of places) await files.save(one, saved(`earlier ${one.name}`));
  await files.finish([]);
  return folder;
}

describe('the file of a failed pipeline', () => {
  it('is a request that can be sent again, for its owner only', async () => {
    const folder = newFolder();
    const files = await open(folder, place('etl', 'orders'));
    const path = await files.save(place('etl', 'orders'), saved('refused'));
    expect(path).toBe(join(folder, 'etl-orders.json'));
    expect(readFileSync(path ?? '', 'utf8')).toBe(
      `{"artifact":${JSON.stringify(artifact)},"app.deploy.update.schedules":false,"config":"{\\"a\\":1.0}"}`,
    );
    expect(statSync(path ?? '').mode & 0o777).toBe(0o600);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('has the configuration as an object for a platform that takes no text', async () => {
    const folder = newFolder();
    const files = await openErrorFiles(folder, [place('etl', 'orders')], capabilitiesOf('6.1.1'), clock);
    const path = await files.save(place('etl', 'orders'), saved('refused'));
    expect(readFileSync(path ?? '', 'utf8')).toMatch(/,"config":\{"a":1\.0\}\}$/u);
  });

  it('is written over by a later run', async () => {
    const folder = await folderWith(place('etl', 'orders'));
    const path = await (await open(folder, place('etl', 'orders'))).save(place('etl', 'orders'), saved('again', '{}'));
    expect(readFileSync(path ?? '', 'utf8')).toContain('"config":"{}"');
    expect(readdirSync(folder).sort()).toEqual(['etl-orders.json', 'index.json']);
    expect(indexOf(folder).files).toMatchObject([{ message: 'again' }]);
  });

  it('is not there when the platform itself upgrades, but its reason is', async () => {
    const folder = newFolder();
    const files = await open(folder, place('etl', 'orders'));
    const change = { engine: 'server', to: artifact, snapshots: false } as const;
    expect(await files.save(place('etl', 'orders'), { ...saved('refused'), change })).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['index.json']);
    expect(indexOf(folder).files).toEqual([
      { namespace: 'etl', pipeline: 'orders', message: 'refused', at: '2024-05-02T22:00:00.000Z' },
    ]);
  });
});

describe('what was sent and is not to be sent by hand', () => {
  it.each(['unknown', 'deployed'] as const)('has no file, also none of an earlier run: %s', async (sent) => {
    const folder = await folderWith(place('etl', 'orders'));
    const files = await open(folder, place('etl', 'orders'));
    const told = { change: undefined, sent, message: 'wait', serverSaid: undefined };
    expect(await files.save(place('etl', 'orders'), told)).toBeUndefined();
    expect(readdirSync(folder)).toEqual(['index.json']);
    expect(indexOf(folder).files).toMatchObject([{ state: sent, pipeline: 'orders', message: 'wait' }]);
    await (await open(folder)).finish([place('etl', 'orders')]);
    expect(indexOf(folder).files).toEqual([]);
  });
});

describe('the names of files', () => {
  const chosen = (...places: ReturnType<typeof place>[]): readonly string[] => [
    ...chooseErrorFiles(places, new Map()).values(),
  ];

  it.each([
    ['a dot and slashes', '../../x', /^etl-_x-[0-9a-f]{8}\.json$/u],
    ['a slash', 'a/b', /^etl-a_b-[0-9a-f]{8}\.json$/u],
    ['a backslash', String.raw`..\b`, /^etl-_b-[0-9a-f]{8}\.json$/u],
    ['a line feed', 'a\nb', /^etl-a_b-[0-9a-f]{8}\.json$/u],
    ['a blank at the end', 'a ', /^etl-a_-[0-9a-f]{8}\.json$/u],
    ['other alphabets', 'ж', /^etl-_-[0-9a-f]{8}\.json$/u],
    ['too many characters', 'x'.repeat(200), /^etl-x{116}-[0-9a-f]{8}\.json$/u],
  ])('P37: are readable and stay in the folder with %s in a name', (_, name, expected) => {
    expect(chosen(place('etl', name))).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    ['../..', '..', 'pipeline'],
    ['.hidden', 'x', 'hidden-x'],
    ['-rf', 'x', 'rf-x'],
    ['con.a', 'b', 'con_a-b'],
  ])('begin with a letter or digit and are reserved nowhere: %s %s', (namespace, name, readable) => {
    expect(chosen(place(namespace, name))).toEqual([`${readable}-${digest(namespace, name).slice(0, 8)}.json`]);
  });

  it('P38: differ where the plain ones are the same, also when case does not count', () => {
    const short = (namespace: string, name: string): string => digest(namespace, name).slice(0, 8);
    expect(chosen(place('a-b', 'c'), place('a', 'b-c'), place('a', 'x'))).toEqual([
      `a-b-c-${short('a-b', 'c')}.json`,
      `a-b-c-${short('a', 'b-c')}.json`,
      'a-x.json',
    ]);
    expect(chosen(place('etl', 'X'), place('etl', 'x'))).toEqual([
      `etl-X-${short('etl', 'X')}.json`,
      `etl-x-${short('etl', 'x')}.json`,
    ]);
  });

  it('differ from a pipeline that is named like the name with a digest of another', () => {
    const like = `X-${digest('etl', 'X').slice(0, 8)}`;
    const names = chosen(place('etl', 'X'), place('etl', 'x'), place('etl', like));
    expect(names[0]).toBe(`etl-X-${digest('etl', 'X')}.json`);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(3);
  });

  it('are different for different pipelines and good on every system, whatever the names', () => {
    const word = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[abAB.\-_/\\]{1,4}$/u));
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { maxLength: 30 }), (pairs) => {
        const places = pairs.map(([namespace, name]) => place(namespace, name));
        const names = chosen(...places);
        expect(names.map(fileNameProblem).filter((problem) => problem !== undefined)).toEqual([]);
        expect(names.every((name) => /^[A-Za-z0-9_]/u.test(name) && name.length <= 200)).toBe(true);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
      }),
    );
  });

  it('stay what they were in an earlier run', async () => {
    const folder = await folderWith(place('a-b', 'c'));
    const files = await open(folder, place('a', 'b-c'), place('a-b', 'c'));
    await files.save(place('a', 'b-c'), saved('one'));
    await files.save(place('a-b', 'c'), saved('other'));
    expect(indexOf(folder).files).toMatchObject([
      { namespace: 'a', pipeline: 'b-c', file: `a-b-c-${digest('a', 'b-c').slice(0, 8)}.json` },
      { namespace: 'a-b', pipeline: 'c', file: 'a-b-c.json' },
    ]);
  });

  it('differ from those of an earlier run that is not repeated', async () => {
    const folder = await folderWith(place('a-b', 'c'));
    await (await open(folder, place('a', 'b-c'))).save(place('a', 'b-c'), saved('now'));
    expect(indexOf(folder).files.map(({ message }) => message)).toEqual(['now', 'earlier c']);
    expect(readdirSync(folder).length).toBe(3);
  });
});

describe('the index', () => {
  it('is there from the beginning and tells the true names', async () => {
    const folder = newFolder();
    const files = await open(folder, place('etl', '../../x'));
    expect(indexOf(folder)).toEqual({ schemaVersion: 1, files: [] });
    const path = await files.save(place('etl', '../../x'), {
      ...saved('stage "mail": refused'),
      serverSaid: 'no\n',
      stage: 'mail',
      hint: 'do this',
    });
    expect(indexOf(folder).files).toEqual([
      {
        file: path?.slice(folder.length + 1),
        namespace: 'etl',
        pipeline: '../../x',
        stage: 'mail',
        message: 'stage "mail": refused',
        serverSaid: 'no\n',
        hint: 'do this',
        at: '2024-05-02T22:00:00.000Z',
      },
    ]);
    expect(statSync(join(folder, 'index.json')).mode & 0o777).toBe(0o600);
  });

  it('knows all that were saved side by side, in order', async () => {
    const folder = newFolder();
    const places = [...Array(40).keys()].map((at) => place('etl', `p${String(at).padStart(2, '0')}`));
    const files = await open(folder, ...places);
    await Promise.all(places.toReversed().map((one) => files.save(one, saved(one.name))));
    expect(indexOf(folder).files.map(({ pipeline }) => pipeline)).toEqual(places.map(({ name }) => name));
  });

  it('keeps what earlier runs told of pipelines that were not touched', async () => {
    const folder = await folderWith(place('etl', 'one'), place('etl', 'two'));
    const files = await open(folder, place('etl', 'two'));
    await files.save(place('etl', 'two'), saved('now'));
    await files.finish([]);
    expect(indexOf(folder).files.map(({ message }) => message)).toEqual(['earlier one', 'now']);
  });

  it('forgets files that somebody removed', async () => {
    const folder = await folderWith(place('etl', 'one'), place('etl', 'two'));
    writeFileSync(
      join(folder, 'index.json'),
      readFileSync(join(folder, 'index.json'), 'utf8').replaceAll('one', 'six'),
    );
    await (await open(folder)).finish([]);
    expect(indexOf(folder).files.map(({ pipeline }) => pipeline)).toEqual(['two']);
  });

  it('loses, with their files, the pipelines that are upgraded now; no other file is touched', async () => {
    const folder = await folderWith(place('etl', 'one'), place('etl', 'two'));
    writeFileSync(join(folder, 'etl-three.json'), 'of somebody else');
    const files = await open(folder, place('etl', 'one'), place('etl', 'three'));
    await files.finish([place('etl', 'one'), place('etl', 'three')]);
    expect(readdirSync(folder).sort()).toEqual(['etl-three.json', 'etl-two.json', 'index.json']);
    expect(indexOf(folder).files.map(({ pipeline }) => pipeline)).toEqual(['two']);
  });
});

describe('a folder that cannot be used', () => {
  it('is refused before anything is written when it is a file', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    expect(await codeOf(() => open(file))).toBe('USAGE');
    expect(await codeOf(() => open(join(file, 'below')))).toBe('LOCAL_IO');
  });

  it('is found out by writing (P19)', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'index.json'), { recursive: true });
    expect(await codeOf(() => open(folder))).toBe('LOCAL_IO');
    expect(await codeOf(() => open('/proc/failed'))).toBe('LOCAL_IO');
  });

  it('is refused when its index is a link', async () => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(root, 'elsewhere'), join(folder, 'index.json'));
    expect(await codeOf(() => open(folder))).toBe('SYMLINK');
    expect(existsSync(join(root, 'elsewhere'))).toBe(false);
  });

  const entry = { namespace: 'etl', pipeline: 'x', message: '', at: '' };
  it.each([
    ['no JSON', '<html>'],
    ['of somebody else', '{"files":[]}'],
    ['of a later version', '{"schemaVersion":2,"files":[]}'],
    ['naming a file elsewhere', { schemaVersion: 1, files: [{ ...entry, file: '../../etc/passwd' }] }],
    ['naming a file of another pipeline', { schemaVersion: 1, files: [{ ...entry, file: 'etl-y.json' }] }],
    ['naming a pipeline twice', { schemaVersion: 1, files: [entry, entry] }],
    [
      'naming a file twice',
      {
        schemaVersion: 1,
        files: [
          { ...entry, namespace: 'a-b', pipeline: 'c', file: 'a-b-c.json' },
          { ...entry, namespace: 'a', pipeline: 'b-C', file: 'a-b-C.json' },
        ],
      },
    ],
  ])('is refused with an index %s, which stays as it is', async (_, content) => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const document = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, 'index.json'), document);
    const error = await errorOf(() => open(folder, place('etl', 'x')));
    expect([error.code, error.details.hints?.length]).toEqual(['USAGE', 1]);
    expect(readFileSync(join(folder, 'index.json'), 'utf8')).toBe(document);
    expect(readdirSync(folder)).toEqual(['index.json']);
  });
});
