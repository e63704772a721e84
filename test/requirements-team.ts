import type { Requirement } from "./requirements.ts";

const SOURCE = "docs/team.md";

/** What survives a clone, and merges. */
export const TEAM = {
  "team.same-for-all": {
    says: "Runs of workflows of your own that people advance on their branches are the same for all of them once the branches are merged.",
    source: SOURCE,
  },
  "team.shared-when-said": {
    says: "A run is recorded where it rests; `pawl task share` records it before, names the file, and a colleague can go on from there.",
    source: SOURCE,
  },
  "team.shared-by-setting": {
    says: "A project that does not share records writes none, unless a gate of the workflow is signed; one that does has at most 3 files with 60 lines of a finished task of Alfred's.",
    source: SOURCE,
  },
  "team.tasks": {
    says: "A clone shows the state, the evidence and the verdicts of Bloom's tasks, and its loop begins none that others are in the middle of.",
    source: `${SOURCE}, In another checkout`,
  },
  "team.taken-over-by-a-person": {
    says: "A run that is over is never begun again in another checkout, and an open one is adopted only by a person's word at a terminal.",
    source: `${SOURCE}, In another checkout`,
  },
  "team.branches": {
    says: "Of a run that was advanced on two branches, a checkout goes on with its own and names the other; one without its own holds it, and `pawl verify` is red, until a person chooses one; the choice is the same for everybody who gets it.",
    source: `${SOURCE}, Two branches of a run`,
  },
  "team.what-git-moves": {
    says: "A stash, a switch of branches and a revert leave a run where it is in its checkout, and its records are whole again when it moves.",
    source: `${SOURCE}, What git moves`,
  },
  "team.records-prove-nothing": {
    says: "A record moves no run, opens no gate, starts nothing and lets nobody write more, whatever it claims; what is not one is refused.",
    source: `${SOURCE}, What records prove`,
  },
  "team.network": {
    says: "The proof over a disturbed network (`npm run proofs network`) objects to each way in which work may be lost or done twice.",
    source: "docs/several-machines.md, What holds",
  },
} satisfies Record<string, Requirement>;
