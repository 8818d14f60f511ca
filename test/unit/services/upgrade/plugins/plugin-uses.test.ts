import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { memberTexts } from '../../../../../src/core/json/members.js';
import { readUses } from '../../../../../src/services/upgrade/plugins/plugin-uses.js';

const FIXTURES = resolve(import.meta.dirname, '../../../../fixtures');
const ARTIFACT = '{"name":"core-plugins","version":"2.12.0","scope":"SYSTEM"}';

const stage = (artifact: string, rest = ''): string =>
  `{"stages":[{"name":"in","plugin":{"name":"File","type":"batchsource","artifact":${artifact}${rest}}}]}`;

const noted = (configuration: string): readonly string[] =>
  readUses(configuration).notes.map((note) => `${note.stage ?? '-'}: ${note.message}`);

describe('the plugins that a configuration uses', () => {
  it('are those of stages and of post-actions, with the places of their versions', () => {
    const configuration = String.raw`{
      "engine" : "spark", "postActions": [ { "name":"mail", "plugin": {"name":"Email","type":"postaction","artifact":
        {"scope":"user","version":"[1.0.0, 2.0.0)","name":"mails"},"properties":{"to":"a@example.com","retries":3,"cc":null}}} ],
      "\u0073tages": [{"name":"in","plugin":{"name":"File","type":"batchsource","label":"In","artifact":${ARTIFACT}}},
        {"name":"out","plugin":{"name":"Sink","type":"batchsink"}}] }`;
    const { uses, notes } = readUses(configuration);
    expect(notes).toEqual([]);
    expect(uses).toMatchObject([
      {
        place: 'post-action',
        stage: 'mail',
        plugin: 'Email',
        type: 'postaction',
        artifact: { name: 'mails', version: '[1.0.0, 2.0.0)', scope: 'USER' },
        properties: new Map<string, unknown>([
          ['to', 'a@example.com'],
          ['retries', 3],
        ]),
      },
      {
        place: 'stage',
        stage: 'in',
        plugin: 'File',
        type: 'batchsource',
        artifact: { name: 'core-plugins', version: '2.12.0', scope: 'SYSTEM' },
        properties: new Map(),
      },
      { place: 'stage', stage: 'out', plugin: 'Sink', type: 'batchsink', artifact: undefined, version: undefined },
    ]);
    const places = uses.map(({ version }) => version && configuration.slice(version.start, version.end));
    expect(places).toEqual(['"[1.0.0, 2.0.0)"', '"2.12.0"', undefined]);
  });

  it('are none where there are no stages', () => {
    for (const text of ['{}', '{"stages":[],"postActions":null}', '{"service":true}', '\ufeff {"stages":null}'])
      expect(readUses(text)).toEqual({ uses: [], notes: [] });
  });

  it('are those of the last member of a name', () => {
    const dead = `"artifact":{"name":"dead","version":"0.0.1"}`;
    const configuration = `{"stages":[${dead.slice(11)}],${stage('0', `,${dead},"artifact":${ARTIFACT}`).slice(1)}`;
    expect(readUses(configuration)).toMatchObject({ uses: [{ artifact: { version: '2.12.0' } }], notes: [] });
  });

  it.for([
    ['"SYSTEM"', 'SYSTEM'],
    ['"system"', 'SYSTEM'],
    ['"User"', 'USER'],
  ] as const)('are in the scope %s names in any case', ([scope, expected]) => {
    const { uses, notes } = readUses(stage(`{"name":"a","version":"1","scope":${scope}}`));
    expect(uses[0]?.artifact?.scope).toBe(expected);
    expect(notes).toEqual([]);
  });

  it.for([
    ['null', []],
    ['"galaxy"', ['in: stages[0].plugin.artifact has an unknown scope']],
    ['7', ['in: stages[0].plugin.artifact has an unknown scope']],
  ] as const)('are in any scope, with a note where it is odd, in scope %s', ([scope, expected]) => {
    const configuration = stage(`{"name":"a","version":"1","scope":${scope}}`);
    expect(readUses(configuration).uses[0]?.artifact).toEqual({ name: 'a', version: '1', scope: undefined });
    expect(noted(configuration)).toEqual(expected);
  });

  it.for([
    ['{"name":"a","scope":"SYSTEM"}', 'has no version, so the platform chooses'],
    ['{"name":"a","version":null}', 'has no version, so the platform chooses'],
    ['{"name":"a","version":1.0}', 'has a name or version that is not a string'],
    ['{"version":"1.0.0"}', 'has a name or version that is not a string'],
    ['"core-plugins"', 'is not an object'],
    ['[]', 'is not an object'],
  ] as const)('have no version to replace, and a note, with the artifact %s', ([artifact, expected]) => {
    expect(readUses(stage(artifact)).uses).toMatchObject([{ plugin: 'File', artifact: undefined, version: undefined }]);
    expect(noted(stage(artifact))).toEqual([`in: stages[0].plugin.artifact ${expected}`]);
  });
});

