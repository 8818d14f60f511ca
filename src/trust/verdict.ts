import { CliError, type ErrorCode } from '../core/errors.js';
import type { Hint, NextStep } from '../core/next-step.js';

/** What `hub verify` shows for a file. */
export type SignatureState =
  'valid' | 'invalid' | 'missing' | 'unknown-signer' | 'expired-key' | 'revoked-key' | 'weak' | 'unsigned';

/** Why a file got its state. Docs/trust.md 2 has the table, with `unsigned` for files that nobody signs by design. */
export type Reason =
  | 'good'
  | 'missing'
  | 'unsigned'
  | 'bad-signature'
  | 'disputed'
  | 'unknown-key'
  | 'signature-expired'
  | 'signature-from-future'
  | 'key-newer-than-signature'
  | 'key-expired'
  | 'key-revoked'
  | 'key-unusable'
  | 'key-not-for-signing'
  | 'weak-key'
  | 'weak-hash'
  | 'wrong-signature-type'
  | 'unsupported-version'
  | 'critical-unknown'
  | 'malformed'
  | 'too-large'
  | 'too-many-signatures';

/** The judgement of one file and its signature. */
export interface Verdict {
  readonly state: SignatureState;
  readonly reason: Reason;
  /** Upper-case hex: the pinned primary key, or for an unknown key the one that the signature names. */
  readonly fingerprint?: string | undefined;
  /** Sixteen upper-case hex digits of the key or subkey that signed. */
  readonly keyId?: string | undefined;
  readonly userId?: string | undefined;
  /** RFC 3339. */
  readonly signedAt?: string | undefined;
  readonly algorithm?: string | undefined;
  readonly hash?: string | undefined;
  /** What exactly is wrong, with dates or names; a lower-case sentence without full stop. */
  readonly detail?: string | undefined;
  /** What else a person should know, such as other signatures that were ignored. */
  readonly notes: readonly string[];
  /** The one of the notes that tells of keys that are not trusted, and of nothing else. */
  readonly otherKeys?: string | undefined;
}

/** What a verdict says about the signer and the time. */
export type SignerFacts = Partial<
  Pick<Verdict, 'fingerprint' | 'keyId' | 'userId' | 'signedAt' | 'algorithm' | 'hash'>
>;

interface VerdictText {
  readonly state: SignatureState;
  readonly code: ErrorCode;
  /** `signer` is the fingerprint, where it is known. */
  readonly text: (file: string, signer: string | undefined) => string;
}

const REFUSED: Readonly<Record<Exclude<Reason, 'good' | 'unsigned'>, VerdictText>> = {
  missing: { state: 'missing', code: 'SIG_MISSING', text: (file) => `${file} has no signature` },
  'bad-signature': { state: 'invalid', code: 'SIG_BAD', text: (file) => `${file} does not match its signature` },
  disputed: {
    state: 'invalid',
    code: 'SIG_DISPUTED',
    text: (file) => `the checks of the signature of ${file} disagree, so it is rejected`,
  },
  'unknown-key': {
    state: 'unknown-signer',
    code: 'KEY_UNKNOWN',
    text: (file) => `${file} is signed by a key that is not trusted`,
  },
  'signature-expired': {
    state: 'invalid',
    code: 'SIG_EXPIRED',
    text: (file) => `the signature of ${file} has expired`,
  },
  'signature-from-future': {
    state: 'invalid',
    code: 'SIG_FUTURE',
    text: (file) => `the signature of ${file} is dated in the future`,
  },
  'key-newer-than-signature': {
    state: 'invalid',
    code: 'KEY_UNUSABLE',
    text: (file) => `the signature of ${file} is older than its key`,
  },
  'key-expired': {
    state: 'expired-key',
    code: 'KEY_EXPIRED',
    // Without the file: what holds for all files is told once.
    text: (file, signer) => `the key ${signer ?? `that signed ${file}`} has expired`,
  },
  'key-revoked': {
    state: 'revoked-key',
    code: 'KEY_REVOKED',
    text: (file) => `the key that signed ${file} was revoked`,
  },
  'key-unusable': {
    state: 'invalid',
    code: 'KEY_UNUSABLE',
    text: (file) => `the key that signed ${file} cannot be used`,
  },
  'key-not-for-signing': {
    state: 'invalid',
    code: 'KEY_UNUSABLE',
    text: (file) => `the key that signed ${file} cannot be used for signing`,
  },
  'weak-key': { state: 'weak', code: 'SIG_WEAK', text: (file) => `the key that signed ${file} is too weak` },
  'weak-hash': {
    state: 'weak',
    code: 'SIG_WEAK',
    text: (file) => `the signature of ${file} uses a hash that is too weak`,
  },
  'wrong-signature-type': {
    state: 'invalid',
    code: 'SIG_TYPE',
    text: (file) => `the signature of ${file} is not for a binary file`,
  },
  'unsupported-version': {
    state: 'invalid',
    code: 'SIG_MALFORMED',
    text: (file) => `the signature of ${file} has an unsupported version`,
  },
  'critical-unknown': {
    state: 'invalid',
    code: 'SIG_MALFORMED',
    text: (file) => `the signature of ${file} requires an unsupported feature`,
  },
  malformed: {
    state: 'invalid',
    code: 'SIG_MALFORMED',
    text: (file) => `the signature file of ${file} cannot be read`,
  },
  'too-large': { state: 'invalid', code: 'SIG_LIMIT', text: (file) => `the signature file of ${file} is too large` },
  'too-many-signatures': {
    state: 'invalid',
    code: 'SIG_LIMIT',
    text: (file) => `the signature file of ${file} has too many signatures`,
  },
};

