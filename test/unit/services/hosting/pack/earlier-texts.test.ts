import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { earlierTexts } from '../../../../../src/services/hosting/pack/earlier-texts.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const TEXTS = { label: 'A', description: 'B', author: 'C', org: 'D', categories: ['e'] };

it('are those of the highest version of a package', () =>
  withTempDir(async (root) => {
    const put = (place: string, text: string): void => {
      const file = join(root, 'packages', place, 'spec.json');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    };
    expect(await earlierTexts(root, 'one')).toEqual({});
    put('one/9.0.0', JSON.stringify({ label: 'Old' }));
    put('one/10.0.0', JSON.stringify({ ...TEXTS, cdapVersion: '[6.1.0,7.0.0)' }));
    put('one/z', JSON.stringify({ label: 'No version' }));
    put('two/99.0.0', JSON.stringify({ label: 'Other' }));
    expect(await earlierTexts(root, 'one')).toEqual({ ...TEXTS, platform: '[6.1.0,7.0.0)' });
    put('one/11.0.0', JSON.stringify({ label: 'New', description: '', author: {}, categories: [] }));
    expect(await earlierTexts(root, 'one')).toEqual({ label: 'New' });
    for (const broken of ['{', '[]', '{"label":"a","label":"b"}']) {
      put('one/12.0.0', broken);
      expect(await earlierTexts(root, 'one')).toEqual({});
    }
    mkdirSync(join(root, 'packages/one/13.0.0'));
    expect(await earlierTexts(root, 'one')).toEqual({});
  }));
