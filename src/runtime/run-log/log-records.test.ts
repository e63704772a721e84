import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openMemoryStore } from "../../adapters/memory/memory-store.ts";
import type { PawlEvent } from "../../core/event.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, Store, View } from "../../core/ports/store.ts";
import { object } from "../../core/state-json.ts";
import type { Workflow } from "../../engine/workflow.ts";
import { logChanges } from "./append.ts";
import { ADOPTED } from "./history.ts";
import type { LoggedDetails, RunKind } from "./kind.ts";
import { loadBranches, loadChain, missingRecords } from "./log-records.ts";
import { lastOf, loadLines, loadSteps, loggedVerdicts, stateFaults } from "./read.ts";
import { logFaults } from "./replay.ts";
import { logPath } from "./step.ts";

const RUN = "door:a";
const FILE = projectPath("open/a.json");
const KEPT = projectPath("kept/a.json");
const RECORDS = ".alfred/records/door/a/";

const DOOR: Workflow = {
  name: "door",
  title: "A door",
  initial: "closed",
  goals: ["done"],
  states: {
    closed: { description: "closed" },
    open: { description: "open" },
    done: { description: "done", final: true },
  },
  events: { push: { description: "pushed" }, lock: { description: "locked" } },
  facts: {},
  rules: [
    { id: "opens", from: ["closed"], on: "push", to: "open", outcome: "moved", reply: "r" },
    { id: "closes", from: ["open"], on: "push", to: "closed", outcome: "moved", reply: "r" },
    { id: "ends", from: ["open"], on: "lock", to: "done", outcome: "moved", reply: "r" },
  ],
};

const KIND: RunKind = {
  tableOf: (machine) => (machine === "door" ? DOOR : null),
  start: { machine: "door", state: "closed", variables: {} },
  runOf: (path) => (path === FILE || path === KEPT ? RUN : null),
  pathsOf: () => [FILE, KEPT],
  at: (text) => ({ machine: "door", state: JSON.parse(text).state, variables: {} }),
  sharedIn: (text) => {
    const { state } = JSON.parse(text);
    return { rests: state !== "open", recordedState: { state } };
  },
};

/** A checkout of the project, in memory. */
function openCheckout({ shares = true }: { readonly shares?: boolean } = {}) {
  const store = openMemoryStore();
  let commits = 0;
  const commit = async (
    changes: readonly Change[],
    events: readonly PawlEvent[],
    details?: LoggedDetails,
  ) => {
    const view = store.view();
    commits += 1;
    const time = `2026-01-01T00:00:${String(commits).padStart(2, "0")}.000Z`;
    const more = await logChanges(view, KIND, {
      ...{ changes, events, details, caller: { channel: "script" }, time, id: `commit-${commits}` },
      shares: async () => shares,
    });
    expect(await store.commit(view, [...changes, ...more])).toBe("committed");
  };
  const write = (state: string, path = FILE): Change => ({
    type: "write",
    path,
    text: JSON.stringify({ state }),
  });
  return {
    store,
    commit,
    write,
    /** Takes rules, of which the last leads to the state that is written. */
    move(...rules: readonly string[]) {
      const taken = rules.map((id) => DOOR.rules.find((rule) => rule.id === id) as Workflow["rules"][number]);
      const { to } = taken.at(-1) ?? {};
      const isOver = to === "done";
      const kept: readonly Change[] = store.files.has(KEPT) ? [{ type: "remove", path: KEPT }] : [];
      const changes = isOver
        ? [write("done", KEPT), { type: "remove", path: FILE } as const]
        : [write(String(to)), ...kept];
      return commit(changes, taken.map(advanced));
    },
    records: () => [...store.files.keys()].filter((path) => path.startsWith(RECORDS)).sort(),
    faults: async () => {
      const view = store.view();
      const path = store.files.has(FILE) ? FILE : KEPT;
      return [
        ...(await stateFaults(view, KIND, RUN, { path, text: store.files.get(path) ?? "" })),
        ...logFaults(KIND, await loadLines(view, RUN)),
      ];
    },
  };
}

