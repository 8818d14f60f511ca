import { describe, expect, it } from 'vitest';
import { namedPlugin } from '../../../../../src/flows/upgrade/selection.js';
import { refuseUnknownPlugins } from '../../../../../src/services/upgrade/plugins/named-plugins.js';
import { stepArtifacts } from '../../../../support/sites/upgrade-seed.js';
import { inMemory, NEVER } from '../in-memory.js';
import { errorOf } from '../../../../support/errors.js';

function siteOf() {
  const mine = stepArtifacts('6.11.0').map((one) => ({ ...one, name: 'mine', namespace: 'zeta' }));
  return inMemory({ namespaces: ['etl', 'zeta'], artifacts: [...stepArtifacts('6.11.0'), ...mine] });
}

const refuse = (plugins: readonly string[], site = siteOf(), namespaces = ['etl', 'zeta']) =>
  refuseUnknownPlugins(plugins.map(namedPlugin), namespaces, site.platform, NEVER);

describe('an artifact that --plugin names', () => {
  it.each([
    ['core-plugins', { name: 'core-plugins', version: undefined }],
    ['core-plugins@2.1.0', { name: 'core-plugins', version: '2.1.0' }],
  ])('is read: %s', (text, expected) => {
    expect(namedPlugin(text)).toEqual(expected);
  });

  it.each([
    [[]],
    [['example-steps']],
    [['example-steps@2.0.0', 'example-steps@1.0.0']],
    [['example-steps', 'mine@1.0.0']],
  ])('is taken where the platform has it in any scope and namespace: %o', async (plugins) => {
    await expect(refuse(plugins)).resolves.toBeUndefined();
  });

  it.each([
    ['exmple-steps', 'no artifact "exmple-steps"', 'Did you mean "example-steps"?'],
    ['steps', 'no artifact "steps"', 'Did you mean "example-steps"?'],
    ['Copy', 'no artifact "Copy"', 'specify an artifact'],
    ['Copy@1.0.0', 'no artifact "Copy"', 'specify an artifact'],
    ['example-steps@9', 'no artifact example-steps of version 9', 'it has 1.0.0, 2.0.0'],
  ])('is NOT_FOUND where the platform has none: %s', async (plugin, message, hint) => {
    const { code, message: said, details } = await errorOf(() => refuse(['mine', plugin]));
    expect([code, said]).toEqual(['NOT_FOUND', `the platform has ${message}`]);
    expect(details.hints?.[0]).toContain(hint);
  });

  it('is NOT_FOUND when its last version was deleted, with what there is', async () => {
    const steps = ['9.0.0', '10.0.0', '10.0.0-beta'].map((version) => ({ namespace: 'etl', name: 'steps', version }));
    const many = Array.from({ length: 25 }, (_, at) => ({
      namespace: 'etl',
      name: `own-${at + 10}`,
      version: '1.0.0',
    }));
    const site = inMemory({ namespaces: ['etl'], artifacts: [...stepArtifacts('6.11.0'), ...steps, ...many] });
    for (const version of ['1.0.0', '2.0.0'])
      await site.call('DELETE', `system/artifacts/example-steps/versions/${version}`);
    const gone = await errorOf(() => refuse(['example-steps'], site, ['etl']));
    expect([gone.code, gone.message]).toEqual(['NOT_FOUND', 'namespace "etl" has no artifact "example-steps"']);
    expect(gone.details).toMatchObject({ target: { artifact: 'example-steps' } });
    const [, there = ''] = gone.details.hints ?? [];
    expect(there).toMatch(/^there are cdap-data-pipeline, .*core-plugins, .* own-24 and 11 more$/u);
    expect(there).not.toContain('example-steps');
    const other = await errorOf(() => refuse(['steps@11.0.0'], site, ['etl']));
    expect(other.details.hints).toEqual(['it has 9.0.0, 10.0.0, 10.0.0-beta']);
    expect(site.writes()).toEqual([]);
  });

  it('is not looked for in namespaces that have nothing to do with it, nor twice', async () => {
    const site = siteOf();
    expect((await errorOf(() => refuse(['mine'], site, ['etl']))).code).toBe('NOT_FOUND');
    site.asked.length = 0;
    await refuse(['example-steps'], site);
    expect(site.asked).toHaveLength(1);
  });
});
