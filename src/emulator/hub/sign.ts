/** A key made at start: signs files, and its public half verifies them. */
export interface HubSigner {
  /** The public key, armoured. */
  readonly publicKey: string;
  /** The key's full fingerprint: 40 upper-case hexadecimal digits. */
  readonly fingerprint: string;
  /** Makes a detached, armoured signature over the bytes as they are. */
  sign(bytes: Uint8Array): Promise<string>;
}

const KEY_OWNER = { name: 'Example Organisation Hub', email: 'hub@example.org' };

/** Makes a new Ed25519 key in the format that every OpenPGP tool reads; `now` in milliseconds dates the key and its signatures. */
export async function makeSigner(now: number): Promise<HubSigner> {
  const { createMessage, generateKey, sign } = await import('openpgp');
  const date = new Date(now);
  const { privateKey, publicKey } = await generateKey({
    type: 'ecc',
    curve: 'ed25519Legacy',
    userIDs: [KEY_OWNER],
    subkeys: [],
    date,
    format: 'object',
  });
  return {
    publicKey: publicKey.armor(),
    fingerprint: publicKey.getFingerprint().toUpperCase(),
    sign: async (bytes) =>
      sign({
        message: await createMessage({ binary: bytes }),
        signingKeys: privateKey,
        detached: true,
        format: 'armored',
        date,
      }),
  };
}
