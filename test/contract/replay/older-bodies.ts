import { makeJar } from '../../../src/emulator/hub/make-jar.js';
import { applicationJar as shop } from '../application-jar.js';
import { classesJar } from '../jars.js';
import { applicationJar, entry, JUNK } from './bodies.js';
import { recorded } from './recordings.js';

interface Pipeline {
  readonly artifact: { readonly name: string; readonly version: string; readonly scope: string };
  readonly config: Readonly<Record<string, unknown>>;
}

const APPLICATIONS = '6.1.1/applications.json';

/** The pipeline whose detail a recording shows, as its request: the answer holds all that was sent, numbers as doubles. */
function shown(id: string): Pipeline {
  const detail = JSON.parse(recorded(APPLICATIONS, id).response.body ?? '') as {
    artifact: Pipeline['artifact'];
    configuration: string;
  };
  return { artifact: detail.artifact, config: JSON.parse(detail.configuration) as Pipeline['config'] };
}

/** The pipeline that the recordings call so, made of one that differs by the scope of a plugin. */
export const oldPipeline = (): Pipeline =>
  JSON.parse(
    JSON.stringify(shown('plugin-lowerscope-detail')).replace('"scope":"system"', '"scope":"SYSTEM"'),
  ) as Pipeline;

const text = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'utf8');
const changed = (config: Readonly<Record<string, unknown>>) => (): Buffer =>
  text({ ...oldPipeline(), config: { ...oldPipeline().config, ...config } });
const asAnswer = (): unknown => ({
  name: 'x',
  artifact: oldPipeline().artifact,
  configuration: JSON.stringify(oldPipeline().config),
});

/** Bodies that a note of the recordings of 6.1.1 describes. */
const NOTES: Readonly<Record<string, () => Buffer>> = {
  pipeline: () => text(oldPipeline()),
  'pipeline, one plugin with "scope":"system"': () => text(shown('plugin-lowerscope-detail')),
  'pipeline, "scope":"system"': () =>
    text({ ...oldPipeline(), artifact: { ...oldPipeline().artifact, scope: 'system' } }),
  'pipeline, no plugin artifacts': () => text(shown('plugin-noart-detail')),
  'pipeline with name, __ui__, _uiPosition, $$hashKey': () => text(shown('ui-members-detail')),
  'pipeline without path': () => Buffer.from(JSON.stringify(oldPipeline()).replace(/"path":"[^"]*",?/u, ''), 'utf8'),
  'pipeline with a connection to zz': changed({ connections: [{ from: 'src', to: 'zz' }] }),
  'pipeline, "engine":"SPARK"': changed({ engine: 'SPARK' }),
  'pipeline, "engine":"foo"': changed({ engine: 'foo' }),
  'batch configuration': () =>
    text({ ...oldPipeline(), artifact: { ...oldPipeline().artifact, name: 'cdap-data-streams', version: '6.1.1' } }),
  'the GET answer unchanged': () => text(asAnswer()),
  '{"artifact":..,"config":"<configuration text>"}': () =>
    text({ artifact: oldPipeline().artifact, config: JSON.stringify(oldPipeline().config) }),
  'app-1.0.0.jar': () => applicationJar('ex.app.HelloApp', 'io/cdap/cdap'),
  junk: () => JUNK,
  '{"hydratorDrafts":{"default":{"big":"xxx..."}}} 1 MB': () =>
    text({ hydratorDrafts: { default: { big: 'x'.repeat(1_000_000) } } }),
};

const CASK = 'co/cask/cdap';
const named = (annotation: string, value: string) => ({
  type: `L${CASK}/api/annotation/${annotation};`,
  members: { value },
});
const plugin = (type: string, name: string, description: string) => [
  { type: `L${CASK}/api/annotation/Plugin;`, members: { type } },
  named('Name', name),
  named('Description', description),
];

/** Stand-in for the JAR with a source and a sink that the recordings of 4.3.5 upload. */
function plugins(): Buffer {
  const macro = { type: `L${CASK}/api/annotation/Macro;` };
  const path = {
    name: 'path',
    descriptor: 'Ljava/lang/String;',
    annotations: [named('Description', 'where'), macro],
  };
  return makeJar({
    manifest: { 'Bundle-Version': '1.0.0', 'Export-Package': 'example' },
    entries: [
      entry({
        name: 'example/In',
        superName: `${CASK}/etl/api/batch/BatchSource`,
        annotations: plugin('batchsource', 'In', 'reads nothing'),
        fields: [{ name: 'config', descriptor: 'Lexample/In$C;' }],
      }),
      entry({ name: 'example/In$C', superName: `${CASK}/api/plugin/PluginConfig`, fields: [path] }),
      entry({
        name: 'example/Out',
        superName: `${CASK}/etl/api/batch/BatchSink`,
        annotations: plugin('batchsink', 'Out', 'writes nothing'),
      }),
    ],
  });
}

/** The JARs of the recordings of 4.3.5; all but that of the plugins are the very ones. */
export const JARS_4_3: Readonly<Record<string, () => Buffer>> = {
  'bytes of app.jar': () => shop({ api: CASK }),
  'bytes of app6.jar': () => shop(),
  'bytes of driver.jar': () => classesJar({ 'Bundle-Version': '1.0.0' }),
  'bytes of noversion.jar': () => classesJar(),
  'bytes of plug6.jar': () => classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' }),
  'bytes of plug.jar': plugins,
};

/** A body that only the recordings of an older platform have; `undefined` when the note means what it does on the newest. */
export function olderBody(platform: '6.1.1' | '4.3.5', note: string): Buffer | undefined {
  return (platform === '6.1.1' ? NOTES : JARS_4_3)[note]?.();
}
