import { expect, it } from 'vitest';
import { secretsGiven } from '../../../src/cli/known-secrets.js';

it.each([
  [['context', 'add', '--proxy', 'http://u:PA/SS@host'], {}, 'PA/SS'],
  [['--url=http://u:p%40w@host'], {}, 'p@w'],
  [['--password', 'hunter22'], {}, 'hunter22'],
  [['--token=abc=def'], {}, 'abc=def'],
  [['--set', '2.db.password=hunter22'], {}, 'hunter22'],
  [['--set=2.db.password=hunter22=x'], {}, 'hunter22=x'],
  [['-v=1.token=hunter22'], {}, 'hunter22'],
  [[], { CDAPCTL_TOKEN: ' planted ' }, 'planted'],
  [[], { CDAPCTL_TOKEN: '{"access_token":"planted"}' }, 'planted'],
  [[], { CDAPCTL_TOKEN: 'Bearer planted' }, 'planted'],
  [[], { CDAPCTL_SET: '1.name=x 1.password=planted' }, 'planted'],
  [[], { cdapctl_password: 'planted' }, 'planted'],
  [[], { CDAPCTL_HUB: 'one,http://u:planted@host' }, 'planted'],
  [[], { https_proxy: 'http://u:planted@host' }, 'planted'],
  [[], { CDAPCTL_URL: 'http://u:planted@host' }, 'planted'],
])('knows the secret of %j with %j', (argv, env, secret) => {
  expect(secretsGiven(argv, env)).toContain(secret);
});

it('takes nothing else for one', () => {
  const argv = [
    'upgrade',
    '--token-file',
    'token.txt',
    '-u',
    'https://host:443/@scope',
    '--set',
    '1.name=orders',
    '--passphrase',
  ];
  expect(secretsGiven(argv, { HOME: '/home/me', CDAPCTL_TOKEN: '', CDAPCTL_URL: 'http://host' })).toEqual([]);
});
