/** Signatures of people who decide at gates, by OpenSSH's `ssh-keygen -Y`. */

export interface Signatures {
  /** The person whose key signs on this machine. Throws `key-missing`. */
  signer(): Promise<Signer>;
  /**
   * Signs with that key and returns the armoured signature. Asks the person for the passphrase, PIN or touch.
   * Throws `signature-failed`.
   */
  sign(text: string): Promise<string>;
  /** Why the signature does not count, in a few words; null: it does. */
  verify(order: SignatureOrder): Promise<string | null>;
}

export interface Signer {
  /** The name in the file of allowed signers. */
  readonly principal: string;
  /** Of the private key. */
  readonly path: string;
}

export interface SignatureOrder {
  readonly text: string;
  /** Armoured, in the form of `ssh-keygen -Y sign`. */
  readonly signature: string;
  /** The claimed signer. */
  readonly principal: string;
  /** The text of a file of allowed signers. */
  readonly allowed: string;
  /** The time at which the key must have been valid, ISO 8601 in UTC. */
  readonly time: string;
}

/** The keys of this machine's person, for `pawl keys`. */
export interface Keys {
  /** Reads the public key at the path, or that of the private key there. Throws `key-unusable`. */
  inspect(path: string): Promise<PublicKey>;
  /** Makes a key. The person types its passphrase. */
  generate(): Promise<PublicKey>;
  /** Makes this key the one that signs on this machine. */
  use(signer: Signer): Promise<void>;
  /** The key that signs on this machine, or null. */
  used(): Promise<Signer | null>;
  /** The name under which the person signs by default. */
  principal(): Promise<string>;
}

export interface PublicKey {
  /** Of the private key. */
  readonly path: string;
  /** `ssh-ed25519 AAAA…` */
  readonly line: string;
  readonly fingerprint: string;
  /** Whether read access to its file is enough to sign: it has no passphrase and is not in hardware. */
  readonly isOpen: boolean;
}
