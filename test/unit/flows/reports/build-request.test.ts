import { describe, expect, it } from 'vitest';
import { buildRequest, DEFAULT_FIELDS, type RequestParts } from '../../../../src/flows/reports/build-request.js';
import { parseFilter } from '../../../../src/flows/reports/parse-filter.js';
import { readRequest } from '../../../../src/services/reports/request/read-request.js';
import { thrownBy } from '../../../support/errors.js';

const NOW = Date.UTC(2024, 4, 2, 22, 0, 30);
const DAY = 86_400;

describe('a filter of the command line', () => {
  it.for([
    ['status=FAILED,KILLED', { fieldName: 'status', whitelist: ['FAILED', 'KILLED'] }],
    [' status = failed ', { fieldName: 'status', whitelist: ['FAILED'] }],
    ['status=rejected,PENDING,STOPPING', { fieldName: 'status', whitelist: ['REJECTED', 'PENDING', 'STOPPING'] }],
    ['status!=STOPPED', { fieldName: 'status', blacklist: ['STOPPED', 'KILLED'] }],
    ['user!=alice,bob', { fieldName: 'user', blacklist: ['alice', 'bob'] }],
    ['applicationName=a=b', { fieldName: 'applicationName', whitelist: ['a=b'] }],
    ['programType=workflow,MAPREDUCE', { fieldName: 'programType', whitelist: ['Workflow', 'Mapreduce'] }],
    ['startMethod=manual', { fieldName: 'startMethod', whitelist: ['MANUAL'] }],
    ['duration>=60', { fieldName: 'duration', range: { min: 60 } }],
    ['duration>60', { fieldName: 'duration', range: { min: 61 } }],
    ['duration<5m', { fieldName: 'duration', range: { max: 300 } }],
    ['duration<=60', { fieldName: 'duration', range: { max: 61 } }],
    ['duration=60..2h', { fieldName: 'duration', range: { min: 60, max: 7200 } }],
    ['duration=..60', { fieldName: 'duration', range: { max: 60 } }],
    ['start=2024-05-01..2024-05-02', { fieldName: 'start', range: { min: 1714521600, max: 1714608000 } }],
    ['end>=now-1h', { fieldName: 'end', range: { min: NOW / 1000 - 3600 } }],
    ['numLogErrors>=1', { fieldName: 'numLogErrors', range: { min: 1 } }],
  ] as const)('%s', ([text, filter]) => {
    const parsed = parseFilter(text, NOW);
    expect(parsed.filter).toEqual(filter);
    expect(readRequest({ start: 1, end: 2, fields: ['run'], filters: [parsed.filter] }).problems).toEqual([]);
  });

  it.for([
    ['', 'is not a filter'],
    ['status', 'is not a filter'],
    ['=FAILED', 'is not a filter'],
    ['statu=FAILED', 'did you mean status?'],
    ['status=', 'a value is missing'],
    ['status=FAILED,', 'a value is missing'],
    ['status=BROKEN', 'field status is never "BROKEN"'],
    ['programType=Robot', 'field programType is never "Robot": it is Workflow, Spark, '],
    ['programType!=Wrkflow', 'field programType is never "Wrkflow"'],
    ['status>=FAILED', 'field status is text'],
    ['runtimeArgs=a', 'field runtimeArgs cannot be used in a filter'],
    ['duration=60', 'field duration needs a range'],
    ['duration=..', 'field duration needs a range'],
    ['duration!=60', 'field duration is numeric'],
    ['duration>=x', 'field duration'],
    ['duration=60..60', 'the start of the range must be below its end'],
    ['numLogErrors>=1h', 'field numLogErrors needs an integer'],
    ['start>=lately', 'field start'],
  ] as const)('refuses %s', ([text, words]) => {
    const error = thrownBy(() => parseFilter(text, NOW));
    expect(error.code).toBe('USAGE');
    expect(error.message).toContain(words);
  });

  it('names the program type that was meant, which a request of a file may lack', () => {
    const { details } = thrownBy(() => parseFilter('programType=wrkflow', NOW));
    expect(details.hints).toEqual(['Did you mean "Workflow"?']);
    const filters = [{ fieldName: 'programType', whitelist: ['Robot'] }];
    const base = { what: 'a.json', value: { start: 1, end: 2, fields: ['run'], filters } };
    expect(buildRequest({ base, values: {} }, NOW).request.filters).toEqual(filters);
    const values = { programType: ['Workflow', 'Wrkflow'] };
    expect(thrownBy(() => buildRequest({ last: 1000, values }, NOW)).message).toContain('never "Wrkflow"');
  });

  it('says what became of STOPPED', () => {
    expect(parseFilter('status=STOPPED', NOW).notes[0]).toContain('STOPPED and KILLED');
    expect(parseFilter('user!=alice', NOW).notes[0]).toContain('unknown user');
    expect(parseFilter('status=KILLED', NOW).notes).toEqual([]);
  });

  it('says which statuses the service of the platform does not know', () => {
    const notes = ['the report service does not know runs with status PENDING; use --engine runs'];
    expect(parseFilter('status=FAILED,PENDING', NOW).notes).toEqual(notes);
    expect(parseFilter('status!=REJECTED', NOW).notes).toEqual([]);
    expect(parseFilter('status=STOPPING', NOW).notes).toEqual([]);
  });
});

