/** tasks.yaml over the command line, by many at once. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseDocument } from "yaml";
import { end, runPawl, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const ALL = { DOOR_ONLY: "" };

/** Reads the file over and over until its input ends; tells how often, and how often it was not whole. */
const READER = `
  const { readFileSync } = require("node:fs");
  const sizes = new Set();
  let reads = 0, torn = 0, open = true;
  process.stdin.on("end", () => { open = false; }).resume();
  const turn = () => {
    for (let n = 0; n < 20; n++, reads++) {
      const text = readFileSync(process.argv[1], "utf8");
      sizes.add(text.length);
      if (!text.startsWith("tasks:") || !text.endsWith("# end\\n")) torn += 1;
    }
    if (open) setImmediate(turn);
    else console.log(JSON.stringify({ reads, torn, sizes: sizes.size }));
  };
  turn();
`;

it("loses nothing when sixteen processes mark steps at once, and shows no reader half a file", {
  timeout: 120_000,
}, async () => {
  promise("bloom.none-lost");
  const steps = Array.from({ length: 16 }, (_, n) => `      - {id: s${n}, instruction: Do ${n}}`);
  // So long that writing it in place would take a reader's while.
  const long = `# ${"x".repeat(200)}\n`.repeat(400);
  using made = temporaryProject({ marked: false, environment: ALL });
  made.write(
    "tasks.yaml",
    `tasks:\n  - id: T1\n    title: t\n    steps:\n${steps.join("\n")}\n${long}# end\n`,
  );
  const path = join(made.root, "tasks.yaml");
  const reader = spawn(process.execPath, ["-e", READER, path], { stdio: ["pipe", "pipe", "inherit"] });
  const read = end(reader);
  const ended = await Promise.all(
    Array.from({ length: 16 }, (_, n) => runPawl(made.root, ["step", "done", `s${n}`], ALL)),
  );
  reader.stdin?.end();
  const { reads, torn, sizes } = JSON.parse((await read).out);
  expect(ended.map(({ code }) => code)).toEqual(Array(16).fill(0));
  const final = parseDocument(readFileSync(path, "utf8")).toJS();
  expect(final.tasks[0].steps.map((step: { status: string }) => step.status)).toEqual(Array(16).fill("done"));
  expect(torn).toBe(0);
  expect(reads).toBeGreaterThan(100);
  expect(sizes).toBeGreaterThan(3);
  const events = (made.read(".pawl/events.jsonl") ?? "").trim().split("\n");
  expect(new Set(events.map((line) => JSON.parse(line).stepId)).size).toBe(16);
});
