/** The library as its users get it: bundled, with its types, imported by its name from another project. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { promise } from "./rig/promise.ts";

const ROOT = resolve(import.meta.dirname, "..");
const require = createRequire(import.meta.url);
const folderOf = (name: string) => dirname(require.resolve(`${name}/package.json`));
const TSC = join(folderOf("typescript"), "bin/tsc");

let consumer: string;
let types: number;

beforeAll(async () => {
  consumer = mkdtempSync(join(tmpdir(), "pawl-consumer-"));
  const pawl = join(consumer, "node_modules/pawl");
  mkdirSync(pawl, { recursive: true });
  const { name, version, type, exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  writeFileSync(join(pawl, "package.json"), JSON.stringify({ name, version, type, exports }));
  mkdirSync(join(consumer, "node_modules/@types"));
  symlinkSync(folderOf("@types/node"), join(consumer, "node_modules/@types/node"));
  // As `npm run build` left it.
  cpSync(join(ROOT, "dist"), join(pawl, "dist"), { recursive: true });
  types = readdirSync(join(pawl, "dist/types"), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".d.ts"),
  ).length;
  writeFileSync(join(consumer, "package.json"), '{ "type": "module" }\n');
  writeFileSync(
    join(consumer, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        target: "es2022",
        module: "nodenext",
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        skipLibCheck: false,
        types: ["node"],
      },
      files: ["door.ts"],
    }),
  );
  writeFileSync(join(consumer, "door.ts"), DOOR);
}, 120_000);
afterAll(() => rmSync(consumer, { recursive: true, force: true }));

/** With a tracker and a git of its own, which type-check against the ports. */
const DOOR = `import { check, defineWorkflow, type Definition, type Git, openProject, type References } from "pawl";

const git: Git = {
  state: async () => ({ kind: "repository", branch: "main", head: null, uncommitted: [] }),
  pin: async () => null,
  snapshot: async () => ({ kind: "not-a-repository" }),
  between: async () => null,
  commits: async () => ({ kind: "unavailable", reason: "none" }),
};
const references: References = { fetch: async () => ({ kind: "not-configured", detail: "nothing" }) };
const door: Definition = defineWorkflow({
  table: {
    name: "door",
    title: "A door",
    initial: "closed",
    goals: ["open"],
    states: { closed: { description: "It is closed." }, open: { description: "It is open.", final: true } },
    events: { push: { description: "Push it" } },
    facts: { branch: { description: "The branch.", values: ["main", "other"] } },
    rules: [
      { id: "in", from: ["closed"], on: "push", when: [{ branch: ["main"] }], to: "open", outcome: "moved", reply: "in" },
      { id: "no", from: ["closed"], on: "push", when: [{ branch: ["other"] }], to: "same", outcome: "blocked", reply: "no" },
    ],
  },
  sources: { branch: { type: "git-branch" } },
  replies: { in: "{{ run }} is open.", no: "{{ run }} is closed." },
});
// @ts-expect-error A source is one of those that there are.
const wrong: Definition = { ...door, sources: { branch: { type: "guess" } } };
if (check({ workflow: wrong.table, replies: ["in", "no"] }).violations.length > 0) throw new Error("refused");
const project = await openProject({ root: process.argv[2] ?? ".", workflows: [door], outside: { git, references } });
const reply = await project.send("door:front", "push", { caller: { channel: "library", who: "a test" } });
process.stdout.write(reply.text + reply.data.state);
await project.close();
`;

/** Each misspelt name, where the compiler must say so. */
const MISSPELT = `import { defineWorkflow, openProject } from "pawl";

const given = {
  sources: { key: { type: "file", path: "{{ id }}.key" }, who: { type: "given" } },
  replies: { in: "In.", no: "No." },
} as const;
const facts = {
  key: { description: "The key.", values: ["present", "missing"] },
  who: { description: "Who.", values: ["ana", "ben"] },
  tries: { description: "How often.", values: [0, 1], initial: 0 },
} as const;
const states = { closed: { description: "Closed." }, open: { description: "Open.", final: true } } as const;
const events = { push: { description: "Push it" } } as const;
const moves = { id: "in", from: ["closed"], on: "push", when: [{ key: ["present"] }], to: "open", outcome: "moved", reply: "in" } as const;
const stays = { id: "no", from: ["closed"], on: "push", when: [{ key: ["missing"] }], to: "same", outcome: "blocked", reply: "no" } as const;
const table = { name: "door", title: "A door", initial: "closed", goals: ["open"], states, events, facts, rules: [moves, stays] } as const;

const door = defineWorkflow({ ...given, table });
const gate = defineWorkflow({ ...given, table: { ...table, name: "gate" } });
export async function run(root: string, id: string) {
  const project = await openProject({ root, workflows: [door, gate] });
  const { data } = await project.send(\`door:\${id}\`, "push", { given: { who: "ana", tries: 1 } });
  const state: "closed" | "open" = data.state;
  // @ts-expect-error A workflow.
  await project.look("dor:1");
  // @ts-expect-error An event.
  await project.send("door:1", "psh");
  // @ts-expect-error A fact.
  await project.send("door:1", "push", { given: { whom: "ana" } });
  // @ts-expect-error A fact's value.
  await project.send("door:1", "push", { given: { who: "anna" } });
  // @ts-expect-error A state.
  if (data.state === "opne") return state;
  const any = await openProject({ root });
  await any.send("workflow-of-pawl-yaml:1", "its-event");
  return state;
}
export function wrong() {
  // @ts-expect-error The initial state.
  defineWorkflow({ ...given, table: { ...table, initial: "colsed" } });
  // @ts-expect-error A goal.
  defineWorkflow({ ...given, table: { ...table, goals: ["opne"] } });
  // @ts-expect-error A rule's state.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, from: ["colsed"] }, stays] } });
  // @ts-expect-error Where it goes.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, to: "opne" }, stays] } });
  // @ts-expect-error Its event.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, on: "psh" }, stays] } });
  // @ts-expect-error A fact that it asks.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, when: [{ kee: ["present"] }] }, stays] } });
  // @ts-expect-error A value of it.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, when: [{ key: ["presnt"] }] }, stays] } });
  // @ts-expect-error A variable that it sets.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, set: { tris: 1 } }, stays] } });
  // @ts-expect-error An input is no variable.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, set: { who: "ana" } }, stays] } });
  // @ts-expect-error A command's end.
  defineWorkflow({ ...given, table: { ...table, rules: [{ ...moves, commands: [{ type: "run", command: "true", passed: "psh", failed: "push" }] }, stays] } });
  // @ts-expect-error A source for each input.
  defineWorkflow({ ...given, sources: { key: given.sources.key }, table });
  // @ts-expect-error A gate.
  defineWorkflow({ ...given, gates: { psh: "human" }, table });
  // @ts-expect-error A hint.
  defineWorkflow({ ...given, hints: { opne: { awaits: "human" } }, table });
}
`;

