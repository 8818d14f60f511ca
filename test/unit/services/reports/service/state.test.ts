import { describe, expect, it } from 'vitest';
import { CliError, type ErrorCode } from '../../../../../src/core/errors.js';
import { reportArtifact, reportServiceState } from '../../../../../src/services/reports/service/state.js';
import { fakePlatform, type FakeAnswer } from '../fake-platform.js';

const APP = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark';
const { signal } = new AbortController();

interface Answers {
  readonly status?: FakeAnswer;
  readonly health?: FakeAnswer;
  /** How the connection ends on which the health is asked for. */
  readonly breaks?: ErrorCode;
  readonly artifacts?: readonly string[];
}

function serving(answers: Answers) {
  return fakePlatform((request) => {
    if (request === `GET ${APP}/status`) return answers.status;
    if (request === `GET ${APP}/methods/health`) {
      if (answers.breaks !== undefined) throw new CliError(answers.breaks, 'the connection broke');
      return answers.health;
    }
    if (request !== 'GET /v3/namespaces/default/artifacts') return undefined;
    const artifacts = (answers.artifacts ?? []).map((text) => {
      const [name, version, scope] = text.split(' ');
      return { name, version, scope };
    });
    return { body: artifacts };
  });
}

describe('the state of the report service', () => {
  const cases = [
    ['no-artifact', {}],
    ['no-artifact', { artifacts: ['cdap-program-report 6.1.1 USER', 'cdap-data-pipeline 6.1.1 SYSTEM'] }],
    ['absent', { artifacts: ['cdap-program-report 6.1.1 SYSTEM'] }],
    ['stopped', { status: { body: { status: 'STOPPED' } } }],
    ['starting', { status: { body: { status: 'STARTING' } } }],
    ['starting', { status: { body: { status: 'RUNNING' } }, health: { status: 503, body: 'No discoverable found' } }],
    ['running', { status: { body: { status: 'RUNNING' } }, health: {} }],
  ] as const;
  it.each(cases)('is %s for %j', async (state, answers) => {
    expect(await reportServiceState(serving(answers).platform, signal)).toBe(state);
  });

  it('is starting where the platform closes the connection to a program that runs', async () => {
    const { platform } = serving({ status: { body: { status: 'RUNNING' } }, breaks: 'NET_RESET' });
    expect(await reportServiceState(platform, signal)).toBe('starting');
  });

  it('is not guessed where the platform cannot be reached', async () => {
    const { platform } = serving({ status: { body: { status: 'RUNNING' } }, breaks: 'NET_TIMEOUT' });
    await expect(reportServiceState(platform, signal)).rejects.toMatchObject({ code: 'NET_TIMEOUT' });
  });

  it('does not ask for artifacts when the application is there', async () => {
    const { platform, asked } = serving({ status: { body: { status: 'STOPPED' } } });
    await reportServiceState(platform, signal);
    expect(asked).toEqual([`GET ${APP}/status`]);
  });

  it('takes the highest version of the artifact', async () => {
    const artifacts = ['6.9.0', '6.11.0', '6.10.1'].map((version) => `cdap-program-report ${version} SYSTEM`);
    expect((await reportArtifact(serving({ artifacts }).platform, signal))?.version).toBe('6.11.0');
  });
});
