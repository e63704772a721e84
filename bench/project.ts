/** A project as its users have it: set up by `pawl init`, with a filled pawl.yaml, tasks and a history. */
import { execFileSync } from "node:child_process";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { ENVIRONMENT, emptyFolder, MAIN } from "./measure.ts";

const PAWL_YAML = `alfred:
  reviews:
    default: [ai, human]
    plan_task: [ai]
  human_review: relay
  checks:
    test: npm test
bloom:
  agents: 4
  permission: edits
  limits: {silence: 10, run: 60, verify: 15}
  budget: {usd: 5, turns: 200}
agents:
  claude:
    model: opus
    environment: [ANTHROPIC_API_KEY]
setup:
  .:
    run: [npm ci]
    cache: [node_modules]
`;

export interface Size {
  readonly tasks?: number;
  readonly events?: number;
}

export function setUp(name: string, { tasks = 1, events = 0 }: Size = {}): string {
  const folder = emptyFolder(name);
  const pawl = (...args: readonly string[]) =>
    execFileSync(process.execPath, [MAIN, ...args], { cwd: folder, env: ENVIRONMENT, stdio: "ignore" });
  execFileSync("git", ["init", "-q"], { cwd: folder });
  pawl("init");
  writeFileSync(join(folder, "pawl.yaml"), PAWL_YAML);
  writeFileSync(join(folder, "tasks.yaml"), tasksOf(tasks));
  if (events > 0) writeEvents(join(folder, ".pawl/events.jsonl"), events);
  pawl("list");
  return folder;
}

function tasksOf(count: number): string {
  const tasks = Array.from({ length: count }, (_, n) =>
    [
      `  - id: T${n}`,
      `    title: Task number ${n} # a comment`,
      "    status: todo",
      "    acceptance_criteria:",
      "      - It works",
      "    steps:",
      `      - id: T${n}-a`,
      "        instruction: Do the first part of it",
    ].join("\n"),
  );
  return `tasks:\n${tasks.join("\n")}\n`;
}

/** A person's edit of the last task, as a command of the shell. */
export function editOf(tasks: number): string {
  return `sed -i.old "s/number ${tasks - 1} #.*/number ${tasks - 1} # $RANDOM$RANDOM/" tasks.yaml`;
}

const RUNS = 2000;
const LOT = 1000;

function writeEvents(path: string, count: number): void {
  const file = openSync(path, "w");
  for (let from = 0; from < count; from += LOT) {
    const lot = Array.from({ length: Math.min(LOT, count - from) }, (_, at) => eventOf(from + at));
    writeSync(file, lot.join(""));
  }
  closeSync(file);
}

function eventOf(at: number): string {
  const id = `T${at % RUNS}`;
  const time = new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString();
  const event = {
    id: `event-${at}`,
    time,
    type: "step:completed",
    taskId: id,
    stepId: `${id}-a`,
    duration: 60,
  };
  return `${JSON.stringify({ ...event, title: "Do the first part of it" })}\n`;
}
