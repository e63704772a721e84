/**
 * Whoever only looks holds no lock, and may read a run's state and what is kept of its steps while a commit has put only one
 * of the two into its file: that is no edit of anybody's.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newId } from "../../src/adapters/clock/new-id.ts";
import { nodeDisk } from "../../src/adapters/files/node-disk.ts";
import { openStore } from "../../src/adapters/files/store.ts";
import { openOutside } from "../../src/app/ports.ts";
import { openConfiguration } from "../../src/config/config.ts";
import { projectPath } from "../../src/core/path.ts";
import type { Outside } from "../../src/core/ports/outside.ts";
import type { Store, View } from "../../src/core/ports/store.ts";
import type { RunOverview } from "../../src/runtime/module.ts";
import { type Runtime, runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import { ownSources } from "../../src/services/own-workflows.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { overview as customOverview } from "../../src/workflows/custom/overview.ts";
import { sendTo } from "../../src/workflows/custom/send.ts";
import { overview as spellsOverview } from "../../src/workflows/spells/overview.ts";
import { CLEAN, MODEL, projectWithTask } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { LOG, packaged, SpellsProject } from "../rig/spells-project.ts";
import { stateOf } from "../rig/state-home.ts";

interface Case extends Disposable {
  readonly root: string;
  readonly state: string;
  readonly head: string;
  /** The run's next move, through this store. */
  move(store: Store): Promise<unknown>;
  overview(view: View): Promise<readonly RunOverview[]>;
}

const runtimeOf = (store: Store, outside: Outside): Runtime => ({
  store,
  outside,
  settings: async (view) => (await openConfiguration()(view)).settings,
  now: () => new Date(),
  newId,
});

/** A store that has no disk for this one file: its commits count, and wait for that file. */
function without(root: string, path: string): Store {
  const disk = nodeDisk(root);
  const rename = (from: string, to: string) => {
    if (to === path) throw Object.assign(new Error("no disk"), { code: "EIO" });
    disk.rename(from, to);
  };
  const open: typeof disk.open = (name, how, mode) => {
    if (how === "append" && name === path) throw Object.assign(new Error("no disk"), { code: "EIO" });
    return disk.open(name, how, mode);
  };
  return openStore({ root, state: stateOf(root), packaged, disk: { ...disk, open, rename } });
}

async function spells(): Promise<Case> {
  const project = new SpellsProject();
  await project.cast("accio");
  project.write("context.md", "# Context\n\nWhat is to be done.\n");
  const { castOf } = await import("../../src/workflows/spells/cast.ts");
  return {
    root: project.root,
    state: ".ai/task/state.json",
    head: LOG,
    move: (store) => runTransaction({ ...project.runtime, store }, castOf("accio"), {}, MODEL),
    overview: spellsOverview,
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

async function task(): Promise<Case> {
  const project = await projectWithTask("TS-01", { withoutGit: true });
  await project.call("start_task", { task_id: "TS-01" });
  const submit = (await alfred.mcp?.tools())?.find(({ name }) => name === "submit_work");
  const runtime = project.runtime();
  return {
    root: project.root,
    state: ".alfred/workspace/TS-01/task_state.json",
    head: ".pawl/log/alfred/TS-01.jsonl",
    move: (store) =>
      runTransaction(
        { ...runtime, store },
        submit?.transaction as never,
        { task_id: "TS-01", artifact: CLEAN },
        MODEL,
      ),
    overview: (view) =>
      alfred.overview(view, { settings: () => runtime.settings(view), time: new Date().toISOString() }),
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

async function ownWorkflow(): Promise<Case> {
  const project = releaseReady();
  await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
  const { root } = project;
  const { settings } = await openConfiguration()(openStore({ root, state: stateOf(root) }).view());
  const sources = await ownSources(settings);
  const [source] = sources;
  if (!source) throw new Error("The example has no workflow.");
  const agreed = { checkCommand: async () => {}, checkLoop: async () => {} };
  const outside = openOutside(root, process.env, async () => settings, agreed);
  const reject = { run: "release:1.2.0", event: "reject", notes: "Again." };
  return {
    root,
    state: ".pawl/runs/release/1.2.0.json",
    head: ".pawl/log/release/1.2.0.jsonl",
    move: (store) =>
      runTransaction(
        runtimeOf(store, outside),
        sendTo(sources),
        reject as never,
        { channel: "terminal" },
        "vouched",
      ),
    overview: (view) => customOverview(source, view),
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

const OF = {
  "a task of Alfred": task,
  "the run of Spells": spells,
  "a run of a workflow of one's own": ownWorkflow,
};
type Name = keyof typeof OF;

it.each<[Name, "head" | "state"]>([
  ["the run of Spells", "state"],
  ["the run of Spells", "head"],
  ["a task of Alfred", "state"],
  ["a task of Alfred", "head"],
  ["a run of a workflow of one's own", "state"],
  ["a run of a workflow of one's own", "head"],
])("%s is not told to be edited while a commit waits for its %s", async (name, waits) => {
  promise("gates.history-torn");
  using project = await OF[name]();
  const { root, state, head } = project;
  const view = openStore({ root, state: stateOf(root), packaged }).view();
  // The look has begun, and all that was committed is applied.
  await view.list(projectPath(".pawl"));
  await project.move(without(root, waits === "state" ? state : head));
  const [run, ...others] = await project.overview(view);
  expect(others).toEqual([]);
  expect(run?.problem).toBeUndefined();
  // Once it is applied, an edit of either is told.
  const later = openStore({ root, state: stateOf(root), packaged }).view();
  await later.list(projectPath(".pawl"));
  const path = join(root, state);
  writeFileSync(
    path,
    readFileSync(path, "utf8").replace(/"(current_state|state)": "[^"]*"/, '"$1": "verified"'),
  );
  const [edited] = await project.overview(later);
  expect(edited?.problem).toBeDefined();
});
