import { describe, expect, it } from 'vitest';
import { parseParent } from '../../../../../src/hub/resource-config.js';
import type { PackDraft } from '../../../../../src/services/hosting/pack/draft.js';
import {
  isForLaterApi,
  packageFiles,
  proposedTexts,
  type PackTexts,
} from '../../../../../src/services/hosting/pack/package-files.js';
import type { PluginTexts } from '../../../../../src/services/hosting/pack/plugin-files.js';

interface Wanted extends Partial<Omit<PackDraft, 'jar' | 'parents'>> {
  readonly jar?: Partial<PackDraft['jar']>;
  readonly parents?: readonly string[];
}

const PARENT = 'system:cdap-data-pipeline[6.1.0,7.0.0)';

function draftWith({ jar, parents = [PARENT], ...changes }: Wanted = {}): PackDraft {
  return {
    ...{ type: 'plugin', name: 'acme', version: '1.2.0', driverClass: undefined },
    parents: parents.map((text) => parseParent(text) ?? expect.fail(text)),
    jar: {
      ...{ file: '/acme.jar', shown: 'acme.jar', bytes: 1, sha256: '', manifest: new Map<string, string>() },
      ...{ project: undefined, plugins: [], drivers: [], hasOlderApi: false, application: 'none', beside: undefined },
      hasClass: () => true,
      ...jar,
    },
    ...changes,
  };
}

const pluginOf = (description: string) => ({ name: 'Trim', type: 'transform', className: 'Trim', description });
const manifest = (values: Readonly<Record<string, string>>): Wanted => ({
  jar: { manifest: new Map(Object.entries(values)) },
});

describe('what is proposed for people', () => {
  const PLAIN = { label: 'acme', description: 'acme', author: undefined, org: undefined };
  const PLUGIN = { ...PLAIN, categories: ['hydrator-plugin'], platform: '[6.1.0,7.0.0)' };

  it.each<[string, Wanted, PackTexts]>([
    ['a JAR that says nothing', {}, PLUGIN],
    [
      'a manifest',
      manifest({
        'bundle-name': 'Acme',
        'bundle-description': 'Cuts.',
        'bundle-vendor': 'A',
        'implementation-vendor': 'B',
      }),
      { ...PLUGIN, label: 'Acme', description: 'Cuts.', author: 'A', org: 'A' },
    ],
    [
      'a manifest with the vendor of its implementation',
      manifest({ 'bundle-name': 'Acme', 'implementation-vendor': 'B' }),
      { ...PLUGIN, label: 'Acme', description: 'Acme', author: 'B', org: 'B' },
    ],
    [
      'its only plugin',
      { jar: { plugins: [pluginOf('Trims.')], manifest: new Map([['bundle-description', 'Cuts.']]) } },
      { ...PLUGIN, description: 'Trims.' },
    ],
    ['a plugin without a description', { jar: { plugins: [pluginOf('')] } }, PLUGIN],
    ['several plugins', { jar: { plugins: [pluginOf('Trims.'), pluginOf('Joins.')] } }, PLUGIN],
    ['a driver', { type: 'driver' }, { ...PLUGIN, categories: ['3rd-party-artifact'] }],
    ['an application', { type: 'app', parents: [] }, { ...PLUGIN, categories: [], platform: undefined }],
    [
      'a JAR that is only uploaded',
      { type: 'artifact', parents: [] },
      { ...PLUGIN, categories: [], platform: undefined },
    ],
    [
      'parents of the platform and others',
      { parents: ['user:cdap-a[1.0,2.0)', 'system:wrangler-service[3.0,4.0)', PARENT, 'system:cdap-b[5.0,6.0)'] },
      PLUGIN,
    ],
  ])('comes from %s', (_, wanted, texts) => {
    expect(proposedTexts(draftWith(wanted))).toEqual(texts);
  });

  it.each([
    [true, undefined, true],
    [true, '[5.0.0,6.0.0)', true],
    [true, '[5.0.0,6.0.0-SNAPSHOT)', false],
    [true, '[4.0.0,5.0.0)', false],
    [false, undefined, false],
  ])(
    'with plugins of the older API (%s) for the platforms %s does not fit later ones: %s',
    (hasOlderApi, platform, isLater) => {
      const draft = draftWith({ jar: { hasOlderApi } });
      expect(isForLaterApi(draft, { ...proposedTexts(draft), platform })).toBe(isLater);
    },
  );
});

