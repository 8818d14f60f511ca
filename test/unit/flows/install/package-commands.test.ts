import { expect, it } from 'vitest';
import { packageCommands } from '../../../../src/flows/install/package-commands.js';

const PLACE = { name: 'copy', version: '1.2.0' };

it.each<[string, string[], string, string[]]>([
  [
    'keep where and as whom, and nothing else',
    ['install', 'corp/copy@1.2.0', '-n', 'etl', '-u', 'http://x', '--token-file=t', '--set', '1.name=a', '-y'],
    'corp/copy@1.2.0',
    [
      'cdapctl installed uninstall copy@1.2.0 -n etl -u http://x --token-file=t',
      'cdapctl hub show corp/copy --versions -u http://x --token-file=t',
      'cdapctl hub show corp/copy@1.2.0 --actions -u http://x --token-file=t',
    ],
  ],
  [
    'name the hub where packages are looked for only',
    ['install', 'copy', '--hub', 'corp', '-uhttp://x', '--allow-http-token', '--force'],
    'copy',
    [
      'cdapctl installed uninstall copy@1.2.0 -n etl -uhttp://x --allow-http-token',
      'cdapctl hub show copy --versions --hub corp -uhttp://x --allow-http-token',
      'cdapctl hub show copy --actions --hub corp -uhttp://x --allow-http-token',
    ],
  ],
  [
    'take nothing behind a -- for a flag',
    ['install', '-u', 'http://x', '--', 'copy', '-uhttp://y'],
    'copy',
    [
      'cdapctl installed uninstall copy@1.2.0 -n etl -u http://x',
      'cdapctl hub show copy --versions -u http://x',
      'cdapctl hub show copy --actions -u http://x',
    ],
  ],
  [
    'take a folder for what it is',
    ['install', './pack@ges/copy'],
    './pack@ges/copy',
    [
      'cdapctl installed uninstall copy@1.2.0 -n etl',
      'cdapctl hub show ./pack@ges/copy --versions',
      'cdapctl hub show ./pack@ges/copy --actions',
    ],
  ],
])('commands of hints %s', (_, argv, named, expected) => {
  const { uninstall, versions, actions } = packageCommands(argv, named, PLACE, 'etl');
  expect([uninstall, versions, actions]).toEqual(expected);
});
