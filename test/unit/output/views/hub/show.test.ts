import { describe, expect, it, vi } from 'vitest';
import type { Look } from '../../../../../src/output/look.js';
import { render } from '../../../../../src/output/views/view.js';
import { packageView } from '../../../../../src/output/views/hub/show.js';
import { neededFlags } from '../../../../../src/flows/install/input-flags.js';
import { describePackage } from '../../../../../src/services/catalog/show.js';
import { resolvePackage } from '../../../../../src/services/catalog/resolve.js';
import { memoryHub } from '../../../services/catalog/support/memory-hub.js';

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const narrow: Look = { ...plain, terminal: true, columns: 80 };
const { signal } = new AbortController();

async function shown(description: string, look: Look = plain, hub = 'corp', platformVersion?: string): Promise<string> {
  const entry = { name: 'plug', version: '1.0.0', description, label: 'Plug' };
  const step = `Open the page ${'and read on '.repeat(10).trim()}\nthen stop`;
  const artifact = { name: 'cdap-data-pipeline', version: '[6.0,7.0)', scope: 'SYSTEM' };
  const actions = [
    { type: 'informational', label: 'Read', arguments: [{ name: 'steps', value: [step] }] },
    { type: 'create_pipeline', label: 'Make', arguments: [{ name: 'artifact', value: artifact }] },
    { type: 'create_stream', label: 'Stream', arguments: [{ name: 'name', value: 'lines' }] },
  ];
  const specification = JSON.stringify({
    specVersion: '1.0',
    ...entry,
    author: 'Acme',
    org: 'Acme',
    created: 1_714_687_260,
    categories: [],
    actions,
  });
  const { source } = memoryHub(hub, [entry], { 'plug/1.0.0/spec.json': specification });
  const { all } = await resolvePackage(
    [{ name: hub, source }],
    { hub: undefined, name: 'plug', version: undefined },
    undefined,
    signal,
  );
  const described = await describePackage(all[0], { platformVersion }, signal);
  const item = {
    description: { ...described, needs: neededFlags(described.specification.actions, undefined) },
    parts: { actions: true, versions: false, why: false },
  };
  let text = '';
  for await (const piece of render(packageView, item, { format: 'table', look })) text += piece;
  return text;
}

describe('a package on a terminal', () => {
  it('has long texts broken at blanks, below their first line', async () => {
    const text = await shown('word '.repeat(60).trim(), narrow);
    expect(text).toMatch(/^ {2}about {7}word word/mu);
    expect(text).toMatch(/^ {14}word word/mu);
    expect(text).toMatch(/^ {10}(?:read|on|and)/mu);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('is not broken where no person reads', async () => {
    expect(await shown('word '.repeat(60).trim())).toContain(`  about       ${'word '.repeat(60).trim()}\n`);
  });
});

it('names an author who is the organization, too, once', async () => {
  expect(await shown('x')).toMatch(/^ {2}author {6}Acme {2,}created 2024-05-02$/mu);
});

it('was created on a day of the local clock', async () => {
  const offset = vi.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-9 * 60);
  expect(await shown('x', { ...plain, utc: false })).toContain('  created 2024-05-03\n');
  offset.mockRestore();
});

it('a specification without a signature of its own may still be one that an index lists', async () => {
  expect(await shown('x')).toMatch(/^ {2}signature {3}spec\.json has no signature of its own$/mu);
});

it('an artifact is written as people write it', async () => {
  expect(await shown('x')).toContain('artifact  cdap-data-pipeline [6.0,7.0) (system)  fixed');
});

it('a package that needs a stream is not offered with --force where there are none', async () => {
  const text = await shown('x', plain, 'corp', '6.11.0');
  expect(text).toContain(
    'plug@1.0.0 --set 2.name=VALUE --set 2.config=VALUE      (not supported: action 3 needs a stream)',
  );
  expect(text).not.toContain('--force');
});

describe('a description of several lines', () => {
  it.each([plain, narrow])('keeps them, indented so that none can pass for a line of ours', async (look) => {
    const text = await shown('First line.\r\n\nlicense     none\n\u001b[2Jgone\n', look);
    expect(text).toContain(
      String.raw`  about       First line.${'\n\n'}              license     none${'\n'}              \x1b[2Jgone${'\n'}  platform`,
    );
  });
});

describe('the command to install', () => {
  it.each([
    ['corp', 'corp/plug@1.0.0'],
    ['https://hub.example.com/v2', 'plug@1.0.0 --hub https://hub.example.com/v2'],
    ['./hub', 'plug@1.0.0 --hub ./hub'],
    ['.', 'plug@1.0.0 --hub .'],
    ['my hub;/x', "plug@1.0.0 --hub 'my hub;/x'"],
  ])('names the hub %s, since others may have the package, too, and what it cannot do without', async (hub, words) => {
    expect(await shown('x', plain, hub)).toContain(
      `\nInstall: cdapctl install ${words} --set 2.name=VALUE --set 2.config=VALUE\n`,
    );
  });
});
