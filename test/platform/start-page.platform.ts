import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPage, type ListedPackage } from '../../src/output/html/start-page.js';
import { fetchChromium, startBrowser, type Browser } from './browser.js';

const MANY = 100_000;
const EVIL = `</script><script>document.title='hit'</script><img src=x onerror="document.title='hit'"><!--<script>`;

const packageAt = (at: number): ListedPackage => ({
  name: `package-${at}`,
  version: '1.0.0',
  label: `Package of kind ${at}`,
  description: 'Reads and writes things, with every option that such things have, and says so in one long sentence.',
  org: 'Example',
  cdapVersion: '[6.1.0,7.0.0)',
  categories: ['hydrator-plugin'],
});

/** Types a search, and what the page shows then; how long the slowest of the searches took. */
const SEARCH = `(() => {
  const field = document.getElementById('search');
  const search = (text) => {
    const begun = performance.now();
    field.value = text;
    field.dispatchEvent(new Event('input'));
    void document.body.offsetHeight;
    return performance.now() - begun;
  };
  const took = Math.max(...['p', 'pa', 'kind 99999', 'no such thing', '', 'KIND 4242 hydrator'].map(search));
  const shown = [...document.querySelectorAll('li')];
  const found = document.getElementById('count').textContent;
  search('');
  document.getElementById('more').click();
  return {
    took, found, first: shown[0]?.innerText, title: document.title,
    many: document.querySelectorAll('li').length, images: document.images.length,
    scripts: document.scripts.length, total: document.getElementById('count').textContent,
    add: document.getElementById('add').textContent,
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  };
})()`;

interface Seen {
  readonly took: number;
  readonly found: string;
  readonly first: string;
  readonly title: string;
  readonly many: number;
  readonly images: number;
  readonly scripts: number;
  readonly total: string;
  readonly add: string;
  readonly overflow: number;
}

describe('the start page of a hub in a real browser', () => {
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    fetchChromium();
    folder = await mkdtemp(join(tmpdir(), 'cdapctl-browser-'));
    browser = await startBrowser(join(folder, 'profile'));
  });
  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true });
  });

  async function look(name: string, packages: Iterable<ListedPackage>, expression: string, width = 1200) {
    const file = join(folder, name);
    await writeFile(file, [...startPage(packages)].join(''));
    return browser.look(file, { width, scheme: 'light' }, expression);
  }

  it('finds one of 100,000 packages at once', async () => {
    const { value, asked } = await look(
      'many.html',
      Array.from({ length: MANY }, (_, at) => packageAt(at)),
      SEARCH,
    );
    const seen = value as Seen;
    expect(seen.took).toBeLessThan(1500);
    expect(seen).toMatchObject({ many: 200, total: '100000 packages', overflow: 0 });
    expect(seen.found).toBe('20 of 100000 packages');
    expect(seen.first).toContain('cdapctl install my-hub/package-4242@1.0.0');
    expect(seen.add).toBe(`cdapctl hub add my-hub ${folder}`);
    expect(asked).toHaveLength(1);
  });

  it.each([1200, 390])('shows hostile texts as text and runs no script of theirs (%i px)', async (width) => {
    const evil = { ...packageAt(1), name: EVIL, label: EVIL, description: EVIL, org: EVIL, categories: [EVIL] };
    const { value, asked } = await look('evil.html', [evil], SEARCH, width);
    const seen = value as Seen;
    expect(seen).toMatchObject({ title: 'Package hub', images: 0, scripts: 2, total: '1 package', overflow: 0 });
    expect(asked).toHaveLength(1);
  });

  it('would run no script that stood in the page', async () => {
    const file = join(folder, 'planted.html');
    const page = [...startPage([packageAt(1)])].join('');
    await writeFile(
      file,
      page.replace('<main>', `<main><script>document.title='hit'</script><img src=x onerror=alert>`),
    );
    const { value } = await browser.look(file, { width: 800, scheme: 'dark' }, 'document.title');
    expect(value).toBe('Package hub');
  });
});
