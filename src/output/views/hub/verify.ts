import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import type { VerifiedFile } from '../../../services/catalog/verified-file.js';
import type { VerificationOutcome } from '../../../services/catalog/verify/verify.js';
import { stateStyle } from '../../states.js';
import { view } from '../view.js';
import { shortFingerprint } from './signer.js';

const text = z.optional(z.string());
const File = z.object({
  hub: z.string(),
  package: text,
  version: text,
  name: z.string(),
  bytes: z.optional(z.number()),
  sha256: text,
  state: z.enum(['valid', 'invalid', 'missing', 'unknown-signer', 'expired-key', 'revoked-key', 'weak', 'unsigned']),
  reason: z.string(),
  ok: z.boolean(),
  fingerprint: text,
  keyId: text,
  userId: text,
  signedAt: text,
  algorithm: text,
  hash: text,
  detail: text,
});

function packageOf({ package: name, version }: VerifiedFile): string | undefined {
  return name === undefined ? undefined : `${name}@${version ?? ''}`;
}

/**
 * The state in words: a file without a signature is told from one that is not there. Upper case says that it is
 * refused.
 */
function stateOf({ ok, state, bytes }: VerifiedFile): string {
  const words = state === 'missing' && bytes !== undefined ? 'no signature' : state;
  return ok ? words : words.toUpperCase();
}

/** Who signed, or what is wrong; never by colour alone. */
function signerOf({ ok, fingerprint, userId, detail }: VerifiedFile): string | undefined {
  const words = [
    fingerprint === undefined ? undefined : shortFingerprint(fingerprint),
    ok && userId !== undefined ? userId.replace(/ <[^>]*>$/u, '') : detail,
  ].filter((word) => word !== undefined);
  return words.length === 0 ? undefined : words.join('  ');
}

/** The end of a verification in one line. */
export function verificationLine(outcome: VerificationOutcome): string {
  const { files, packages, valid, unsigned, refused, unknown } = outcome;
  const open = files - valid - unsigned - refused;
  const counts = [
    `${valid} valid`,
    `${unsigned} ${unsigned === 1 ? 'needs' : 'need'} no signature`,
    `${refused - unknown} invalid`,
    ...(unknown === 0 ? [] : [`${unknown} of unknown signer`]),
  ];
  const all = open === 0 ? counts : [...counts, `${open} not verified`];
  return `${counted(files, 'file')} of ${counted(packages, 'package')} checked: ${all.join(', ')}`;
}

/** Shows the files of a verification; package and hub are columns of the table when there are several. */
export const verifiedFiles = (several: boolean, hubs = false) =>
  view<typeof File, VerifiedFile>({
    kind: 'HubVerification',
    none: 'no files to verify found',
    schema: File,
    name: (file) => [packageOf(file), file.name].filter((part) => part !== undefined).join('/'),
    columns: [
      { key: 'hub', value: (file) => file.hub, wide: !hubs, telling: true },
      { key: 'package', value: packageOf, wide: !several },
      { key: 'name', header: 'FILE', value: (file) => file.name, whole: !several, telling: true },
      {
        key: 'state',
        value: stateOf,
        whole: true,
        telling: true,
        style: ({ ok, state }) => (ok ? stateStyle(state) : 'red'),
      },
      { key: 'signer', value: signerOf, prose: true },
      { key: 'signedAt', value: ({ signedAt }) => signedAt && new Date(signedAt), day: true, spare: 1 },
      { key: 'reason', value: (file) => file.reason, wide: true },
      { key: 'fingerprint', value: (file) => file.fingerprint, wide: true, whole: true },
      { key: 'algorithm', value: (file) => file.algorithm, wide: true },
      { key: 'hash', value: (file) => file.hash, wide: true },
      { key: 'bytes', value: (file) => file.bytes, wide: true, align: 'right' },
      { key: 'sha256', value: (file) => file.sha256, wide: true },
    ],
  });

/** The view of one package; its schema is the one of all verifications. */
export const verifiedPackage = verifiedFiles(false);
