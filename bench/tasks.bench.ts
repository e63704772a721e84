/**
 * Cold commands over tasks.yaml, as ratios to `node -e 0` in the same run: `node bench/tasks.bench.ts [ROUNDS]`, after
 * `npm run build`.
 *
 * Measured: `step done` and `list` with 1, 100, 1,000 and 10,000 tasks, with the cache as the command before left it
 * (hit), without one (miss) and after a person changed one task since (changed), each from start to exit of the built
 * program; and the bare parse of the same file, the
 * first in a process of its own, as it is on a miss.
 * Medians, the commands in turns with the floor, so that other work on the machine slows all alike.
 * Not measured: agents, git, other disks; the first start after an installation (the compile cache is warm).
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { stateOf, useScratchStateHome } from "../test/rig/state-home.ts";

const rounds = Number(process.argv[2] ?? 9);
const PARSE = pathToFileURL(resolve(import.meta.dirname, "../src/tasks-file/parse.ts")).href;
const MAIN = resolve(import.meta.dirname, "../dist/main.js");
process.once("exit", useScratchStateHome());
const { NODE_EXTRA_CA_CERTS: _, ...environment } = process.env;

function fileOf(count: number): string {
  const tasks = Array.from({ length: count }, (_, n) =>
    [
      `  - id: T${n}`,
      `    title: Task number ${n} # a comment`,
      `    status: todo`,
      `    acceptance_criteria:`,
      `      - It works`,
      `    steps:`,
      `      - id: T${n}-a`,
      `        instruction: Do the first part of it`,
    ].join("\n"),
  );
  return `tasks:\n${tasks.join("\n")}\n`;
}

function time(args: readonly string[], cwd: string): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: environment, encoding: "utf8" });
  if (status !== 0) throw new Error(`${args.join(" ")} exited with ${status}: ${stderr}`);
  return performance.now() - begun;
}

function parseOnce(path: string): number {
  const code = [
    `import { parseTasks } from ${JSON.stringify(PARSE)};`,
    `const text = process.getBuiltinModule("node:fs").readFileSync(${JSON.stringify(path)}, "utf8");`,
    "const begun = process.hrtime.bigint();",
    "parseTasks(text);",
    "process.stdout.write(String(Number(process.hrtime.bigint() - begun) / 1e6));",
  ].join("\n");
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", code], { encoding: "utf8" });
  return Number(stdout);
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const root = mkdtempSync(join(tmpdir(), "pawl-bench-"));
const rows: Record<string, unknown>[] = [];
try {
  for (const count of [1, 100, 1000, 10_000]) {
    const folder = join(root, String(count));
    mkdirSync(folder);
    const text = fileOf(count);
    const path = join(folder, "tasks.yaml");
    writeFileSync(path, text);
    const cache = join(stateOf(folder).folder, "cache");
    const times: Record<string, number[]> = {
      floor: [],
      "done, hit": [],
      "done, miss": [],
      "list, one changed": [],
      "list, hit": [],
      "list, miss": [],
      parse: [],
    };
    const add = (name: string, value: number) => times[name]?.push(value);
    time([MAIN, "list"], folder);
    for (let round = 0; round < rounds; round++) {
      writeFileSync(path, `${text}# ${round}\n`);
      add("floor", time(["-e", "0"], folder));
      rmSync(cache, { recursive: true, force: true });
      add("list, miss", time([MAIN, "list"], folder));
      add("list, hit", time([MAIN, "list"], folder));
      add("done, hit", time([MAIN, "step", "done", "T0-a"], folder));
      writeFileSync(path, `${text}# again ${round}\n`);
      rmSync(cache, { recursive: true, force: true });
      add("done, miss", time([MAIN, "step", "done", "T0-a"], folder));
      const other = `T${count - 1}`;
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace(`- id: ${other}\n`, `- id: ${other} # ${round}\n`),
      );
      add("list, one changed", time([MAIN, "list"], folder));
      if (round < 3) {
        add("parse", parseOnce(path));
      }
    }
    const floor = median(times.floor ?? []);
    const shown = Object.entries(times).map(([name, values]) => {
      const value = median(values);
      const overParse =
        name === "done, miss" ? `, parse + ${(value - median(times.parse ?? [])).toFixed(0)} ms` : "";
      return [
        name,
        name === "floor" || name === "parse"
          ? `${value.toFixed(0)} ms`
          : `${value.toFixed(0)} ms = ${(value / floor).toFixed(2)}x${overParse}`,
      ];
    });
    rows.push({ tasks: count, ...Object.fromEntries(shown) });
  }
  for (const row of rows)
    process.stdout.write(
      `${Object.entries(row)
        .map(([name, value]) => `${name}: ${value}`)
        .join("  |  ")}\n`,
    );
} finally {
  rmSync(root, { recursive: true, force: true });
}
