import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeHelp } from '../../../src/cli/help.js';
import type { CommandClass, CommandTable } from '../../../src/cli/program.js';
import type { Look } from '../../../src/output/look.js';

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const FOLDER = join(import.meta.dirname, '../../../src/commands');
/** All commands, from their files. */
const table: CommandTable = Object.fromEntries(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [
      file.replace(/\.ts$/u, '').replaceAll(sep, ':'),
      () => import(join(FOLDER, file)) as Promise<{ readonly default: CommandClass }>,
    ]),
);

async function pageOf(words: readonly string[], look = plain): Promise<string> {
  let text = '';
  const terminal = { stdout: look, write: async (part: string) => void (text += part) };
  await writeHelp(words, table, { terminal, build: { root: '' } });
  return text;
}

async function linesOf(...id: readonly string[]): Promise<readonly string[]> {
  return (await pageOf(id)).split('\n').map((line) => line.trim().replace(/ {2,}/gu, '  '));
}

describe('the help of a flag', () => {
  it.each([
    ['install', '--dry-run[=online|offline]  show the plan and change nothing'],
    ['upgrade', '--dry-run[=online]  show the plan and change nothing'],
    ['upgrade', '--kind batch|realtime  only pipelines of this kind'],
    ['upgrade', '-D, --dir DIR  with --dry-run: write'],
    ['upgrade', '-A, --all-namespaces  all namespaces'],
    ['hub list', '--[no-]beta  only packages marked beta or preview;'],
    ['metrics get', 'METRIC can contain * and ?. Without METRIC, the same as metrics top'],
  ] as const)('of %s: %s', async (id, beginning) => {
    expect((await linesOf(...id.split(' '))).filter((line) => line.startsWith(beginning))).toHaveLength(1);
  });

  it('of help is the page of all commands', async () => {
    expect(await pageOf(['help'])).toBe(await pageOf([]));
  });

  it('names the values that its label does not', async () => {
    expect((await pageOf(['flags'])).replace(/\s+/gu, ' ')).toContain('(auto, always, never)');
    expect((await linesOf('upgrade')).join('\n')).not.toMatch(/\(online\)|\(batch, realtime\)|\(client, server\)/u);
  });
});

describe('a page of help', () => {
  const long = ['install', 'report:run', 'upgrade'];

  it.each(Object.keys(table))('of %s is short, and tells of its own flags only', async (id) => {
    const page = await pageOf(id.split(':'), { ...plain, terminal: true, columns: 80 });
    if (!long.includes(id)) expect(page.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
    expect(page).toContain('\nGlobal flags: cdapctl help flags\nExit codes: 0-');
    expect(page).not.toMatch(/--trace-http|--insecure-skip-tls-verify|--connect-timeout/u);
  });

  it.each(Object.keys(table))('of %s has -p where pipelines are chosen by a pattern', async (id) => {
    const flags = (await linesOf(...id.split(':'))).filter((line) => line.includes(' [NS/]GLOB '));
    for (const flag of flags) expect(flag).toMatch(/^(?:-p, --pipeline|--exclude) /u);
  });

  it.each(['install', 'dashboard', 'hub:verify'])(
    'of %s has the flags of the command first, then those of groups',
    async (id) => {
      const headings = (await pageOf(id.split(':'))).match(/^[A-Z][A-Z ]+$/gmu) ?? [];
      expect(headings.slice(0, 3)).toEqual(['USAGE', 'EXAMPLES', id === 'dashboard' ? 'FLAGS' : 'ARGUMENTS']);
    },
  );

  it('has bold headings where there is colour', async () => {
    expect(await pageOf(['install'], { ...plain, color: true })).toContain('\n\u001b[1mUSAGE\u001b[0m\n');
  });

  it.each(Object.keys(table))('of %s fits a terminal of 60 columns, except for commands and long words', async (id) => {
    const page = await pageOf(id.split(':'), { ...plain, terminal: true, columns: 60 });
    const wide = page.split('\n').filter((line) => line.length > 60 && !/cdapctl |https?:/u.test(line));
    expect(wide.filter((line) => /\S {1}[^\s\\]/u.test(line))).toEqual([]);
  });

  it.each(Object.keys(table))('of %s breaks examples for a terminal so that they can be pasted', async (id) => {
    const page = await pageOf(id.split(':'), { ...plain, terminal: true, columns: 80 });
    const { examples = [] } = (await table[id]?.())?.default ?? {};
    const whole = page.replaceAll(/ \\\n +/gu, ' ');
    for (const example of examples) expect(whole).toContain(`\n  ${example}\n`);
    const [, shown = ''] = /\nEXAMPLES\n([\s\S]*?)\n\n/u.exec(page) ?? [];
    expect(shown.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('breaks no example within quotes, nor where a program reads it', async () => {
    const page = await pageOf(['hub', 'pack'], { ...plain, terminal: true, columns: 60 });
    expect(page).toContain("'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)'");
    const add = await pageOf(['hub', 'key', 'add'], { ...plain, terminal: true, columns: 60 });
    expect(add).toContain('"4F2A 91C0 7D11 0C5B 92E6 1B0A 66F1 3B8D 20A9 77D1"');
    expect(await pageOf(['hub', 'pack'])).not.toContain('\\\n');
  });

  it.each(['trust', 'scripting'])(
    'of the topic %s wraps prose as prose, and continues commands only',
    async (topic) => {
      const whole = (await pageOf([topic])).split('\n');
      for (const columns of [40, 60, 72]) {
        const page = await pageOf([topic], { ...plain, terminal: true, columns });
        const continued = page.replaceAll(/ \\\n +/gu, ' \\ ').split('\n');
        const commands = continued.filter((line) => line.includes(' \\ ')).map((line) => line.replaceAll(' \\ ', ' '));
        expect(commands.filter((line) => !line.startsWith('  ') || !whole.includes(line))).toEqual([]);
      }
    },
  );

  it('tells of the global flags', async () => {
    const page = await pageOf(['flags']);
    for (const flag of ['-h, --help', '-o, --output FORMAT', '-u, --url URL', '--no-input', '-y, --yes'])
      expect(page).toContain(flag);
  });
});
