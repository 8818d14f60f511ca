import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseParent, readArtifactConfig, readPipelineConfig } from '../../../src/hub/resource-config.js';

const SAMPLES = resolve(import.meta.dirname, '../../fixtures/hub/packages');
const read = (value: unknown) =>
  readArtifactConfig(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), 'config.json');
const refusedAs = (code: string) => expect.objectContaining({ code }) as Error;

describe('parseParent', () => {
  it.each([
    ['system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)', 'system', 'cdap-data-pipeline', '[6.1.0,7.0.0-SNAPSHOT)'],
    ['system:wrangler-transform[3.0.0, 4.0.0]', 'system', 'wrangler-transform', '[3.0.0, 4.0.0]'],
    ['cdap-data-streams[4.2.0,5.0.0]', undefined, 'cdap-data-streams', '[4.2.0,5.0.0]'],
    [' etl:my_app.core(1,2) ', 'etl', 'my_app.core', '(1,2)'],
    [
      'system:cdap-data-streams[6.1-SNAPSHOT.0,7.0.0-SNAPSHOT)',
      'system',
      'cdap-data-streams',
      '[6.1-SNAPSHOT.0,7.0.0-SNAPSHOT)',
    ],
    ['system:hidden[6.0.0,6.0.0)', 'system', 'hidden', '[6.0.0,6.0.0)'],
  ])('reads %j', (text, namespace, name, rangeText) => {
    expect(parseParent(text)).toMatchObject({
      text: text.trim(),
      namespace,
      name,
      rangeText,
      range: { text: rangeText },
    });
  });

  it.each([
    '',
    'name',
    'name[6.10.0]',
    'name[1,2',
    '[1,2)',
    ':name[1,2)',
    'a:b:c[1,2)',
    'sys tem:x[1,2)',
    'a b[1,2)',
    'system:x[12c,13)',
    `${'a'.repeat(100_000)}[1,2)`,
    '['.repeat(100_000),
  ])('refuses what is malformed', (text) => {
    expect(parseParent(text)).toBeUndefined();
  });
});

describe('readArtifactConfig', () => {
  const configs = readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.json') && !/spec|pipeline|classifier|trainer/u.test(name.split('/').at(-1) ?? ''),
  );

  it.each(configs)('reads %s as it is', (name) => {
    const bytes = readFileSync(join(SAMPLES, name));
    const raw = JSON.parse(bytes.toString()) as {
      parents?: string[];
      plugins?: unknown[];
      properties?: Record<string, string>;
    };
    const config = readArtifactConfig(bytes, name);
    expect(config.parents.map(({ text }) => text)).toEqual(raw.parents ?? []);
    expect(config.plugins.map((plugin) => plugin.raw)).toEqual(raw.plugins ?? []);
    expect(config.properties).toEqual(raw.properties ?? {});
  });

  it('finds every config of the samples', () => {
    expect(configs.length).toBe(11);
  });

  it('turns properties that are not text into JSON text and says so', () => {
    const { properties, notes } = read({ properties: { 'doc.a': 'text', b: 3, c: { d: [1] }, e: null } });
    expect(properties).toEqual({ 'doc.a': 'text', b: '3', c: '{"d":[1]}', e: 'null' });
    expect(notes).toHaveLength(3);
  });

  it('takes a property called __proto__ for plain data', () => {
    const { properties } = read('{"properties":{"__proto__":"x"}}');
    expect(Object.keys(properties)).toEqual(['__proto__']);
  });

  it('notes a parent without a namespace', () => {
    expect(read({ parents: ['cdap-data-pipeline[4.2.0,5.0.0]'] }).notes).toEqual([
      'the parent "cdap-data-pipeline[4.2.0,5.0.0]" has no namespace',
    ]);
  });

  it.each([
    ['BAD_PARENT', { parents: ['system:x'] }],
    ['BAD_PARENT', { parents: [7] }],
    ['BAD_PARENT', { parents: 'system:x[1,2)' }],
    ['BAD_FIELD', { plugins: {} }],
    ['BAD_FIELD', { plugins: [{ name: 'x' }] }],
    ['BAD_FIELD', { properties: [] }],
    ['BAD_JSON', []],
    ['BAD_JSON', 'nonsense'],
    ['DUP_KEY', '{"properties":{"a":"1","a":"2"}}'],
  ])('refuses as %s what cannot be used: %j', (code, document) => {
    expect(() => read(document)).toThrow(refusedAs(code));
  });
});

describe('readPipelineConfig', () => {
  it('hands on the text as it came', () => {
    const text = '{ "stages" : [ ], "n": 1.50, "big": 12345678901234567890,\r\n "m": "${x}" }\n';
    expect(readPipelineConfig(Buffer.from(text), 'pipeline.json')).toEqual({ text });
  });

  it.each(['[]', '"x"', '{', 'null'])('refuses %j', (text) => {
    expect(() => readPipelineConfig(Buffer.from(text), 'pipeline.json')).toThrow(refusedAs('BAD_JSON'));
  });
});
