import { createHash } from 'node:crypto';
import { createMessage, readKey, readSignature, verify } from 'openpgp';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildSampleHub, type SampleHub } from '../../../src/emulator/hub/build.js';
import { shapeOf } from '../../../src/hub/action-types.js';
import { readZip } from './read-zip.js';

const NOW = Date.UTC(2025, 2, 4, 5, 6, 7);
const UNSIGNED = ['packages.json', 'categories.json', 'metadata.json'];

interface Entry {
  readonly name: string;
  readonly version: string;
  readonly label: string;
  readonly categories: string[];
  readonly [member: string]: unknown;
}
interface Action {
  readonly type: string;
  readonly arguments: readonly { name: string; value: unknown; canModify?: boolean }[];
}

let hub: SampleHub;
let paths: string[];

const json = (path: string): unknown => JSON.parse(hub.files.get(path)?.toString('utf8') ?? 'null');
const catalog = (): Entry[] => json('packages.json') as Entry[];
const folderOf = ({ name, version }: Pick<Entry, 'name' | 'version'>): string => `packages/${name}/${version}/`;
const actionsOf = (entry: Entry): readonly Action[] =>
  (json(`${folderOf(entry)}spec.json`) as { actions: Action[] }).actions;
const needsSignature = (path: string): boolean =>
  !UNSIGNED.includes(path) && !/\.asc$|\/icon\.png$|\/license\.txt$/u.test(path);

beforeAll(async () => {
  hub = await buildSampleHub({ now: NOW });
  paths = [...hub.files.keys()];
});