describe('the files of a package', () => {
  const TEXTS: PackTexts = {
    ...{ label: 'Acme', description: 'Cuts.', author: 'A', org: 'B', categories: ['x'], platform: '[6.1.0,7.0.0)' },
  };
  const args = (values: Readonly<Record<string, string>>): readonly object[] =>
    Object.entries(values).map(([name, value]) => ({ name, value }));
  const specWith = (type: string, values: Readonly<Record<string, string>>): object => ({
    ...{ specVersion: '1.0', label: 'Acme', description: 'Cuts.', author: 'A', org: 'B', created: 1_700_000_000 },
    ...{ categories: ['x'], cdapVersion: '[6.1.0,7.0.0)' },
    actions: [{ type, label: 'Deploy Acme', arguments: args(values) }],
  });
  const ARTIFACT = { name: 'acme', version: '1.2.0', scope: 'user', config: 'acme-1.2.0.json', jar: 'acme-1.2.0.jar' };

  function filesOf(wanted: Wanted, files: ReadonlyMap<string, PluginTexts> = new Map()) {
    const { action, jar, texts } = packageFiles(draftWith(wanted), TEXTS, files, 1_700_000_000);
    return { action, jar, texts: [...texts].map(([name, text]) => [name, JSON.parse(text) as unknown]) };
  }

  const beside = (className: string): NonNullable<PackDraft['jar']['beside']> => ({
    ...{ file: '/acme.json', parents: [], notes: [], raw: { extra: 1, parents: ['old'], plugins: [{ className }] } },
    ...{ properties: { 'doc.Trim-transform': 'old', kept: 'x' } },
    plugins: [{ name: 'Pg', type: 'jdbc', className, description: undefined, raw: {} }],
  });
  const OWN = { name: 'acme', type: 'jdbc', className: 'org.Pg', description: 'JDBC driver org.Pg' };

  it.each<[string, string, Wanted, object]>([
    ['a plugin', 'one_step_deploy_plugin', {}, { parents: [PARENT], properties: {} }],
    ['an artifact', 'one_step_deploy_plugin', { type: 'artifact', parents: [] }, { parents: [], properties: {} }],
    [
      'a driver',
      'create_driver_artifact',
      { type: 'driver', driverClass: 'org.Pg' },
      { parents: [PARENT], plugins: [OWN] },
    ],
    [
      'a driver that the config beside it declares',
      'create_driver_artifact',
      { type: 'driver', driverClass: 'org.Pg', jar: { beside: beside('org.Pg') } },
      { extra: 1, parents: [PARENT], plugins: [{ className: 'org.Pg' }] },
    ],
    [
      'a driver that replaces the one in the config beside it',
      'create_driver_artifact',
      { type: 'driver', driverClass: 'org.Pg', jar: { beside: beside('org.Other') } },
      { extra: 1, parents: [PARENT], plugins: [OWN] },
    ],
  ])('of %s are a specification and a config', (_, action, wanted, config) => {
    expect(filesOf(wanted)).toEqual({
      ...{ action, jar: 'acme-1.2.0.jar' },
      texts: [
        ['spec.json', specWith(action, ARTIFACT)],
        ['acme-1.2.0.json', config],
      ],
    });
  });

  it('of an application are a specification', () => {
    expect(filesOf({ type: 'app', parents: [] })).toEqual({
      ...{ action: 'one_step_deploy_app', jar: 'acme-1.2.0.jar' },
      texts: [['spec.json', specWith('one_step_deploy_app', { jar: 'acme-1.2.0.jar' })]],
    });
  });

  it('have the texts of plugins among the properties of the config, before what was beside the JAR', () => {
    const texts = new Map<string, PluginTexts>([
      ['Trim-transform', { doc: '# Trim', widget: '{}' }],
      ['Join-transform', { doc: '' }],
      ['Cut-transform', { widget: '{ }' }],
    ]);
    expect(filesOf({ jar: { beside: beside('org.Pg') } }, texts).texts[1]?.[1]).toEqual({
      ...{ extra: 1, parents: [PARENT], plugins: [{ className: 'org.Pg' }] },
      properties: {
        ...{ 'doc.Trim-transform': '# Trim', 'widgets.Trim-transform': '{}', kept: 'x' },
        ...{ 'doc.Join-transform': '', 'widgets.Cut-transform': '{ }' },
      },
    });
  });

  it('are indented and end with a line break', () => {
    const { texts } = packageFiles(draftWith(), TEXTS, new Map(), 1);
    expect(texts.get('acme-1.2.0.json')).toBe(`{\n  "parents": [\n    "${PARENT}"\n  ],\n  "properties": {}\n}\n`);
  });
});
