/**
 * The run on which a client's session works, kept beside the project's key, where no assistant may write. One
 * file per session.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { writeWhole } from "../files/write-whole.ts";

interface Session {
  readonly client: string;
  readonly session: string;
  /** `workflow:id` */
  readonly run: string;
  /** ISO 8601 */
  readonly since: string;
  /** By the run's state: how often the assistant was kept from stopping. */
  readonly stops: Readonly<Record<string, number>>;
}

export interface Sessions {
  find(client: string, session: string): Session | null;
  keep(session: Session): void;
}

const DAYS_KEPT = 14;
const DAY = 24 * 60 * 60 * 1000;

/** `state`: Pawl's folder about the project, outside of it. */
export function openSessions(state: string): Sessions {
  const folder = join(state, "guard", "sessions");
  const fileOf = (client: string, session: string) =>
    join(folder, `${hashOf(JSON.stringify([client, session]))}.json`);
  return {
    find(client, session) {
      if (session === "") return null;
      const value = attempt(() => JSON.parse(readFileSync(fileOf(client, session), "utf8")), null);
      return isSession(value) ? value : null;
    },
    keep(session) {
      if (session.session === "") return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeWhole(fileOf(session.client, session.session), JSON.stringify(session));
      sweep(folder, Date.parse(session.since));
    },
  };
}

function isSession(value: unknown): value is Session {
  if (typeof value !== "object" || value === null) return false;
  const { run, since, stops } = value as Partial<Session>;
  return typeof run === "string" && typeof since === "string" && typeof stops === "object" && stops !== null;
}

/** Best effort: a session without calls for so long is over. */
function sweep(folder: string, now: number): void {
  attempt(() => {
    for (const name of readdirSync(folder)) {
      const file = join(folder, name);
      if (now - statSync(file).mtimeMs > DAYS_KEPT * DAY) rmSync(file, { force: true });
    }
  }, null);
}
