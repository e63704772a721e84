/** Chapter three: agents work through the tasks in worktrees, are checked by the loop, and their work is merged; its evidence goes back to the gates. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type Stage, section, write } from "./stage.ts";

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
  write(stage, "tasks.yaml", readFileSync(join(stage.folder, "tasks.yaml"), "utf8") + SECOND);
  await stage.tell("human", "adds a second task to tasks.yaml");
  await stage.tell("pawl", "bloom validate", (await stage.pawl("validate")).output);

  const ran = await stage.pawl("run", "--once", "--agents", "2");
  await stage.tell("pawl", "bloom run --once --agents 2", told(ran.output));
  if (ran.code !== 0)
    throw new Error(`The loop should have ended with 0, but ended with ${ran.code}:\n${ran.output}`);
  await stage.tell(
    "git",
    "git log --graph --oneline --all",
    stage.git("log", "--graph", "--oneline", "--all", "-9"),
  );
  await stage.tell("pawl", "bloom list", (await stage.pawl("list")).output);
  const greeting = stage.node("greet.js", "Ada");
  await stage.tell("human", "node greet.js Ada", greeting);
  if (greeting !== "Hello, Ada!\n") throw new Error(`The greeting should be by name, but is ${greeting}`);
  await takeBack(stage);
}

/** The manifest of implement_task is what the loop saw; then a person decides, as ever. */
async function takeBack(stage: Stage): Promise<void> {
  const assistant = await connect(stage, "alfred");
  const back = await assistant.call("submit_work", { task_id: "TS-01", artifact: { from: "loop" } });
  await stage.tell("assistant", 'submit_work {"from": "loop"}');
  await stage.tell("pawl", back.message, section(back.next_prompt ?? "", "What the server found itself"));
  await assistant.close();
  await stage.tell("human", "pawl approve TS-01", (await stage.pawl("approve", "TS-01")).output);
  const state = readFileSync(join(stage.folder, ".alfred/workspace/TS-01/task_state.json"), "utf8");
  if (JSON.parse(state).task_status !== "ready_for_review")
    throw new Error(`The task should be ready for review, but is: ${state}`);
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
