import { describe, expect, it } from 'vitest';
import { archiveOf, checkApplicationJar } from '../../../../../../src/services/install/things/application/action.js';
import { thrownBy } from '../../../../../support/errors.js';

describe('the name of a JAR', () => {
  it.each([
    ['shop-1.0.0.jar', 'shop', '1.0.0'],
    ['a-b-1.2-c-3.0.jar', 'a-b', '1.2-c-3.0'],
    ['a1-2b-3.jar', 'a1-2b', '3'],
    ['LogAnalysis-4.2.0-SNAPSHOT.jar', 'LogAnalysis', '4.2.0-SNAPSHOT'],
    ['log.analysis_x-1.jar', 'log.analysis_x', '1'],
  ])('%s gives artifact %s %s', (file, name, version) => {
    expect(archiveOf(file)).toEqual({ name, version });
  });

  it.each([
    'shop.jar',
    'shop-12c.jar',
    'shop-1.0.0',
    'shop-1.0.0.JAR',
    'folder/shop-1.0.0.jar',
    'my shop-1.0.0.jar',
    'läden-1.0.0.jar',
    'shop-1.0.0-ä.jar',
    '-1.0.0.jar',
    '.jar',
    '',
    'shop-1.0.0\r\nX: y.jar',
  ])('%j is refused', (file) => {
    expect(archiveOf(file)).toBeUndefined();
  });
});

describe('a JAR that a person brings', () => {
  const jar = { file: '/home/a/shop-1.0.0.jar', bytes: 1, entries: new Map([['org/example/Shop.class', 0]]) };

  it('tells its application and its artifact', () => {
    expect(checkApplicationJar({ ...jar, mainClass: 'org.example.Shop' })).toBe(
      'application org.example.Shop, will be artifact shop 1.0.0',
    );
  });

  it.each([
    ['no main class', {}, 'has no Main-Class'],
    ['a main class that it does not hold', { mainClass: 'org.example.Gone' }, 'org.example.Gone'],
    ['a name without a version', { mainClass: 'org.example.Shop', file: '/home/a/shop.jar' }, 'NAME-VERSION.jar'],
  ])('is refused with %s', (_, changes, words) => {
    const error = thrownBy(() => checkApplicationJar({ ...jar, ...changes }));
    expect(error.code).toBe('BAD_JAR');
    expect(error.message).toContain(words);
  });
});
