/** The devices that may use a board that is served beyond this machine, kept outside all projects. */

export interface Passkey {
  /** Base64url. */
  readonly id: string;
  /** Base64url of the COSE key. */
  readonly publicKey: string;
  /** Its count of signatures when it was registered. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** The domain for which it was made. */
  readonly domain: string;
}

export interface Device {
  /** Eight hexadecimal digits. */
  readonly id: string;
  readonly name: string;
  /** ISO 8601 */
  readonly added: string;
  /** Null: it can approve nothing. */
  readonly passkey: Passkey | null;
  /** The sha-256 of its cookie, and when that expires; null: it signs in with its passkey. */
  readonly cookie: { readonly hash: string; readonly until: string } | null;
}

export const MAX_DEVICES = 10;
/** Characters. */
export const LONGEST_NAME = 40;

/** Allows only characters that a terminal and a page show as they are. */
export function isDeviceName(name: string): boolean {
  return (
    name.length <= LONGEST_NAME &&
    /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N} .,'’_()-]*[\p{L}\p{M}\p{N})])?$/u.test(name)
  );
}

export interface Devices {
  /** The oldest first. Throws `state-home-failed` if any is not what Pawl writes. */
  list(): readonly Device[];
  /** Throws `usage` if there are too many. */
  add(device: Device): void;
  /** False: there was no such device. */
  revoke(id: string): boolean;
  /** Whether it still has access, unchanged. */
  isValid(device: Device): boolean;
  /** Calls back soon after a device was added or revoked, by any process. */
  watch(changed: () => void): { close(): void };
}
