/** Workflows of a project's own that begin runs: tasks of Bloom from an agent's answer, and runs of each other from a file. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type BloomOptions, type BloomProject, bloomProject } from "./bloom-project.ts";
import { CAREFUL, TEXTS } from "./life.ts";
import { trustAsItIs } from "./trust.ts";

/** A planner's tasks are done by Bloom; a person decides about what failed. */
export const WISH = `title: Wish
replies: ./wish
initial: wished
goals: [built, dropped]
blocked: not-now
agents:
  planner: { budget: { usd: 1 } }
states:
  wished: Somebody wants it.
  planning: { description: Its tasks are being written., awaits: agent }
  building: { description: Its tasks are at work., awaits: agent }
  deciding: { description: A person decides., awaits: human }
  built: { description: It is built., final: true }
  dropped: { description: It is not wanted any more., final: true }
events:
  start: Begin
  planned: Its tasks are written
  go_on: { description: Try again what failed, gate: human }
  drop: { description: It is not wanted any more, gate: human }
facts:
  children: { children: true }
rows:
  - { id: plans, from: wished, on: start, to: planning, run: { agent: planner, prompt: plan, answers: { next: [planned], tasks: tasks } }, reply: moved }
  - { id: builds, from: planning, on: planned, to: building, begin: &rest { workflow: bloom, from: planner.tasks, most: 3, with: { repo: . } }, reply: moved }
  - { id: nothing, from: building, on: gathered, when: { children: none }, to: deciding, reply: moved }
  - { id: some-failed, from: building, on: gathered, when: { children: failed }, to: deciding, reply: moved }
  - { id: built, from: building, on: gathered, when: { children: all-done }, to: built, reply: moved }
  - { id: goes-on, from: deciding, on: go_on, to: building, begin: *rest, reply: moved }
  - { id: drops, from: [building, deciding], on: drop, to: dropped, reply: moved }
`;

/** One run of \`part\` for each line of a file. */
export const WHOLE = `title: Whole
replies: ./whole
initial: listed
goals: [ended, left]
blocked: not-now
states:
  listed: Its parts are listed.
  parting: { description: Its parts are at work., awaits: agent }
  deciding: { description: A person decides., awaits: human }
  ended: { description: All of it is done., final: true }
  left: { description: The rest is left., final: true }
events:
  start: Begin
  again: { description: Once more, gate: human }
  leave: { description: Leave the rest, gate: human }
facts:
  children: { children: true }
  reason: { file: reason.md }
rows:
  - { id: begins, from: listed, on: start, to: parting, begin: &each { workflow: part, each: "lists/{{ id }}.md", task: part-text, most: 3, event: begin, done: done }, reply: moved }
  - { id: ended, from: parting, on: gathered, when: { children: [none, all-done] }, to: ended, reply: moved }
  - { id: failed, from: parting, on: gathered, when: { children: failed }, to: deciding, reply: moved }
  - { id: again, from: deciding, on: again, to: parting, begin: *each, reply: moved }
  - { id: not-left, from: [parting, deciding], on: leave, when: { reason: missing }, outcome: blocked, reply: not-now }
  - { id: leaves, from: [parting, deciding], on: leave, when: { reason: present }, to: left, reply: moved }
`;

export const PART = `title: Part
replies: ./part
initial: new
goals: [done, given_up]
blocked: not-now
states:
  new: It is new.
  open: It is being done.
  done: { description: It is done., final: true }
  given_up: { description: It cannot be done., final: true }
events:
  begin: Begin
  finish: It is done
  give_up: It cannot be done
rows:
  - { id: begins, from: new, on: begin, to: open, reply: moved }
  - { id: finishes, from: open, on: finish, to: done, reply: moved }
  - { id: gives-up, from: [new, open], on: give_up, to: given_up, reply: moved }
`;

const MOVED = "{{ run }} is {{ state }}.\n";

const FILES: Readonly<Record<string, string>> = {
  "wish.yaml": WISH,
  "wish/moved.md": MOVED,
  "wish/not-now.md": "Not now.\n",
  "wish/plan.md": "Write the tasks of {{ id }}.\n",
  "whole.yaml": WHOLE,
  "whole/moved.md": MOVED,
  "whole/not-now.md": "Not now.\n",
  "whole/part-text.md": "Do {{ entry }} of {{ id }}.\n",
  "part.yaml": PART,
  "part/moved.md": MOVED,
  "part/not-now.md": "Not now.\n",
  "careful.yaml": CAREFUL,
  ...Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [`careful/${name}.md`, text])),
};

export interface BeginOptions extends Partial<Omit<BloomOptions, "project">> {
  readonly files?: Readonly<Record<string, string>>;
}

export function beginProject({ files, tasks, ...more }: BeginOptions = {}): BloomProject {
  const workflows = ["./wish.yaml", "./whole.yaml", "./part.yaml", "./careful.yaml"];
  const project = bloomProject({
    answers: {},
    ...more,
    tasks: tasks ?? "tasks: []\n",
    project: { workflows },
  });
  for (const folder of ["wish", "whole", "part", "careful", "lists"]) mkdirSync(join(project.root, folder));
  for (const [path, text] of Object.entries({ ...FILES, ...files })) project.write(path, text);
  if (tasks === undefined) rmSync(join(project.root, "tasks.yaml"));
  trustAsItIs(project.root);
  return project;
}

/** What a planner says whose tasks are these. */
export function saysTasks(...tasks: readonly object[]): string {
  return `SAY: ${JSON.stringify({ next: "planned", tasks })}`;
}

/** What an agent does with its own task. */
export function does(file: string): string {
  return [
    `RUN: echo x >> ${file}; git add -A; git commit -qm ${file}`,
    'RUN: bloom done "$(git branch --show-current | cut -d/ -f2)"',
  ].join("\n");
}
