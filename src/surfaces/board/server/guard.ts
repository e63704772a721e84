/** What the guard and the agents' own walls denied or saw, from the log. */
import type { EventLog } from "../../../core/ports/event-log.ts";
import { type Digest, openDigest } from "../../../runtime/log-digest.ts";
import type { GuardPage } from "../wire.ts";
import { nameOf, wordsOf } from "./happened.ts";

type Denial = GuardPage["denials"][number];
export type Denials = Digest<Denial[]>;

const LAYERS: Readonly<Record<string, string>> = {
  "guard:strayed": "after the fact: the working tree",
  "guard:accepted": "a person",
  "agent:strayed": "after the fact: outside the worktree",
  "agent:refused": "the agent's permission",
  "git:branch_moved": "after the fact: a branch",
  "task:edit_undone": "the run's record",
  "journal:foreign": "the journal's key",
  "journal:accepted": "a person",
};

export function openDenials(): Denials {
  return openDigest<Denial[]>({
    containing: Object.keys(LAYERS).map((type) => `"${type}"`),
    make: () => [],
    take(denials, event) {
      const layer = LAYERS[event.type];
      if (layer === undefined) return;
      denials.push({ time: event.time, run: nameOf(event), layer, words: wordsOf(event) });
    },
  });
}

const MOST = 1000;

/** The newest first. */
export async function guardOf(denials: Denials, log: EventLog, proved: string | null): Promise<GuardPage> {
  return { proved, denials: (await denials.of(log)).slice(-MOST).reverse() };
}