describe("the library, installed in another project", () => {
  it("lets no misspelt name compile", () => {
    promise("library.types");
    writeFileSync(join(consumer, "misspelt.ts"), MISSPELT);
    const config = { extends: "./tsconfig.json", files: ["misspelt.ts"] };
    writeFileSync(join(consumer, "tsconfig.misspelt.json"), JSON.stringify(config));
    const checked = spawnSync(process.execPath, [TSC, "-p", "tsconfig.misspelt.json"], {
      cwd: consumer,
      encoding: "utf8",
    });
    expect([checked.stdout, checked.status]).toEqual(["", 0]);
  });

  it("works in one file with the program that uses it, in a folder that cannot be written", async () => {
    promise("library.bundled");
    const { build } = await import("esbuild");
    cpSync(join(ROOT, "examples/release.ts"), join(consumer, "release.ts"));
    const bundle = join(consumer, "bundle/release.mjs");
    await build({
      ...{ absWorkingDir: consumer, entryPoints: ["release.ts"], outfile: bundle, logLevel: "error" },
      ...{ bundle: true, format: "esm", platform: "node" },
    });
    chmodSync(dirname(bundle), 0o555);
    const root = mkdtempSync(join(consumer, "project-"));
    const released = () => execFileSync(process.execPath, [bundle, root], { encoding: "utf8" });
    expect(released()).toBe("It was drafted.\nYes.\n\nIt is out.\n");
    expect(released()).toContain("It was published.");
  });

  it("type-checks with nothing else beside it, its declarations included", () => {
    expect(types).toBeGreaterThan(15);
    expect(types).toBeLessThan(60);
    expect(() => execFileSync(process.execPath, [TSC, "-p", consumer], { stdio: "pipe" })).not.toThrow();
  });

  it("type-checks if it is all that was installed: its types name no other package", () => {
    const bare = mkdtempSync(join(tmpdir(), "pawl-bare-"));
    try {
      mkdirSync(join(bare, "node_modules"));
      renameSync(join(consumer, "node_modules/pawl"), join(bare, "node_modules/pawl"));
      writeFileSync(join(bare, "package.json"), '{ "type": "module" }\n');
      // Every name of the index, so that every declaration is looked at.
      writeFileSync(
        join(bare, "all.ts"),
        'import * as pawl from "pawl";\nexport const all: typeof pawl = pawl;\n',
      );
      const options = ["--strict", "--noEmit", "--module", "nodenext", "--listFiles", "all.ts"];
      const listed = execFileSync(process.execPath, [TSC, ...options], {
        cwd: bare,
        encoding: "utf8",
        stdio: "pipe",
      });
      const seen = listed.split("\n").filter((file) => file.includes("node_modules/pawl/"));
      expect(seen).toHaveLength(types);
      const others = listed
        .split("\n")
        .filter((file) => file.includes("node_modules/") && !file.includes("/lib.") && !seen.includes(file));
      expect(others).toEqual([]);
    } finally {
      renameSync(join(bare, "node_modules/pawl"), join(consumer, "node_modules/pawl"));
      rmSync(bare, { recursive: true, force: true });
    }
  });

  it("does what its page says", () => {
    const page = readFileSync(join(ROOT, "docs/library.md"), "utf8");
    const blocks = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code);
    expect(blocks).toHaveLength(3);
    writeFileSync(join(consumer, "page.ts"), blocks.join("\n"));
    const config = { extends: "./tsconfig.json", files: ["page.ts"] };
    writeFileSync(join(consumer, "tsconfig.page.json"), JSON.stringify(config));
    const checked = () =>
      execFileSync(process.execPath, [TSC, "-p", "tsconfig.page.json"], { cwd: consumer, stdio: "pipe" });
    expect(checked).not.toThrow();
    const root = mkdtempSync(join(consumer, "project-"));
    writeFileSync(join(root, "front.key"), "");
    const run = { cwd: root, encoding: "utf8" } as const;
    const out = execFileSync(process.execPath, [join(consumer, "page.ts")], run);
    expect(out).toBe(
      "stateDiagram-v2\n  [*] --> closed\n  closed --> open : push [key = present]\n  open --> [*]\nrun:advanced\nloop:progress\n",
    );
  });

  it("runs there", () => {
    const root = mkdtempSync(join(consumer, "project-"));
    const out = execFileSync(process.execPath, [join(consumer, "door.ts"), root], { encoding: "utf8" });
    expect(out).toBe("door:front is open.\nopen");
  });
});
