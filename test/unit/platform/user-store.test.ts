import { describe, expect, it } from 'vitest';
import { draftTexts, goneFrom, withDraft, withParts } from '../../../src/platform/user-store.js';

const pathsGone = (before: string, after: string): string[] =>
  goneFrom(before, after).map(({ path }) => path.join('.'));

describe('the drafts in the settings of a user', () => {
  it('are the texts that stand there', () => {
    const settings = '{"hydratorDrafts":{"sales":{"d1":{"n":512.0}},"default":{"d2":null}}}';
    expect([...draftTexts(settings, 'sales')]).toEqual([['d1', '{"n":512.0}']]);
    expect([...draftTexts(settings, 'nowhere')]).toEqual([]);
    expect([...draftTexts('{"hydratorDrafts":null}', 'sales')]).toEqual([]);
  });

  it.for(['[]', '"x"', '{"hydratorDrafts":[]}', '{"hydratorDrafts":{"sales":7}}'])(
    'are not guessed in %s',
    (settings) => {
      expect(() => draftTexts(settings, 'sales')).toThrow('not an object');
    },
  );

  it('are added without a change of anything else', () => {
    const settings = '{ "a":1e3 ,"hydratorDrafts":{"sales":{"d1":{}} }, "b":null}';
    expect(withDraft(settings, 'sales', 'd2', '{"x":1}')).toBe(
      '{ "a":1e3 ,"hydratorDrafts":{"sales":{"d1":{},"d2":{"x":1}} }, "b":null}',
    );
    expect(withDraft('{}', 'sales', 'd1', '{}')).toBe('{"hydratorDrafts":{"sales":{"d1":{}}}}');
  });
});

describe('what is gone from settings', () => {
  const before = '{"a":1,"hydratorDrafts":{"sales":{"d1":{"x":1},"d2":{}},"default":{}},"list":[1]}';

  it.for([
    ['nothing', before, []],
    ['nothing that was changed', before.replace('"x":1', '"y":2').replace('[1]', '[]'), []],
    ['a setting', before.replace('"a":1,', ''), ['a']],
    ['a draft', before.replace('"d1":{"x":1},', ''), ['hydratorDrafts.sales.d1']],
    ['the drafts of a namespace', before.replace(',"default":{}', ''), ['hydratorDrafts.default']],
    ['all drafts and a list', '{"a":1}', ['hydratorDrafts', 'list']],
    ['no drafts where something else has taken their place', '{"a":1,"hydratorDrafts":[],"list":[1]}', []],
  ] as const)('is %s', ([, after, gone]) => {
    expect(pathsGone(before, after)).toEqual(gone);
    expect(pathsGone(before, withParts(after, goneFrom(before, after)))).toEqual([]);
  });
});
