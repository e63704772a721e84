import type { Requirement } from "./requirements.ts";

/** What may be written while a run is in a state. */
export const SCOPES = {
  "scope.every-state": {
    says: "If one state of a table says what may be written there, check requires it of every state in which a run continues.",
    source: "docs/own-workflows.md, What may be written",
  },
  "scope.no-part-of-the-table": {
    says: "A scope decides no event: with and without it a table has the same hash, so runs and records on disk stay valid.",
    source: "docs/internals/engine.md, Proving",
  },
  "scope.prompts": {
    says: "No state forbids what its prompt asks for.",
    source: "docs/alfred.md, What may be written; docs/spells.md, The files",
  },
  "scope.follows-the-run": {
    says: "A run's scope follows its state, from its beginning to its end, with the next lawful step in words.",
    source: "docs/concepts.md, scope",
  },
  "scope.unreadable": {
    says: "While a run's state cannot be read, or does not follow from its history, nothing may be written, and the scope says how to mend it.",
    source: "docs/concepts.md, scope",
  },
  "scope.pinned": {
    says: "Widening the scopes of a workflow of your own holds its runs; giving scopes to a table that had none does not.",
    source: "docs/trust.md, What governs a run",
  },
} satisfies Record<string, Requirement>;
