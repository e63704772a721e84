import type { Requirement } from "./requirements.ts";

const STRUCTURE = "src/engine/structure.test.ts";
const SHIPPED = "src/workflows/scopes.test.ts";
const HASHES = "src/workflows/table-hashes.test.ts";
const ALFRED = "test/e2e/alfred-scope.test.ts";
const SPELLS = "test/e2e/spells-scope.test.ts";
const OWN = "test/e2e/custom-scope.test.ts";
const PINNED = "test/e2e/policy-own.test.ts";

/** What may be written while a run is in a state. */
export const SCOPES: Readonly<Record<string, Requirement>> = {
  "scope.every-state": {
    says: "If one state of a table says what may be written there, check requires it of every state in which a run continues.",
    source: "docs/own-workflows.md, What may be written",
    tests: [
      `${STRUCTURE}: a state without a scope beside one that has it`,
      `${STRUCTURE}: none at all, one for every state, and a state without one where the run is over`,
      `${OWN}: instead of %j finds what is wrong with %j, at its place`,
    ],
  },
  "scope.no-part-of-the-table": {
    says: "A scope decides no event: with and without it a table has the same hash, so runs and records on disk stay valid.",
    source: "docs/engine.md, Proving",
    tests: [
      "src/engine/scope.test.ts: is no part of what decides: without it the table is the one that it was",
      `${HASHES}: keeps the tables by which runs on disk are replayed`,
      `${HASHES}: keeps the tables by which records of signed gates are replayed`,
    ],
  },
  "scope.prompts": {
    says: "No state forbids what its prompt asks for.",
    source: "docs/alfred.md, What may be written; docs/spells.md, The files",
    tests: [
      `${SHIPPED}: Alfred's prompts ask for nothing that their states forbid, nor does what a rejection may ask for`,
      `${SHIPPED}: Spells' replies ask for nothing that the states they lead to forbid`,
      `${SHIPPED}: every file that Spells asks the assistant to write is a plan file, and its state is none`,
      `${SHIPPED}: the guard lets every command pass that a prompt of Alfred names, in the state of that prompt`,
      `${SHIPPED}: the guard lets every plan file of Spells be written before a task is carried out, and no other file`,
      `${SHIPPED}: an agent of the loop may write and commit wherever the loop resumes it, and push nowhere`,
    ],
  },
  "scope.follows-the-run": {
    says: "A run's scope follows its state, from its beginning to its end, with the next lawful step in words.",
    source: "docs/concepts.md, scope",
    tests: [
      `${ALFRED}: is none before it begins, and none for a task that does not exist`,
      `${ALFRED}: follows the task from state to state, with the next lawful step in words`,
      `${ALFRED}: is open for the tasks that status shows as begun and not done, wherever their state is`,
      `${SPELLS}: is the plan's files until a task is carried out, and never the state`,
      `${SPELLS}: guards nothing once every criterion is met, and the plan again after that`,
      `${OWN}: is none before the run begins and after it is over, and follows its states between`,
      `${OWN}: limits nothing where no state has one`,
      `${OWN}: has the plan files of its own run`,
    ],
  },
  "scope.unreadable": {
    says: "While a run's state cannot be read, or does not follow from its history, nothing may be written, and the scope says how to mend it.",
    source: "docs/concepts.md, scope",
    tests: [
      `${ALFRED}: allows nothing while its state %s, and says how to mend it`,
      `${SPELLS}: allows nothing while its state %s, and says how to mend it`,
      `${OWN}: allows nothing while %s, and says how to mend it`,
      `${OWN}: allows nothing while the workflow of a run has a fault`,
      `${OWN}: is one for the whole workflow, in which nothing may be written, while its runs cannot be listed`,
    ],
  },
  "scope.pinned": {
    says: "Widening the scopes of a workflow of your own holds its runs; giving scopes to a table that had none does not.",
    source: "docs/trust.md, What governs a run",
    tests: [
      `${PINNED}: does not move where %s`,
      `${PINNED}: goes on where its states are given scopes that they did not have`,
    ],
  },
};
