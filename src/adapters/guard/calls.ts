/**
 * The day of a client's last call of its hook, kept beside the project's key: nothing else shows that a
 * client calls it.
 */
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";

const DAY = 24 * 60 * 60 * 1000;

const fileOf = (state: string, client: string) => join(state, "guard", `called-${client}`);

/** `state`: Pawl's folder about the project, outside of it. Best effort. */
export function noteCall(state: string, client: string, now: number): void {
  const last = lastCall(state, client);
  if (last !== null && Math.abs(now - last.getTime()) < DAY) return;
  attempt(() => {
    mkdirSync(join(state, "guard"), { recursive: true, mode: 0o700 });
    writeFileSync(fileOf(state, client), "", { mode: 0o600 });
  }, undefined);
}

/** Null: it has never called. */
export function lastCall(state: string, client: string): Date | null {
  return statSync(fileOf(state, client), { throwIfNoEntry: false })?.mtime ?? null;
}