describe('the sample hub', () => {
  it('lists every package that it has, by label, then name, then version as text', () => {
    const folders = paths.filter((path) => path.endsWith('/spec.json')).map((path) => path.replace('spec.json', ''));
    const keys = catalog().map(({ label, name, version }) => `${label.toLowerCase()}\n${name}\n${version}`);
    expect(catalog().map(folderOf)).toEqual(folders);
    expect(keys).toEqual([...keys].sort());
    expect(
      catalog()
        .filter(({ name }) => name === 'example-trim-fields')
        .map(({ version }) => version),
    ).toEqual(['1.10.0', '1.9.0']);
  });

  it('writes the members of an entry in the order of the packager and leaves absent ones out', () => {
    const [licensed, driver] = ['example-address-check', 'example-memory-driver'].map((name) =>
      catalog().find((entry) => entry.name === name),
    );
    const first = ['name', 'version', 'description', 'label', 'author', 'org'];
    const license = ['cdapVersion', 'license', 'licenseInfo'];
    expect(Object.keys(licensed ?? {})).toEqual([
      ...first,
      ...license,
      'created',
      'beta',
      'categories',
      'paid',
      'paidLink',
    ]);
    expect(Object.keys(driver ?? {})).toEqual([...first, 'created', 'beta', 'categories', 'paid']);
    expect(hub.files.get('packages.json')?.toString()).toMatch(/^\[\n {2}\{\n {4}"name"[^]*\n\]\n$/u);
  });

  it('lists the categories in code-point order', () => {
    const used = new Set(catalog().flatMap(({ categories }) => categories));
    expect(json('categories.json')).toEqual([...used].sort().map((name) => ({ name, hasIcon: false })));
  });

  it('signs specifications, resources and the index so that its key verifies them, and nothing else', async () => {
    const verificationKeys = (await readKey({ armoredKey: hub.publicKey })).toPublic();
    expect(verificationKeys.getFingerprint().toUpperCase()).toBe(hub.fingerprint);
    expect(paths.filter((path) => path.endsWith('.asc')).sort()).toEqual(
      paths
        .filter(needsSignature)
        .map((path) => `${path}.asc`)
        .sort(),
    );
    for (const path of paths.filter(needsSignature)) {
      const signature = await readSignature({ armoredSignature: hub.files.get(`${path}.asc`)?.toString() ?? '' });
      const message = await createMessage({ binary: hub.files.get(path) ?? Buffer.alloc(0) });
      const { signatures } = await verify({
        message,
        signature,
        verificationKeys,
        date: new Date(NOW),
        expectSigned: true,
      });
      expect(signatures, path).toHaveLength(1);
      expect(signature.packets[0]?.signatureType, path).toBe(0);
    }
  });

  it('indexes every other file with its size and hash for thirty days', () => {
    interface Fact {
      name: string;
      size: number;
      sha256: string;
    }
    interface Index {
      files: Fact[];
      packages: { name: string; version: string; files: Fact[] }[];
      [member: string]: unknown;
    }
    const { files, packages, ...rest } = json('index.json') as Index;
    expect(rest).toEqual({
      format: 1,
      sequence: 1,
      created: '2025-03-04T05:06:07.000Z',
      expires: '2025-04-03T05:06:07.000Z',
      keys: [hub.fingerprint],
    });
    const facts = [
      ...files,
      ...packages.flatMap((entry) => entry.files.map((file) => ({ ...file, name: `${folderOf(entry)}${file.name}` }))),
    ];
    const outside = ['index.json', 'index.json.asc', 'metadata.json'];
    expect(facts.map(({ name }) => name).sort()).toEqual(paths.filter((path) => !outside.includes(path)).sort());
    for (const { name, size, sha256 } of facts) {
      const bytes = hub.files.get(name) ?? Buffer.alloc(0);
      expect([size, sha256], name).toEqual([bytes.length, createHash('sha256').update(bytes).digest('hex')]);
    }
  });

  it('has every resource that an action names, and names every resource that it has', () => {
    for (const entry of catalog()) {
      const named = actionsOf(entry).flatMap((action) =>
        action.arguments
          .filter(({ name }) =>
            shapeOf(action.type)?.arguments.some((one) => one.name === name && one.resource !== 'none'),
          )
          .flatMap(({ value }) => value as string | string[]),
      );
      const held = paths
        .filter((path) => path.startsWith(folderOf(entry)) && needsSignature(path))
        .map((path) => path.slice(folderOf(entry).length));
      expect([...new Set(named), 'spec.json'].sort(), entry.name).toEqual(held.sort());
    }
  });

  it('holds JARs that open, each with the version of its bundle and the package of its classes', () => {
    const jars = paths.filter((path) => path.endsWith('.jar'));
    expect(jars.length).toBeGreaterThan(8);
    for (const path of jars) {
      const files = readZip(hub.files.get(path) ?? Buffer.alloc(0));
      const manifest = files.get('META-INF/MANIFEST.MF')?.toString() ?? '';
      const exported = /^Export-Package: (\S+)\r$/mu.exec(manifest)?.[1] ?? 'none';
      expect(path, 'version').toContain(`-${/^Bundle-Version: (\S+)\r$/mu.exec(manifest)?.[1] ?? 'none'}.jar`);
      const classes = [...files.keys()].filter((name) => name.endsWith('.class'));
      expect(classes.length, path).toBeGreaterThan(0);
      expect(
        classes.every((name) => name.startsWith(`${exported.replaceAll('.', '/')}/`)),
        path,
      ).toBe(true);
    }
  });

  it('shows what it is made to show', () => {
    const found = (test: (entry: Entry) => boolean): string[] =>
      catalog()
        .filter(test)
        .map(({ name }) => name);
    const withAction = (type: string, jar?: boolean): string[] =>
      found((entry) =>
        actionsOf(entry).some(
          (action) =>
            action.type === type && (jar === undefined || action.arguments.some(({ name }) => name === 'jar') === jar),
        ),
      );
    expect(withAction('informational')).toContain('example-order-import');
    expect(withAction('create_driver_artifact', true)).toEqual(['example-memory-driver']);
    expect(withAction('create_driver_artifact', false)).toEqual(['example-order-import', 'example-postgres-driver']);
    expect(withAction('create_plugin_artifact')).toEqual(['example-mask-values']);
    expect(withAction('one_step_deploy_plugin')).toContain('example-trim-fields');
    expect(withAction('create_pipeline')).toEqual(['example-csv-copy', 'example-order-import']);
    expect(withAction('create_pipeline_draft')).toEqual(['example-draft-report']);
    expect(withAction('create_stream')).toEqual(['example-click-stream']);
    expect(found(({ cdapVersion }) => cdapVersion === undefined)).toEqual([
      'example-memory-driver',
      'example-postgres-driver',
    ]);
    expect(found(({ beta }) => beta === true)).toEqual(['example-early-metrics']);
    expect(found(({ paid }) => paid === true)).toEqual(['example-address-check']);
    expect(
      found(
        ({ license }) => license !== undefined && paths.includes('packages/example-address-check/1.2.0/license.txt'),
      ),
    ).toEqual(['example-address-check']);
  });

  it('gives equal files for the same time but for what the key signs', async () => {
    const again = await buildSampleHub({ now: NOW });
    const differing = paths.filter(
      (path) => !(hub.files.get(path) ?? Buffer.alloc(0)).equals(again.files.get(path) ?? Buffer.alloc(0)),
    );
    expect([...again.files.keys()]).toEqual(paths);
    expect(differing.filter((path) => !path.endsWith('.asc'))).toEqual(['index.json']);
    expect(again.fingerprint).not.toBe(hub.fingerprint);
  });
});
