/** Chapter three: agents work through the tasks in worktrees, are checked by the loop, and their work is merged. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Stage, write } from "./stage.ts";

/** What a person adds to the exported task: where it is worked on, where it goes, and what must hold. */
const DELIVERY = [
  "    repo: .",
  "    branch: task/TS-01",
  "    merge_into: main",
  '    verify: ["node --check greet.js"]',
];

const SECOND = `
  - id: TS-02
    title: Say what this is
    repo: .
    branch: task/TS-02
    merge_into: main
    verify: ["test -s NOTES.md"]
    instructions: |
      RUN: echo "Greets people by name." > NOTES.md && git add NOTES.md && git commit -qm "Say what this is"
      RUN: bloom done TS-02
`;

export async function runLoop(stage: Stage): Promise<void> {
  stage.chapter("3. Agents do it: two tasks, two worktrees, side by side");
  const exported = readFileSync(join(stage.folder, "tasks.yaml"), "utf8");
  const lines = exported.trimEnd().split("\n");
  const title = lines.findIndex((line) => /^ {4}title:/.test(line));
  write(
    stage,
    "tasks.yaml",
    [...lines.slice(0, title + 1), ...DELIVERY, ...lines.slice(title + 1)].join("\n") + SECOND,
  );
  stage.git("checkout", "-q", "main");
  await stage.tell("human", "says in tasks.yaml where the work goes, and adds a second task");
  await stage.tell("pawl", "bloom validate", (await stage.pawl("validate")).output);

  const ran = await stage.pawl("run", "--once", "--agents", "2");
  await stage.tell("pawl", "bloom run --once --agents 2", told(ran.output));
  if (ran.code !== 0)
    throw new Error(`The loop should have ended with 0, but ended with ${ran.code}:\n${ran.output}`);
  await stage.tell("git", "git log --graph --oneline", stage.git("log", "--graph", "--oneline", "-8"));
  await stage.tell("pawl", "bloom list", (await stage.pawl("list")).output);
  const greeting = stage.node("greet.js", "Ada");
  await stage.tell("human", "node greet.js Ada", greeting);
  if (greeting !== "Hello, Ada!\n") throw new Error(`The greeting should be by name, but is ${greeting}`);
}

/** The loop's own account: JSON lines, since it writes to no terminal here. */
function told(output: string): string {
  const events = output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const shown = /^(step:(started|completed)|agent:started|check:|merge:completed|task:completed)/;
  return events
    .filter(({ type }) => shown.test(String(type)))
    .map((event) => {
      const what =
        event.stepId ?? event.command ?? event.into ?? (event.resumed ? "resumes its session" : "");
      return `${String(event.taskId).padEnd(6)} ${String(event.type).padEnd(16)} ${what}`.trimEnd();
    })
    .join("\n");
}
