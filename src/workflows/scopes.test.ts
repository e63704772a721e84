/** No scope forbids what the prompt of its state asks for: every prompt of every state is read for what it asks. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import type { View } from "../core/ports/store.ts";
import { targetOf } from "../engine/configuration.ts";
import { decide as follow } from "../engine/decide.ts";
import { scopeIn } from "../engine/scope.ts";
import type { Configuration, StateScope, Workflow } from "../engine/workflow.ts";
import type { Action } from "../guard/action.ts";
import { decide, type GuardContext } from "../guard/decide.ts";
import { promptSamples } from "./alfred/texts/samples.ts";
import { DEFINITIONS } from "./alfred/tools/definitions.ts";
import { machineOf } from "./alfred/tools/machine.ts";
import { BLOOM } from "./bloom/run/table.ts";
import { replySamples } from "./spells/samples.ts";
import { PLAN_FILES } from "./spells/scope.ts";
import { SPELLS_WORKFLOW } from "./spells/table.ts";

const PACKAGED: View = {
  read: async () => null,
  list: async () => [],
  lastLine: async () => null,
  isCurrent: async () => true,
  packaged: (path) => readFile(join(import.meta.dirname, path), "utf8").catch(() => null),
};

const PLACE: GuardContext = {
  root: "/p",
  checkout: "/p",
  files: { tasksFile: "tasks.yaml", workflows: [] },
  home: "/home/dev",
  temporary: [],
  clientFolders: [],
  pawlFolders: [],
  own: [],
  program: "/opt/pawl/main.js",
  shell: "none",
  real: (path) => path,
  twin: () => null,
  repository: () => null,
};

/** Whether the guard lets the action pass while a run is in the state. */
function passes(
  action: Action,
  workflow: Workflow,
  state: string,
  planFiles: readonly string[] = [],
): boolean {
  const scope = scopeIn(workflow, state);
  const limits = { run: "a:b", state, ...scope, planFiles, next: "", awaits: "assistant" } as const;
  return decide(action, limits, PLACE).allow;
}

type Ask = "write" | "commit" | "push";

/** How the prompts ask for it, wherever they do. */
const SAID: Readonly<Record<Ask, RegExp>> = {
  write: /\bBuild `|Change what is asked for above|Do what the task asks for|Carry it out now/,
  commit: /`git commit`|\bcommit (?:them|what|whatever|or stash)|Commit your changes|a commit,/i,
  push: /`git push|Push your (?:branch|commits)|[Oo]pen a pull request|a commit, a pull request/,
};

/** What a prompt quotes or fences is others'. */
const proseOf = (text: string) => text.replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, "").replace(/^>.*$/gm, "");

function asksOf(text: string): readonly Ask[] {
  const prose = proseOf(text);
  return (Object.keys(SAID) as Ask[]).filter((ask) => SAID[ask].test(prose));
}

function allows({ forbids, writes }: StateScope, ask: Ask): boolean {
  return ask === "write" ? writes === "worktree" || writes === "all" : !forbids.includes(ask);
}

interface ScopeQuestion {
  readonly workflow: Workflow;
  readonly state: string;
  readonly ask: Ask;
}

/** By `table: state`, what is asked for there. */
function byState(asked: readonly ScopeQuestion[]): Readonly<Record<string, string>> {
  const found: Record<string, Set<Ask>> = {};
  for (const { ask, state, workflow } of asked) {
    const name = `${workflow.name}: ${state}`;
    found[name] = (found[name] ?? new Set()).add(ask);
  }
  return Object.fromEntries(Object.entries(found).map(([name, asks]) => [name, [...asks].sort().join(", ")]));
}

function refusedIn(asked: readonly ScopeQuestion[]): readonly string[] {
  return asked.flatMap(({ ask, state, workflow }) =>
    allows(scopeIn(workflow, state), ask) ? [] : [`${workflow.name}: ${state} is asked to ${ask}`],
  );
}

test("Alfred's prompts ask for nothing that their states forbid, nor does what a rejection may ask for", async () => {
  promise("scope.prompts");
  const asked = (await promptSamples(PACKAGED)).flatMap(({ configuration, machine, text }) => {
    const definition = DEFINITIONS.find(({ name }) => name === machine);
    if (configuration === null || !definition) return [];
    const { rejectEvent, underReview, workflow } = machineOf(definition);
    const rejected = (at: Configuration) =>
      underReview(at) ? [follow(workflow, at, rejectEvent, {}).after.state] : [];
    return [configuration.state, ...rejected(configuration)].flatMap((state) =>
      asksOf(text).map((ask): ScopeQuestion => ({ workflow, state, ask })),
    );
  });
  expect(refusedIn(asked)).toEqual([]);
  expect(byState(asked)).toEqual({
    "start_task: awaiting_ai_review": "commit",
    "start_task: awaiting_human_review": "commit",
    "start_task: git_status_checked": "commit",
    "start_task: branch_created": "commit",
    "implement_task: dispatched": "write",
    "finalize_task: dispatched": "commit, push",
  });
});

