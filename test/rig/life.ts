/** A project whose tasks have a life of the team's own: another model reviews what is committed, before it is delivered. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type BloomOptions, type BloomProject, bloomProject } from "./bloom-project.ts";
import { trustAsItIs } from "./trust.ts";

/** As docs/own-workflows.md has it, but for the reviewer's agent. */
export const CAREFUL = `title: Careful
extends: bloom                  # its states and rules; only what differs is here
agents: { reviewer: { permission: read, session: fresh, budget: { usd: 0.50 } } }
states: { reviewing: { description: Another model reads what is committed., writes: none, forbids: [commit, push] } }
events: { reviewed_well: Nothing must change., must_change: The reviewer wants changes. }
facts: { rounds: { values: 0..3, initial: 0 } }
rows:
  - { id: reviews, from: committing, on: committed, to: reviewing,
      run: { agent: reviewer, prompt: review, answers: { verdict: [reviewed_well, must_change], points: text } } }
  - { id: well, from: reviewing, on: reviewed_well, as: committed }
  - { id: fixes, from: reviewing, on: must_change, when: { rounds: 0..2 }, to: working, set: { rounds: { add: 1 } },
      run: { agent: task, prompt: fix, session: same } }
  - { id: asks, from: reviewing, on: must_change, when: { rounds: 3 }, to: waiting_for_human, set: { awaits: approval },
      reply: stuck }
  - { id: person.reset, set: { rounds: 0 } }
`;

export const TEXTS: Readonly<Record<string, string>> = {
  review: "Review {{ id }}, round {{ kept.rounds }}.\n",
  fix: "The reviewer says: {{ said.reviewer.points }}\n",
  stuck: "After {{ kept.rounds }} rounds the reviewer still says: {{ said.reviewer.points }}\n",
};

/** The task's agent writes and mends; the reviewer sends it back once. */
export const ANSWERS: Readonly<Record<string, string>> = {
  "When the task is done": "RUN: echo hello > a.txt; git add -A; git commit -qm hello; bloom done T1",
  "Review T1, round 0": 'SAY: {"verdict": "must_change", "points": "Say bye."}',
  "The reviewer says: Say bye.": "RUN: echo bye > a.txt; git commit -qam bye",
  "Review T1, round 1": 'SAY: {"verdict": "reviewed_well", "points": "Fine."}',
};

export const TASK = `tasks:
- id: T1
  title: Greet
  repo: .
  merge_into: main
  instructions: Greet the reader.
`;

export interface LifeOptions extends Partial<BloomOptions> {
  readonly table?: string;
  readonly texts?: Readonly<Record<string, string>>;
}

export function lifeProject({ table = CAREFUL, texts = {}, ...more }: LifeOptions = {}): BloomProject {
  const project = bloomProject({
    ...{ answers: ANSWERS, tasks: TASK },
    ...more,
    settings: { life: "careful", ...more.settings },
    project: { workflows: ["./careful.yaml"], ...more.project },
  });
  mkdirSync(join(project.root, "careful"));
  for (const [name, text] of Object.entries({ ...TEXTS, ...texts }))
    project.write(`careful/${name}.md`, text);
  project.write("careful.yaml", table);
  trustAsItIs(project.root);
  return project;
}

/** Where the task's run stands, as its file has it. */
export function taskRun(project: BloomProject, id = "T1") {
  const text = project.read(`.pawl/runs/${id}.json`) ?? project.read(`.pawl/done/${id}.json`);
  return JSON.parse(text ?? "null");
}