function advanced({ from: [from = ""], id, on, to }: Workflow["rules"][number]): PawlEvent {
  const move = { run: RUN, machine: "door", event: on, row: id, from, to: String(to) };
  const by = { channel: "script" } as const;
  return {
    type: "run:advanced",
    id,
    time: "2026-01-01T00:00:00.000Z",
    ...move,
    summary: "",
    by,
  } as PawlEvent;
}

/** Brings the records of one checkout into the other, as git does. */
function bring(from: Store & { readonly files: Map<string, string> }, to: typeof from): void {
  for (const [path, text] of from.files) if (path.startsWith(RECORDS)) to.files.set(path, text);
}

const stepsIn = (text: string | undefined) =>
  (text ?? "")
    .trimEnd()
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
const words = (steps: readonly { readonly rule?: string; readonly kind: string }[]) =>
  steps.map(({ kind, rule }) => rule ?? kind);

describe("A run's log", () => {
  it("follows the run into its other file, through several steps of one commit, and through its next life", async () => {
    const door = openCheckout();
    await door.move("opens", "closes", "opens");
    await door.move("ends");
    expect(door.store.files.has(FILE)).toBe(false);
    await door.move("opens");
    expect(door.store.files.has(KEPT)).toBe(false);
    const view = door.store.view();
    expect(words(await loadChain(view, RUN))).toEqual([
      "begun",
      "opens",
      "closes",
      "opens",
      "ends",
      "begun",
      "opens",
    ]);
    expect(words(await loadSteps(view, RUN))).toEqual(["begun", "opens"]);
    expect(await door.faults()).toEqual([]);
    expect(await loggedVerdicts(view, RUN)).toEqual({});
  });

  it("has a line without a step where the state alone was written, and holds a file that is not its last one", async () => {
    promise("gates.history-edits");
    const door = openCheckout();
    await door.move("opens");
    const text = JSON.stringify({ state: "open", note: "x" });
    await door.commit([{ type: "write", path: FILE, text }], []);
    expect((await loadLines(door.store.view(), RUN)).at(-1)).toMatchObject({ step: null });
    expect(await door.faults()).toEqual([]);
    door.store.files.set(FILE, JSON.stringify({ state: "done" }));
    expect(await door.faults()).toEqual([expect.stringContaining("found done; its log leads to open")]);
  });

  it("whose middle cannot be read keeps no other run from being shown", async () => {
    const door = openCheckout();
    await door.move("opens");
    await door.move("closes");
    const log = logPath(RUN);
    door.store.files.set(log, `{\n${door.store.files.get(log)}`);
    expect(await loggedVerdicts(door.store.view(), RUN)).toEqual({});
    await expect(loadSteps(door.store.view(), RUN)).rejects.toMatchObject({ code: "state-tampered" });
  });

  it("goes on where its worker knows the run to be, though its file was removed", async () => {
    const door = openCheckout();
    await door.move("opens");
    door.store.files.delete(FILE);
    const found = { machine: "door", state: "open", variables: {} };
    await door.commit([door.write("closed")], [advanced(DOOR.rules[1] as never)], { found });
    expect(words(await loadSteps(door.store.view(), RUN))).toEqual(["begun", "opens", "found", "closes"]);
    expect(await lastOf(door.store.view(), RUN)).toMatchObject({ local: { checkpoint: { unproved: true } } });
    expect(await door.faults()).toEqual([]);
  });
});

