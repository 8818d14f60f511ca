import { describe, expect, it } from 'vitest';
import { hasMacro, readMacros } from '../../../../src/services/preferences/macros.js';
import { resolveLayers, type Layer } from '../../../../src/services/preferences/resolve.js';

const VALUES = new Map([
  ['a', '1'],
  ['key1', 'one'],
  ['path', '${base}/in'],
  ['me', '${me}'],
  ['ping', '${pong}'],
  ['pong', '${ping}'],
  ['deep', '${path}'],
  ['empty', ''],
]);

describe('macros of a text', () => {
  it.each([
    ['plain', [], []],
    ['${a}', [], ['a']],
    ['x ${a} y ${b}', ['b no-value'], ['b', 'a']],
    ['${key${a}}', [], ['a', 'key1']],
    ['${key${b}}', ['b no-value'], ['b']],
    ['${path}', ['base no-value path'], ['path', 'base']],
    ['${deep}', ['base no-value deep,path'], ['deep', 'path', 'base']],
    ['${empty}', [], ['empty']],
    ['\\${b} $b {b}', [], []],
    ['\\\\${b}', ['b no-value'], ['b']],
    ['${logicalStartTime(yyyy-MM-dd)} ${secure(${b})}', ['b no-value'], ['b']],
    ['${logical.start.time}', [], ['logical.start.time']],
    ['${a', ['a not-closed'], []],
    ['${me}', ['me loop me,me,me'], ['me']],
    ['${ping}', [expect.stringMatching(/^p[io]ng loop ping,pong,ping$/u)], ['ping', 'pong']],
  ])('%s', (text, open, keys) => {
    const read = readMacros(text, VALUES);
    expect(
      read.open.map(({ macro, fault, via }) => [macro, fault, ...(via.length === 0 ? [] : [via.join()])].join(' ')),
    ).toEqual(open);
    expect([...read.keys]).toEqual(keys);
  });

  it('are looked for in any text in time', () => {
    const from = performance.now();
    expect(hasMacro('\\'.repeat(100_000))).toBe(false);
    readMacros('${'.repeat(2000), VALUES);
    readMacros('${b}'.repeat(2000), VALUES);
    const growing = new Map(Array.from({ length: 9 }, (_, at) => [`k${at}`, `\${k${at + 1}}`.repeat(50)]));
    expect(readMacros('${k0}', growing).open).not.toEqual([]);
    expect(performance.now() - from).toBeLessThan(2000);
  });
});

describe('values of several layers', () => {
  it('hide each other: preferences, then arguments, then those of the run, then the workflow token', () => {
    const layer = (from: Layer['from'], value: string): Layer => ({
      from,
      place: from,
      values: new Map([['k', value]]),
    });
    const order = ['instance', 'namespace', 'app', 'program', 'run', 'token'] as const;
    for (let count = 1; count <= order.length; count += 1) {
      const [found] = resolveLayers(order.slice(0, count).map((from) => layer(from, `of ${from}`)));
      expect(found).toMatchObject({ from: order[count - 1], value: `of ${order[count - 1] ?? ''}` });
      expect(found?.hides.map(({ from }) => from)).toEqual(order.slice(0, count - 1).reverse());
    }
  });
});
