import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/start.js';
import { bodyOf } from './replay/bodies.js';
import { send } from './replay/call.js';
import { differences, pairIds } from './replay/compare.js';
import {
  entriesFor,
  fits,
  isReplayed,
  notReplayed,
  platformOf,
  readRecording,
  recordedFiles,
} from './replay/recordings.js';
import { prepare } from './replay/prepare.js';
import { SEEDS } from './replay/seeds.js';

/** Ids of runs, versions and reports, and those under which reports are shared. */
const IDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![\w-])[\w-]{107}(?==|%3D)/gu;
const replayedFiles = recordedFiles.filter((file) => readRecording(file).some(({ id }) => isReplayed(file, id)));

describe.each(replayedFiles)('the recordings of %s against the emulator', (file) => {
  const exchanges = readRecording(file);
  const replayed = exchanges.filter(({ id }) => isReplayed(file, id));
  let emulator: RunningEmulator;

  beforeAll(async () => {
    emulator = await startEmulator({ port: 0, hubPort: 0, platform: platformOf(file), ...SEEDS[file] });
  });

  afterAll(async () => {
    await emulator.close();
  });

  it(`agree in all ${replayed.length} of ${exchanges.length} exchanges that are replayed`, async () => {
    const ids = new Map<string, string>();
    const swap = (text: string): string => text.replace(IDS, (id) => ids.get(id) ?? id);
    const disagreements: string[] = [];
    for (const exchange of replayed) {
      await prepare(emulator.url, file, exchange.id);
      const answer = await send(emulator.url, exchange, bodyOf(exchange, platformOf(file)), swap);
      pairIds(exchange.response.body ?? '', answer.body, ids);
      const compared = entriesFor(file, exchange.id).length > 0 ? 'members' : 'values';
      disagreements.push(
        ...differences(exchange, answer, compared).map((difference) => `${exchange.id}: ${difference}`),
      );
    }
    expect(disagreements).toEqual([]);
  });
});

describe('the list of exchanges that are not replayed', () => {
  it('names recordings that exist, each pattern with at least one exchange', () => {
    const stale = notReplayed.flatMap(({ file, ids = ['*'] }) => {
      if (!recordedFiles.includes(file)) return [file];
      const exchanges = readRecording(file);
      return ids
        .filter((pattern) => !exchanges.some(({ id }) => fits(pattern, id)))
        .map((pattern) => `${file} ${pattern}`);
    });
    expect(stale).toEqual([]);
  });

  it('gives a reason for each entry, and lists no exchange twice', () => {
    expect(notReplayed.filter(({ reason }) => reason.length < 20)).toEqual([]);
    const twice = recordedFiles.flatMap((file) => {
      const doubles = readRecording(file).filter(({ id }) => entriesFor(file, id).length > 1);
      return doubles.map(({ id }) => `${file} ${id}`);
    });
    expect(twice).toEqual([]);
  });
});
