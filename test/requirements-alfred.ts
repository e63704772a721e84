/** What Alfred promises. */
import type { Requirement } from "./requirements.ts";

export const ALFRED = {
  "alfred.start.seven-steps": {
    says: "start_task's seven steps leave the prompts and state files of the source.",
    source: "alfred, start_task",
  },
  "alfred.literal": {
    says: "An assistant that does literally what the prompts say comes from start to done under relay, elicit and confirm, by hand and by the loop.",
    source: "alfred, Tools",
  },
  "alfred.sizes": {
    says: "A task gets as much process as its size says: a light one is done in nine calls with one human verdict, before the push; an agent's word does not make it less than the project wants.",
    source: "alfred, Sizes",
  },
  "alfred.prompts.one-action": {
    says: "Each prompt of each state requires one call that its table allows; people are told words, and never a state's name.",
    source: "alfred, Personas and prompts",
  },
  "alfred.git.live-state": {
    says: "A run's live state stays in its checkout over checkout, stash -u, clean -fd, reset and merges; after done the tree is clean.",
    source: "review, What a team shares",
  },
  "alfred.git.records": {
    says: "A clone derives from the records where each task stands; two branches that advanced one task are held for a person.",
    source: "review, What a team shares",
  },
  "alfred.start.reject": {
    says: "A rejection lands in the work state with its feedback; there submitting and approving both work.",
    source: "alfred, start_task",
  },
  "alfred.start.dirty": {
    says: "A dirty tree never blocks; the reviewer is told, and what the server found stands beside the report.",
    source: "alfred, start_task",
  },
  "alfred.life": {
    says: "A task goes from created to done through every tool, with a new server for every call.",
    source: "alfred, Tools",
  },
  "alfred.plan": {
    says: "plan_task's machine is the source's.",
    source: "sources/001",
  },
  "alfred.invalid": {
    says: "What does not fit is refused with every fault at once, and the state stays byte by byte.",
    source: "alfred, Artifacts",
  },
  "alfred.truncated": {
    says: "A state file that cannot be parsed is an error with a line, and is left as it is.",
    source: "alfred, Files",
  },
  "alfred.task-grammar": {
    says: "A task that is read and written again is the same task.",
    source: "alfred, Files",
  },
  "alfred.prompts": {
    says: "Prompts are strict, keep their size, and hold values as values; the project's own go first.",
    source: "alfred, Personas and prompts",
  },
  "alfred.gates": {
    says: "A human's verdict is the human's: relayed, elicited or confirmed, and void once the artifact changed.",
    source: "alfred, plan_task",
  },
  "alfred.loop": {
    says: "A plan is handed to the loop, and comes back as a manifest made of evidence, or not at all.",
    source: "alfred, bloom: from plan to run",
  },
  "alfred.rework": {
    says: "What was rejected is handed to the loop as one step with the feedback as data, and comes back through the same gates.",
    source: "alfred, bloom: from plan to run",
  },
  "alfred.evidence": {
    says: "The server gathers what it can see and puts it beside the artifact; checks are really run.",
    source: "design, idea 4",
  },
  "alfred.trackers": {
    says: "Offline or with a wrong token the local state is untouched, and the status is written later.",
    source: "alfred, Tools",
  },
  "alfred.github": {
    says: "GitHub's issues are tasks as Jira's and Linear's are: read when they are needed, with what blocks them; told their status by labels and by being closed.",
    source: "ecosystem, Bring along",
  },
} satisfies Record<string, Requirement>;
