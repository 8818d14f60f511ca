import { expect, it } from 'vitest';
import { platformAddress } from '../../../../src/cli/transports.js';

function failureOf(text: string): unknown {
  try {
    return platformAddress(text);
  } catch (error) {
    return error;
  }
}

it.each(['http://127.0.0.1:28015', 'https://cdap.example.com:10443/api'])('takes %s as it stands', (text) => {
  expect(platformAddress(text)).toBe(text);
});

it.each([
  ['127.0.0.1:28015', 'http://127.0.0.1:28015'],
  ['localhost', 'http://localhost'],
  ['localhost:11015/api', 'http://localhost:11015/api'],
  ['cdap.example.com:10443', 'https://cdap.example.com:10443'],
  ['ftp://cdap.example.com', 'https://cdap.example.com'],
])('refuses %s and shows %s', (text, shown) => {
  const hints = [`add the scheme, for example ${shown}`];
  expect(failureOf(text)).toMatchObject({ code: 'USAGE', details: { hints } });
});
