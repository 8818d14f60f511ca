import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSpecification } from '../../../src/hub/specification.js';

const SAMPLES = resolve(import.meta.dirname, '../../fixtures/hub/packages');
const read = (value: unknown) =>
  readSpecification(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)), 'spec.json');
const withAction = (action: unknown) => ({ label: 'A', actions: [action] });
const refusedAs = (code: string) => expect.objectContaining({ code }) as Error;

describe('readSpecification', () => {
  const samples = readdirSync(SAMPLES).flatMap((name) =>
    readdirSync(join(SAMPLES, name)).map((version) => join(name, version)),
  );

  it.each(samples)('reads %s without a warning', (place) => {
    const bytes = readFileSync(join(SAMPLES, place, 'spec.json'));
    const specification = readSpecification(bytes, place);
    const raw = JSON.parse(bytes.toString()) as {
      actions: { type: string; arguments: { name: string; value: unknown }[] }[];
    };
    expect(specification.problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
    expect(specification.raw).toEqual(raw);
    expect(specification.actions.map(({ n }) => n)).toEqual(raw.actions.map((_, index) => index + 1));
    expect(specification.actions.map(({ type }) => type)).toEqual(raw.actions.map(({ type }) => type));
    expect(specification.actions.map((action) => action.arguments.map(({ name, value }) => ({ name, value })))).toEqual(
      raw.actions.map((action) => action.arguments.map(({ name, value }) => ({ name, value }))),
    );
  });

  it('reads canModify as a boolean or as text, absent is false', () => {
    const flags = [true, false, 'true', 'false', null, undefined];
    const { actions } = read(
      withAction({
        type: 't',
        arguments: flags.map((canModify, index) => ({ name: `a${index}`, value: 1, canModify })),
      }),
    );
    expect(actions[0]?.arguments.map(({ canModify }) => canModify)).toEqual([true, false, true, false, false, false]);
  });

  it('keeps unknown types, values of any type and a missing label', () => {
    const action = { type: 'brew_coffee', extra: 1, arguments: [{ name: 'x', value: { deep: [1] } }, { name: 'y' }] };
    expect(read(withAction(action)).actions).toEqual([
      {
        n: 1,
        type: 'brew_coffee',
        label: undefined,
        arguments: [
          { name: 'x', value: { deep: [1] }, canModify: false },
          { name: 'y', value: undefined, canModify: false },
        ],
        raw: action,
      },
    ]);
  });

  it.each([[{ label: 'A' }], [{ label: 'A', actions: [] }], [{ label: 'A', actions: null }]])(
    'reads %j as a package without actions',
    (document) => {
      expect(read(document).actions).toEqual([]);
    },
  );

  it('reads an action without arguments', () => {
    expect(read(withAction({ type: 'deploy_app' })).actions[0]?.arguments).toEqual([]);
  });

  it.each([
    ['actions that are no list', { actions: {} }],
    ['an action that is no object', withAction('x')],
    ['an action without a type', withAction({ label: 'x' })],
    ['a type that is no text', withAction({ type: 3 })],
    ['a label that is no text', withAction({ type: 't', label: {} })],
    ['arguments that are no list', withAction({ type: 't', arguments: { name: 'x' } })],
    ['an argument that is no object', withAction({ type: 't', arguments: [1] })],
    ['an argument without a name', withAction({ type: 't', arguments: [{ value: 1 }] })],
    [
      'canModify that is neither true nor false',
      withAction({ type: 't', arguments: [{ name: 'a', value: 1, canModify: 'yes' }] }),
    ],
    [
      'an argument given twice',
      withAction({
        type: 't',
        arguments: [
          { name: 'a', value: 1 },
          { name: 'a', value: 1 },
        ],
      }),
    ],
  ])('refuses %s', (_, document) => {
    expect(() => read(document)).toThrow(refusedAs('BAD_ACTION'));
  });

  it.each([
    ['an array', '[]', 'BAD_JSON'],
    ['a member named twice', '{"label":"a","label":"b"}', 'DUP_KEY'],
    ['100,000 levels', '['.repeat(100_000), 'TOO_DEEP'],
  ])('refuses %s', (_, document, code) => {
    expect(() => read(document)).toThrow(refusedAs(code));
  });

  it('names the action in the error', () => {
    const document = { actions: [{ type: 'a' }, { type: 'b', arguments: [{}] }] };
    expect(() => read(document)).toThrow('an argument of action 2 of spec.json (b) has no name');
  });

  it('reports fields of a wrong kind, which an install refuses', () => {
    expect(
      read({ label: 'A', description: '', author: '', org: '', categories: [], created: '12', actions: [] }).problems,
    ).toMatchObject([{ severity: 'warning', code: 'BAD_FIELD' }]);
  });
});
