import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { readTasks } from "../../tasks-file/read.ts";

const STEPS = ["Read the code", "Write a test that fails: #12, [red]", "Make it pass", "Run everything"];

/** As people and models write them. */
function manyTasks(verify: string): string {
  const tasks = Array.from({ length: 10_000 }, (_, at) => {
    const steps = STEPS.map((text, n) => `      - id: T${at}.s${n}\n        instruction: "${text}"\n`);
    return `  - id: T${at}\n    title: Limit the rate of part ${at}\n    status: todo\n    verify: ${verify}\n    steps:\n${steps.join("")}`;
  });
  return `# Ours\ncommon: &common [npm test]\ntasks:\n${tasks.join("\n")}`;
}

test.each([
  ["each by itself", "[npm test]"],
  ["with an alias in each", "*common"],
])("ten thousand tasks of more than a megabyte are read, %s", (_, verify) => {
  promise("yaml.linear");
  const text = manyTasks(verify);
  expect(text.length).toBeGreaterThan(1_000_000);
  const read = readTasks(text, null);
  expect(read.ok ? read.parsed.entries.flatMap(({ tasks }) => tasks).length : read.problems).toBe(10_000);
});
