import { makeJar } from '../../../src/emulator/jar/make-jar.js';
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
  'pipeline, 7 s a record': () => text(oldest()),
  'pipeline without a schedule': changed({ schedule: undefined }),
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

/** Where a note says less than what was sent. */
const BY_ID: Readonly<Record<string, () => Buffer>> = {
  '7-put': changed({ schedule: '15 3 * * *' }),
  '8-update': changed({ schedule: '15 3 * * *' }),
  '8c-update': changed({ schedule: '45 4 * * *' }),
  '11-downgrade': () => text(oldest()),
  '12-new-old-plugins': () => text({ ...oldPipeline(), config: oldest().config }),
  '12-old-new-plugins': () => text({ ...oldPipeline(), artifact: oldest().artifact }),
  '12-update-old-new-plugins': () => text({ ...oldPipeline(), artifact: oldest().artifact }),
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

/** The pipeline of 6.0.0 with the plugins of that time. */
const oldest = (): Pipeline => {
  const { config } = oldPipeline();
  const older = JSON.parse(
    JSON.stringify(config).replaceAll('"version":"2.3.4"', '"version":"2.2.0"'),
  ) as typeof config;
  return { artifact: { ...oldPipeline().artifact, version: '6.0.0' }, config: older };
};

/** The pipeline with the schedule that a note names, and with what else it says. */
function scheduled(note: string): Buffer | undefined {
  const cron = /^pipeline, schedule ([^,]+)/u.exec(note)?.[1];
  if (cron === undefined) return undefined;
  const keeps = note.includes('"app.deploy.update.schedules":false') ? { 'app.deploy.update.schedules': false } : {};
  return text({ ...oldPipeline(), config: { ...oldPipeline().config, schedule: cron }, ...keeps });
}

/** A body that only the recordings of an older platform have; `undefined` when the note means what it does on the newest. */
export function olderBody(platform: '6.1.1' | '4.3.5', id: string, note: string): Buffer | undefined {
  if (platform === '4.3.5') return JARS_4_3[note]?.();
  return BY_ID[id]?.() ?? NOTES[note]?.() ?? scheduled(note);
}
