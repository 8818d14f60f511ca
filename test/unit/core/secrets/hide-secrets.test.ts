import { describe, expect, it } from 'vitest';
import { hiderOf } from '../../../../src/core/secrets/hide-secrets.js';

describe('a secret', () => {
  const secret = `a'b c&d<e>f"g\\h`;
  const hide = hiderOf([secret], '***');
  it.each([
    ['as it is', secret],
    ['in HTML', `a'b c&amp;d&lt;e&gt;f&quot;g\\h`],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    ['in JSON in JSON', JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
    ['in a word of a shell', secret.replaceAll("'", String.raw`'\''`)],
    ['in a URL', encodeURIComponent(secret)],
    ['in a form', new URLSearchParams({ s: secret }).toString().slice(2)],
    ['with plus signs for blanks', secret.replaceAll(' ', '+')],
  ])('is hidden %s', (_, text) => {
    expect(hide(`x ${text} y`)).toBe('x *** y');
  });
});
