import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findingsXml, junitXml } from '../../../src/output/junit.js';
import { pipeline, resultOf } from './upgrade-result.js';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const CHARACTERS = /^[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u;

function resolved(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));|&/gu, (found: string, number: string | undefined, name: string) => {
    const meant = number === undefined ? ENTITIES[name] : String.fromCodePoint(Number(number));
    if (meant === undefined) throw new Error(`not well-formed: ${found}`);
    return meant;
  });
}

/** Reads the little of XML that a report uses, and nothing that is not well-formed. */
function parseXml(document: string): Element {
  if (!CHARACTERS.test(document)) throw new Error('a character that XML does not allow');
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const token = /<\?xml version="1\.0" encoding="UTF-8"\?>|<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)|(.)/gsu;
  for (const [, end, name = '', written = '', empty, text, wrong] of document.matchAll(token)) {
    const top = open.at(-1) ?? root;
    if (wrong !== undefined || text?.includes(']]>') === true) throw new Error('not well-formed');
    if (text !== undefined) top.text += resolved(text.replace(/\r\n?/gu, '\n'));
    else if (end === '/') {
      if (open.pop()?.name !== name) throw new Error(`</${name}> ends nothing`);
    } else if (name !== '') {
      const pairs = [...written.matchAll(/ ([a-z]+)="([^"]*)"/gu)].map(([, key = '', value = '']) => [
        key,
        resolved(value.replace(/[\t\n\r]/gu, ' ')),
      ]);
      const attributes = Object.fromEntries(pairs) as Record<string, string>;
      if (Object.keys(attributes).length < pairs.length) throw new Error('an attribute twice');
      const element: Element = { name, attributes, children: [], text: '' };
      top.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  const [only, ...more] = root.children;
  if (open.length !== 1 || only === undefined || more.length > 0) throw new Error('not one whole element');
  return only;
}

const reason = 'required property "auth.mode" has no value';
const failed = pipeline('legacy', {
  state: 'failed',
  durationMs: 1250,
  findings: [{ level: 'risky', stage: 'mail', plugin: 'Email', property: 'auth.mode', reason }],
  error: { code: 'REMOTE_FAILED', status: 500, message: 'the platform refused: <a href="x">&amp;' },
  errorFile: 'failed/etl-legacy.json',
});

describe('the report for continuous integration', () => {
  it('has a test case for each pipeline and the counts of all', () => {
    const result = resultOf([
      pipeline('orders', { durationMs: 512 }),
      failed,
      pipeline('gone', { state: 'skipped', detail: 'is gone since it was listed' }),
      pipeline('fine', { state: 'current' }),
      pipeline('late', { state: 'not-run' }),
    ]);
    const suites = parseXml(junitXml(result, 3.5));
    const counts = { name: 'cdapctl upgrade', tests: '5', failures: '1', errors: '0', time: '3.500' };
    expect(suites).toMatchObject({ name: 'testsuites', attributes: counts });
    const [suite] = suites.children;
    expect(suite).toMatchObject({ name: 'testsuite', attributes: { ...counts, skipped: '3' } });
    expect(suite?.children.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['testcase', { classname: 'etl', name: 'orders', time: '0.512' }],
      ['testcase', { classname: 'etl', name: 'legacy', time: '1.250' }],
      ['testcase', { classname: 'etl', name: 'gone', time: '0.000' }],
      ['testcase', { classname: 'etl', name: 'fine', time: '0.000' }],
      ['testcase', { classname: 'etl', name: 'late', time: '0.000' }],
    ]);
    expect(suite?.children.map(({ children }) => children.map(({ name, attributes }) => [name, attributes]))).toEqual([
      [],
      [['failure', { message: 'the platform refused: <a href="x">&amp;', type: 'REMOTE_FAILED' }]],
      [['skipped', { message: 'skipped: is gone since it was listed' }]],
      [['skipped', { message: 'current' }]],
      [['skipped', { message: 'not-run' }]],
    ]);
  });

  it('says of a failure what is known', () => {
    const [suite] = parseXml(junitXml(resultOf([failed]), 0)).children;
    expect(suite?.children[0]?.children[0]?.text.split('\n')).toEqual([
      'the platform refused: <a href="x">&amp;',
      'from 6.0.0 to 6.1.1',
      `risky: stage "mail": ${reason}`,
      'the platform responded with 500',
      'request: failed/etl-legacy.json',
    ]);
  });

  it.each([
    ['upgraded', undefined],
    ['rolled-back', undefined],
    ['planned', undefined],
    ['failed', 'failure'],
    ['blocked', 'failure'],
    ['unknown', 'error'],
    ['current', 'skipped'],
    ['skipped', 'skipped'],
    ['not-run', 'skipped'],
  ] as const)('shows a pipeline that is %s as %s', (state, element) => {
    const [suite] = parseXml(junitXml(resultOf([pipeline('x', { state })]), 0)).children;
    expect(suite?.children[0]?.children.map(({ name }) => name)).toEqual(element === undefined ? [] : [element]);
    expect(suite?.attributes['failures']).toBe(element === 'failure' ? '1' : '0');
    expect(suite?.attributes['skipped']).toBe(element === 'skipped' ? '1' : '0');
  });

  it('is well-formed for every text, and gives it back but for what XML cannot hold', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(']]>', '\u0000\u001b[2J\u000b', '\ufffe', '\ud800', 'a\r\nb\tc', '"\'<>&', '\u{1f600}'),
    );
    fc.assert(
      fc.property(text, text, (name, message) => {
        const kept = (written: string): string =>
          Array.from(written, (one) => (CHARACTERS.test(one) ? one : '\ufffd')).join('');
        const one = pipeline(name, { state: 'failed', error: { code: 'BAD_ANSWER', message } });
        const [suite] = parseXml(junitXml(resultOf([one]), 0)).children;
        const [testcase] = suite?.children ?? [];
        expect(testcase?.attributes['name']).toBe(kept(name));
        expect(testcase?.children[0]?.attributes['message']).toBe(kept(message));
        expect(testcase?.children[0]?.text).toBe(`${kept(message)}\nfrom 6.0.0 to 6.1.1`);
      }),
    );
  });
});

it('of doctor has a case for each check, and only what failed as a failure', () => {
  const document = parseXml(
    findingsXml([
      { id: 'tls', state: 'ok', message: 'TLSv1.3', ms: 12 },
      { id: 'token', state: 'warn', message: 'others <can> read it', fix: 'chmod 600 a&b', ms: 1 },
      { id: 'network', state: 'fail', message: 'no "connection"', fix: 'cdapctl doctor', ms: 2500 },
    ]),
  );
  const [suite] = document.children;
  expect(suite?.attributes).toEqual({
    ...{ name: 'cdapctl doctor', tests: '3', failures: '1', errors: '0', time: '2.500', skipped: '0' },
  });
  expect(
    suite?.children.map(({ attributes, children: [said] }) => [attributes['name'], said?.name, said?.text]),
  ).toEqual([
    ['tls', 'system-out', 'TLSv1.3'],
    ['token', 'system-out', 'warning: others <can> read it\nfix: chmod 600 a&b'],
    ['network', 'failure', 'no "connection"\nfix: cdapctl doctor'],
  ]);
});