describe('what an upgrade leaves alone', () => {
  const SHAPE = 'with a name and a plugin that has a name and a type; it is not changed';

  it.for([
    ['{"stages":{}}', '-: stages is not a list; it is not changed'],
    ['{"postActions":"none"}', '-: postActions is not a list; it is not changed'],
    ['{"stages":[null]}', `-: stages[0] is not a stage ${SHAPE}`],
    ['{"stages":[{"name":"a"}]}', `a: stages[0] is not a stage ${SHAPE}`],
    ['{"postActions":[{"plugin":{"name":"a","type":"b"}}]}', `-: postActions[0] is not a post-action ${SHAPE}`],
    ['{"stages":[{"name":"a","plugin":{"name":"b","type":3}}]}', `a: stages[0] is not a stage ${SHAPE}`],
    [stage(ARTIFACT, ',"properties":[1]'), 'in: stages[0].plugin.properties is not an object'],
    [
      stage(ARTIFACT, `,"properties":{"a b":[0,${ARTIFACT}]}`),
      'in: stages[0].plugin.properties["a b"][1] looks like an artifact; it is not changed',
    ],
    [`{"artifact":${ARTIFACT}}`, '-: artifact looks like an artifact; it is not changed'],
    [`{"x y":${ARTIFACT}}`, '-: ["x y"] looks like an artifact; it is not changed'],
    [
      `{"__ui__":{"nodes":[{"plugin":{"artifact":${ARTIFACT}}},{"plugin":{"artifact":${ARTIFACT}}},${ARTIFACT}]}}`,
      '-: __ui__.nodes[0].plugin.artifact and 2 more in __ui__ look like artifacts; they are not changed',
    ],
    [
      `{"stages":{"in":${ARTIFACT}}}`,
      '-: stages is not a list; it is not changed',
      '-: stages.in looks like an artifact; it is not changed',
    ],
  ] as const)('is told of %s', ([configuration, ...expected]) => {
    expect(noted(configuration)).toEqual(expected);
  });

  it.for(['{"a":{"name":"x","version":1}}', '{"name":"x","version":"1.0.0"}', '{"a":["name","version"]}'])(
    'is not told of %s, which is no artifact',
    (configuration) => {
      expect(readUses(configuration)).toEqual({ uses: [], notes: [] });
    },
  );
});

