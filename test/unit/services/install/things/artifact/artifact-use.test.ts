import { describe, expect, it } from 'vitest';
import { usesArtifact } from '../../../../../../src/services/install/things/artifact/artifact-use.js';
import { usesStream } from '../../../../../../src/services/install/things/stream/kind.js';

const DRIVER = { name: 'orders-driver', version: '1.0.0', plugins: [{ type: 'jdbc', name: 'orders' }] };
const TOOLS = { name: 'tools', version: '2.0.1', plugins: [{ type: 'transform', name: 'Trim' }] };

const application = (config: unknown, changes: object = {}) => ({
  name: 'p',
  artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
  configuration: typeof config === 'string' ? config : JSON.stringify(config),
  ...changes,
});
const stage = (plugin: object): object => ({
  stages: [{ name: 's', plugin: { name: 'Trim', type: 'transform', ...plugin } }],
});

describe('usesArtifact', () => {
  it.each<[string, object, boolean]>([
    ['the very version', { artifact: { name: 'tools', version: '2.0.1', scope: 'USER' } }, true],
    ['no scope', { artifact: { name: 'tools', version: '2.0.1' } }, true],
    ['a range that holds it', { artifact: { name: 'tools', version: '[2.0.0,3.0.0)', scope: 'user' } }, true],
    ['a range that does not', { artifact: { name: 'tools', version: '[3.0.0,4.0.0)', scope: 'USER' } }, false],
    ['another version', { artifact: { name: 'tools', version: '2.0.2', scope: 'USER' } }, false],
    ['a system artifact of the name', { artifact: { name: 'tools', version: '2.0.1', scope: 'SYSTEM' } }, false],
    ['another artifact', { artifact: { name: 'others', version: '2.0.1', scope: 'USER' } }, false],
    ['no version', { artifact: { name: 'tools', scope: 'USER' } }, true],
    ['a version that cannot be read', { artifact: { name: 'tools', version: '${v}', scope: 'USER' } }, true],
    ['no artifact at all', {}, true],
  ])('judges a plugin that names %s', (_, plugin, expected) => {
    expect(usesArtifact(application(stage(plugin)), TOOLS)).toBe(expected);
  });

  it.each<[string, object, boolean]>([
    ['by its name', { jdbcPluginName: 'orders' }, true],
    ['by name and type', { jdbcPluginName: 'orders', jdbcPluginType: 'jdbc' }, true],
    ['of another name', { jdbcPluginName: 'mysql' }, false],
    ['of another type', { jdbcPluginName: 'orders', jdbcPluginType: 'other' }, false],
    ['by a macro', { jdbcPluginName: '${driver}' }, true],
  ])('finds a driver that is named %s', (_, properties, expected) => {
    expect(usesArtifact(application(stage({ artifact: { name: 'x', version: '1' }, properties })), DRIVER)).toBe(
      expected,
    );
  });

  it('finds what an application is made from, and what the platform says it loaded', () => {
    const made = { artifact: { name: 'tools', version: '2.0.1', scope: 'USER' } };
    expect(usesArtifact(application({}, made), TOOLS)).toBe(true);
    const loaded = { plugins: [{ type: 'transform', name: 'Trim' }] };
    expect(usesArtifact(application({}, loaded), TOOLS)).toBe(true);
    const elsewhere = stage({ artifact: { name: 'others', version: '1.0.0', scope: 'USER' } });
    expect(usesArtifact(application(elsewhere, loaded), TOOLS)).toBe(false);
  });

  it('takes a configuration that it cannot read for a use where the name stands in it', () => {
    expect(usesArtifact(application('{"a": tools'), TOOLS)).toBe(true);
    expect(usesArtifact(application('{"a": other'), TOOLS)).toBe(false);
  });
});

describe('usesStream', () => {
  it('finds a stream by its name in the configuration and in what the platform lists', () => {
    expect(usesStream(application(stage({ properties: { name: 'texts' } })), 'texts')).toBe(true);
    expect(usesStream(application(stage({ properties: { name: 'others' } })), 'texts')).toBe(false);
    expect(usesStream(application({}, { streams: [{ name: 'texts' }] }), 'texts')).toBe(true);
    expect(usesStream(application({}, { streams: [{ name: 'others' }] }), 'texts')).toBe(false);
  });

  it.each(['${stream(texts)}', JSON.stringify({ name: 'texts' })])('finds a stream inside the text %s', (name) => {
    expect(usesStream(application(stage({ properties: { name } })), 'texts')).toBe(true);
  });
});
