/**
 * The invitation that the person at the terminal shows to one device: a code to type, and a longer token in a
 * QR code. Either works once, for a short time, and uses up the other. Kept only in memory, and only by hash.
 */
import { randomBytes, randomInt } from "node:crypto";
import { hashOf } from "../../../../core/hash.ts";

export interface Invitation {
  /** `K7QF-2M9X` */
  readonly code: string;
  readonly token: string;
}

export interface Invitations {
  /** Ends the one before. */
  make(): Invitation;
  /** `used`, `expired` and `unknown` let nobody in. */
  look(secret: string): "valid" | "used" | "expired" | "unknown";
  /** True once. */
  use(secret: string): boolean;
}

/** Milliseconds. */
export const INVITATION_LASTS = 5 * 60_000;
/** Without those that are easily mistaken for another. */
const LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;

export function openInvitations(now: () => number): Invitations {
  let present: { readonly hashes: readonly string[]; readonly until: number } | null = null;
  let used: readonly string[] = [];
  const look: Invitations["look"] = (secret) => {
    const hash = hashOf(plain(secret));
    if (used.includes(hash)) return "used";
    if (!present?.hashes.includes(hash)) return "unknown";
    return now() > present.until ? "expired" : "valid";
  };
  return {
    look,
    make() {
      const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
      const token = randomBytes(32).toString("base64url");
      present = { hashes: [letters, token].map(hashOf), until: now() + INVITATION_LASTS };
      return { code: `${letters.slice(0, 4)}-${letters.slice(4)}`, token };
    },
    use(secret) {
      if (look(secret) !== "valid" || present === null) return false;
      used = present.hashes;
      present = null;
      return true;
    },
  };
}

/** A code as people type it; a token is longer and stays as it is. */
function plain(secret: string): string {
  return secret.length > CODE_LENGTH * 2 ? secret : secret.replace(/[^A-Za-z0-9]/g, "").toUpperCase();
}
