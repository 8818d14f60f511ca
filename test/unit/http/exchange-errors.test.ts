import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { exchangeError } from '../../../src/http/exchange-errors.js';

const url = 'http://cdap:11015/v3/x';

describe('whether a write was sent', () => {
  it.each([
    [true, 'unknown', {}],
    [false, 'no', {}],
    [false, 'no', { target: { file: 'ca.pem' } }],
    [true, 'unknown', { target: { sent: 'no' }, sent: 'no' }],
  ] as const)('is what the exchange knows, whatever the error below it says: %s', (sent, expected, details) => {
    const below = new CliError('TLS', 'no', { hints: ['look'], ...details });
    const error = exchangeError(below, { facts: { method: 'PUT', url }, sent });
    expect(error.details).toEqual({ hints: ['look'], ...details, request: { method: 'PUT', url }, sent: expected });
  });

  it('is not said of a read', () => {
    const error = exchangeError(new Error('aborted'), { facts: { method: 'GET', url }, sent: true });
    expect([error.code, 'sent' in error.details]).toEqual(['NET_RESET', false]);
  });
});
