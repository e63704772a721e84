import type { Requirement } from "./requirements.ts";

const OWN = "test/e2e/team-records.slow.test.ts";
const TASKS = "test/e2e/team-tasks.slow.test.ts";
const ALFRED = "test/e2e/team-alfred.slow.test.ts";
const RECORDS = "src/runtime/team-records.test.ts";
const NETWORK = "test/network/judge.test.ts";
const SOURCE = "docs/team.md";

/** What survives a clone, and merges. */
export const TEAM: Readonly<Record<string, Requirement>> = {
  "team.same-for-all": {
    says: "Runs of workflows of your own that people advance on their branches are the same for all of them once the branches are merged.",
    source: SOURCE,
    tests: [
      `${OWN}: are the same for both after two people advanced two of them on two branches and merged`,
      `${OWN}: are small files with sorted keys, one for each step, without what commands printed`,
      `${OWN}: are written with their step or not at all`,
      `${RECORDS}: lead to one side, in whatever files the steps are, and how often`,
      `${RECORDS}: are known by their names alone if they are the very ones of the steps`,
    ],
  },
  "team.tasks": {
    says: "A clone shows the state, the evidence and the verdicts of Bloom's tasks, and its loop begins none that others are in the middle of.",
    source: `${SOURCE}, In another checkout`,
    tests: [
      `${TASKS}: show their state, evidence and verdicts in a clone, and nobody begins or decides them there`,
    ],
  },
  "team.taken-over-by-a-person": {
    says: "A run that is over is never begun again in another checkout, and an open one is taken over only by a person's word at a terminal.",
    source: `${SOURCE}, In another checkout`,
    tests: [
      `${OWN}: are never begun again where they are over in another checkout`,
      `${OWN}: are taken over by a person's word alone, and go on from where they are`,
      `${TASKS}: are taken over by a person, and done for both once it is merged`,
      `${ALFRED}: is taken over where the other side is chosen, and what was open here is given up`,
      "src/workflows/bloom/take.test.ts: is refused while a worker of this checkout is at work on the task, with what to do",
    ],
  },
  "team.forks-are-held": {
    says: "A run that was advanced on two branches is held with both sides named, until a person chooses one; the choice is the same for everybody who gets it.",
    source: `${SOURCE}, Two sides`,
    tests: [
      `${OWN}: are held where one was advanced on both sides, with both named, until a person chooses`,
      `${TASKS}: are held where one was advanced on both sides, until a person chooses`,
      `${ALFRED}: is held where two people finished the same tool, with both sides named, here and in a clone, until a person chooses`,
      `${ALFRED}: is held where one person is in the middle of a tool that another has finished; who chooses their own goes on in it`,
      "src/runtime/record.test.ts: is a side of its own where the run began before records and others recorded it: nothing is made on their steps",
      `${RECORDS}: name each side where two steps follow the same one`,
      `${RECORDS}: have one side again after a choice, until the other one is advanced further`,
    ],
  },
  "team.what-git-moves": {
    says: "A stash, a switch of branches and a revert leave a run where it is in its checkout, and its records are whole again when it moves.",
    source: `${SOURCE}, What git moves`,
    tests: [
      `${OWN}: stay where they are over a stash and a branch switch, and their records are whole when branches meet`,
      `${OWN}: stay where they are over a revert of their last step, which the next step records again`,
      `${OWN}: say which step is missing where a commit in between was reverted`,
      `${RECORDS}: cannot be used where a step in between is missing, or the end of a long one`,
    ],
  },
  "team.records-prove-nothing": {
    says: "A record moves no run, opens no gate, starts nothing and lets nobody write more, whatever it claims; what is not one is refused.",
    source: `${SOURCE}, What records prove`,
    tests: [
      `${OWN}: are never moved by a record, whatever it claims: no gate opens, nothing starts, and nothing more may be written`,
      `${ALFRED}: is never moved by a record where there is a state of it, whatever the record claims`,
      `${RECORDS}: refuse one %s`,
      `${RECORDS}: refuse one that nests deeper than the stack reaches`,
      `${RECORDS}: are told from any other text in their folder, whatever its name`,
    ],
  },
  "team.network": {
    says: "The proof over a disturbed network (`npm run test:network`) objects to each way in which work may be lost or done twice.",
    source: "docs/several-machines.md, What holds",
    tests: [`${NETWORK}: has nothing against work that was done once`, `${NETWORK}: names %s`],
  },
};
