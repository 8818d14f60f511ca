import { describe, expect, it } from 'vitest';
import { requestPath } from '../../../../../src/services/hosting/serve/answer.js';

describe('the path of a request', () => {
  it.each([
    ['/packages.json', 'packages.json'],
    ['/v2/packages.json', 'packages.json'],
    ['/v2/index.json.asc?x=/../y', 'index.json.asc'],
    ['/packages/a/1.0.0/%C3%BC%20b.jar', 'packages/a/1.0.0/ü b.jar'],
    ['/v2/categories/a%20b/icon.png', 'categories/a b/icon.png'],
    ['/packages/a/1.0.0/..;x', 404],
    ['/', 'index.html'],
    ['/v2/', 'index.html'],
    ['/v2/index.html', 'index.html'],
    ['/index.htm', 404],
    ['/index.html.asc', 404],
    ['/v2', 404],
    ['/v2/v2/packages.json', 404],
    ['/packages/', 404],
    ['//packages.json', 404],
    ['/packages//a/1.0.0/spec.json', 404],
    ['/packages/../packages.json', 404],
    ['/packages/..%2fhub.key', 404],
    ['/packages/%2e%2e/hub.key', 404],
    ['/packages/%2e%2e%2f%2e%2e%2fetc/passwd', 404],
    ['/packages/a%00.json', 404],
    ['/packages\\..\\hub.key', 404],
    ['/packages/%5c..%5chub.key', 404],
    ['/packages/..;/hub.key', 404],
    ['/packages/.git/config', 404],
    ['/.git/config', 404],
    ['/hub.key', 404],
    ['/README.md', 404],
    ['/packages/hub.key', 404],
    ['/packages/a/hub.key', 404],
    ['/packages/a/1.0.0/old/hub.key', 404],
    ['/categories/icon.png', 404],
    ['/categories/a/hub.key', 404],
    ['/categories/a/old/icon.png', 404],
    ['/packages/%', 400],
    ['/packages/%c0%ae%c0%ae/x', 400],
    ['http://example.com/packages.json', 400],
    ['*', 400],
    ['', 400],
  ])('V16: %j is %j', (target, wanted) => {
    const names = requestPath(target);
    expect(typeof names === 'number' ? names : names.join('/')).toBe(wanted);
  });
});
