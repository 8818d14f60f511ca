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

  it('breaks the last column at words beside its rows on a broad terminal, and below them on others', async () => {
    const effect = 'create, extends two system artifacts and an application of the platform with a long name';
    const shown = (columns: number): Promise<string[]> =>
      shortTable(['#', 'ACTION', 'EFFECT'], [['1', 'create_driver_artifact', effect]], {
        ...plain,
        terminal: true,
        columns,
      });
    expect(await shown(100)).toEqual([
      '#  ACTION                  EFFECT',
      '1  create_driver_artifact  create, extends two system artifacts and an application of the platform',
      '                           with a long name',
    ]);
    expect(await shown(80)).toEqual([
      '#  ACTION',
      '1  create_driver_artifact',
      '    create, extends two system artifacts and an application of the platform with',
      '    a long name',
    ]);
  });

  it('cuts what is too long before the last column', async () => {
    const long = [['1', 'create_driver_artifact', `artifact ${'n'.repeat(300)}`, 'create']];
    const lines = await shortTable(['#', 'ACTION', 'TARGET', 'EFFECT'], long, {
      ...plain,
      terminal: true,
      columns: 60,
    });
    expect(lines).toEqual([
      '#  ACTION                  TARGET',
      `1  create_driver_artifact  artifact ${'n'.repeat(23)}…`,
      '    create',
    ]);
  });
});
