/** A key of a hub: signs files, and its public half verifies them. */
export interface HubSigner {
  /** The public key, armoured. */
  readonly publicKey: string;
  /** The key's full fingerprint: 40 upper-case hexadecimal digits. */
  readonly fingerprint: string;
  /** Makes a detached, armoured signature over the bytes as they are. */
  sign(bytes: Uint8Array): Promise<string>;
}

/** A signer whose key can be kept for a later start. */
export interface KeptSigner extends HubSigner {
  /** The whole key, armoured. */
  readonly privateKey: string;
}

const KEY_OWNER = { name: 'Example Organisation Hub', email: 'hub@example.org' };

/**
 * Makes a new Ed25519 key in the format that every OpenPGP tool reads, or goes on with an earlier one. `now` in
 * milliseconds dates a new key and the signatures.
 */
export async function makeSigner(now: number, earlier?: string): Promise<KeptSigner> {
  const { createMessage, generateKey, readPrivateKey, sign } = await import('openpgp');
  const date = new Date(now);
  const made = async () => {
    const kind = { type: 'ecc', curve: 'ed25519Legacy', format: 'object' } as const;
    return (await generateKey({ ...kind, userIDs: [KEY_OWNER], subkeys: [], date })).privateKey;
  };
  const privateKey = earlier === undefined ? await made() : await readPrivateKey({ armoredKey: earlier });
  return {
    privateKey: privateKey.armor(),
    publicKey: privateKey.toPublic().armor(),
    fingerprint: privateKey.getFingerprint().toUpperCase(),
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
