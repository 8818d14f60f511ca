import { expect, it } from 'vitest';
import type { HubIndex } from '../../../../../src/hub/index-file.js';
import { refuseEdited } from '../../../../../src/services/hosting/publish/edited-files.js';
import { thrownBy } from '../../../../support/errors.js';

const pathOf = (file: string): string => `packages/one/1.0.0-SNAPSHOT/${file}`;
const step = (path: string) => ({ action: 'upload' as const, path, size: 1, sha256: 'new' });
const indexOf = (sha256: string): HubIndex => ({
  format: 1,
  sequence: 1,
  created: 0,
  expires: 1,
  keys: ['K'],
  files: [],
  packages: [{ name: 'one', version: '1.0.0-SNAPSHOT', files: [{ name: 'spec.json', size: 1, sha256 }] }],
});

/** Publishes over files, each with the content `old`. */
const over =
  (files: readonly string[], index: HubIndex | undefined, steps = files) =>
  (): void => {
    const published = { files: new Map(files.map((path) => [path, { size: 1, sha256: 'old' }])), index };
    refuseEdited({ files: [], replaced: steps.map(step) }, published, './to');
  };

const SPEC = pathOf('spec.json');

it('overwrites what the index of the target lists, signatures, new files, and what is at the root', () => {
  const names = [SPEC, `${SPEC}.asc`, 'packages.json', 'categories/example/icon.png'];
  expect(over(names, indexOf('old'))).not.toThrow();
  expect(over([], indexOf('old'), [pathOf('new.jar')])).not.toThrow();
});

it('does not overwrite other content, files that the index does not list, nor those of a tree that was never signed', () => {
  expect(thrownBy(over([SPEC], indexOf('other'))).details.lines).toEqual([SPEC]);
  expect(thrownBy(over([pathOf('new.jar')], indexOf('old'))).details.lines).toEqual([pathOf('new.jar')]);
  expect(thrownBy(over([SPEC], undefined)).message).toBe(
    './to has 1 file that hub publish did not put there; nothing was published',
  );
});

it('names 20 of many', () => {
  const many = Array.from({ length: 21 }, (_, at) => pathOf(`f${String(at).padStart(2, '0')}`));
  const { message, details } = thrownBy(over(many, indexOf('old')));
  expect(message).toContain('./to has 21 files');
  expect(details.lines).toEqual([...many.slice(0, 20), 'and 1 more']);
});
