import { makePluginClass, type PluginClass } from '../../jar/make-class.js';
import { makeJar } from '../../jar/make-jar.js';
import { fixed, jsonResource, SIX } from './parts.js';

/** A JAR of plugins: its identity and the plugins in it, all of one Java package. */
export interface PluginJar {
  readonly name: string;
  readonly version: string;
  readonly plugins: readonly PluginClass[];
}

const PARENTS = ['cdap-data-pipeline', 'cdap-data-streams'].map((name) => `system:${name}${SIX}`);

/** Manifest of a bundle as the platform reads it. */
export function bundleManifest(name: string, version: string, javaPackage: string): Record<string, string> {
  return {
    'Bundle-ManifestVersion': '2',
    'Bundle-Name': name,
    'Bundle-SymbolicName': `org.example.${name}`,
    'Bundle-Vendor': 'Example Organisation',
    'Bundle-Version': version,
    'Export-Package': javaPackage,
  };
}

/** The entry of a class in its JAR. */
export function classEntry(className: string, bytes: Buffer): { name: string; bytes: Buffer } {
  return { name: `${className.replaceAll('.', '/')}.class`, bytes };
}

/** The artifact configuration of a plugin JAR: its parents, and a text and a form for each plugin. */
function pluginConfig(plugins: readonly PluginClass[], parents: readonly string[] = PARENTS): Buffer {
  const form = JSON.stringify({ metadata: { 'spec-version': '1.5' }, 'configuration-groups': [], outputs: [] });
  const properties = plugins.flatMap(({ name, type, description }): [string, string][] => [
    [`doc.${name}-${type}`, `# ${name}\n\n${description}\n`],
    [`widgets.${name}-${type}`, form],
  ]);
  return jsonResource({ parents, properties: Object.fromEntries(properties) });
}

/** The two resources of a plugin action: JAR and configuration, named after the artifact. */
export function pluginResources(
  { name, version, plugins }: PluginJar,
  parents?: readonly string[],
): Record<string, Buffer> {
  const javaPackage = plugins[0]?.className.replace(/\.[^.]+$/u, '') ?? '';
  const entries = plugins.map((plugin) => classEntry(plugin.className, makePluginClass(plugin)));
  return {
    [`${name}-${version}.json`]: pluginConfig(plugins, parents),
    [`${name}-${version}.jar`]: makeJar({ manifest: bundleManifest(name, version, javaPackage), entries }),
  };
}

/** An action that deploys such a JAR, `one_step_deploy_plugin` unless told. */
export function deployPlugin(label: string, { name, version }: PluginJar, type = 'one_step_deploy_plugin'): object {
  const files = { config: `${name}-${version}.json`, jar: `${name}-${version}.jar` };
  return { type, label, arguments: fixed({ name, version, scope: 'user', ...files }) };
}
