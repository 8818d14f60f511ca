import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { LIMITS } from '../../../../src/hub/source.js';
import type { HubIndex } from '../../../../src/hub/index-file.js';
import { againstIndex, readSignatureFile } from '../../../../src/services/catalog/signed-index.js';
import type { PackageAddress } from '../../../../src/services/catalog/trust-setup.js';

const [OWN, THEIRS, ICON, NEW, OLD] = ['a', 'b', 'c', 'd', 'e'].map((digit) => digit.repeat(64));
const file = (sha256 = '', size = 7) => ({ name: 'plug.jar', size, sha256 });
const index = {
  packages: [
    { name: 'mine', version: '1.0.0', files: [file(ICON)] },
    { name: 'plug', version: '1.0.0', files: [file(OWN), { ...file(ICON), name: 'icon.png' }] },
    { name: 'other', version: '2.0.0', files: [file(THEIRS), file(OLD)] },
    { name: 'plug', version: '0.9.0', files: [file(OLD)] },
  ],
} as unknown as HubIndex;
const address = { name: 'plug', version: '1.0.0' } as PackageAddress;
const judge = (sha256 = '', bytes = 7, name = 'plug.jar'): string => {
  const error = againstIndex(index, address, name, bytes, sha256);
  return error === undefined ? 'good' : `${error.code} ${error.message}`;
};

describe('a signature file', () => {
  const place = { file: 'index.json.asc' };
  const failing = (error: Error) =>
    readSignatureFile({ open: async () => Promise.reject(error) }, place, new AbortController().signal);

  it('that is too large is read as far as one may be, and a byte more', async () => {
    expect(await failing(new CliError('TOO_LARGE', 'it is too large'))).toHaveLength(LIMITS.signature + 1);
  });

  it.each([new CliError('NET_RESET', 'cut'), new TypeError('bug')])(
    'that cannot be read is no signature: %s',
    async (error) => {
      await expect(failing(error)).rejects.toBe(error);
    },
  );
});

describe('a file beside the signed index', () => {
  it.each([
    ['is good when it is listed', OWN, 7, 'plug.jar', 'good'],
    [
      'is said to have another size, not to be of another package, when the size alone is wrong',
      OWN,
      8,
      'plug.jar',
      'MIXED plug 1.0.0: plug.jar has 8 bytes, but the signed index of the hub lists 7 for the same content',
    ],
    [
      'is said to be of the package that it is of',
      THEIRS,
      7,
      'plug.jar',
      'BINDING plug 1.0.0: plug.jar is signed as a file of other 2.0.0',
    ],
    [
      'is said to be of another version of its package sooner than of another package',
      OLD,
      7,
      'plug.jar',
      'BINDING plug 1.0.0: plug.jar is signed as a file of plug 0.9.0',
    ],
    ['is said to be another file', ICON, 7, 'plug.jar', 'BINDING plug 1.0.0: plug.jar is signed as another file of it'],
    [
      'is said not to match',
      NEW,
      7,
      'plug.jar',
      'MIXED plug 1.0.0: plug.jar does not match the signed index of the hub',
    ],
    [
      'is said to be too large',
      NEW,
      8,
      'plug.jar',
      'MIXED plug 1.0.0: plug.jar does not match the signed index of the hub: it has more than the listed 7 bytes',
    ],
    ['is said not to be listed', OWN, 7, 'new.jar', 'MIXED plug 1.0.0: new.jar is not in the signed index of the hub'],
  ])('%s', (_, sha256, bytes, name, expected) => {
    expect(judge(sha256, bytes, name)).toBe(expected);
  });
});
