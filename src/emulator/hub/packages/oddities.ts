import type { SamplePackage } from './sample-package.js';
import { SIX, specification } from './parts.js';
import { deployPlugin, pluginResources, type PluginJar } from './plugin-parts.js';

const CATEGORIES = ['hydrator-plugin'];

function jarOf(name: string, javaPackage: string, plugin: string, apiPackage?: string): PluginJar {
  const facts = {
    className: `org.example.${javaPackage}.${plugin}`,
    type: 'transform',
    name: plugin,
    description: `The plugin of ${name}.`,
  };
  return { name, version: '1.0.0', plugins: [{ ...facts, ...(apiPackage === undefined ? {} : { apiPackage }) }] };
}

function hiddenPlugin(): SamplePackage {
  const jar = jarOf('example-hidden-plugin', 'hidden', 'Hidden');
  const spec = specification({
    label: 'Hidden Plugin',
    description: 'Withdrawn: its publisher gave it a range that no platform is in.',
    created: 1_704_326_400,
    categories: CATEGORIES,
    cdapVersion: '(6.1.0-SNAPSHOT, 6.1.0-SNAPSHOT)',
    actions: [deployPlugin('Deploy the Hidden Plugin', jar)],
  });
  return { name: jar.name, version: jar.version, spec, resources: pluginResources(jar) };
}

function bareParent(): SamplePackage {
  const jar = jarOf('example-bare-parent', 'parent', 'BareParent');
  const spec = specification({
    label: 'Bare Parent',
    description:
      'Its parents do not say that they are artifacts of the system, so the platform looks for them in the namespace.',
    created: 1_704_412_800,
    categories: CATEGORIES,
    cdapVersion: SIX,
    actions: [deployPlugin('Deploy the Bare Parent plugin', jar)],
  });
  const parents = ['cdap-data-pipeline[6.1.0,6.99.0]', 'cdap-data-streams[6.1.0,6.99.0]'];
  return { name: jar.name, version: jar.version, spec, resources: pluginResources(jar, parents) };
}

function oldInterface(): SamplePackage {
  const jar = jarOf('example-old-interface', 'old', 'OldInterface', 'co.cask.cdap.api.annotation');
  const spec = specification({
    label: 'Old Interface',
    description: 'Built for the platforms before 6.0: newer ones accept its JAR and find no plugin in it.',
    created: 1_704_499_200,
    categories: CATEGORIES,
    cdapVersion: '[4.0.0,7.0.0)',
    actions: [deployPlugin('Deploy the Old Interface plugin', jar)],
  });
  return { name: jar.name, version: jar.version, spec, resources: pluginResources(jar) };
}

/** Packages that a careful client refuses: withdrawn, with parents not found, with a plugin not found. */
export function oddPackages(): SamplePackage[] {
  return [hiddenPlugin(), bareParent(), oldInterface()];
}
