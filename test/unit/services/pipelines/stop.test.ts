import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { stopOneRun } from '../../../../src/services/pipelines/stop.js';
import { failure, foundPipeline, ORDERS, platformWith, RUN, waitingOn, type Reply } from './support.js';

const SENT = `POST ${ORDERS}/runs/${RUN}/stop`;
const LOOK = `GET ${ORDERS}/runs/${RUN}`;
const DONE: Reply = { status: 200 };
const REFUSED: Reply = { status: 400, text: 'not running' };
const LOST = new CliError('NET_RESET', 'the connection broke', { sent: 'unknown' });
const state = (status: string): Reply => ({ json: { runid: RUN, status } });

function stop(sent: Reply | readonly Reply[], look: Reply | readonly Reply[]) {
  const { platform, asked } = platformWith({ [SENT]: sent, [LOOK]: look });
  const { waiting, told, naps } = waitingOn(platform);
  return { ended: stopOneRun(RUN, foundPipeline(), waiting), asked, told, naps };
}

describe('a run that is to stop', () => {
  it('is asked once', async () => {
    const { ended, asked, told } = stop(DONE, state('RUNNING'));
    expect([await ended, asked, told]).toEqual([{ runid: RUN, state: 'stopping' }, [SENT], []]);
  });

  it.each(['COMPLETED', 'KILLED', 'FAILED'])('may have ended by itself before: %s', async (status) => {
    expect(await stop(REFUSED, state(status)).ended).toEqual({ runid: RUN, state: 'already-ended' });
  });

  it.each<[string, Reply]>([
    ['runs', state('RUNNING')],
    ['does not show', { status: 404 }],
  ])('is an error where it is refused and %s', async (_, look) => {
    expect(await failure(stop(REFUSED, look).ended)).toEqual({
      code: 'REMOTE_FAILED',
      message: `the platform did not stop run ${RUN} of pipeline "orders"`,
      ...{ serverSaid: 'not running', target: { namespace: 'etl', pipeline: 'orders', run: RUN } },
    });
  });

  it.each([
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
  ])('is an error where the platform answers %s, and not looked at', async (status, code) => {
    const { ended, asked } = stop({ status }, state('COMPLETED'));
    expect([await failure(ended), asked]).toEqual([expect.objectContaining({ code }), [SENT]]);
  });

  it.each(['STOPPING', 'KILLED'])('is not asked again where the answer is lost and it is %s', async (status) => {
    const { ended, asked } = stop(LOST, state(status));
    expect([await ended, asked]).toEqual([{ runid: RUN, state: 'stopping' }, [SENT, LOOK]]);
  });

  it.each<[string, Reply]>([
    ['runs', state('RUNNING')],
    ['does not show', { status: 404 }],
  ])('is asked again where the answer is lost and it still %s', async (_, look) => {
    const { ended, asked, told, naps } = stop([LOST, DONE], look);
    expect([await ended, asked, naps]).toEqual([
      { runid: RUN, state: 'stopping' },
      [SENT, LOOK, LOOK, LOOK, SENT],
      [1000, 1000],
    ]);
    const message = `the stop of run ${RUN}: the response was lost and nothing was applied; sending it again`;
    expect(told).toEqual([{ type: 'warning', code: 'RESPONSE_LOST', message }]);
  });

  it('has an unknown outcome where two answers are lost', async () => {
    expect(await failure(stop(LOST, state('RUNNING')).ended)).toMatchObject({ code: 'UNKNOWN_OUTCOME' });
  });
});
