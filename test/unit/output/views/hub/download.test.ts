import { describe, expect, it } from 'vitest';
import type { Look } from '../../../../../src/output/look.js';
import type { Format } from '../../../../../src/output/format.js';
import { render } from '../../../../../src/output/views/view.js';
import { downloadView, type ShownDownload } from '../../../../../src/output/views/hub/download.js';
import { typedPath } from '../../../../../src/cli/line/local-path.js';

const look: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const path = '/home/me/downloads/copy/1.0.0/spec.json';
const file = { hub: 'h', package: 'copy', version: '1.0.0', name: 'spec.json', path, state: 'downloaded' };
const result = {
  folder: '/home/me/downloads',
  policy: 'warn',
  verified: true,
  files: [file],
  failed: [],
  warnings: [],
};

async function textOf(format: Format): Promise<string> {
  let text = '';
  const shown = { ...result, typed: (one: string) => typedPath(one, '/home/me') } as unknown as ShownDownload;
  for await (const piece of render(downloadView, shown, { format, look })) text += piece;
  return text;
}

describe('the files of a download', () => {
  it.each([
    ['/home/me', 'downloads/copy/1.0.0/spec.json'],
    ['/home/me/downloads', 'copy/1.0.0/spec.json'],
    ['/', 'home/me/downloads/copy/1.0.0/spec.json'],
    ['/home/you', path],
    ['/home/m', path],
    [path, path],
  ])('are named from %s as somebody there would type them: %s', (folder, typed) => {
    expect(typedPath(path, folder)).toBe(typed);
  });

  it('are short in a table and whole in JSON', async () => {
    expect(await textOf('table')).toMatch(/^downloads\/copy\/1\.0\.0\/spec\.json /mu);
    expect(JSON.parse(await textOf('json'))).toMatchObject({ item: { files: [{ path }] } });
  });

  it('have their signatures on a narrow terminal, which tells how many columns it hides', async () => {
    const narrow: Look = { ...look, terminal: true, columns: 80 };
    const signature = 'C198 4B2E 7D02 1F65 0A3C  Publisher of the hub';
    const files = ['spec.json', 'postgresql-42.7.3.jar'].map((name) => ({ ...file, path: `a/1/${name}`, signature }));
    const shown = { ...result, files, typed: (one: string) => one } as unknown as ShownDownload;
    let text = '';
    let left = 0;
    const onLeftOut = (columns: number): unknown => (left = columns);
    for await (const piece of render(downloadView, shown, { format: 'table', look: narrow, onLeftOut })) text += piece;
    expect(text.split('\n')[0]).toMatch(/^FILE +SIGNATURE/u);
    expect(left).toBe(2);
  });

  it('named with dots are inside all the same', () => {
    expect(typedPath('/home/me/..copy/spec.json', '/home/me')).toBe('..copy/spec.json');
  });
});