describe('a configuration that cannot be read', () => {
  it.for([
    ['', 'BAD_ANSWER', 'the configuration of the pipeline is empty'],
    [' \n', 'BAD_ANSWER', 'the configuration of the pipeline is empty'],
    ['null', 'BAD_ANSWER', 'the configuration of the pipeline is not a JSON object'],
    ['[{}]', 'BAD_ANSWER', 'the configuration of the pipeline is not a JSON object'],
    ['"{}"', 'BAD_ANSWER', 'the configuration of the pipeline is not a JSON object'],
    ['{"stages":', 'BAD_JSON', 'the configuration of the pipeline is not valid JSON (it ends too early, at byte 10)'],
    ['{stages:[]}', 'BAD_JSON', 'the configuration of the pipeline is not valid JSON (error at byte 1)'],
    [
      `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`,
      'TOO_DEEP',
      'the configuration of the pipeline is nested deeper than 64 levels (at byte 320)',
    ],
  ] as const)('%s is refused with %s', ([configuration, code, message]) => {
    let error: unknown;
    try {
      readUses(configuration);
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(CliError);
    expect(error).toMatchObject({ code, message });
  });
});

const textOf = (file: string): string => readFileSync(`${FIXTURES}/${file}`, 'utf8');
const jsonFiles = (folder: string): readonly string[] =>
  readdirSync(`${FIXTURES}/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();

/** Every configuration in an answer or request, however deep; JSON inside of texts is looked into. */
function configurationsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') {
    if (!/^\s*[{[]/u.test(value)) return [];
    try {
      return configurationsIn(JSON.parse(value));
    } catch {
      return [];
    }
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) => {
    if (name === 'configuration' && typeof part === 'string' && part !== '') return [part];
    if (name === 'config' && typeof part === 'object' && part !== null && !Array.isArray(part))
      return [JSON.stringify(part)];
    return configurationsIn(part);
  });
}

/** How many configurations there are, how many plugins with a version and without, and how many notes. */
function counted(configurations: readonly string[]): readonly [number, number, number, number] {
  const read = configurations.map(readUses);
  const uses = read.flatMap((one) => one.uses);
  const versioned = uses.filter(({ version }) => version !== undefined).length;
  return [read.length, versioned, uses.length - versioned, read.flatMap(({ notes }) => notes).length];
}

/** The configurations of a recording or of a pipeline of the hub, whose file may hold more than the configuration. */
function configurationsOf(file: string): readonly string[] {
  const text = textOf(file);
  if (file.startsWith('recordings/')) return configurationsIn(JSON.parse(text));
  return text.includes('"stages"') ? [memberTexts(text).get('config') ?? text] : [];
}

describe('configurations of real platforms and of the hub', () => {
  it('are all read', () => {
    const files = [...jsonFiles('recordings'), ...jsonFiles('hub/packages')];
    const [configurations, versioned] = counted(files.flatMap(configurationsOf));
    expect(configurations).toBeGreaterThan(250);
    expect(versioned).toBeGreaterThan(350);
  });

  it.for([
    ['hub/packages/solution-bulk-data-transfer/1.2.0/pipeline.json', 1, 2, 0, 0],
    ['hub/packages/solution-cdc-oracle-to-kudu/2.0.0/pipeline.json', 1, 2, 0, 0],
    ['hub/packages/solution-incremental-data-ingest/1.0.0/pipeline.json', 1, 11, 0, 0],
    ['hub/packages/solution-sms-spam-pipeline/1.3.0/classifier.json', 1, 4, 0, 0],
    ['hub/packages/solution-sms-spam-pipeline/1.3.0/trainer.json', 1, 4, 0, 0],
    ['recordings/4.3.5/applications.json', 30, 50, 0, 0],
    ['recordings/6.1.1/applications.json', 36, 87, 3, 0],
    ['recordings/6.1.1/upgrade.json', 4, 12, 0, 0],
    ['recordings/6.11.0/apps.json', 36, 53, 1, 0],
    ['recordings/6.11.0/hub-actions.json', 6, 16, 0, 0],
    ['recordings/6.11.0/upgrade.json', 34, 84, 2, 0],
  ] as const)('of %s: %i, with %i plugins of a version and %i without, and %i notes', ([file, ...numbers]) => {
    expect(counted(configurationsOf(file))).toEqual(numbers);
  });
});
