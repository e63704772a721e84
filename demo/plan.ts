/** Chapter two: the task is planned through its gates, and the plan is handed over to the loop. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SCRIPTED } from "./options.ts";
import { type Assistant, connect, type Stage } from "./stage.ts";

/** The scripted agent obeys lines; a model reads what is to be done. */
const SPECS = {
  scripted: [
    [
      `RUN: printf '%s\\n' 'console.log("Hello, " + (process.argv[2] ?? "world") + "!");' > greet.js`,
      'RUN: git commit -qam "Greet by name"',
      "RUN: bloom step done TS-01.S-1",
    ],
    [
      `RUN: printf '%s\\n' 'import { execFileSync } from "node:child_process";' 'import assert from "node:assert";' 'import test from "node:test";' 'const greet = (...who) => execFileSync("node", ["greet.js", ...who], { encoding: "utf8" });' 'test("greets by name", () => assert.equal(greet("Ada"), "Hello, Ada!\\n"));' 'test("greets the world", () => assert.equal(greet(), "Hello, world!\\n"));' > greet.test.js`,
      'RUN: git add greet.test.js && git commit -qm "Test the greeting"',
      "RUN: bloom step done TS-01.S-2",
    ],
  ],
  model: [
    [
      "Let greet.js take the name from its first argument: `node greet.js Ada` prints `Hello, Ada!`,",
      "`node greet.js` still prints `Hello, world!`. Commit.",
    ],
    [
      "Add greet.test.js with node:test and node:assert: it calls greet.js by execFileSync, with a name and without,",
      "and compares what is printed. Commit.",
    ],
  ],
} as const;

/** What an assistant would work out. */
const workFor = ([first, second]: (typeof SPECS)[keyof typeof SPECS]) => [
  {
    context_summary: "greet.js prints a fixed greeting; nothing else uses it.",
    affected_files: ["greet.js"],
    questions_for_developer: [],
  },
  {
    high_level_strategy: 'Take the name from the command line, fall back to "world".',
    key_components: ["greet.js"],
  },
  {
    design_summary: "One changed file, and a test that calls it.",
    file_breakdown: [
      { file_path: "greet.js", change_summary: "take a name", operation: "MODIFY" },
      { file_path: "greet.test.js", change_summary: "call it with and without a name", operation: "CREATE" },
    ],
  },
  {
    slots: [
      slot("S-1", "Take a name", "greet.js", "MODIFY", first),
      slot("S-2", "Test it", "greet.test.js", "CREATE", second),
    ],
  },
];

function slot(
  slot_id: string,
  title: string,
  location: string,
  operation: string,
  script: readonly string[],
) {
  const taskflow = {
    procedural_steps: [`Change ${location}.`, "Commit."],
    verification_steps: ["`node greet.js Ada` prints Hello, Ada!"],
  };
  const depends_on = slot_id === "S-1" ? [] : ["S-1"];
  return { slot_id, title, spec: script.join("\n"), location, operation, taskflow, depends_on };
}

export async function planTask(stage: Stage): Promise<void> {
  stage.chapter("2. It is planned: context, strategy, design, execution plan");
  const assistant = await connect(stage, "alfred");
  await stage.tell(
    "assistant",
    "plan_task",
    (await assistant.call("plan_task", { task_id: "TS-01" })).message,
  );
  const specs = stage.agent === SCRIPTED ? SPECS.scripted : SPECS.model;
  for (const artifact of workFor(specs)) await handIn(stage, assistant, artifact);
  const over = await assistant.call("implement_task", { task_id: "TS-01", hand_over: true });
  await stage.tell("assistant", "implement_task, handing over to the loop");
  await stage.tell("pawl", over.message);
  await assistant.close();
  const tasks = readFileSync(join(stage.folder, "tasks.yaml"), "utf8");
  if (!tasks.includes("S-2")) throw new Error(`The plan should be in tasks.yaml, but that is:\n${tasks}`);
}

async function handIn(stage: Stage, assistant: Assistant, artifact: unknown): Promise<void> {
  const handed = await assistant.call("submit_work", { task_id: "TS-01", artifact });
  await stage.tell("assistant", "submit_work", handed.message);
  const reviewed = await assistant.call("provide_review", { task_id: "TS-01", is_approved: true });
  await stage.tell("pawl", reviewed.message);
}