describe("The records of a run", () => {
  it("are written where it rests, with the log's own steps, and only those that no record has", async () => {
    const door = openCheckout();
    await door.move("opens");
    expect(door.records()).toEqual([]);
    await door.move("closes");
    await door.move("opens");
    await door.move("ends");
    const [first = "", second = ""] = door.records();
    expect([first, second].map((path) => path.slice(RECORDS.length, RECORDS.length + 9))).toEqual([
      "0001-0003",
      "0004-0005",
    ]);
    const recorded = [first, second].flatMap((path) => stepsIn(door.store.files.get(path)));
    expect(recorded).toEqual(await loadChain(door.store.view(), RUN));
    expect(await missingRecords(door.store.view(), KIND, RUN)).toEqual([]);
    door.store.files.delete(second);
    expect(await missingRecords(door.store.view(), KIND, RUN)).toMatchObject([{ path: second }]);
  });

  it("are none where the project does not share", async () => {
    const door = openCheckout({ shares: false });
    await door.move("opens", "closes");
    expect(door.records()).toEqual([]);
  });

  it("are known by the last line where all are the checkout's own, and the log is not read", async () => {
    const [mine, theirs] = [openCheckout(), openCheckout()];
    await mine.move("opens", "closes");
    bring(mine.store, theirs.store);
    // An update, and a move that is not recorded.
    await mine.commit([mine.write("closed")], []);
    await mine.move("opens");
    expect(mine.records()).toHaveLength(1);
    const read: string[] = [];
    const watched = () => {
      const view = mine.store.view();
      return Object.assign(Object.create(view), {
        read(path: ProjectPath) {
          read.push(path);
          return view.read(path);
        },
      }) as View;
    };
    expect(await loadBranches(watched(), RUN, object)).toEqual([]);
    expect(read).toEqual([]);
    // Without a state of its own, a checkout follows the records.
    expect(await loadBranches(watched(), RUN, object, false)).toMatchObject([{ recorded: {} }]);
    read.length = 0;
    await theirs.move("opens", "closes");
    bring(theirs.store, mine.store);
    expect(await loadBranches(watched(), RUN, object)).toHaveLength(2);
    expect(read).toContain(logPath(RUN));
  });

  it("let another checkout take the run over, whose steps are of the same chain", async () => {
    promise("team.branches");
    const [mine, theirs] = [openCheckout(), openCheckout()];
    await mine.move("opens", "closes");
    bring(mine.store, theirs.store);
    const [branch] = await loadBranches(theirs.store.view(), RUN, object);
    expect(branch?.recorded).toMatchObject({ recordedState: { state: "closed" } });
    const move = {
      run: RUN,
      machine: "door",
      event: ADOPTED,
      row: ADOPTED,
      from: "closed",
      to: "closed",
    };
    const taken = {
      type: "run:advanced",
      id: "t",
      time: "2026-01-01T00:00:00.000Z",
      ...move,
      summary: "",
    } as const;
    const event = { ...taken, by: { channel: "terminal" } } as PawlEvent;
    await theirs.commit([theirs.write("closed")], [event], { branch: branch?.steps });
    expect(words(await loadChain(theirs.store.view(), RUN))).toEqual(["begun", "opens", "closes", "adopted"]);
    expect(await theirs.faults()).toEqual([]);
    await theirs.move("opens");
    expect(await theirs.faults()).toEqual([]);
    // The record of the adoption leads on for the first checkout, too.
    bring(theirs.store, mine.store);
    expect(await loadBranches(mine.store.view(), RUN, object)).toMatchObject([
      { recorded: {}, steps: { length: 4 } },
    ]);
    // Two that went on from there are two branches.
    await mine.move("opens", "closes");
    await theirs.move("ends");
    bring(theirs.store, mine.store);
    expect(await loadBranches(mine.store.view(), RUN, object)).toHaveLength(2);
  });

  it("are continued by a new life in another checkout", async () => {
    const [mine, theirs] = [openCheckout(), openCheckout()];
    await mine.move("opens");
    await mine.move("ends");
    bring(mine.store, theirs.store);
    await theirs.move("opens", "closes");
    expect(words(await loadChain(theirs.store.view(), RUN))).toEqual([
      "begun",
      "opens",
      "ends",
      "begun",
      "opens",
      "closes",
    ]);
    expect(words(await loadSteps(theirs.store.view(), RUN))).toEqual(["begun", "opens", "closes"]);
    expect(await theirs.faults()).toEqual([]);
    bring(theirs.store, mine.store);
    expect(await loadBranches(mine.store.view(), RUN, object)).toHaveLength(1);
  });
});