/** The verdict of a file whose `.asc` the hub does not have. */
export function missingVerdict(): Verdict {
  return { state: 'missing', reason: 'missing', notes: [] };
}

/**
 * The verdict on a file that is unsigned by design. Examples are an icon, or the catalog of a hub without a signed
 * index.
 */
export function unsignedVerdict(): Verdict {
  return { state: 'unsigned', reason: 'unsigned', notes: [] };
}

/** The verdict of a refused signature. */
export function refusedVerdict(reason: keyof typeof REFUSED, detail: string, facts: SignerFacts = {}): Verdict {
  return { state: REFUSED[reason].state, reason, ...facts, detail, notes: [] };
}

/** The hub, or folder, that a file came from, for what a person is told to do. */
export interface Origin {
  /** Name or address. */
  readonly label: string;
  readonly kind: 'http' | 'folder';
  /** Of a folder: a package alone, as it was downloaded, or a hub. */
  readonly holds?: 'hub' | 'package' | undefined;
  /** A hub whose trusted key the signature names, where no key counts here. Its `option` chooses it on a line. */
  readonly lender?: { readonly hub: string; readonly option: string } | undefined;
  /** `NAME@VERSION` that the file belongs to. */
  readonly package?: string | undefined;
}

const SOMEWHERE: Origin = { label: 'NAME', kind: 'http' };

/**
 * The error of a verdict, ready for a person: the sentence, what exactly is wrong, and what to do. Throws INTERNAL for
 * a good verdict.
 */
export function verdictError(verdict: Verdict, file: string, origin: Origin = SOMEWHERE): CliError {
  const { reason } = verdict;
  if (reason === 'good' || reason === 'unsigned')
    throw new CliError('INTERNAL', `an error was asked for the ${reason} verdict of ${file}`);
  const { code, text } = REFUSED[reason];
  const said = text(file, verdict.fingerprint);
  return new CliError(code, verdict.detail === undefined ? said : `${said}: ${verdict.detail}`, {
    hints: hintsFor(verdict, origin),
    lines: verdict.notes,
    target: targetOf(verdict, file),
  });
}

function targetOf(verdict: Verdict, file: string): Record<string, string> {
  const signer = verdict.fingerprint ?? verdict.keyId;
  return { file, reason: verdict.reason, ...(signer === undefined ? {} : { signer }) };
}

/** The step that makes a key count for a hub. */
export function keyStep({ label, kind }: Origin): NextStep {
  const hub = kind === 'folder' && /[/\\]/u.test(label) ? 'NAME' : label;
  return { next: 'add-key', hub };
}

/** The path of a folder that was named by it, and not by the name of a hub. */
const pathOf = ({ label }: Origin): string | undefined => (/[/\\]/u.test(label) ? label : undefined);

/** The folder that `hub download` put a package in; undefined where it lies elsewhere. */
function folderOf({ label, package: name = '' }: Origin): string | undefined {
  const below = `/${name.replace('@', '/')}`;
  return label.endsWith(below) ? label.slice(0, -below.length) : undefined;
}

function hintsFor({ reason, fingerprint }: Verdict, origin: Origin): Hint[] {
  switch (reason) {
    case 'unknown-key':
      return [
        'get the key (FILE) and its fingerprint (FPR) from the publisher through another channel; do not rely on the fingerprint in a signature',
        keyStep(origin),
      ];
    case 'key-expired':
      return [
        'ask the publisher for the extended key and add it again',
        { next: 'allow-expired-key', fingerprint: fingerprint ?? 'FPR' },
      ];
    case 'bad-signature':
      if (origin.kind === 'http')
        return [
          'do not use the package, and tell its publisher: the hub, or something on the way, serves other content',
        ];
      return origin.holds === 'hub'
        ? [{ next: 'restore-file', folder: pathOf(origin) }]
        : [{ next: 'download-again', package: origin.package, folder: folderOf(origin) }];
    case 'disputed':
      return ['do not use the file; report it with its signature to the cdapctl maintainers (SECURITY.md)'];
    case 'signature-from-future':
      return ['check the clock of this machine; up to 5 minutes of difference are allowed'];
    case 'missing':
      return ['ask the publisher for a signed package'];
    default:
      return [];
  }
}
