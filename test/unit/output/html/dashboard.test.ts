import { describe, expect, it } from 'vitest';
import { dashboardHtml } from '../../../../src/output/html/dashboard.js';
import type { RunLink } from '../../../../src/output/html/timeline.js';
import { htmlText, percent } from '../../../../src/output/html/html.js';
import { runLink } from '../../../../src/flows/watching/ui-link.js';
import type { Dashboard } from '../../../../src/services/dashboard/dashboard.js';
import { missedItem, type DashboardItem } from '../../../../src/services/dashboard/item.js';
import { atWork, dashboardOf, HOUR, itemsOf, NOW, record, startAt } from '../../services/dashboard/support.js';

const pageOf = (dashboard: Dashboard, title = 'prod', link: RunLink = () => undefined): string => {
  const target = { url: 'https://cdap.example.com', context: title };
  const told = { target, zone: 'UTC', look: { utc: true }, version: '0.1.0', link };
  return [...dashboardHtml({ dashboard, ...told })].join('');
};
const page = (items: readonly DashboardItem[]): string => pageOf(dashboardOf(items));

const EVIL = `"><img src=x onerror='alert(1)'>&lt;\u0000\u202e`;

describe('the page of a dashboard', () => {
  it('has counts, a bar for each run and a row for each of them', () => {
    const items = itemsOf(record(), record({ run: 'b', status: 'FAILED' }), atWork(), startAt(NOW + HOUR));
    const text = page(items);
    expect(text).toContain('<title>CDAP prod: 2024-05-02 10:00Z to 2024-05-03 10:00Z</title>');
    for (const kind of ['completed', 'failed', 'running']) {
      expect(text).toContain(`<li class="${kind}"><b>1</b>${kind}</li>`);
      expect(text).toMatch(new RegExp(`<i class="run ${kind}" style="left:[0-9.]+%;width:[0-9.]+%" title="`, 'u'));
    }
    expect(text).toContain('<i class="dot scheduled" style="left:54.167%"');
    expect(text.match(/<tr>/gu)).toHaveLength(1 + items.length);
    expect(text).toContain('<time datetime="2024-05-02T21:00:00Z">05-02 21:00:00</time>');
  });

  it('begins with what failed and was missed, says when it was made, and explains its marks above them', () => {
    const late = missedItem(record(), 'nightly', NOW - HOUR);
    const text = page([...itemsOf(record(), atWork(), record({ run: 'b', status: 'FAILED' })), late]);
    const cards = [...text.matchAll(/<b>\d+<\/b>(\w+)/gu)].map(([, name]) => name);
    expect(cards).toEqual(['failed', 'missed', 'running', 'completed', 'scheduled']);
    expect(text).toContain('generated 2024-05-02 22:00; by cdapctl 0.1.0; times in UTC');
    expect(text.indexOf('class="legend"')).toBeLessThan(text.indexOf('class="row scale"'));
    // The hours stay in sight however far one scrolls.
    expect(text).toMatch(/\.row\.scale \{ position: sticky; top: 0; /u);
  });

  it('has no card of what was not asked for', () => {
    const items = itemsOf(record({ status: 'FAILED' }));
    const text = pageOf(dashboardOf(items, { counted: ['total', 'failed'] }));
    expect([...text.matchAll(/<b>\d+<\/b>(\w+)/gu)].map(([, name]) => name)).toEqual(['failed']);
  });

  it('has the pipelines of a namespace together, those in trouble on top', () => {
    const run = (namespace: string, name: string, status: string) =>
      record({ namespace, application: { name, version: 'x' }, run: `${namespace}-${name}`, status });
    const items = itemsOf(
      run('a', 'fine', 'COMPLETED'),
      run('b', 'a-fine', 'COMPLETED'),
      run('b', 'broken', 'FAILED'),
      run('c', 'fine', 'COMPLETED'),
    );
    const text = pageOf(dashboardOf(items, { namespaces: ['a', 'b', 'c'] }));
    const rows = [...text.matchAll(/class="row( namespace)?"><span(?: title="[^"]*")?>([^<]+)/gu)];
    expect(rows.map(([, isHeading, name]) => (isHeading === undefined ? name : `${name}:`))).toEqual([
      'b:',
      'broken',
      'a-fine',
      'a:',
      'fine',
      'c:',
      'fine',
    ]);
  });

  it('tells how long the runs of a pipeline took in the mean, and the last one', () => {
    const first = record({ run: 'a', start: NOW - 3 * HOUR, end: NOW - 3 * HOUR + 60 });
    const last = record({ run: 'b', start: NOW - HOUR, end: NOW - HOUR + 120 });
    expect(page(itemsOf(last, first, atWork()))).toContain(
      '<span class="took">1m 30s</span><span class="took">2m 00s</span>',
    );
  });

  it('links runs to the UI of the platform where its address is known, escaped', () => {
    const link = runLink({ value: 'https://ui.example.com/cdap/', from: '--ui-url' });
    const name = 'a/b "c"';
    const text = pageOf(dashboardOf(itemsOf(record({ application: { name, version: 'x' } }))), 'prod', link);
    const address = `https://ui.example.com/cdap/pipelines/ns/etl/view/a%2Fb%20%22c%22?runid=${record().run ?? ''}`;
    expect(text.split(`href="${address}"`)).toHaveLength(3);
    expect(pageOf(dashboardOf(itemsOf(record({ run: EVIL }))), 'prod', link)).not.toContain('<img');
    expect(pageOf(dashboardOf(itemsOf(record({ type: 'SPARK', program: 'phase-1' }))), 'prod', link)).not.toContain(
      'href',
    );
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'cdap.example.com',
    'https://u:p@h',
    'https://h/?a',
    'https://h/#a',
    '',
  ])('refuses %j as the address of a UI', (address) => {
    expect(() => runLink({ value: address, from: '--ui-url' })).toThrow(
      expect.objectContaining({ code: 'USAGE' }) as Error,
    );
  });

  it('says so where nothing ran', () => {
    expect(page([])).toContain('No runs and no scheduled starts in this time window.');
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
