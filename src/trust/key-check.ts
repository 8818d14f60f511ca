import type { Config, Key, SignaturePacket } from 'openpgp';
import { smallestOf } from '../core/collections.js';
import { formatTime } from '../core/time.js';
import { fingerprintOf, type Certificate, type KeyUnit } from './certificate.js';
import { openPublicNumbers, readPublicNumbers, type PublicNumbers } from './public-numbers.js';
import { Refusal } from './refusal.js';

const SIGN_DATA = 0x02;
const SECOND = 1000;
/** Caches whether a key or subkey may sign, by moment. One key may sign thousands of files. */
const FOUND = new WeakMap<KeyUnit, Map<number | null, Promise<boolean>>>();
const MOST_MOMENTS = 16;
const NUMBERS = new WeakMap<KeyUnit, PublicNumbers>();

/** When a signature was made, and when it is judged. */
export interface Moments {
  readonly signed: Date;
  readonly now: Date;
  /** Whether a key that expired after `signed` is accepted. */
  readonly allowExpired: boolean;
}

/**
 * Checks that a key or subkey may sign, both when the signature was made and now. Throws a Refusal, and returns notes.
 */
export async function checkKey(certificate: Certificate, unit: KeyUnit, moments: Moments): Promise<readonly string[]> {
  const { key } = certificate;
  const { signed, now } = moments;
  const newest = Math.max(key.getCreationTime().getTime(), unit.getCreationTime().getTime());
  if (newest > signed.getTime())
    throw new Refusal(
      'key-newer-than-signature',
      `the key was made ${iso(new Date(newest))}, the signature ${iso(signed)}`,
    );
  const revoked = await findRevocation(certificate, unit);
  if (revoked !== undefined) throw new Refusal('key-revoked', revoked);
  if (!(await maySign(certificate, unit, null))) throw await whyUnusable(certificate, unit);
  if (!(await maySign(certificate, unit, signed))) throw await whyNotThen(certificate, unit, moments);
  const at = new Date(Math.max(now.getTime(), signed.getTime()));
  if (await maySign(certificate, unit, at)) return [];
  if (!moments.allowExpired)
    throw new Refusal('key-expired', `it was valid until ${iso((await endOf(certificate, unit)) ?? null)}`);
  return ['the key has expired since; accepted as configured'];
}

/** Checks that a key could verify anything at all, whatever the time. Throws the Refusal of its primary key. */
export async function checkUsable(certificate: Certificate): Promise<void> {
  const problems: Refusal[] = [];
  for (const unit of certificate.key.getKeys()) {
    try {
      openPublicNumbers(numbersOf(certificate, unit));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(error);
      continue;
    }
    if (await maySign(certificate, unit, null)) return;
    problems.push(await whyUnusable(certificate, unit));
  }
  throw problems[0] ?? new Refusal('key-unusable', 'it has no key');
}

/**
 * The public numbers of a key or subkey. Throws a Refusal when those of its primary key are too weak to vouch for
 * anything.
 */
export function numbersOf({ key }: Certificate, unit: KeyUnit): PublicNumbers {
  const primary = numbersOnce(key);
  if (primary.problem !== undefined) throw primary.problem;
  return numbersOnce(unit);
}

function numbersOnce(unit: KeyUnit): PublicNumbers {
  const numbers = NUMBERS.get(unit) ?? readPublicNumbers(unit.keyPacket.write());
  NUMBERS.set(unit, numbers);
  return numbers;
}

/**
 * Why a key or subkey counts as revoked, or undefined. Any revocation by the key itself counts, soft or hard, whatever
 * its hash or date.
 */
export async function findRevocation({ key, config, kinds }: Certificate, unit: KeyUnit): Promise<string | undefined> {
  if (key.revocationSignatures.length === 0 && unit.revocationSignatures.length === 0) return undefined;
  const lenient = { ...config, rejectHashAlgorithms: new Set<never>() };
  const primary = { key: key.keyPacket };
  const found =
    (await firstValid(key.revocationSignatures, key, kinds.keyRevocation, primary, lenient)) ??
    ('mainKey' in unit
      ? await firstValid(
          unit.revocationSignatures,
          key,
          kinds.subkeyRevocation,
          { ...primary, bind: unit.keyPacket },
          lenient,
        )
      : undefined);
  if (found === undefined) return undefined;
  const text = found.reasonForRevocationString ?? '';
  return `${iso(found.created)}, ${reasonName(found.reasonForRevocationFlag)}${text === '' ? '' : ` ("${text}")`}`;
}

