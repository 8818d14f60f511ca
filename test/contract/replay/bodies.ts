import { gzipSync } from 'node:zlib';
import { makeJar } from '../../../src/emulator/jar/make-jar.js';
import { writeClass, type WrittenAnnotation } from './class-writer.js';
import type { Platform } from '../../../src/emulator/store/generation.js';
import { olderBody } from './older-bodies.js';
import { recorded, type Recorded } from './recordings.js';

const API = 'Lio/cdap/cdap/api/annotation';
const named = (annotation: string, value: string): WrittenAnnotation => ({
  type: `${API}/${annotation};`,
  members: { value },
});
const plugin = (type: string, name: string, description: string): readonly WrittenAnnotation[] => [
  { type: `${API}/Plugin;`, members: { type } },
  named('Name', name),
  named('Description', description),
];
export const entry = (written: Parameters<typeof writeClass>[0]): { name: string; bytes: Buffer } => ({
  name: `${written.name}.class`,
  bytes: writeClass(written),
});

/** Stand-in for the JAR with one transform that the recordings upload: same class names, same manifest attributes. */
function pluginJar(version: string): Buffer {
  return makeJar({
    manifest: { 'Bundle-Version': version, 'Export-Package': 'ex.plug' },
    entries: [
      entry({
        name: 'ex/plug/Noop',
        superName: 'io/cdap/cdap/etl/api/Transform',
        annotations: plugin('transform', 'Noop', 'does nothing'),
        fields: [{ name: 'c', descriptor: 'Lex/plug/Noop$C;' }],
      }),
      entry({
        name: 'ex/plug/Noop$C',
        superName: 'io/cdap/cdap/api/plugin/PluginConfig',
        fields: [
          {
            name: 'field',
            descriptor: 'Ljava/lang/String;',
            annotations: [
              named('Description', 'a field'),
              { type: `${API}/Macro;` },
              { type: 'Ljavax/annotation/Nullable;' },
            ],
          },
        ],
      }),
    ],
  });
}

export function driverJar(version: string | undefined): Buffer {
  return makeJar({
    manifest: version === undefined ? {} : { 'Bundle-Version': version },
    entries: [entry({ name: 'ex/drv/Drv' })],
  });
}

/** Stand-in for a JAR with an application whose only program is the service `hello`; `api` is the package of the platform's classes. */
export function applicationJar(mainClass: string, api: string): Buffer {
  return makeJar({
    manifest: { 'Main-Class': mainClass },
    entries: [
      entry({ name: mainClass.replaceAll('.', '/'), superName: `${api}/api/app/AbstractApplication` }),
      entry({ name: 'ex/app/hello', superName: `${api}/api/service/AbstractService` }),
    ],
  });
}

/** Stand-in for a JAR of a hub: the plugins that the platform listed for it, and a configuration with one field. */
function hubJar(
  version: string,
  plugins: readonly (readonly [type: string, name: string, className: string])[],
): Buffer {
  const classes = plugins.map(([type, name, className]) =>
    entry({
      name: className.replaceAll('.', '/'),
      superName: 'io/cdap/cdap/etl/api/Transform',
      annotations: plugin(type, name, name),
      fields: [{ name: 'config', descriptor: 'Lcommon/Config;' }],
    }),
  );
  const packages = [...new Set(plugins.map(([, , className]) => className.slice(0, className.lastIndexOf('.'))))];
  const fields = [{ name: 'field', descriptor: 'Ljava/lang/String;' }];
  const config = entry({ name: 'common/Config', superName: 'io/cdap/cdap/api/plugin/PluginConfig', fields });
  return makeJar({
    manifest: { 'Bundle-Version': version, 'Export-Package': packages.join(',') },
    entries: [...classes, config],
  });
}

export const JUNK = Buffer.alloc(3000, 'not a zip ');

