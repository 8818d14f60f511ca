import type { Platform } from '../../../platform/client.js';
import { listPluginVersions, type PluginVersion } from '../../../platform/plugins.js';
import type { ArtifactName } from '../pipeline.js';

/** What a plugin says of one of its properties. */
export interface PluginProperty {
  /** The platform's name of a Java type: `string`, `int`, `boolean`, ... */
  readonly type: string;
  readonly required: boolean;
  readonly macroSupported: boolean;
  /** The properties that have their values from this one when it is set, as those of a connection. */
  readonly children: readonly string[];
}

/** A version of an artifact that offers a plugin, and the plugin's properties in it. */
export interface PluginOffer {
  readonly artifact: ArtifactName;
  readonly properties: ReadonlyMap<string, PluginProperty>;
}

/** What the platform offers of plugins; each question is asked once. */
export interface PluginOffers {
  /**
   * All offers of a plugin to a parent artifact, as a namespace sees them. None when the parent or the plugin is
   * unknown.
   */
  of(namespace: string, parent: ArtifactName, type: string, plugin: string): Promise<readonly PluginOffer[]>;
}

function propertiesOf(version: PluginVersion): ReadonlyMap<string, PluginProperty> {
  const entries = Object.entries(version.properties).map(
    ([name, { type, required, macroSupported, children }]) =>
      [name, { type, required, macroSupported, children }] as const,
  );
  return new Map(entries);
}

/** Asks the platform for plugins, once for all pipelines that use one. A question that failed is asked again. */
export function pluginOffers(platform: Platform, signal: AbortSignal): PluginOffers {
  const asked = new Map<string, Promise<readonly PluginOffer[]>>();
  const known = new Map<string, ReadonlyMap<string, PluginProperty>>();

  /** One copy for all namespaces and parents that see the same plugin. */
  function shared(properties: ReadonlyMap<string, PluginProperty>): ReadonlyMap<string, PluginProperty> {
    const text = JSON.stringify([...properties]);
    const present = known.get(text) ?? properties;
    known.set(text, present);
    return present;
  }

  async function ask(namespace: string, parent: ArtifactName, type: string, plugin: string) {
    const versions = await platform.find(listPluginVersions, { namespace, parent, type, plugin }, signal);
    return (versions ?? []).map((version) => {
      const { name, version: text, scope } = version.artifact;
      return { artifact: { name, version: text, scope }, properties: shared(propertiesOf(version)) };
    });
  }

  return {
    of(namespace, parent, type, plugin) {
      const key = JSON.stringify([namespace, parent.scope, parent.name, parent.version, type, plugin]);
      const present = asked.get(key);
      if (present !== undefined) return present;
      const answer = ask(namespace, parent, type, plugin);
      asked.set(key, answer);
      answer.catch(() => asked.delete(key));
      return answer;
    },
  };
}
