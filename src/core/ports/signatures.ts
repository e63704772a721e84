/** Signatures of the persons who decide at gates, by OpenSSH's `ssh-keygen -Y`. */

export interface Signatures {
  /** Whose key signs on this machine. Throws `key-missing`. */
  signer(): Promise<Signer>;
  /** The armoured signature by that key; the person is asked for its passphrase, PIN or touch. Throws `signature-failed`. */
  sign(text: string): Promise<string>;
  /** Why the signature does not count, in a few words; null: it does. */
  verify(order: SignatureOrder): Promise<string | null>;
}

export interface Signer {
  /** As the file of allowed signers names them. */
  readonly principal: string;
  /** Of the private key. */
  readonly path: string;
}

export interface SignatureOrder {
  readonly text: string;
  /** Armoured, as `ssh-keygen -Y sign` writes it. */
  readonly signature: string;
  /** Who is said to have signed. */
  readonly principal: string;
  /** The text of a file of allowed signers. */
  readonly allowed: string;
  /** At which the key must have been valid, ISO 8601 in UTC. */
  readonly time: string;
}

/** The keys of the person at this machine, for `pawl keys`. */
export interface Keys {
  /** The public key at the path, or its private key's. Throws `key-unusable`. */
  inspect(path: string): Promise<PublicKey>;
  /** Makes a key, whose passphrase the person types. */
  generate(): Promise<PublicKey>;
  /** From now on this key signs on this machine. */
  use(signer: Signer): Promise<void>;
  /** The key that signs on this machine, or null. */
  used(): Promise<Signer | null>;
  /** Under which name the person signs, unless they say otherwise. */
  principal(): Promise<string>;
}

export interface PublicKey {
  /** Of the private key. */
  readonly path: string;
  /** `ssh-ed25519 AAAA…` */
  readonly line: string;
  readonly fingerprint: string;
  /** Of a hardware key. */
  readonly isHardware: boolean;
  /** Whoever reads its file can sign with it: it has no passphrase and is not in hardware. */
  readonly isOpen: boolean;
}
