import { describe, expect, it } from 'vitest';
import { passes, pickFields, programTypeOf, recordOf } from '../../../../../src/services/reports/runs/run-record.js';
import type { ReportFilter } from '../../../../../src/services/reports/request/request.js';

const run: Parameters<typeof recordOf>[0] = {
  ...{ namespace: 'etl', application: { name: 'orders', version: '-SNAPSHOT' }, type: 'WORKFLOW', program: 'Flow' },
  ...{ run: 'r', startMethod: 'MANUAL', start: 100 },
};
const bare = {
  ...{ artifactScope: null, artifactName: null, artifactVersion: null },
  ...{ applicationName: 'orders', applicationVersion: '-SNAPSHOT', program: 'Flow', programType: 'Workflow', run: 'r' },
  ...{ status: null, start: 100, running: null, end: null, duration: null, namespace: 'etl', user: null },
  ...{ startMethod: 'MANUAL', runtimeArgs: null, numLogWarnings: 0, numLogErrors: 0, numRecordsOut: 0 },
};

describe('a record of a report', () => {
  it('has null for what is not known', () => {
    expect(recordOf(run)).toEqual(bare);
  });

  it('has all that is', () => {
    const whole = {
      ...{ ...run, status: 'FAILED', running: 110, end: 130, user: 'joe' },
      artifact: { name: 'a', version: '1', scope: 'SYSTEM' },
    };
    expect(recordOf(whole, { runtimeArgs: { day: '1' }, version: 'v2' })).toEqual({
      ...{ ...bare, artifactScope: 'SYSTEM', artifactName: 'a', artifactVersion: '1', applicationVersion: 'v2' },
      ...{ status: 'FAILED', running: 110, end: 130, duration: 30, user: 'joe', runtimeArgs: { day: '1' } },
    });
  });

  it.each([
    ['WORKFLOW', 'Workflow'],
    ['Spark', 'Spark'],
    ['', ''],
  ])('has the type %j as %j', (type, text) => {
    expect(programTypeOf(type)).toBe(text);
  });

  it.each([
    [['run'], { run: 'r', program: 'Flow' }],
    [['program', 'end', 'none'], { program: 'Flow', end: null, none: null }],
    [[], { program: 'Flow' }],
  ])('with the fields %j has the program, too', (fields, picked) => {
    const found = pickFields(bare, fields);
    expect(found).toEqual(picked);
    expect(Object.keys(found)).toEqual(Object.keys(picked));
  });
});

describe('a filter', () => {
  const range = (given: object): ReportFilter => ({ fieldName: 'start', range: given });
  it.each<[string, readonly ReportFilter[], boolean]>([
    ['none', [], true],
    ['a value of the list', [{ fieldName: 'run', whitelist: ['x', 'r'] }], true],
    ['a number of the list', [{ fieldName: 'start', whitelist: ['100'] }], true],
    ['no value of the list', [{ fieldName: 'run', whitelist: ['x'] }], false],
    ['a value that is left out', [{ fieldName: 'run', blacklist: ['x', 'r'] }], false],
    ['no value that is left out', [{ fieldName: 'run', blacklist: ['x'] }], true],
    ['a value that is not known', [{ fieldName: 'status', blacklist: ['x'] }], false],
    ['a pipeline with its namespace', [{ fieldName: 'pipeline', whitelist: ['etl/orders'] }], true],
    ['a pipeline of another namespace', [{ fieldName: 'pipeline', whitelist: ['dev/orders'] }], false],
    ['its least value', [range({ min: 100 })], true],
    ['more than its least value', [range({ min: 101 })], false],
    ['its end', [range({ max: 100 })], false],
    ['less than its end', [range({ max: 101 })], true],
    ['any number', [range({})], true],
    ['one of two', [range({ min: 1 }), range({ min: 200 })], false],
  ])('about %s', (_, filters, isPassed) => {
    expect(passes(bare, filters)).toBe(isPassed);
  });
});
