import { describe, expect, it } from 'vitest';
import { LineCounter, type LineBag } from '../../../../../../src/core/line-digest.js';
import type { Platform } from '../../../../../../src/platform/client.js';
import type { FactValue } from '../../../../../../src/services/install/action.js';
import {
  arrivalOf,
  noteProgress,
  progressOf,
  type Progress,
} from '../../../../../../src/services/install/things/stream/load-marks.js';
import { contextWith } from '../../support.js';

const bagOf = (...events: readonly string[]): LineBag => {
  const counter = new LineCounter();
  for (const event of events) counter.event(event);
  return counter.bag();
};
const FILE = { file: '/staged/names.csv', bytes: 9, sha256: 'd', name: 'names.csv', content: bagOf('new', 'new') };

/** A stream of these events, and a journal. */
function setUp(...events: readonly string[]) {
  const facts = new Map<string, FactValue>();
  const platform: Platform = {
    base: 'http://platform.example',
    find: async () => Promise.reject(new Error('not asked for')),
    call: async () => bagOf(...events) as never,
  };
  const context = contextWith({
    platform,
    history: { begun: true, done: false, facts },
    note: async (name, value) => void facts.set(name, value),
  });
  return { context, facts };
}

describe('the mark of a load in the journal', () => {
  it.each<Progress>([
    { state: 'open' },
    { state: 'applied' },
    { state: 'sent', since: 0, before: bagOf() },
    { state: 'sent', since: 1_700_000_000_000, before: bagOf('old', 'older', 'oldest') },
  ])('is read as it was written: $state since $since', async (progress) => {
    const { context } = setUp();
    await noteProgress(0, progress, context);
    expect(progressOf(0, context)).toEqual(progress);
  });

  it.each([
    [['old'], 'none'],
    [['new', 'old', 'new'], 'all'],
    [['old', 'new'], 'other'],
    [['old', 'new', 'new', 'new'], 'other'],
    [['new', 'new', 'new'], 'other'],
  ] as const)('tells of a stream with %j that of the file came: %s', async ([...events], arrival) => {
    const { context } = setUp(...events);
    expect(await arrivalOf(FILE, 'names', { since: 5, before: bagOf('old') }, context)).toBe(arrival);
  });

  it.each<[string, Record<string, string>]>([
    ['two sums, as an older version wrote them', { lines: '1', sums: '123 456' }],
    ['no sum', { lines: '1' }],
    ['a sum that is too long', { lines: '1', sum: 'f'.repeat(33) }],
  ])('tells nothing where it has %s', async (_, noted) => {
    const { context, facts } = setUp('old');
    facts.set('file 1', { state: 'sent', since: '5', ...noted });
    const progress = progressOf(0, context);
    expect(progress).toEqual({ state: 'sent', since: 5, before: undefined });
    if (progress.state === 'sent') expect(await arrivalOf(FILE, 'names', progress, context)).toBe('other');
  });
});
