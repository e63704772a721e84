import { execFile } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { newId } from "../../src/adapters/clock/new-id.ts";
import { openStore } from "../../src/adapters/files/store.ts";
import { type ProjectPath, projectPath } from "../../src/core/path.ts";
import type { Outside } from "../../src/core/ports/outside.ts";
import type { Store } from "../../src/core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../../src/core/settings.ts";
import { runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import { castOf } from "../../src/workflows/spells/cast.ts";
import type { Spell } from "../../src/workflows/spells/events.ts";
import { AI_FOLDER } from "../../src/workflows/spells/files.ts";
import { type Call, type Fate, simDisk, simState } from "../crash/sim-disk.ts";
import { Machine } from "../crash/sim-machine.ts";
import { asPlainUser } from "../rig/plain-user.ts";
import { promise } from "../rig/promise.ts";
import { packaged, SpellsProject } from "../rig/spells-project.ts";

interface CrashCase {
  readonly spell: Spell;
  readonly row: string;
  readonly state: string;
  readonly files: Readonly<Record<string, string>>;
}

const PLAN = "# Plan\n\n- [ ] one\n";

const SCENES: readonly CrashCase[] = [
  { spell: "accio", row: "GC1", state: "GATHER_NEEDS_CONTEXT", files: { "context.md": "my notes" } },
  {
    spell: "accio",
    row: "A2",
    state: "ACHIEVE_TASK_EXECUTED",
    files: { "plan.md": PLAN, "task.md": "---\ntask_name: one\n---\n", "task-results.md": "done" },
  },
  {
    spell: "reparo",
    row: "C2",
    state: "PR_CONFIRM_RESTART_TASK_A",
    files: { "plan.md": PLAN, "comments.md": "c", "review-task.md": "t", "review-task-results.md": "r" },
  },
];

function storeOn(machine: Machine, fateOf?: (call: Call) => Fate): Store {
  const disk = simDisk(machine, fateOf);
  return openStore({ root: "/project", packaged, disk, state: simState(disk) });
}

async function cast(store: Store, spell: Spell): Promise<string> {
  const runtime = {
    store,
    outside: {} as Outside,
    settings: async () => DEFAULT_SETTINGS,
    now: () => new Date("2026-01-31T09:30:15.250Z"),
    newId,
  };
  const { reply } = await runTransaction(runtime, castOf(spell), {}, { channel: "mcp" });
  return reply.data.row as string;
}

/** Everything in `.ai/`, as whoever comes next finds it. */
async function snapshot(machine: Machine): Promise<Readonly<Record<string, string | null>>> {
  const view = storeOn(machine).view();
  const files: Record<string, string | null> = {};
  const walk = async (folder: ProjectPath): Promise<void> => {
    for (const { name, kind } of await view.list(folder)) {
      const path = projectPath(folder, name);
      if (kind === "folder") await walk(path);
      else files[path] = await view.read(path);
    }
  };
  await walk(AI_FOLDER);
  return files;
}

async function propose({ state, files }: CrashCase): Promise<Machine> {
  const machine = new Machine();
  const store = storeOn(machine);
  const stateFile = JSON.stringify({ current_state: state, context: {}, history: [] });
  const texts = Object.entries({ ...files, "state.json": stateFile });
  const changes = texts.map(([name, text]) => ({
    type: "write" as const,
    path: projectPath(".ai/task", name),
    text,
  }));
  expect(await store.commit(store.view(), changes)).toBe("committed");
  await store.settle();
  return machine;
}

describe("a cast whose process dies", () => {
  test.each(SCENES)(
    "at any call leaves state and files as before $row or as after it",
    async (scene) => {
      promise("commit.all-or-nothing");
      const start = await propose(scene);
      const before = await snapshot(start.clone());
      const whole = start.clone();
      let calls: Call[] = [];
      const counted = storeOn(whole, (call) => {
        calls = [...calls, call];
        return undefined;
      });
      expect(await cast(counted, scene.spell)).toBe(scene.row);
      const after = await snapshot(whole);
      expect(after).not.toEqual(before);
      const ends = { before: 0, after: 0 };
      for (const { index, name } of calls) {
        for (const fate of name === "write" ? (["die", "die-halfway"] as const) : (["die"] as const)) {
          const machine = start.clone();
          const dying = storeOn(machine, (call) => (call.index === index ? fate : undefined));
          // What the dying process itself makes of it is nobody's concern: it reaches the disk no more.
          await cast(dying, scene.spell).catch(() => undefined);
          const found = await snapshot(machine);
          const isAfter = JSON.stringify(found) === JSON.stringify(after);
          if (!isAfter) expect(found, `${fate} at ${index} ${name}`).toEqual(before);
          ends[isAfter ? "after" : "before"] += 1;
          // Whoever comes next can go on from there.
          await cast(storeOn(machine), isAfter ? "lumos" : scene.spell);
        }
      }
      // Otherwise nothing was tried.
      expect(ends.before).toBeGreaterThan(10);
      expect(ends.after).toBeGreaterThan(0);
    },
    60_000,
  );
});

const CHILD = `
import { newId } from ${JSON.stringify(new URL("../../src/adapters/clock/new-id.ts", import.meta.url).href)};
import { openStore } from ${JSON.stringify(new URL("../../src/adapters/files/store.ts", import.meta.url).href)};
import { DEFAULT_SETTINGS } from ${JSON.stringify(new URL("../../src/core/settings.ts", import.meta.url).href)};
import { runTransaction } from ${JSON.stringify(new URL("../../src/runtime/transaction/run-transaction.ts", import.meta.url).href)};
import { castOf } from ${JSON.stringify(new URL("../../src/workflows/spells/cast.ts", import.meta.url).href)};
import { packaged } from ${JSON.stringify(new URL("../rig/spells-project.ts", import.meta.url).href)};
import { stateOf } from ${JSON.stringify(new URL("../rig/state-home.ts", import.meta.url).href)};
const store = openStore({ root: process.argv[1], state: stateOf(process.argv[1]), packaged });
const runtime = { store, outside: {}, settings: async () => DEFAULT_SETTINGS, now: () => new Date(), newId };
for (const spell of process.argv[2].split(",")) {
  const { reply } = await runTransaction(runtime, castOf(spell), {}, { channel: "mcp" });
  console.log(reply.data.row);
}
`;

test("servers that cast at once take turns: each step is taken once, and the history tells of each", async () => {
  promise("spells.one-transaction");
  using project = new SpellsProject();
  project.write("plan.md", PLAN);
  project.write("task.md", "mine");
  project.state("GATHER_EDITING");
  const spells = Array.from({ length: 6 }, () => "accio,finite").join(",");
  const call = () =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", CHILD, project.root, spells]);
  const answers = await Promise.all(Array.from({ length: 4 }, call));
  const rows = answers.flatMap(({ stdout }) => stdout.trim().split("\n"));
  expect(rows).toHaveLength(48);
  const known = ["G4", "A1", "A2b", "R3", "F1", "AB1", "ER5", "GN1"];
  expect(rows.filter((row) => !known.includes(row))).toEqual([]);
  const moved = rows.filter((row) => !["AB1", "ER5", "GN1"].includes(row));
  const { history, current_state } = project.stateFile();
  expect(history).toHaveLength(moved.length);
  let state = "GATHER_EDITING";
  for (const { transition = "" } of history) {
    const [from, to = ""] = transition.split(" → ");
    expect(from).toBe(state);
    state = to;
  }
  expect(current_state).toBe(state);
  // R3 archived the task each time that it came to it: nothing of it is lost.
  const archived = project.list("tasks").map((name) => project.read(`tasks/${name}/task.md`));
  expect([...archived, project.read("task.md")]).toContain("mine");
}, 60_000);

describe.skipIf(process.platform === "win32")("a folder in which this user may not write", () => {
  const FILES = {
    "plan.md": PLAN,
    "task.md": "---\ntask_name: one\n---\n",
    "task-results.md": "done",
    "state.json": '{"current_state":"ACHIEVE_TASK_EXECUTED","context":{},"history":[]}',
  };

  function prepareFor(folder: string): SpellsProject {
    const project = new SpellsProject();
    for (const [name, text] of Object.entries(FILES)) project.write(name, text);
    mkdirSync(project.at("/.ai/task/tasks"));
    chmodSync(project.at(folder), 0o555);
    return project;
  }

  const castIn = (project: SpellsProject, spells: string) => {
    const words = ["--input-type=module", "-e", CHILD, project.root, spells];
    return promisify(execFile)(...asPlainUser(process.execPath, ...words));
  };

  test.each([
    ["/.ai/task", "permission to write .ai/task is missing"],
    ["/.ai/task/tasks", "permission to write .ai/task/tasks is missing"],
    ["/", "permission is missing"],
  ])("(%s) is told by its path, nothing is changed, and what writes nothing works", async (folder, words) => {
    promise("spells.one-transaction");
    using project = prepareFor(folder);
    try {
      const failed = await castIn(project, "lumos,finite,accio").catch((thrown) => thrown);
      expect(failed).toMatchObject({ code: 1, stdout: "L4\nAB1\n" });
      expect(failed.stderr).toContain(words);
      expect(failed.stderr).toContain("disk-failed");
      expect(project.files("/.ai/task")).toEqual(Object.keys(FILES).sort());
      for (const [name, text] of Object.entries(FILES)) expect(project.read(name)).toBe(text);
    } finally {
      chmodSync(project.at(folder), 0o755);
    }
    expect((await castIn(project, "accio")).stdout).toBe("A2\n");
    expect(project.list("tasks")).toHaveLength(1);
  });
});

test("a project whose .ai cannot be written says which path and why, and stays as it is", async () => {
  using project = new SpellsProject();
  project.write("/.ai", "a file, not a folder");
  await expect(project.cast("accio")).rejects.toMatchObject({ message: expect.stringContaining(".ai") });
  expect(project.read("/.ai")).toBe("a file, not a folder");
});
