/**
 * Who may use the board. A browser gets in by the board's address, whose token is good for one exchange and for a short time;
 * from then on it has a cookie that no script can read, and sends another secret with each change. Kept in memory alone: a
 * board that is started again has a new address.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import { hashOf } from "../../../core/hash.ts";

export interface Sessions {
  /** A fresh token. Those before it stay good until their time. */
  invite(): string;
  /** Exchanges a token for a session; null: it is used, too old, or none of this board's. */
  enter(token: string): string | null;
  /** What the session's page must send with each change; null: there is no such session. */
  csrfOf(session: string | undefined): string | null;
}

/** Milliseconds. */
export const INVITATION_LASTS = 5 * 60_000;
const MOST_SESSIONS = 32;

export function openSessions(now: () => number): Sessions {
  // Looked up by its hash, a secret is compared in no time that depends on it.
  const invitations = new Map<string, number>();
  const sessions = new Map<string, string>();
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
      const [oldest] = sessions.keys();
      if (sessions.size > MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
      return session;
    },
    csrfOf: (session) => (session === undefined ? null : (sessions.get(hashOf(session)) ?? null)),
  };
}

export function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(one)), Buffer.from(hashOf(other)));
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}
