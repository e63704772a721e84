/** The demo, whose tasks are done by a real agent: its model is scripted, and does what each step's words ask for. */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { openModelServer } from "../rig/model/server.ts";
import { end } from "../rig/project.ts";
import { freshFolder } from "./agent-project.ts";
import type { Driven } from "./programs.ts";

const DEMO = resolve(import.meta.dirname, "../../demo/run.ts");
const LIMIT = 240_000;

const GREET = 'console.log("Hello, " + (process.argv[2] ?? "world") + "!");\n';
const TEST = `import { execFileSync } from "node:child_process";
import assert from "node:assert";
import test from "node:test";
const greet = (...who) => execFileSync("node", ["greet.js", ...who], { encoding: "utf8" });
test("greets by name", () => assert.equal(greet("Ada"), "Hello, Ada!\\n"));
test("greets the world", () => assert.equal(greet(), "Hello, world!\\n"));
`;

/** A step, as the prompt heads it; the file that it asks for; and what is said in the end. */
const STEPS = [
  ["TS-01.S-1", "greet.js", GREET, "bloom step done TS-01.S-1"],
  ["TS-01.S-2", "greet.test.js", TEST, "bloom step done TS-01.S-2"],
  ["Task TS-02", "NOTES.md", "Greets people by name.\n", "bloom done TS-02"],
] as const;

/** How each comes to write a file: by its shell, or by tools of its own that it may use unasked. */
const WRITES: Readonly<Record<string, (file: string, text: string) => readonly string[]>> = {
  claude: (file, text) => [
    ...(file === "greet.js" ? [`CALL: Read ${JSON.stringify({ file_path: file })}`] : []),
    `CALL: Write ${JSON.stringify({ file_path: file, content: text })}`,
  ],
  codex: (file, text) => [
    `RUN: printf '%s\\n' ${text.trimEnd().split("\n").map(quoted).join(" ")} > ${file}`,
  ],
};

const quoted = (line: string) => `'${line.replaceAll("'", "'\\''")}'`;

/** Whether the demo is played with this program, too. */
export function isPlayed({ name }: Driven): boolean {
  return Object.hasOwn(WRITES, name);
}

/** Throws where the demo does not end well, or with anything outside its own folder. */
export async function playDemo(
  driven: Driven,
  binary: string,
  guard: Readonly<Record<string, string>>,
): Promise<string> {
  const place = freshFolder("played");
  const model = await openModelServer((text) => steer(driven.name, text));
  try {
    const home = join(place, "home");
    const environment = {
      ...guard,
      PATH: [dirname(binary), dirname(process.execPath), process.env.PATH].join(delimiter),
      HOME: home,
      TMPDIR: place,
      LANG: "C.UTF-8",
      ...driven.environment(home, model.url),
    };
    const played = await end(
      spawn(process.execPath, [DEMO, "--fast", "--agent", driven.name], {
        cwd: place,
        env: environment,
        stdio: ["ignore", "pipe", "pipe"],
        timeout: LIMIT,
      }),
    );
    const told = `${played.out.slice(-3000)}\n${played.err.slice(-1500)}`;
    assert.equal(played.code, 0, told);
    assert.match(played.out, new RegExp(`${driven.name} works\\.`), told);
    const folder = /cd (\S+\/greeter)\n/.exec(played.out)?.[1] ?? "";
    assert.equal(readFileSync(join(folder, "greet.js"), "utf8").trim(), GREET.trim());
    const notes = execFileSync("git", ["show", "main:NOTES.md"], { cwd: folder, encoding: "utf8" });
    assert.match(notes, /Greets people/);
    assert.match(readFileSync(join(folder, "greet.test.js"), "utf8"), /node:test/);
    assert.equal(basename(dirname(dirname(folder))), basename(place), "the project is where it says");
    return `${model.asked.length} questions to the model, merged and reviewed`;
  } finally {
    await model.close();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Only words of the demo are steered: the round trip before it steers itself. */
function steer(agent: string, text: string): string | null {
  const step = STEPS.find(([name]) =>
    new RegExp(`^#+ .*${name}\\b`, "m").test(text.replace(/^[\s\S]*(?=^## Step)/m, "")),
  );
  if (!step) return null;
  const [, file, body, last] = step;
  const lines = [
    ...(WRITES[agent]?.(file, body) ?? []),
    `RUN: git add ${file}`,
    "RUN: git commit -qm 'Work'",
    `RUN: ${last}`,
  ];
  return lines.join("\n");
}
