import type { PluginClass } from '../../jar/make-class.js';
import type { SamplePackage } from './sample-package.js';
import { informational, SIX, specification, textResource } from './parts.js';
import { deployPlugin, pluginResources } from './plugin-parts.js';

const CATEGORIES = ['hydrator-plugin'];

const TRIM: PluginClass = {
  className: 'org.example.trim.TrimFields',
  type: 'transform',
  name: 'TrimFields',
  description: 'Removes the spaces round the text of every field.',
  passThrough: true,
};
const PAD: PluginClass = {
  ...TRIM,
  className: 'org.example.trim.PadFields',
  name: 'PadFields',
  description: 'Fills the text of every field up to a width.',
};

function trimFields(version: string, created: number, plugins: readonly PluginClass[]): SamplePackage {
  const jar = { name: 'example-trim-fields', version, plugins };
  const spec = specification({
    label: 'Trim Fields',
    description: 'Transforms that remove and add spaces in text fields.',
    created,
    categories: CATEGORIES,
    cdapVersion: SIX,
    actions: [deployPlugin('Deploy the Trim Fields plugin', jar)],
  });
  return { name: 'example-trim-fields', version, spec, resources: pluginResources(jar) };
}

function maskValues(): SamplePackage {
  const mask = {
    className: 'org.example.mask.MaskValues',
    type: 'transform',
    name: 'MaskValues',
    description: 'Replaces the digits of chosen fields by stars.',
    passThrough: true,
  };
  const jar = { name: 'example-mask-values', version: '1.0.0', plugins: [mask] };
  const spec = specification({
    label: 'Mask Values',
    description: 'A transform that hides digits, for example of card numbers, before records leave the pipeline.',
    created: 1_709_280_000,
    categories: CATEGORIES,
    cdapVersion: SIX,
    actions: [
      informational(
        'About masking',
        'Masked digits cannot be brought back.',
        'Read more at https://hub.example.org/mask-values',
      ),
      deployPlugin('Deploy the Mask Values plugin', jar, 'create_plugin_artifact'),
    ],
  });
  return { name: jar.name, version: jar.version, spec, resources: pluginResources(jar) };
}

function addressCheck(): SamplePackage {
  const check = {
    className: 'org.example.address.AddressCheck',
    type: 'transform',
    name: 'AddressCheck',
    description: 'Compares postal addresses with a register.',
  };
  const jar = { name: 'example-address-check', version: '1.2.0', plugins: [check] };
  const spec = specification({
    label: 'Address Check',
    description: 'Compares postal addresses with a register of the example organisation. The register is charged for.',
    created: 1_711_929_600,
    categories: [...CATEGORIES, 'example'],
    license: 'license.txt',
    licenseInfo: { name: 'Example License 1.0', url: 'https://hub.example.org/license' },
    paidLink: 'https://hub.example.org/address-check/prices',
    cdapVersion: SIX,
    actions: [deployPlugin('Deploy the Address Check plugin', jar)],
  });
  const license = textResource(
    'Example License, version 1.0',
    '',
    'You may use this plugin with data of your own.',
    'It comes without any promise.',
  );
  return {
    name: jar.name,
    version: jar.version,
    spec,
    resources: pluginResources(jar),
    unsigned: { 'license.txt': license },
  };
}

function earlyMetrics(): SamplePackage {
  const metrics = {
    className: 'org.example.metrics.StageCounter',
    type: 'action',
    name: 'StageCounter',
    description: 'Counts the records of every stage.',
  };
  const jar = { name: 'example-early-metrics', version: '0.2.0-SNAPSHOT', plugins: [metrics] };
  const spec = specification({
    label: 'Early Metrics',
    description: 'A first look at counters for every stage. Changes without notice.',
    created: 1_714_521_600,
    categories: CATEGORIES,
    beta: true,
    cdapVersion: '[6.1.0-SNAPSHOT, 7.0.0-SNAPSHOT)',
    actions: [deployPlugin('Deploy the Early Metrics plugin', jar)],
  });
  return { name: jar.name, version: '0.2.0', spec, resources: pluginResources(jar) };
}

/** Packages that deploy plugins as they should: two versions of one, an upload, a licensed one, a beta. */
export function pluginPackages(): SamplePackage[] {
  return [
    trimFields('1.9.0', 1_704_067_200, [TRIM]),
    trimFields('1.10.0', 1_706_745_600, [TRIM, PAD]),
    maskValues(),
    addressCheck(),
    earlyMetrics(),
  ];
}
