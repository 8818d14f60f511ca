import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sameConfiguration } from '../../../../src/services/upgrade/same-configuration.js';

const RECORDINGS = resolve(import.meta.dirname, '../../../fixtures/recordings');

interface Entry {
  readonly id: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: string };
  readonly response: { readonly status: number; readonly body: string };
}

describe('a configuration that was sent and the one that is found', () => {
  it.for([
    ['numbers as doubles', '{"memoryMB":512,"at":1700000000123}', '{"memoryMB":512.0,"at":1.700000000123E12}'],
    ['integers rounded to doubles', '{"a":12345678901234567890}', '{"a":1.2345678901234567E19}'],
    ['an integer just above what a double holds', '{"a":9007199254740993}', '{"a":9.007199254740992E15}'],
    ['members that are null dropped', '{"a":{"b":null,"c":1},"d":null}', '{"a":{"c":1}}'],
    [
      'characters escaped',
      `{"a":"<a href='x'>&=</a>"}`,
      String.raw`{"a":"\u003ca href\u003d\u0027x\u0027\u003e\u0026\u003d\u003c/a\u003e"}`,
    ],
    ['other blanks', '{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}'],
    ['of two members of one name the last', '{"a":1,"a":2}', '{"a":2.0}'],
    ['a byte order mark', '\ufeff{"a":1}', '{"a":1.0}'],
    ['the very same text, whatever it is', '{"a":', '{"a":'],
  ] as const)('are the same but for %s', ([, sent, found]) => {
    expect(sameConfiguration(sent, found)).toBe(true);
    expect(sameConfiguration(found, sent)).toBe(true);
  });

  it.for([
    ['a version', '{"version":"1.0.0"}', '{"version":"1.0.1"}'],
    ['a text for a number', '{"a":1}', '{"a":"1"}'],
    ['null in an array', '{"a":[null,1]}', '{"a":[1]}'],
    ['an order of stages', '{"stages":[{"name":"a"},{"name":"b"}]}', '{"stages":[{"name":"b"},{"name":"a"}]}'],
    ['a member that is gone', '{"a":1,"__ui__":{}}', '{"a":1}'],
    ['the first of two members of one name', '{"a":1,"a":2}', '{"a":1}'],
    ['nothing at all', '{"a":1}', ''],
  ] as const)('are not the same when they differ in %s', ([, sent, found]) => {
    expect(sameConfiguration(sent, found)).toBe(false);
    expect(sameConfiguration(found, sent)).toBe(false);
  });

  it.for(['6.1.1/applications', '6.11.0/apps'])('are the same wherever a platform shows what it took: %s', (name) => {
    const entries = JSON.parse(readFileSync(`${RECORDINGS}/${name}.json`, 'utf8')) as Entry[];
    const compared = entries.flatMap((entry, index) => {
      const next = entries[index + 1];
      if (entry.request.method !== 'PUT' || entry.response.status !== 200 || next?.request.method !== 'GET') return [];
      if (entry.request.body?.startsWith('{') !== true || next.request.path !== entry.request.path) return [];
      const { config } = JSON.parse(entry.request.body) as { config?: unknown };
      const { configuration } = JSON.parse(next.response.body) as { configuration: string };
      return config === undefined
        ? []
        : [{ id: entry.id, sent: typeof config === 'string' ? config : JSON.stringify(config), found: configuration }];
    });
    expect(compared.length).toBeGreaterThan(0);
    for (const { id, sent, found } of compared) expect([id, sameConfiguration(sent, found)]).toEqual([id, true]);
  });
});
