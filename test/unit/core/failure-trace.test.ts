import { expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { failureTrace } from '../../../src/core/failure-trace.js';

const CANARY = 'planted-secret';

/** What was thrown, with members as libraries add them. */
function thrown(work: () => unknown, members: object = {}): unknown {
  try {
    work();
  } catch (error) {
    return error instanceof Error ? Object.assign(error, members) : error;
  }
  throw new Error('nothing was thrown');
}

it.each([
  [
    'the configuration of a library',
    thrown(() => JSON.parse(''), { config: { env: { TOKEN: CANARY } }, argv: [CANARY] }),
  ],
  ['an argument of the line', Object.assign(new Error(`Unexpected argument: ${CANARY}`), { oclif: { exit: 2 } })],
  ['a text that was parsed', thrown(() => JSON.parse(CANARY))],
  ['a value that Node refused', thrown(() => Buffer.alloc(1).fill('', CANARY as BufferEncoding))],
  ['what somebody threw', CANARY],
  ['what somebody threw as a cause', new CliError('INTERNAL', 'x', { cause: { token: CANARY } })],
  ['a stack', Object.assign(new Error('x'), { stack: `Error: x\n    at "${CANARY}"\n${CANARY}` })],
  ['a code', Object.assign(new Error('x'), { code: `${CANARY} ${CANARY}` })],
])('tells nothing of %s', (_, error) => {
  expect(failureTrace(error)).not.toContain(CANARY);
});

it('tells kinds, codes, own sentences and places of an error and its causes', () => {
  const cause = Object.assign(new TypeError('cannot read it'), { code: 'EIO', syscall: 'read' });
  const lines = failureTrace(new CliError('LOCAL_IO', 'cannot use it', { cause })).split('\n');
  expect(lines[0]).toBe('CliError LOCAL_IO: cannot use it');
  expect(lines[1]).toMatch(/^ {4}at .*failure-trace\.test\.ts:\d+:\d+/u);
  expect(lines).toContain('caused by TypeError EIO read: cannot read it');
  const other = new CliError('LOCAL_IO', 'cannot use it', { cause });
  expect([other.name, other.cause]).toEqual(['CliError', cause]);
  expect(new CliError('LOCAL_IO', 'cannot use it')).not.toHaveProperty('cause');
});

it('ends with causes that go round', () => {
  const error = new Error('a');
  error.cause = error;
  expect(failureTrace(error).match(/caused by/gu)).toHaveLength(7);
});