/** Stand-ins for the JARs whose bytes the recordings do not hold, by the name in the note. */
const JARS: Readonly<Record<string, () => Buffer>> = {
  'plug-1.0.0.jar': () => pluginJar('1.0.0'),
  'plug-1.1.0.jar': () => pluginJar('1.1.0'),
  'plug-snap.jar': () => pluginJar('2.0.0-SNAPSHOT'),
  'plug-osgi.jar': () => pluginJar('4.0.0.SNAPSHOT'),
  'drv.jar': () => driverJar('1.0.0'),
  'stand-in jar': () => driverJar('1.0.0'),
  'nomanver.jar': () => driverJar(undefined),
  'format-common-2.12.0.jar': () => driverJar(undefined),
  'badver.jar': () => driverJar('12c'),
  'junk.jar': () => JUNK,
  jar: () => pluginJar('1.0.0'),
  'p1.json compressed': () => gzipSync(JSON.stringify(p1())),
  'app-1.0.0.jar': () => applicationJar('ex.app.HelloApp', 'io/cdap/cdap'),
  'app-2.0.0.jar': () => applicationJar('ex.app.HelloApp', 'io/cdap/cdap'),
  'WordCount-4.2.0.jar': () => applicationJar('co.cask.cdap.examples.wordcount.WordCount', 'co/cask/cdap'),
  'date-transform-1.0.0.jar': () => driverJar('1.0.0'),
  'naive-bayes-analytics-plugin-1.1.0.jar': () => driverJar('1.1.0'),
  'date-transform-1.2.0.jar': () => hubJar('1.2.0', [['transform', 'DateTransform', 'io.cdap.plugin.DateTransform']]),
  'field-adder-2.2.0.jar': () =>
    hubJar('2.2.0', [
      ['transform', 'MultiFieldAdder', 'io.cdap.plugin.add.field.MultiFieldAdder'],
      ['transform', 'AddField', 'io.cdap.plugin.add.field.AddField'],
    ]),
  'dynamic-spark-2.2.3.jar': () =>
    hubJar('2.2.3', [['sparkcompute', 'ScalaSparkCompute', 'io.cdap.plugin.spark.dynamic.ScalaSparkCompute']]),
  'database-plugins-2.3.5.jar': () =>
    hubJar('2.3.5', [['batchsource', 'Database', 'io.cdap.plugin.db.batch.source.DBSource']]),
  'format-delimited-2.12.0.jar': () => driverJar('2.12.0'),
  'core-plugins-2.12.0.jar': () => driverJar('2.12.0'),
};

interface Pipeline {
  artifact: { name: string; version: string; scope: string };
  config: Record<string, unknown>;
}

/** The pipeline that the recordings call p1: a file source and a file sink. */
export function p1(): Pipeline {
  return JSON.parse(recorded('6.11.0/apps.json', 'put-new').request.body ?? '') as Pipeline;
}

const with_ = (change: (pipeline: Pipeline & Record<string, unknown>) => unknown): (() => string) => {
  return () => {
    const pipeline = p1() as Pipeline & Record<string, unknown>;
    return JSON.stringify(change(pipeline) ?? pipeline);
  };
};
const scheduled = (schedule: string, rest: object = {}): (() => string) =>
  with_(({ artifact, config }) => ({ artifact, config: { ...config, schedule }, ...rest }));
const KEEP = { 'app.deploy.update.schedules': false };

const goodDraft = (): Record<string, unknown> =>
  JSON.parse(recorded('6.11.0/drafts.json', 'put').request.body ?? '') as Record<string, unknown>;

/** The draft of a package of the hub, as its answer shows it, with what the answer no longer has. */
const hubDraft = (scope: string): string => {
  const id = 'hydrator-pipeline-import-excel-1.2.0-0-create_pipeline_draft-get';
  const { name, artifact, config } = JSON.parse(recorded('6.11.0/hub-actions.json', id).response.body ?? '') as Record<
    string,
    object
  >;
  return JSON.stringify({
    name,
    artifact: { ...artifact, scope },
    config: { ...config, engine: 'mapreduce', __ui__: {} },
  });
};

