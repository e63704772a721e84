/** A checkout in memory whose one run is the door's, with its log. */
import { expect } from "vitest";
import { type MemoryStore, openMemoryStore } from "../../src/adapters/memory/memory-store.ts";
import { attempt } from "../../src/core/attempt.ts";
import type { Caller, PawlEvent } from "../../src/core/event.ts";
import { projectPath } from "../../src/core/path.ts";
import type { Change } from "../../src/core/ports/store.ts";
import { follow } from "../../src/engine/configuration.ts";
import type { Configuration, Rule } from "../../src/engine/workflow.ts";
import { logChanges } from "../../src/runtime/run-log/append.ts";
import type { At, LoggedDetails, RunKind } from "../../src/runtime/run-log/kind.ts";
import { loadLines, stateFaults } from "../../src/runtime/run-log/read.ts";
import { logFaults } from "../../src/runtime/run-log/replay.ts";
import type { Line } from "../../src/runtime/run-log/step.ts";
import { door } from "./lockable.ts";

export const RUN = "door:front";
/** The state of a run that goes on, and of one that is over. */
export const FILE = projectPath("open/front.json");
export const KEPT = projectPath("kept/front.json");
export const RECORDS = ".alfred/records/door/front/";

export const START: At = { machine: "door", state: "closed", variables: { pushes: 0 } };

export const DOOR: RunKind = {
  tableOf: (machine) => (machine === "door" ? door : null),
  start: START,
  runOf: (path) => (path === FILE || path === KEPT ? RUN : null),
  pathsOf: () => [FILE, KEPT],
  at: (text) =>
    attempt(() => {
      const { pushes, state } = JSON.parse(text);
      return { machine: "door", state, variables: { pushes } };
    }, null),
};

/** Git shares its state, and it rests unless the door is open. */
export const SHARED: RunKind = {
  ...DOOR,
  sharedIn: (text) => {
    const { pushes, state } = JSON.parse(text);
    return { rests: state !== "open", recordedState: { state, kept: { pushes } } };
  },
};

export const ruleOf = (id: string) => door.rules.find((rule) => rule.id === id) as Rule;

/** The event of a move by that rule. */
export function advanced({ from: [from = ""], id, on, to }: Rule, more: object = {}): PawlEvent {
  const time = "2026-01-01T00:00:00.000Z";
  const move = { run: RUN, machine: "door", event: on, row: id, from, to };
  return {
    type: "run:advanced",
    id,
    time,
    ...move,
    summary: "",
    by: { channel: "script" },
    ...more,
  } as PawlEvent;
}

export const write = (state: string, pushes = 0, path = FILE): Change => ({
  ...{ type: "write", path },
  text: JSON.stringify({ state, pushes }),
});

export interface DoorRun {
  readonly store: MemoryStore;
  commit(changes: readonly Change[], events: readonly PawlEvent[], details?: LoggedDetails): Promise<void>;
  /** Takes rules, and writes the state to which the last one leads. */
  move(...rules: readonly string[]): Promise<void>;
  /** The paths of its records. */
  records(): readonly string[];
  lines(): Promise<readonly Line[]>;
  /** What does not follow: the state from the log, and the log from the table. */
  faults(): Promise<readonly string[]>;
}

export function openDoorRun(
  kind: RunKind = DOOR,
  {
    caller = { channel: "script" },
    shares = true,
  }: { readonly caller?: Caller; readonly shares?: boolean } = {},
): DoorRun {
  const store = openMemoryStore();
  let commits = 0;
  const commit: DoorRun["commit"] = async (changes, events, details) => {
    const view = store.view();
    commits += 1;
    const time = `2026-01-01T00:00:${String(commits).padStart(2, "0")}.000Z`;
    const more = await logChanges(view, kind, {
      ...{ changes, events, details, caller, time, id: `commit-${commits}` },
      shares: async (workflow) => shares && workflow === "door",
    });
    expect(await store.commit(view, [...changes, ...more])).toBe("committed");
  };
  return {
    store,
    commit,
    async move(...ids) {
      const rules = ids.map(ruleOf);
      const { state, variables } = rules.reduce<Configuration>(
        (at, rule) => follow(door, rule, at),
        kind.at(store.files.get(FILE) ?? "") ?? START,
      );
      const isOver = state === "gone";
      const before = isOver ? FILE : KEPT;
      const changes: Change[] = [write(state, Number(variables.pushes), isOver ? KEPT : FILE)];
      if (store.files.has(before)) changes.push({ type: "remove", path: before });
      await commit(
        changes,
        rules.map((rule) => advanced(rule)),
      );
    },
    records: () => [...store.files.keys()].filter((path) => path.startsWith(RECORDS)).sort(),
    lines: () => loadLines(store.view(), RUN),
    async faults() {
      const view = store.view();
      const path = store.files.has(FILE) ? FILE : KEPT;
      return [
        ...(await stateFaults(view, kind, RUN, { path, text: store.files.get(path) ?? "" })),
        ...logFaults(kind, await loadLines(view, RUN)),
      ];
    },
  };
}

/** Brings the records of one checkout into the other, as git does. */
export function bring(from: DoorRun, to: DoorRun): void {
  for (const [path, text] of from.store.files) if (path.startsWith(RECORDS)) to.store.files.set(path, text);
}
