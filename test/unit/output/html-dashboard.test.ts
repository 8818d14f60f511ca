import { describe, expect, it } from 'vitest';
import { dashboardHtml } from '../../../src/output/html-dashboard.js';
import { htmlText, percent } from '../../../src/output/html.js';
import type { Dashboard } from '../../../src/services/dashboard/dashboard.js';
import type { DashboardItem } from '../../../src/services/dashboard/item.js';
import { atWork, dashboardOf, HOUR, itemsOf, NOW, record, startAt } from '../services/dashboard/support.js';

const pageOf = (dashboard: Dashboard, title = 'prod'): string =>
  [...dashboardHtml({ dashboard, title, url: 'https://cdap.example.com', zone: 'UTC', look: { utc: true } })].join('');
const page = (items: readonly DashboardItem[]): string => pageOf(dashboardOf(items));

describe('the page of a dashboard', () => {
  it('has counts, a bar for each run and a row for each of them', () => {
    const items = itemsOf(record(), record({ run: 'b', status: 'FAILED' }), atWork(), startAt(NOW + HOUR));
    const text = page(items);
    expect(text).toContain('<title>prod: 2024-05-02 10:00Z to 2024-05-03 10:00Z</title>');
    for (const kind of ['completed', 'failed', 'running']) {
      expect(text).toContain(`<li class="${kind}"><b>1</b>${kind}</li>`);
      expect(text).toMatch(new RegExp(`<i class="run ${kind}" style="left:[0-9.]+%;width:[0-9.]+%" title="`, 'u'));
    }
    expect(text).toContain('<i class="dot scheduled" style="left:54.167%"');
    expect(text.match(/<tr>/gu)).toHaveLength(1 + items.length);
    expect(text).toContain('<time datetime="2024-05-02T21:00:00Z">05-02 21:00:00</time>');
  });

  it('says so where nothing ran', () => {
    expect(page([])).toContain('Nothing ran and nothing is scheduled in this time.');
  });

  it('holds 5,000 runs', () => {
    const items = itemsOf(...Array.from({ length: 5000 }, (_, at) => record({ run: `r${at}`, start: NOW - at })));
    expect(page(items).match(/<tr>/gu)).toHaveLength(5001);
  });

  it('needs no script, no network and nothing else', () => {
    const text = page(itemsOf(record()));
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`);
    expect(text).not.toMatch(/<script|<link|<img|<iframe|src=|href=|url\(|@import|http-equiv="refresh"/u);
    expect(text.replaceAll('https://cdap.example.com', '')).not.toMatch(/https?:/u);
  });

  const EVIL = `"><img src=x onerror='alert(1)'>&lt;\u0000\u202e`;

  it.each<[string, DashboardItem[]]>([
    ['a namespace', itemsOf(record({ namespace: EVIL }))],
    ['a pipeline', itemsOf(record({ application: { name: EVIL, version: 'x' } }))],
    ['a status', itemsOf(record({ status: EVIL }))],
    ['a user', itemsOf(record({ user: EVIL }))],
    ['a run', itemsOf(record({ run: EVIL }))],
    ['a way to start', itemsOf(record({ startMethod: EVIL }))],
  ])('lets no markup through %s', (_, items) => {
    for (const namespaces of [['etl'], [EVIL, 'etl']]) {
      const text = pageOf(dashboardOf(items, { namespaces }), EVIL);
      expect(text).not.toContain('<img');
      expect(text).not.toContain('\u202e');
      expect(text).not.toMatch(/\u0000/u);
    }
  });

  it('keeps bars inside their track', () => {
    const before = record({ start: NOW - 100 * HOUR, end: NOW - 11 * HOUR });
    const text = page(itemsOf(before));
    expect(text).toContain('style="left:0%;width:4.167%"');
  });
});

describe('text for pages', () => {
  it('is safe in content and attributes', () => {
    expect(htmlText(`a<b>&"'\n`)).toBe('a&lt;b&gt;&amp;&quot;&#39;\\n');
  });

  it('has short percentages between none and all', () => {
    expect([-1, 0, 1 / 3, 1, 7].map(percent)).toEqual(['0%', '0%', '33.333%', '100%', '100%']);
  });
});
