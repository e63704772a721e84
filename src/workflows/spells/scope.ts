import type { View } from "../../core/ports/store.ts";
import { scopeIn } from "../../engine/scope.ts";
import { type Scope, scopeOr } from "../../runtime/scope.ts";
import { FILE_KEYS, GUIDES, pathOf, REFS_FILE, RUN } from "./files.ts";
import { checkState } from "./run-kind.ts";
import { FIRST_STATE, loadState } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";
import { type Turn, turnIn } from "./turn.ts";

/** The files that the replies ask to write before a task is carried out; never the state. */
export const PLAN_FILES: readonly string[] = [...FILE_KEYS.map(pathOf), REFS_FILE, ...Object.values(GUIDES)];

/** What may be written in the present state; null: the work has not begun, or is complete. */
export function scopeOf(view: View): Promise<Scope | null> {
  return scopeOr(RUN, async () => {
    const state = await loadState(view);
    if (state === FIRST_STATE) return null;
    await checkState(view);
    const turn = turnIn(state.current_state);
    if (turn.awaits === "nobody") return null;
    const scope = scopeIn(SPELLS_WORKFLOW, state.current_state);
    const named = { run: RUN, state: state.current_state, ...scope, planFiles: PLAN_FILES };
    return { ...named, ...(await toAssistant(view, turn)) };
  });
}

async function toAssistant(
  view: View,
  { awaits, results, verdictWords: said }: Turn,
): Promise<Pick<Scope, "awaits" | "next">> {
  if (results === undefined || (await view.read(pathOf(results))) === null) return { awaits, next: said };
  return {
    awaits: "human",
    next: `The developer looks at the changes and at \`${pathOf(results)}\`: correct what they ask for, until they cast accio.`,
  };
}