test("Spells' replies ask for nothing that the states they lead to forbid", async () => {
  promise("scope.prompts");
  const samples = await replySamples(PACKAGED);
  const asked = samples.flatMap(({ configuration, name, text }) => {
    const rule = SPELLS_WORKFLOW.rules.find(({ id }) => name.startsWith(`${id}: `));
    if (!rule || !configuration) throw new Error(`${name} is no rule's.`);
    const state = targetOf(rule, configuration.state) ?? "";
    return asksOf(text).map((ask): ScopeQuestion => ({ workflow: SPELLS_WORKFLOW, state, ask }));
  });
  expect(samples.length).toBeGreaterThan(100);
  expect(refusedIn(asked)).toEqual([]);
  expect(byState(asked)).toMatchObject({
    "spells: ACHIEVE_TASK_EXECUTED": "commit, write",
    "spells: PR_APPLIED_PENDING_ARCHIVE_G": "commit, write",
    "spells: ACHIEVE_COMPLETE": "commit, push",
  });
});

test("every file that Spells asks the assistant to write is a plan file, and its state is none", async () => {
  promise("scope.prompts");
  const samples = await replySamples(PACKAGED);
  const named = samples.flatMap(({ text }) => {
    const [, said = ""] = text.split("## Response to the AI");
    const [toAssistant = ""] = said.split("## Response to the Developer");
    return [...toAssistant.matchAll(/`(\.ai\/[^`]+)`/g)].map(([, path = ""]) => path);
  });
  const files = new Set(named.filter((path) => !/^\.ai\/task\/(?:tasks|pr-reviews)\//.test(path)));
  expect([...files].sort()).toEqual([...PLAN_FILES].sort());
  expect(PLAN_FILES.filter((path) => /state\.json|\*/.test(path))).toEqual([]);
});

test("the guard lets every command pass that a prompt of Alfred names, in the state of that prompt", async () => {
  promise("scope.prompts");
  const named = (await promptSamples(PACKAGED)).flatMap(({ configuration, machine, text }) => {
    const definition = DEFINITIONS.find(({ name }) => name === machine);
    if (configuration === null || !definition) return [];
    const commands = [...proseOf(text).matchAll(/`((?:git|bloom run) [^`]+)`/g)].map(
      ([, command = ""]) => command,
    );
    return commands.map((command) => ({ command, state: configuration.state, definition }));
  });
  expect(new Set(named.map(({ command }) => command)).size).toBeGreaterThan(8);
  const refused = named.filter(
    ({ command, definition, state }) =>
      !passes({ type: "shell", command, cwd: "/p" }, machineOf(definition).workflow, state),
  );
  expect(refused.map(({ command, definition, state }) => `${definition.name}, ${state}: ${command}`)).toEqual(
    [],
  );
});

test("the guard lets every plan file of Spells be written before a task is carried out, and no other file", () => {
  promise("scope.prompts");
  const write = (path: string): Action => ({ type: "write", paths: [path], cwd: "/p" });
  const allowed = [...PLAN_FILES, "src/a.ts", ".ai/task/state.json"].filter((path) =>
    passes(write(path), SPELLS_WORKFLOW, "GATHER_EDITING", PLAN_FILES),
  );
  expect(allowed).toEqual(PLAN_FILES);
});

test("an agent of the loop may write and commit wherever the loop resumes it, and push nowhere", () => {
  promise("scope.prompts");
  const resumed = BLOOM.rules.filter(({ commands = [] }) =>
    commands.some(({ type }) => type === "run-agent"),
  );
  const states = new Set(resumed.flatMap((rule) => rule.from.map((from) => targetOf(rule, from) ?? "")));
  expect([...states].sort()).toEqual(["committing", "working"]);
  for (const state of states)
    expect(scopeIn(BLOOM, state)).toEqual({ writes: "worktree", forbids: ["push"] });
  for (const [name, { final, forbids }] of Object.entries(BLOOM.states))
    if (!final) expect([name, forbids?.includes("push")]).toEqual([name, true]);
});