describe('a request put together', () => {
  const none: RequestParts = { values: {} };

  it('has a window, the default fields, filters and a name that can be read', () => {
    const values = { namespace: ['etl'], status: ['FAILED'], user: undefined };
    const { request } = buildRequest({ last: DAY * 1000, values }, NOW);
    expect(request).toEqual({
      name: 'etl FAILED 2024-05-01 22:00 to 2024-05-02 22:00 UTC',
      start: NOW / 1000 - DAY,
      end: NOW / 1000,
      fields: DEFAULT_FIELDS,
      filters: [
        { fieldName: 'namespace', whitelist: ['etl'] },
        { fieldName: 'status', whitelist: ['FAILED'] },
        { fieldName: 'program', whitelist: ['DataPipelineWorkflow', 'DataStreamsSparkStreaming'] },
      ],
    });
    expect(readRequest(request).problems).toEqual([]);
    expect(buildRequest({ last: DAY * 1000, values: {} }, NOW).request.name).toMatch(/^all runs 2024-05-01/u);
  });

  it.for<[string, Partial<RequestParts>, readonly string[]]>([
    ['nothing else', {}, ['program', 'namespace']],
    ['a namespace', { values: { namespace: ['etl'] } }, ['namespace', 'program']],
    ['all programs', { allPrograms: true }, []],
    ['a type of programs', { values: { programType: ['Spark'] } }, ['programType']],
    ['a program', { filters: ['program=phase-1'] }, ['program']],
    ['a run', { filters: ['run=5d9c0a70-e569-11f1-a52d-acde48001122'] }, ['run']],
    ['a request that is there', { base: { what: 'r.json', value: { start: 1, end: 2 } } }, []],
    [
      'all programs of a request that is there',
      {
        base: {
          what: 'r.json',
          value: { start: 1, end: 2, filters: [{ fieldName: 'program', whitelist: ['DataPipelineWorkflow'] }] },
        },
        allPrograms: true,
      },
      [],
    ],
  ])('holds one record for each run of a pipeline unless told otherwise: %s', ([, parts, fields]) => {
    const { request } = buildRequest({ ...none, last: 1000, ...parts }, NOW);
    expect(request.filters.map(({ fieldName }) => fieldName)).toEqual(fields);
  });

  it('takes fields one by one, with commas, or all', () => {
    const fieldsOf = (fields: readonly string[]): readonly string[] =>
      buildRequest({ ...none, last: 1000, fields }, NOW).request.fields;
    expect(fieldsOf(['run', 'status,user'])).toEqual(['run', 'status', 'user']);
    expect(fieldsOf(['all'])).toHaveLength(20);
  });

  it.for([
    [{ start: 'now-2h' }, NOW / 1000 - 7200, NOW / 1000],
    [{ start: '2024-05-01', end: '2024-05-02' }, 1714521600, 1714608000],
    [{ end: '2024-05-02', last: 3_600_000 }, 1714608000 - 3600, 1714608000],
  ] as const)('has the window of %j', ([parts, start, end]) => {
    expect(buildRequest({ ...none, ...parts }, NOW).request).toMatchObject({ start, end });
  });

  it('sorts by one field, upwards unless told', () => {
    const sorted = (sorts: readonly string[]): unknown =>
      buildRequest({ ...none, last: 1000, sorts }, NOW).request.sort;
    expect(sorted(['duration:desc'])).toEqual([{ fieldName: 'duration', order: 'DESCENDING' }]);
    expect(sorted(['end'])).toEqual([{ fieldName: 'end', order: 'ASCENDING' }]);
    expect(thrownBy(() => sorted(['start', 'end']))).toMatchObject({
      code: 'USAGE',
      message: 'sort: only one sort field is allowed, not 2',
    });
    expect(thrownBy(() => sorted(['start:up'])).message).toContain('write start:asc or start:desc');
  });

  it.for([
    [{ last: 0 }, 'it starts at 2024-05-02T22:00:30Z and ends at the same time'],
    [
      { start: '2024-05-02T00:00:00Z', end: '2024-05-01T00:00:00Z' },
      'it starts at 2024-05-02T00:00:00Z and ends at 2024-05-01T00:00:00Z',
    ],
  ] as const)('is refused for an empty window, in times that people write: %j', ([parts, words]) => {
    const error = thrownBy(() => buildRequest({ ...none, ...parts }, NOW));
    expect(error.message).toBe(`the time window is empty: ${words}`);
    expect(error.details.hints).toContain('--last 24h');
  });

  it('names the command that lists fields once, and no field twice', () => {
    const error = thrownBy(() => buildRequest({ ...none, last: 1000, fields: ['x'], sorts: ['foo', 'bar'] }, NOW));
    expect(error.details.hints).toEqual(['cdapctl report fields']);
    expect(error.details.lines?.join('\n')).not.toContain('artifactScope');
  });

  it('changes only what the line says of a request that was given', () => {
    const value = {
      name: 'nightly',
      start: 10,
      end: 20,
      fields: ['run'],
      filters: [
        { fieldName: 'status', whitelist: ['FAILED'] },
        { fieldName: 'user', whitelist: ['bob'] },
      ],
      sort: [{ fieldName: 'end', order: 'DESCENDING' }],
    };
    const base = { what: 'the file', value };
    expect(buildRequest({ ...none, base }, NOW).request).toEqual(value);
    const { request } = buildRequest({ base, fields: ['all'], filters: ['user!=eve'], values: {} }, NOW);
    expect(request.fields).toHaveLength(20);
    expect(request.filters).toEqual([
      { fieldName: 'status', whitelist: ['FAILED'] },
      { fieldName: 'user', blacklist: ['eve'] },
    ]);
    expect(request).toMatchObject({ name: 'nightly', start: 10, end: 20, sort: value.sort });
  });

  it.for([
    [{ start: '2024-05-01' }, 1714600000],
    [{ start: '2024-05-01', end: '2024-05-02' }, 1714608000],
    [{ last: 1000 }, NOW / 1000],
  ] as const)('keeps the end of a request that was given unless the line says one: %j', ([parts, end]) => {
    const base = { what: 'the file', value: { start: 10, end: 1714600000, fields: ['run'], filters: [] } };
    expect(buildRequest({ ...none, ...parts, base }, NOW).request.end).toBe(end);
  });

  it('names every fault of the line and of the file at once', () => {
    const base = { what: 'request.json', value: { end: 5, fields: ['nope'], filters: [{ fieldName: 'user' }] } };
    const error = thrownBy(() => buildRequest({ base, filters: ['statu=X'], sorts: ['user'], values: {} }, NOW));
    expect(error).toMatchObject({ code: 'USAGE', message: 'request.json has 5 errors' });
    expect(error.details.lines?.join('\n')).toMatch(
      /statu[^]*start is missing[^]*nope[^]*field user[^]*sort: field user/u,
    );
  });

  it.for([[[]], ['x'], [null]])('refuses %j as a request', ([value]) => {
    const error = thrownBy(() => buildRequest({ ...none, last: 1000, base: { what: 'the file', value } }, NOW));
    expect(error.details.lines?.[0] ?? error.message).toContain('must be a JSON object');
  });

  it.for<[string, Partial<RequestParts>, string]>([
    ['a length of time', { filters: ['duration>=60'] }, 'duration>=60 2024-05-01 22:00 to 2024-05-02 22:00 UTC'],
    ['others', { filters: ['user!=eve', 'duration=60..2h'] }, 'user!=eve duration=60..7200 2024-05-01 22:00 to'],
    ['an end', { filters: ['end<2024-05-02'] }, 'end<2024-05-02 00:00 2024-05-01 22:00 to'],
    ['a pipeline', { values: { pipeline: ['etl/a', 'etl/b'] } }, 'etl/a etl/b 2024-05-01 22:00 to'],
    ['a type that is left out', { filters: ['programType!=Spark'] }, 'programType!=Spark 2024-05-01'],
    ['a program', { filters: ['program=phase-1'] }, 'program=phase-1 2024-05-01'],
    ['a start in the window', { filters: ['start>=2024-05-02'] }, 'all runs 2024-05-02 00:00 to 2024-05-02 22:00 UTC'],
    ['all but the usual', { allPrograms: true }, 'all runs 2024-05-01 22:00 to 2024-05-02 22:00 UTC'],
  ])('is named after what it selects: %s', ([, parts, name]) => {
    expect(buildRequest({ ...none, last: DAY * 1000, ...parts }, NOW).request.name).toMatch(
      new RegExp(`^${name.replace(/[.*+?]/gu, '\\$&')}`, 'u'),
    );
  });

  it('takes the window from a filter by start where nothing else says one', () => {
    const [start, end] = [Date.UTC(2024, 4, 1) / 1000, Date.UTC(2024, 4, 2) / 1000];
    const window = (filters: readonly string[], base?: RequestParts['base']): unknown => {
      const { request } = buildRequest({ ...none, filters, base }, NOW);
      return [request.start, request.end];
    };
    expect(window(['start=2024-05-01..2024-05-02'])).toEqual([start, end]);
    expect(window(['start>=2024-05-01', 'start<2024-05-02'])).toEqual([start, end]);
    expect(window(['start>=2024-05-01'])).toEqual([start, Math.ceil(NOW / 1000)]);
    const value = { start: 10, end: 1714700000, fields: ['run'], filters: [] };
    expect(window(['start>=2024-05-01'], { what: 'r.json', value })).toEqual([start, 1714700000]);
    expect(thrownBy(() => window(['start<2024-05-02'])).message).toContain('missing start');
    const { message } = thrownBy(() => window(['start>=lately']));
    expect(message).toContain('filter "start>=lately"');
  });

  it('asks for a window and says how', () => {
    const error = thrownBy(() => buildRequest(none, NOW));
    expect(error.message).toContain('missing start');
    expect(error.details.hints).toContain('--last 24h');
  });
});
