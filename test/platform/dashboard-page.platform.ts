import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dashboardHtml } from '../../src/output/html/dashboard.js';
import { missedItem } from '../../src/services/dashboard/item.js';
import { atWork, dashboardOf, HOUR, itemsOf, NOW, record, startAt } from '../unit/services/dashboard/support.js';
import { fetchChromium, startBrowser, type Browser } from './browser.js';

const STATUSES = ['COMPLETED', 'COMPLETED', 'COMPLETED', 'FAILED', 'KILLED', 'REJECTED'] as const;
const LONG = 'a pipeline with a name that is much longer than there is room for on any page '.repeat(3);

function itemsFor(count: number) {
  if (count === 0) return [];
  const runs = Array.from({ length: count - 1 }, (_, at) => {
    const start = NOW - ((at * 7919) % (14 * HOUR));
    const name = at % 60 === 59 ? LONG : `pipeline-${at % 60}`;
    const status = STATUSES[at % STATUSES.length] ?? 'COMPLETED';
    return record({ run: `run-${at}`, application: { name, version: 'x' }, start, end: start + (at % 4000), status });
  });
  const others = count === 1 ? [] : [startAt(NOW + HOUR), startAt(NOW + 12 * HOUR)];
  return [
    ...itemsOf(atWork(), ...runs, ...others),
    ...(count === 1 ? [] : [missedItem(record(), 'daily', NOW - HOUR)]),
  ];
}

/** What is measured on the page, where text is dark or light as its colours say. */
const MEASURE = `(() => {
  const box = (element) => element.getBoundingClientRect();
  const light = (color) => {
    const [red, green, blue] = color.match(/[\\d.]+/g).map(Number).map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const back = getComputedStyle(document.body).backgroundColor;
  const texts = [...document.querySelectorAll('h1, p, th, td.state, code, .counts li, .legend li')];
  const tracks = [...document.querySelectorAll('.row:not(.scale) .track')];
  const outside = tracks.flatMap((track) => [...track.querySelectorAll('.run, .dot')].filter((mark) => {
    const [own, all] = [box(mark), box(track)];
    return own.left < all.left - 6 || own.right > all.right + 9 || own.top < all.top - 0.5 || own.bottom > all.bottom + 0.5 || own.width < 4;
  }));
  const names = [...document.querySelectorAll('.scale i')].filter((name) => getComputedStyle(name).display !== 'none');
  const cut = names.filter((name) => box(name).right > box(name.closest('.time')).right);
  const state = document.querySelector('td.state');
  return {
    title: document.title,
    cut: cut.length,
    hidden: state !== null && box(state).right > innerWidth,
    text: document.querySelector('main').innerText.slice(0, 200),
    back: light(back),
    faintest: Math.min(...texts.map((element) => contrast(getComputedStyle(element).color, back))),
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    outside: outside.length,
    marks: document.querySelectorAll('.track .run, .track .dot').length,
    rows: document.querySelectorAll('tbody tr').length,
  };
})()`;

interface Measured {
  readonly title: string;
  /** Names of the scale that reach beyond its end. */
  readonly cut: number;
  /** Whether the states of runs are out of sight. */
  readonly hidden: boolean;
  readonly text: string;
  readonly back: number;
  readonly faintest: number;
  readonly overflow: number;
  readonly outside: number;
  readonly marks: number;
  readonly rows: number;
}

describe('the page of a dashboard in a real browser', () => {
  let folder: string;
  let browser: Browser;

  beforeAll(async () => {
    fetchChromium();
    folder = await mkdtemp(join(tmpdir(), 'cdapctl-browser-'));
    browser = await startBrowser(join(folder, 'profile'));
    for (const count of [0, 1, 5000]) {
      const dashboard = dashboardOf(itemsFor(count));
      const told = { target: { url: 'https://cdap.example.com', context: 'prod' }, zone: 'UTC', look: { utc: true } };
      const page = { dashboard, ...told, version: '0.1.0', link: () => undefined };
      await writeFile(join(folder, `${count}.html`), [...dashboardHtml(page)].join(''));
    }
  }, 900_000);

  afterAll(async () => {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  });

  const sizes = [0, 1, 5000].flatMap((count) =>
    (['light', 'dark'] as const).flatMap((scheme) =>
      [1600, 1280, 800, 400].map((width) => [count, scheme, width] as const),
    ),
  );

  it.each(sizes)(
    'with %i runs, %s, %i wide: all is there, legible and in its place, nothing is fetched',
    async (count, scheme, width) => {
      const file = join(folder, `${count}.html`);
      const { value, asked } = await browser.look(file, { width, scheme }, MEASURE);
      const measured = value as Measured;
      const items = itemsFor(count).length;
      expect(asked).toEqual([`file://${file}`]);
      expect(measured).toMatchObject({ overflow: 0, outside: 0, marks: items, rows: items });
      expect(measured.cut).toBe(0);
      if (width > 400) expect(measured.hidden).toBe(false);
      expect(measured.title).toBe('CDAP prod: 2024-05-02 10:00Z to 2024-05-03 10:00Z');
      expect(measured.faintest).toBeGreaterThanOrEqual(4.5);
      if (scheme === 'dark') expect(measured.back).toBeLessThan(0.05);
      else expect(measured.back).toBeGreaterThan(0.9);
      if (count === 0) expect(measured.text).toContain('No runs and no scheduled starts');
    },
  );
});
