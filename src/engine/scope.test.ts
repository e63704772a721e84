import { describe, expect, it } from "vitest";
import { door } from "../../test/rig/lockable.ts";
import { promise } from "../../test/rig/promise.ts";
import { hasScopes, scopeIn, withoutScopes } from "./scope.ts";
import type { State, Workflow } from "./workflow.ts";

const scoped: Workflow = {
  ...door,
  states: {
    ...door.states,
    closed: { ...(door.states.closed as State), writes: "plan" },
    open: { ...(door.states.open as State), writes: "worktree", forbids: ["push"] },
  },
};

describe("the scope of a state", () => {
  it("limits nothing in a table without scopes, in any state", () => {
    expect(hasScopes(door)).toBe(false);
    for (const state of ["closed", "gone", "nowhere"])
      expect(scopeIn(door, state)).toEqual({ writes: "all", forbids: [] });
  });

  it("is what the table says, and forbids nothing that it does not name", () => {
    expect(hasScopes(scoped)).toBe(true);
    expect(scopeIn(scoped, "closed")).toEqual({ writes: "plan", forbids: [] });
    expect(scopeIn(scoped, "open")).toEqual({ writes: "worktree", forbids: ["push"] });
  });

  it.each(["gone", "nowhere", "constructor", "__proto__"])(
    "allows nothing in the state %s, of which a table with scopes says nothing",
    (state) => {
      expect(scopeIn(scoped, state)).toEqual({ writes: "none", forbids: ["commit", "push"] });
    },
  );

  it("is no part of what decides: without it the table is the one that it was", () => {
    promise("scope.no-part-of-the-table");
    expect(JSON.stringify(withoutScopes(scoped))).toBe(JSON.stringify(door));
  });
});
