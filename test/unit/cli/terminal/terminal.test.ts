import { afterEach, expect, it, vi } from 'vitest';
import { processTerminal } from '../../../../src/cli/terminal/terminal.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

// The spinner would clear lines without end where the width is 0.
it.each([
  [0, false],
  [80, true],
  [undefined, true],
])('a terminal of %s columns is animated: %s', (columns, expected) => {
  const stderr = { isTTY: true, columns, on: () => undefined };
  vi.stubGlobal('process', { platform: 'linux', stdout: { on: () => undefined }, stderr });
  expect(processTerminal([], {}).animated).toBe(expected);
});
