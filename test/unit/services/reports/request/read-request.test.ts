import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REPORT_FIELDS } from '../../../../../src/services/reports/request/fields.js';
import { readRequest } from '../../../../../src/services/reports/request/read-request.js';

interface Exchange {
  readonly id: string;
  readonly request: { readonly method: string; readonly path: string; readonly body?: string };
  readonly response: { readonly status: number; readonly body: string };
}

const FIXTURES = join(import.meta.dirname, '../../../../fixtures/recordings');
const generations = ['6.1.1', '6.11.0'].flatMap((version) => {
  const all = JSON.parse(readFileSync(join(FIXTURES, version, 'reports.json'), 'utf8')) as Exchange[];
  return all
    .filter(({ request }) => request.method === 'POST' && request.path.endsWith('/methods/reports'))
    .map((exchange) => [version, exchange.id, exchange] as const);
});

/** What the platform judged by the content: not that it was away, and not that it had too much to do. */
const judged = generations.filter(
  ([, , { response }]) => response.status !== 503 && !response.body.includes('rejected from java.util.concurrent'),
);

function problemsOf(body: string | undefined): readonly string[] {
  try {
    return readRequest(JSON.parse(body ?? '') as unknown).problems;
  } catch {
    return ['no JSON'];
  }
}

describe('the requests that real platforms judged', () => {
  it('are many, of both kinds', () => {
    expect(judged.filter(([, , { response }]) => response.status !== 200).length).toBeGreaterThan(50);
    expect(judged.filter(([, , { response }]) => response.status === 200).length).toBeGreaterThan(20);
  });

  it.for(judged)('are judged alike here: %s %s', ([, , { request, response }]) => {
    const problems = problemsOf(request.body);
    expect(problems.length > 0 ? 'refused' : 'taken').toBe(response.status === 200 ? 'taken' : 'refused');
  });
});

const good = { name: 'n', start: 10, end: 20, fields: ['program'], filters: [] };

describe('the check of a request', () => {
  it('names everything that is wrong at once', () => {
    const filters = [{ fieldName: 'namespace' }, { fieldName: 'durations', range: {} }, 7];
    const sort = [{ fieldName: 'user', order: 'ASCENDING' }];
    expect(readRequest({ start: 5, end: 1, fields: ['nope', 'statu'], filters, sort }).problems).toEqual([
      'start must be before end (start 5, end 1)',
      'fields: unknown field "nope"',
      'fields: unknown field "statu"; did you mean status?',
      'filters[0], field namespace: whitelist or blacklist must have a value',
      'filters[1]: unknown field "durations"; did you mean duration?',
      'filters[2] must be an object',
      'sort: field user cannot be used for sorting; use start, running, end, duration, numLogWarnings, numLogErrors, numRecordsOut',
    ]);
  });

  it.for([
    [
      {
        sort: [
          { fieldName: 'start', order: 'ASCENDING' },
          { fieldName: 'end', order: 'ASCENDING' },
        ],
      },
      'only one sort field',
    ],
    [{ sort: [{ fieldName: 'start', order: 'ascending' }] }, 'field start: order must be ASCENDING or DESCENDING'],
    [{ filters: [{ fieldName: 'user', range: { min: 1 } }] }, 'field user: a text field'],
    [{ filters: [{ fieldName: 'user', whitelist: [1] }] }, 'whitelist must be a list of strings'],
    [{ filters: [{ fieldName: 'end', whitelist: ['1'] }] }, 'field end: a numeric field needs a range, not whitelist'],
    [{ filters: [{ fieldName: 'end', blacklist: ['1'] }] }, 'field end: a numeric field needs a range, not blacklist'],
    [{ filters: [{ fieldName: 'end', range: { min: 2, max: 2 } }] }, 'min must be smaller than max'],
    [{ filters: [{ fieldName: 'end', range: { min: 1.5 } }] }, 'min must be an integer'],
    [
      { filters: [{ fieldName: 'runtimeArgs', whitelist: ['a'] }] },
      'field runtimeArgs: this field cannot be used in a filter',
    ],
    [{ filters: [{ whitelist: ['a'] }] }, 'filters[0]: the name of a field is missing'],
    [{ filters: {} }, 'filters must be a list'],
    [{ sort: {} }, 'sort must be a list'],
    [{ name: 7 }, 'name must be a string'],
    [{ start: 1.5 }, 'start must be an integer (epoch seconds)'],
    [{ end: null }, 'end is missing'],
  ] as const)('refuses %j', ([change, words]) => {
    expect(readRequest({ ...good, ...change }).problems.join('\n')).toContain(words);
  });

  it('says one sentence about each fault and about nothing else', () => {
    const names = fc.constantFrom(...REPORT_FIELDS.map(({ name }) => name), 'nope', 'Status', '');
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 5 }), (fields) => {
        const wrong = fields.filter((name) => !REPORT_FIELDS.some((field) => field.name === name));
        expect(readRequest({ ...good, fields }).problems).toHaveLength(wrong.length);
      }),
    );
  });

  it('never fails, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (fields, filters, sort) => {
        expect(Array.isArray(readRequest({ ...good, fields, filters: [filters], sort: [sort] }).problems)).toBe(true);
        expect(Array.isArray(readRequest(fields).problems)).toBe(true);
      }),
    );
  });
});

describe('the reading of a request', () => {
  it('always has filters, numbers for digits, and no members that nobody knows', () => {
    const { request, problems } = readRequest({
      start: '12',
      end: 20,
      fields: ['program', 'program'],
      colour: 'red',
      sort: [],
    });
    expect(problems).toEqual([]);
    expect(request).toEqual({ name: '', start: 12, end: 20, fields: ['program'], filters: [] });
  });

  it('gives back what it was given when nothing is wrong', () => {
    const request = {
      ...good,
      filters: [
        { fieldName: 'status', blacklist: ['FAILED'] },
        { fieldName: 'duration', range: { min: 1, max: 9 } },
      ],
      sort: [{ fieldName: 'end', order: 'DESCENDING' }],
    };
    expect(readRequest(request)).toEqual({ request, problems: [] });
  });
});
