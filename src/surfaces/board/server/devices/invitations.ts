/**
 * The invitation that the person at the terminal shows to one device: a code to type, and a longer token in a
 * QR code. Either works once, for a short time, and uses up the other. Kept only in memory, and only by hash.
 */
import { randomInt } from "node:crypto";
import { hashOf } from "../../../../core/hash.ts";
import { secret } from "../sessions.ts";

/** Milliseconds. */
export const INVITATION_LASTS = 5 * 60_000;
/** Without those that are easily mistaken for another. */
const LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789";
const CODE_LENGTH = 8;

export function openInvitations(now: () => number) {
  let present: { readonly hashes: readonly string[]; readonly until: number } | null = null;
  let used: readonly string[] = [];
  /** `used`, `expired` and `unknown` let no device in. */
  const check = (given: string): "valid" | "used" | "expired" | "unknown" => {
    const hash = hashOf(plain(given));
    if (used.includes(hash)) return "used";
    if (!present?.hashes.includes(hash)) return "unknown";
    return now() > present.until ? "expired" : "valid";
  };
  return {
    check,
    /** Ends the one before. `code`: `K7QF-2M9X` */
    make(): { readonly code: string; readonly token: string } {
      const letters = Array.from({ length: CODE_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
      const token = secret();
      present = { hashes: [letters, token].map(hashOf), until: now() + INVITATION_LASTS };
      return { code: `${letters.slice(0, 4)}-${letters.slice(4)}`, token };
    },
    /** True once. */
    use(given: string): boolean {
      if (check(given) !== "valid" || present === null) return false;
      used = present.hashes;
      present = null;
      return true;
    },
  };
}

/** A code as people type it; a token is longer and stays as it is. */
function plain(given: string): string {
  return given.length > CODE_LENGTH * 2 ? given : given.replace(/[^A-Za-z0-9]/g, "").toUpperCase();
}
