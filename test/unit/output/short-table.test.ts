import { describe, expect, it } from 'vitest';
import type { Look } from '../../../src/output/look.js';
import { shortTable } from '../../../src/output/writers/short-table.js';

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const rows = [
  ['1', 'create_driver_artifact', 'create, extends two system artifacts'],
  ['2', 'create_pipeline\u001b[2J', 'create'],
];

describe('a short table', () => {
  it('has columns without boxes, and safe text', async () => {
    expect(await shortTable(['#', 'ACTION', 'EFFECT'], rows, plain)).toEqual([
      '#  ACTION                  EFFECT',
      '1  create_driver_artifact  create, extends two system artifacts',
      String.raw`2  create_pipeline\x1b[2J  create`,
    ]);
  });

  it('wraps the last column on a terminal', async () => {
    const lines = await shortTable(['#', 'ACTION', 'EFFECT'], rows, { ...plain, terminal: true, columns: 50 });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(50);
    expect(lines.join(' ').replace(/\s+/gu, ' ')).toContain('create, extends two system artifacts');
  });

  it('is written whole where the terminal is too narrow', async () => {
    expect(await shortTable(['#', 'ACTION', 'EFFECT'], rows, { ...plain, terminal: true, columns: 30 })).toEqual(
      await shortTable(['#', 'ACTION', 'EFFECT'], rows, plain),
    );
  });
});
