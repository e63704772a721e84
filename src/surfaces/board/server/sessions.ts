/**
 * Who may use the board. A browser gets in with the board's URL, whose token is valid for one exchange and
 * for a short time; then it has a cookie that no script can read, and sends a second secret with each change.
 * Kept only in memory: a restarted board has a new URL.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { BoundedMap } from "../../../core/bounded-map.ts";
import { hashOf } from "../../../core/hash.ts";

export interface Sessions {
  /** Creates a new token. Earlier ones stay valid until they expire. */
  invite(): string;
  /** Exchanges a token for a session; null: the token is used, expired, or unknown. */
  enter(token: string): string | null;
  /** The secret that the session's page must send with each change; null: no such session. */
  csrfOf(session: string | undefined): string | null;
}

/** Milliseconds. */
const INVITATION_LASTS = 5 * 60_000;
const MAX_SESSIONS = 32;

export function openSessions(now: () => number): Sessions {
  // Secrets are looked up by their hashes, so the time of a comparison reveals nothing about them.
  const invitations = new Map<string, number>();
  const sessions = new BoundedMap<string, string>(MAX_SESSIONS);
  return {
    invite() {
      const token = secret();
      invitations.set(hashOf(token), now() + INVITATION_LASTS);
      return token;
    },
    enter(token) {
      const key = hashOf(token);
      const until = invitations.get(key);
      invitations.delete(key);
      if (until === undefined || now() > until) return null;
      const session = secret();
      sessions.set(hashOf(session), secret());
      return session;
    },
    csrfOf: (session) => (session === undefined ? null : (sessions.get(hashOf(session)) ?? null)),
  };
}

export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(one)), Buffer.from(hashOf(other)));
}

export function secret(): string {
  return randomBytes(32).toString("base64url");
}
