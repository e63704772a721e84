/** A project with a workflow of its own in which one agent writes, another reviews, and a person decides. */
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseTemplate } from "../../src/workflows/custom/gallery.ts";
import type { TemplateName } from "../../src/workflows/custom/template-names.ts";
import { type BloomOptions, type BloomProject, bloomProject } from "./bloom-project.ts";
import { trustAsItIs } from "./trust.ts";

const TEMPLATES = resolve(import.meta.dirname, "../../src/workflows/custom/templates");

export const REVIEW = `title: Review
summary: A text that another model reviews.
replies: ./review
initial: drafting
goals: accepted
blocked: not-now
agents:
  writer: { session: same, budget: { usd: 1, turns: 20 } }
  reviewer: { permission: read, budget: { usd: 0.50 } }
states:
  drafting: Somebody wants a text.
  writing: { description: An agent writes it., awaits: agent }
  reviewing: { description: Another model reads it., awaits: agent }
  deciding: { description: A person decides., awaits: human }
  accepted: { description: It is accepted., final: true }
events:
  start: Begin
  written: The text is written
  good: Nothing must change
  bad: Something must change
  approve: { description: Accept it, verdict: approve }
  reject: { description: Write it again, verdict: reject }
facts:
  rounds: { values: 0..2, initial: 0 }
rows:
  - { id: starts, from: drafting, on: start, to: writing, run: &write { agent: writer, prompt: write, answers: { next: [written] } }, reply: moved }
  - { id: reviews, from: writing, on: written, to: reviewing, run: { agent: reviewer, prompt: look, answers: { verdict: [good, bad], points: text } }, reply: moved }
  - { id: good, from: reviewing, on: good, to: deciding, reply: moved }
  - { id: again, from: reviewing, on: bad, when: { rounds: 0..1 }, to: writing, set: { rounds: { add: 1 } }, run: *write, reply: moved }
  - { id: enough, from: reviewing, on: bad, when: { rounds: 2 }, to: deciding, reply: moved }
  - { id: accepts, from: deciding, on: approve, to: accepted, reply: moved }
  - { id: rejects, from: deciding, on: reject, to: writing, set: { rounds: 0 }, run: *write, reply: moved }
`;

const TEXTS: Readonly<Record<string, string>> = {
  moved:
    "It is {{ state }}.{% if said.reviewer.points != '' %} The reviewer says: {{ said.reviewer.points }}{% endif %}\n",
  "not-now": "Not now.\n",
  write:
    "Write the text of {{ id }}.{% if notes != '' %} A person: {{ notes }}{% endif %}{% if kept.rounds > 0 %} Round {{ kept.rounds }}: {{ said.reviewer.points }}{% endif %}\n",
  look: "Look at text.md, round {{ kept.rounds }}.\n",
};

/** Answers of the scripted agent: it writes, is sent back once, and is then praised. */
export const SAYS: Readonly<Record<string, string>> = {
  "Write the text": 'RUN: echo "$(cat text.md 2>/dev/null)x" > text.md\nSAY: {"next": "written"}',
  "Look at text.md, round 0": 'SAY: I looked. {"verdict": "bad", "points": "Say {more}."} So far.',
  "Look at text.md, round 1": 'SAY: {"verdict": "good", "points": "Fine."}',
};

export interface ReviewOptions extends Partial<Omit<BloomOptions, "project">> {
  readonly table?: string;
  readonly project?: Readonly<Record<string, unknown>>;
}

export function reviewProject({
  answers = SAYS,
  table = REVIEW,
  tasks,
  ...more
}: ReviewOptions = {}): BloomProject {
  const project = bloomProject({
    ...more,
    answers,
    tasks: tasks ?? "tasks: []\n",
    project: { workflows: ["./review.yaml"], ...more.project },
  });
  mkdirSync(join(project.root, "review"));
  for (const [name, text] of Object.entries(TEXTS)) project.write(`review/${name}.md`, text);
  project.write("review.yaml", table);
  if (tasks === undefined) rmSync(join(project.root, "tasks.yaml"));
  trustAsItIs(project.root);
  return project;
}

/** Where `workflow:id` stands, as its file has it. */
export function runOfTemplate(project: BloomProject, run: string) {
  return JSON.parse(project.read(`.pawl/runs/${run.replace(":", "/")}.json`) ?? "null");
}

/** Where the run stands, as its file has it. */
export function runOf(project: BloomProject, id = "T") {
  return JSON.parse(project.read(`.pawl/runs/review/${id}.json`) ?? "null");
}

/** A project with that workflow of the gallery, whose agents are all the scripted one. */
export function templateProject(
  template: TemplateName,
  answers: Readonly<Record<string, string>>,
  more: Partial<Pick<BloomOptions, "environment" | "settings">> = {},
): BloomProject {
  const made = bloomProject({
    ...more,
    answers,
    tasks: "tasks: []\n",
    project: { workflows: [`./${template}.yaml`] },
  });
  const page = readFileSync(join(TEMPLATES, `${template}.md`), "utf8");
  for (const folder of [template, "wishes", "lists", "releases", "specs"]) mkdirSync(join(made.root, folder));
  for (const [path, text] of Object.entries(parseTemplate(page).files))
    made.write(path, text.replaceAll(/\bagent: (claude|codex), /g, ""));
  rmSync(join(made.root, "tasks.yaml"));
  trustAsItIs(made.root);
  return made;
}