async function firstValid(
  packets: readonly SignaturePacket[],
  key: Key,
  type: Parameters<SignaturePacket['verify']>[1],
  signed: object,
  config: Config,
): Promise<SignaturePacket | undefined> {
  for (const packet of packets) {
    const valid = await packet.verify(key.keyPacket, type, signed, packet.created ?? undefined, false, config).then(
      () => true,
      () => false,
    );
    if (valid) return packet;
  }
  return undefined;
}

function reasonName(flag: number | null): string {
  const names: Record<number, string> = { 1: 'replaced by another key', 2: 'stolen or lost', 3: 'no longer used' };
  return names[flag ?? 0] ?? 'no reason given';
}

/** Whether a key is fit for signing at a moment, by the settings of its certificate. `null` leaves time out. */
function maySign({ key, config }: Certificate, unit: KeyUnit, date: Date | null): Promise<boolean> {
  const moments = FOUND.get(unit) ?? new Map<number | null, Promise<boolean>>();
  const moment = date?.getTime() ?? null;
  const found = moments.get(moment) ?? isSigningKey(key, unit, date, config);
  if (moments.size >= MOST_MOMENTS) moments.clear();
  FOUND.set(unit, moments.set(moment, found));
  return found;
}

/** Whether openpgp finds this very key fit for signing; `null` leaves time out. */
async function isSigningKey(key: Key, unit: KeyUnit, date: Date | null, config: Config): Promise<boolean> {
  try {
    const found = await key.getSigningKey(unit.getKeyID(), date, undefined, config);
    return fingerprintOf(found) === fingerprintOf(unit);
  } catch {
    return false;
  }
}

/** Which demand fails is found by dropping one after the other, never by the words of the library. */
async function whyUnusable({ key, config }: Certificate, unit: KeyUnit): Promise<Refusal> {
  const anyHash = { ...config, rejectHashAlgorithms: new Set<never>() };
  if (await isSigningKey(key, unit, null, anyHash))
    return new Refusal(
      'weak-key',
      'its own signatures use a hash that is too weak (SHA-1 or MD5); ask the publisher to renew them (gpg --quick-set-expire)',
    );
  if (await isSigningKey(key, unit, null, { ...anyHash, allowMissingKeyFlags: true }))
    return new Refusal(
      'key-not-for-signing',
      'it does not specify its allowed use; ask the publisher to renew it (gpg --quick-set-expire)',
    );
  const own = ownSignatures(key, unit);
  if (own.some(({ keyFlags }) => keyFlags !== null && ((keyFlags[0] ?? 0) & SIGN_DATA) === 0))
    return new Refusal('key-not-for-signing', 'its flags do not allow signing files');
  return new Refusal(
    'key-unusable',
    'mainKey' in unit ? 'the subkey and the primary key do not certify each other' : 'it has no valid user id',
  );
}

/** When a key or subkey can sign no longer; undefined: never. */
export async function endOf({ key, config }: Certificate, unit: KeyUnit): Promise<Date | undefined> {
  const times = [
    await key.getExpirationTime(undefined, config),
    'mainKey' in unit ? await unit.getExpirationTime(undefined, config) : null,
  ].filter((time): time is Date => time instanceof Date);
  return times.sort((a, b) => a.getTime() - b.getTime())[0];
}

async function whyNotThen(certificate: Certificate, unit: KeyUnit, { signed, now }: Moments): Promise<Refusal> {
  const own = ownSignatures(certificate.key, unit);
  const first = smallestOf(own.map(({ created }) => created?.getTime() ?? 0));
  if (first > signed.getTime())
    return new Refusal(
      'key-newer-than-signature',
      `the signature was made ${iso(signed)}, the self-signatures of the key start ${iso(new Date(first))}`,
    );
  const end = await endOf(certificate, unit);
  if (end === undefined || end > signed)
    return new Refusal('key-expired', `it was not valid when the signature was made, ${iso(signed)}`);
  const isNew = now.getTime() - signed.getTime() < SECOND;
  return new Refusal(
    'key-expired',
    `it was valid until ${iso(end)}${isNew ? '' : `; the signature was made ${iso(signed)}`}`,
  );
}

function ownSignatures(key: Key, unit: KeyUnit): readonly SignaturePacket[] {
  return 'mainKey' in unit ? unit.bindingSignatures : key.users.flatMap((user) => user.selfCertifications);
}

function iso(date: Date | null): string {
  return date === null ? 'an unknown time' : formatTime(date.getTime());
}
