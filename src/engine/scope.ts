/** The scopes of a table's states: what may be written. They decide no event. */
import { GIT_ACTS, type State, type StateScope, type Workflow } from "./workflow.ts";

/** Whether the table's states have scopes. */
export function hasScopes({ states }: Workflow): boolean {
  return Object.values(states).some(({ forbids, writes }) => writes !== undefined || forbids !== undefined);
}

/**
 * What may be written in the state. A table without scopes limits nothing; in one that has them, a state
 * without one, or an unknown state, permits nothing.
 */
export function scopeIn(workflow: Workflow, state: string): StateScope {
  if (!hasScopes(workflow)) return { writes: "all", forbids: [] };
  const named = Object.hasOwn(workflow.states, state) ? workflow.states[state] : undefined;
  if (named?.writes === undefined) return NOTHING;
  return { writes: named.writes, forbids: named.forbids ?? [] };
}

export const NOTHING: StateScope = { writes: "none", forbids: GIT_ACTS };

/** The table without its scopes: only what decides the events of a run. */
export function withoutScopes(workflow: Workflow): Workflow {
  const states = Object.entries(workflow.states).map(([name, state]) => [name, bare(state)]);
  return { ...workflow, states: Object.fromEntries(states) };
}

function bare({ forbids: _forbids, writes: _writes, ...state }: State): State {
  return state;
}