/** Bodies that a note describes: what was sent is known, its bytes are not stored. */
const NOTES: Readonly<Record<string, () => string>> = {
  'a good draft': () => JSON.stringify(goodDraft()),
  '{"name":null,...}': () => JSON.stringify({ ...goodDraft(), name: null }),
  'artifact + config + name, see the package': () => hubDraft('system'),
  'the same with "scope":"SYSTEM"': () => hubDraft('SYSTEM'),
  p1: with_(() => undefined),
  'pipeline config, file source to file sink': with_(() => undefined),
  'as in the package': with_((p) => ({
    ...p,
    artifact: { ...p.artifact, version: '[6.0.0, 7.0.0)', scope: 'system' },
  })),
  'artifact + config': with_((p) => ({
    ...p,
    artifact: { ...p.artifact, version: '[4.2.0-SNAPSHOT,6.0.0-SNAPSHOT)' },
  })),
  'the same': with_((p) => ({ ...p, artifact: { ...p.artifact, version: '[6.0.0, 7.0.0)', scope: 'system' } })),
  'artifact + parsed configuration of the previous answer': with_(() => undefined),
  'config as a string': with_((p) => ({ ...p, config: JSON.stringify(p.config) })),
  '{"artifact":..,"configuration":"<string>"}': with_((p) => ({
    artifact: p.artifact,
    configuration: JSON.stringify(p.config),
  })),
  'the GET answer unchanged': with_((p) => ({
    name: 'x',
    ...p,
    configuration: JSON.stringify(p.config),
    config: undefined,
  })),
  'p1 + change': with_((p) => ({
    ...p,
    change: { description: 'because', parentVersion: 'ccff3f36-e56a-11f1-8253-acde48001122' },
  })),
  'p1 + change with an old parentVersion': with_((p) => ({
    ...p,
    change: { parentVersion: 'c9ed4442-e56a-11f1-9bbe-acde48001122' },
  })),
  'p1 config + __ui__ + custom': with_((p) => ({
    artifact: { ...p.artifact, version: '6.11.0' },
    config: { ...p.config, __ui__: { k: 1 }, custom: 7 },
  })),
  'p1 config on cdap-data-streams': with_((p) => ({ ...p, artifact: { ...p.artifact, name: 'cdap-data-streams' } })),
  'p1 on 6.11.0': with_((p) => ({ ...p, artifact: { ...p.artifact, version: '6.11.0' } })),
  'p1 on 6.10.0': with_(() => undefined),
  'p1 on 6.9.9': with_((p) => ({ ...p, artifact: { ...p.artifact, version: '6.9.9' } })),
  'p1 with artifact version [6.0.0,6.11.0)': with_((p) => ({
    ...p,
    artifact: { ...p.artifact, version: '[6.0.0,6.11.0)' },
  })),
  'p1 with artifact {"version":"[6.0.0, 7.0.0)","scope":"system"}': with_((p) => ({
    ...p,
    artifact: { ...p.artifact, version: '[6.0.0, 7.0.0)', scope: 'system' },
  })),
  'p1 with schedule 5 5 * * *': scheduled('5 5 * * *'),
  'p1 with schedule 8 8 * * *': scheduled('8 8 * * *'),
  'p1 with schedule 6 6 * * * and app.deploy.update.schedules false': scheduled('6 6 * * *', KEEP),
  'p1 with schedule 7 7 * * *, app.deploy.update.schedules false': scheduled('7 7 * * *', KEEP),
  'plugin of stage src: version "[2.0.0,3.0.0)"': () =>
    JSON.stringify(p1()).replace('"version":"2.12.0"', '"version":"[2.0.0,3.0.0)"'),
  '{"doc.big":"xxx..."} 400 KB': () => JSON.stringify({ 'doc.big': 'x'.repeat(400_000) }),
  '3 bytes, sent after the 100': () => 'abc',
};

/** The body of a request as it was sent, or a stand-in where the note allows one; throws for a note that nobody knows. */
export function bodyOf({ id, request }: Recorded, platform: Platform): Buffer {
  const { body, bodyNote: note } = request;
  if (note === undefined) return Buffer.from(body ?? '', 'utf8');
  const older = platform === '6.11.0' ? undefined : olderBody(platform, id, note);
  if (older !== undefined) return older;
  const text = NOTES[note];
  if (text !== undefined) return Buffer.from(text(), 'utf8');
  if (note.startsWith('member properties of the config resource')) return Buffer.from('{"doc.x":"y"}');
  const size = /^(\d+) bytes$/u.exec(note)?.[1];
  if (size !== undefined) return Buffer.alloc(Math.min(Number(size), 1_000_000), 'x');
  const jar = JARS[note.replace(/^bytes of /u, '').replace(/,? (?:\d+ bytes|sent after the 100|in one chunk)$/u, '')];
  if (jar === undefined) throw new Error(`no body is known for ${id}: ${note}`);
  return jar();
}
