import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSite, sampleHub, type Site } from '../../support/sites/install-site.js';

let site: Site & { close(): Promise<void> };
beforeAll(async () => {
  site = await openSite();
});
afterAll(() => site.close());

const show = (...words: string[]) => site.cdapctl(['hub', 'show', ...words, '--hub', site.hub, '-u', site.url]);

describe('hub show --why', () => {
  it('says what the range means, where the platform lies and which versions are for it', async () => {
    const { code, stdout } = await show('example-trim-fields', '--why');
    expect(code).toBe(0);
    expect(stdout).toContain('[6.1.0,7.0.0) means from 6.1.0 to below 7.0.0');
    expect(stdout).toMatch(/platform {3}6\.11\.0\n/u);
    expect(stdout).toContain('1.10.0, 1.9.0 of the catalog are compatible with 6.11.0');
    expect(stdout).not.toContain('\nActions\n');
  });

  it('names the hub in the commands to verify and to install when it was given by its address', async () => {
    const { stdout } = await show('example-trim-fields@1.9.0', '--why');
    expect(stdout).toContain(`Install: cdapctl install example-trim-fields@1.9.0 --hub ${site.hub}\n`);
    expect(stdout).toContain(`to verify it: cdapctl hub verify example-trim-fields@1.9.0 --hub ${site.hub}\n`);
    expect((await show('example-order-import')).stdout).toMatch(
      /^Install: cdapctl install example-order-import@\S+ --hub \S+ --jar 2=PATH$/mu,
    );
  });
});

describe('hub show --icon', () => {
  it('writes the icon to a new file and shows the package', async () => {
    const file = join(site.home, 'icon.png');
    const { code, stdout } = await show('example-trim-fields', '--icon', file);
    expect(code).toBe(0);
    expect(stdout).toContain('\nActions\n');
    const { files } = await sampleHub();
    const icon = files.get('packages/example-trim-fields/1.10.0/icon.png');
    expect((await readFile(file)).equals(Buffer.from(icon ?? ''))).toBe(true);
  });

  it('leaves a file that is there alone', async () => {
    const file = await site.file('mine.png', 'mine');
    const { code, stderr } = await show('example-trim-fields', '--icon', file);
    expect(code).toBe(6);
    expect(stderr).toContain('[EXISTS]');
    expect(stderr).not.toContain('--clobber');
    expect(await readFile(file, 'utf8')).toBe('mine');
  });
});

describe('hub show --raw', () => {
  it('has no format beside it', async () => {
    expect((await show('example-trim-fields', '--raw')).stdout).toMatch(/^\{\n {2}"specVersion"/u);
    const { code, stdout } = await show('example-trim-fields', '--raw', '--json');
    expect([code, (JSON.parse(stdout) as { kind: string }).kind]).toEqual([2, 'Error']);
  });
});
