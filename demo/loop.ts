/**
 * Chapter three: agents work through the tasks in workspaces, are checked by the loop, and their work is merged;
 * its evidence goes back to the gates.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SCRIPTED } from "./options.ts";
import { beneath, connect, print, type Stage, section, write } from "./stage.ts";

/** The scripted agent obeys lines; a model reads what is to be done. */
const NOTES = {
  scripted: [
    'RUN: echo "Greets people by name." > NOTES.md && git add NOTES.md && git commit -qm "Say what this is"',
    "RUN: bloom done TS-02",
  ],
  model: ["Write NOTES.md: one line that says what greet.js does. Commit it."],
};

const second = (instructions: readonly string[]) => `
  - id: TS-02
    title: Say what this is
    repo: .
    branch: task/TS-02
    merge_into: main
    verify: ["test -s NOTES.md"]
    instructions: |
${instructions.map((line) => `      ${line}`).join("\n")}
`;

export async function runLoop(stage: Stage): Promise<void> {
  stage.chapter("3. Agents do it: two tasks, two workspaces, side by side");
  const tasks = readFileSync(join(stage.folder, "tasks.yaml"), "utf8");
  write(stage, "tasks.yaml", tasks + second(stage.agent === SCRIPTED ? NOTES.scripted : NOTES.model));
  await stage.tell("human", "adds a second task to tasks.yaml");
  await stage.trust();
  await stage.tell("pawl", "bloom validate", (await stage.pawl("validate")).output);

  await stage.tell("pawl", "bloom run --once --agents 2");
  const code = await stage.watch(["run", "--once", "--agents", "2"], (line) => print(beneath(line)));
  if (code !== 0) {
    const list = await stage.pawl("list");
    throw new Error(
      `The loop should have ended with 0, but ended with ${code}:\n${list.output}What each run said is in ${join(stage.folder, ".pawl/agents")}.`,
    );
  }
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
  await stage.tell("human", "pawl approve TS-01", (await stage.person("approve", "TS-01")).output);
  const state = readFileSync(join(stage.folder, ".alfred/workspace/TS-01/task_state.json"), "utf8");
  if (JSON.parse(state).task_status !== "ready_for_review")
    throw new Error(`The task should be ready for review, but is: ${state}`);
}
