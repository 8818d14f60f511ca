import { createHash } from 'node:crypto';
import { Script } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { startPage, type ListedPackage } from '../../../../src/output/html/start-page.js';

const page = (...packages: readonly ListedPackage[]): string => [...startPage(packages)].join('');
const rowsOf = (text: string): string[][] =>
  JSON.parse(/<script type="application\/json" id="packages">(.*?)<\/script>/su.exec(text)?.[1] ?? '') as string[][];

const EVIL = `</script><script>alert(1)</script><!--<script>"'><img src=x onerror=alert(1)>\u2028\u202e\u0000`;
const PLAIN = {
  name: 'plug',
  version: '1.0.0',
  label: 'Plug',
  description: 'Reads things',
  org: 'Example',
  author: 'Somebody',
  cdapVersion: '[6.1.0,7.0.0)',
  categories: ['pipeline', 'usecase'],
};

describe('the start page of a hub', () => {
  it('lists packages as data, with what install is told', () => {
    expect(rowsOf(page(PLAIN, { name: 'b', version: '2' }))).toEqual([
      ['Plug', 'plug', '1.0.0', 'Reads things', 'pipeline, usecase', 'Example', '[6.1.0,7.0.0)', 'my-hub/plug@1.0.0'],
      ['', 'b', '2', '', '', '', '', 'my-hub/b@2'],
    ]);
    expect(rowsOf(page())).toEqual([]);
  });

  it('has hostile texts only where they are data, and runs no script but its own', () => {
    const text = page({ ...PLAIN, name: EVIL, label: EVIL, description: EVIL, categories: [EVIL, 1], org: EVIL });
    expect(text.match(/<\/?script/gu)).toHaveLength(4);
    expect(text).not.toContain('<img');
    expect(text).not.toContain('<!--');
    const [row] = rowsOf(text);
    expect(row?.[0]).toBe(
      EVIL.replace('\u2028', '\\u{2028}').replace('\u202e', '\\u{202e}').replace('\u0000', '\\x00'),
    );
    expect(row?.[7]?.startsWith("'my-hub/</script>")).toBe(true);
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]+)"/u.exec(text) ?? [];
    const [script = ''] = [...text.matchAll(/<script>(.*?)<\/script>/gsu)].map(([, inner = '']) => inner);
    const [style = ''] = [...text.matchAll(/<style>(.*?)<\/style>/gsu)].map(([, inner = '']) => inner);
    const digest = (inner: string): string => `'sha256-${createHash('sha256').update(inner).digest('base64')}'`;
    expect(policy).toContain(`default-src 'none'; script-src ${digest(script)}; style-src ${digest(style)};`);
    expect(policy).not.toContain('unsafe');
    expect(script).not.toMatch(/innerHTML|insertAdjacent|document\.write|eval/u);
    expect(new Script(script)).toBeDefined();
  });

  it('cuts long texts, and quotes a name that a shell would not take as it is', () => {
    const [row] = rowsOf(page({ name: "a'b; c", version: '1', description: 'x'.repeat(1000), label: 5 }));
    expect(row?.[3]).toBe(`${'x'.repeat(300)}...`);
    expect([row?.[0], row?.[7]]).toEqual(['5', "'my-hub/a'\\''b; c@1'"]);
  });
});
