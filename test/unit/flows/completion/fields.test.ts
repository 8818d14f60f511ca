import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../../src/flows/completion/fields.js';

const MANIFEST = new URL('../../../../oclif.manifest.json', import.meta.url);
const { commands } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { commands: Readonly<Record<string, object>> };
const LISTS = Object.keys(commands).filter((id) => id.endsWith(':list'));

describe('the columns of a command', () => {
  it.each(LISTS)('are known: %s', async (id) => {
    expect(await fieldsOf(id)).not.toEqual([]);
  });

  it('are none of a command without a list', async () => {
    expect([...(await fieldsOf('pipeline:stop')), ...(await fieldsOf('toString'))]).toEqual([]);
  });
});
