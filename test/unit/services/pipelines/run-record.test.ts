import { describe, expect, it } from 'vitest';
import { givenTo, isOver, pipelineRun, unsureProfile } from '../../../../src/services/pipelines/run-record.js';

const given = (runtimeArgs: unknown) => ({ runid: 'r', status: 'RUNNING', properties: { runtimeArgs } });

describe('a run', () => {
  it('has its times as numbers and texts, and its duration from when it was asked for', () => {
    const times = { starting: 1_700_000_000, start: 1_700_000_005, end: 1_700_000_060 };
    const record = { runid: 'r', status: 'FAILED', version: 'v', properties: {}, ...times };
    expect(pipelineRun(record)).toEqual({
      ...{ runid: 'r', status: 'FAILED', version: 'v', ...times, durationSeconds: 60 },
      ...{ startingAt: '2023-11-14T22:13:20Z', startAt: '2023-11-14T22:13:25Z', endAt: '2023-11-14T22:14:20Z' },
    });
  });

  it.each([
    [{ starting: 10 }, undefined],
    [{ end: 10 }, undefined],
    [{ starting: 10, end: 10 }, 0],
    // Clocks of two machines.
    [{ starting: 10, end: 8 }, 0],
  ])('with the times %j has the duration %s', (times, seconds) => {
    expect(pipelineRun({ runid: 'r', status: 'KILLED', properties: {}, ...times }).durationSeconds).toBe(seconds);
  });

  it.each([undefined, 7, '', '{', '[]', '{"a":1}'])('has no arguments where they are %j', (text) => {
    expect(pipelineRun(given(text))).toEqual({ runid: 'r', status: 'RUNNING' });
  });

  it('has the arguments that people gave, not those that the platform adds', () => {
    const own = { 'my.system.x': '1', 'app.logical.start.time': '2', 'logical.start.time.zone': '3', xappDetails: '4' };
    const added = {
      ...{ 'system.profile.name': 'x', 'logical.start.time': '1', pluginRequirements: '[]', appDetails: '{}' },
      ...{ scheduleName: 'nightly', 'programNameInWorkflow.x': 'y' },
    };
    const near = { 'pluginRequirements.x': '1', 'appDetails.x': '2', 'scheduleName.x': '3', myscheduleName: '4' };
    const text = JSON.stringify({ ...own, ...added, ...near });
    expect(pipelineRun(given(text))).toEqual({
      ...{ runid: 'r', status: 'RUNNING', scheduleName: 'nightly' },
      runtimeArgs: { ...own, ...near },
    });
  });

  it.each([
    [
      'once it started, all that a person chose',
      5,
      { 'system.profile.name': 'USER:big', 'system.profile.properties.x': '1' },
    ],
    ['before it started, none of a compute profile, which the platform mixes with its own', undefined, {}],
  ])('has, %s', (_, start, ofProfile) => {
    const own = { 'system.resources.memory': '1024', 'system.log.level': 'DEBUG' };
    const added = { 'system.namespace.config.scheduler.queue.name': '', 'system.profile.provisioner': 'native' };
    const profile = { 'system.profile.name': 'USER:big', 'system.profile.properties.x': '1' };
    const text = JSON.stringify({ ...own, ...added, ...profile });
    expect(givenTo({ ...given(text), start })).toEqual({ ...own, ...ofProfile });
    expect(givenTo({ ...given('{"system.profile.name":"SYSTEM:native"}'), start })).toEqual({});
    expect(unsureProfile({ ...given(text), start })).toBe(start === undefined ? 'USER:big' : undefined);
  });

  it('shows values that look secret only where they are asked for', () => {
    const text = JSON.stringify({ 'db.password': 's3cret', day: 'monday' });
    expect(pipelineRun(given(text)).runtimeArgs).toEqual({ 'db.password': '***', day: 'monday' });
    expect(pipelineRun(given(text), false).runtimeArgs).toEqual({ 'db.password': '***', day: 'monday' });
    expect(pipelineRun(given(text), true).runtimeArgs).toEqual({ 'db.password': 's3cret', day: 'monday' });
  });
});

describe('the status of a run', () => {
  it.each([
    ...(['COMPLETED', 'FAILED', 'KILLED', 'REJECTED'] as const).map((status) => [status, true] as const),
    ...(['PENDING', 'STARTING', 'RUNNING', 'STOPPING', 'SUSPENDED', 'XFAILED', 'FAILEDX'] as const).map(
      (status) => [status, false] as const,
    ),
  ])('%s is an end: %s', (status, over) => {
    expect(isOver(status)).toBe(over);
  });
});
