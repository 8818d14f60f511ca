import { expect, it } from 'vitest';
import { samplePackages } from '../../../src/emulator/hub/packages.js';
import { CATALOGS } from '../../platform/install/catalogs.js';

it('every sample package is shown or hidden on a real platform', () => {
  const listed = CATALOGS.filter(({ hub }) => hub === 'samples').flatMap(({ shown, hidden }) => [
    ...shown,
    ...Object.keys(hidden),
  ]);
  expect(listed.sort()).toEqual(
    samplePackages()
      .map(({ name, version }) => `${name}@${version}`)
      .sort(),
  );
});
