import { describe, expect, it } from "vitest";
import { DOOR, type DoorRun, FILE, openDoorRun, RUN, write } from "../../../test/rig/door-run.ts";
import { stepOn } from "../../../test/rig/steps.ts";
import { NotText, PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import { confirmed } from "./history.ts";
import { kindOf, loadState, placeIn, type RunKind } from "./kind.ts";
import {
  checkAsWritten,
  checkRun,
  checkState,
  hashOfState,
  lastLocal,
  lastOf,
  lastOfWhole,
  lifeOf,
  loadLines,
  loadSteps,
  loggedOverview,
  loggedVerdicts,
  stateFaults,
  stepBackTo,
  verdictsIn,
} from "./read.ts";
import { hashOfDocument, type Line, logPath, type Step } from "./step.ts";

const LOG = logPath(RUN);
const TEXT = (state: string, pushes: number, more: object = {}) => JSON.stringify({ state, pushes, ...more });

async function opened(kind: RunKind = DOOR): Promise<DoorRun> {
  const run = openDoorRun(kind);
  await run.move("opens");
  return run;
}

const faultsOf = (run: DoorRun, text: string, kind: RunKind = DOOR) =>
  stateFaults(run.store.view(), kind, RUN, { path: FILE, text });

/** A view whose files cannot be read. */
const failing = (thrown: Error) =>
  ({
    async lastLine() {
      throw thrown;
    },
    async read() {
      throw thrown;
    },
  }) as unknown as View;

describe("a log's last line", () => {
  it("says where the run is, until it cannot be read", async () => {
    const run = openDoorRun();
    const view = () => run.store.view();
    expect(await lastOf(view(), RUN)).toBeNull();
    expect(await lastLocal(view(), RUN)).toBeNull();
    await run.move("opens");
    expect(await lastLocal(view(), RUN)).toMatchObject({ checkpoint: { state: "open", seq: 2 } });
    const whole = run.store.files.get(LOG) ?? "";
    run.store.files.set(LOG, `{\n${whole}`);
    expect(await lastOf(view(), RUN)).toMatchObject({ local: { checkpoint: { state: "open" } } });
    expect(await lastOfWhole(view(), RUN)).toEqual({ why: "line 1: it is not JSON, or only a part of it" });
    run.store.files.set(LOG, `${whole}{\n`);
    expect(await lastOf(view(), RUN)).toEqual({ why: "the last line: it is not JSON, or only a part of it" });
    expect(await lastLocal(view(), RUN)).toBeNull();
  });

  it("is broken if the log is no text, and any other error is the disk's", async () => {
    const notText = failing(new NotText("state-tampered", "", ""));
    expect(await lastOf(notText, RUN)).toEqual({ why: "the last line: it is not text" });
    expect(await lastOfWhole(notText, RUN)).toEqual({ why: "it is not text" });
    await expect(lastOf(failing(new Error("no disk")), RUN)).rejects.toThrow("no disk");
    await expect(lastOfWhole(failing(new Error("no disk")), RUN)).rejects.toThrow("no disk");
  });
});

describe("a log's lines", () => {
  it("are named by their numbers if one cannot be read, and may end without a line's end", async () => {
    const run = await opened();
    const whole = run.store.files.get(LOG) ?? "";
    run.store.files.set(LOG, whole.trimEnd());
    expect(await run.lines()).toHaveLength(2);
    run.store.files.set(LOG, `${whole}\n${whole}`);
    await expect(run.lines()).rejects.toThrow("line 3: it is not JSON");
    expect(await loadLines(openDoorRun().store.view(), RUN)).toEqual([]);
  });
});

describe("the present life of a run", () => {
  const line = (kind: Step["kind"], more: Partial<Line> = {}, machine = "door"): Line =>
    ({ id: "", step: { ...stepOn(undefined, RUN, "x"), kind, machine }, ...more }) as Line;
  const whole = { local: { patch: { all: {} } } } as unknown as Partial<Line>;
  const part = { local: { patch: { set: {} } } } as unknown as Partial<Line>;

  it.each<[string, readonly Line[], number]>([
    ["there is none", [], 0],
    ["its own table begins", [line("moved", part), line("begun"), line("moved", part)], 1],
    ["it never began here", [line("found", part), line("moved", part)], 0],
    [
      "a tool of it begins with a new state, after the commit before",
      [line("moved", part), line("moved"), line("begun", {}, "tool:x"), line("moved", whole)],
      1,
    ],
    ["a tool of it begins in a state that is there", [line("moved", part), line("begun", part, "tool:x")], 0],
    ["a tool's commit is cut off", [line("moved", part), line("begun", {}, "tool:x")], 0],
    ["a table of a longer name begins", [line("moved", part), line("begun", part, "doors")], 0],
    ["a part of its own table begins", [line("moved", part), line("begun", part, "door:x")], 1],
    ["only its state is written", [line("begun", part), { id: "", step: null, ...part } as Line], 0],
  ])("begins where %s", (_, lines, at) => {
    expect(lifeOf(lines)).toBe(at);
  });

  it("has its own steps alone", async () => {
    const run = openDoorRun();
    await run.move("opens", "taken");
    await run.move("opens");
    await run.commit([write("open", 2)], []);
    expect((await loadSteps(run.store.view(), RUN)).map(({ kind }) => kind)).toEqual(["begun", "moved"]);
  });
});

describe("a state file", () => {
  it("follows from its log as it was written last, in any layout", async () => {
    const run = await opened();
    expect(await faultsOf(run, TEXT("open", 1))).toEqual([]);
    expect(await faultsOf(run, '\uFEFF{ "pushes": 1,\n "state": "open" }')).toEqual([]);
  });

  it.each([
    [
      "another state",
      TEXT("closed", 1),
      ": found closed with pushes = 1; its log leads to open with pushes = 1",
    ],
    [
      "other variables",
      TEXT("open", 2),
      ": found open with pushes = 2; its log leads to open with pushes = 1",
    ],
    ["other words", TEXT("open", 1, { note: "x" }), "; it still stands at open with pushes = 1"],
    ["no JSON", "{", ""],
  ])("does not follow with %s", async (_, text, words) => {
    expect(await faultsOf(await opened(), text)).toEqual([
      `it is not the one that Pawl wrote after step 2${words}`,
    ]);
  });

  it("holds the run if an older one is put back, unless its kind lets it count", async () => {
    const run = await opened();
    const before = run.store.files.get(FILE) ?? "";
    await run.move("closes");
    expect(await faultsOf(run, before)).toEqual([
      "it is what Pawl wrote after step 2, and its log goes on to step 3: an older file was put back",
    ]);
    expect(await faultsOf(run, before, { ...DOOR, returns: true })).toEqual([]);
    expect(await faultsOf(run, TEXT("open", 2), { ...DOOR, returns: true })).toHaveLength(1);
    const [, opens] = await run.lines();
    expect(await stepBackTo(run.store.view(), DOOR, RUN, before)).toBe(opens?.local?.checkpoint.head);
    expect(await stepBackTo(run.store.view(), DOOR, RUN, TEXT("open", 2))).toBeNull();
  });

  it("needs its log, unless git may bring it alone", async () => {
    const run = openDoorRun();
    expect(await faultsOf(run, TEXT("open", 1))).toEqual([`its log, ${LOG}, is missing`]);
    expect(await faultsOf(run, TEXT("open", 1), { ...DOOR, comesByGit: true })).toEqual([]);
    run.store.files.set(LOG, "{\n");
    expect(await faultsOf(run, TEXT("open", 1))).toEqual([
      `${LOG}, its log, cannot be used: the last line: it is not JSON, or only a part of it`,
    ]);
  });

  it("does not follow if the log's last line itself says another state than its document", async () => {
    const run = await opened();
    const closed: RunKind = { ...DOOR, at: () => ({ machine: "door", state: "closed", variables: {} }) };
    expect(await faultsOf(run, TEXT("open", 1), closed)).toEqual([
      "the log's last line says open with pushes = 1",
    ]);
    expect(await faultsOf(run, TEXT("open", 1), { ...DOOR, at: () => null })).toEqual([]);
    // What decides is more than the position.
    expect(await faultsOf(run, TEXT("open", 1), { ...closed, decides: (document) => document })).toEqual([]);
  });

  it("is compared by what decides alone, and told by its paths", async () => {
    const kind: RunKind = {
      ...DOOR,
      decides: (document) => ({ state: (document as { state: string })?.state }),
    };
    const run = openDoorRun(kind);
    await run.move("opens");
    expect(await faultsOf(run, TEXT("open", 7), kind)).toEqual([]);
    expect(await faultsOf(run, TEXT("closed", 1), kind)).toEqual([
      "it is not the one that Pawl wrote after step 2",
      'state: found "closed", its history leads to "open"',
    ]);
    expect(hashOfState(kind, TEXT("open", 1))).toBe(hashOfState(kind, TEXT("open", 7)));
    expect(hashOfState(DOOR, TEXT("open", 1))).toBe(hashOfDocument(TEXT("open", 1)));
  });

  it("has no fault if it was written meanwhile", async () => {
    const run = await opened();
    const view = run.store.view();
    await view.read(FILE);
    await view.read(LOG);
    run.store.files.set(FILE, TEXT("closed", 1));
    expect(await stateFaults(view, DOOR, RUN, { path: FILE, text: TEXT("closed", 2) })).toEqual([]);
    expect(await confirmed(view, [LOG], ["a fault"])).toEqual(["a fault"]);
    const never = { isCurrent: () => Promise.reject(new Error("looked")) } as unknown as View;
    expect(await confirmed(never, [FILE], [])).toEqual([]);
  });

  it("holds the run if it does not follow", async () => {
    const run = await opened();
    const held = { code: "state-tampered", message: expect.stringContaining("the run's own history") };
    await checkRun(run.store.view(), DOOR, RUN);
    run.store.files.set(FILE, TEXT("closed", 1));
    await expect(checkRun(run.store.view(), DOOR, RUN)).rejects.toMatchObject(held);
    const state = { path: FILE, text: TEXT("closed", 1) };
    await expect(checkState(run.store.view(), DOOR, RUN, state)).rejects.toMatchObject(held);
    await checkRun(openDoorRun().store.view(), DOOR, RUN);
  });

  it("of another workflow is the one that Pawl wrote last", async () => {
    const run = await opened();
    const check = (text: string, view = run.store.view()) => checkAsWritten(view, RUN, FILE, text);
    await check(TEXT("open", 1));
    await expect(check(TEXT("open", 2))).rejects.toMatchObject({
      message: expect.stringContaining(
        "the run's own history: it is not the one that Pawl wrote after step 2",
      ),
    });
    await expect(check(TEXT("open", 1), openDoorRun().store.view())).rejects.toThrow("after step 1");
    const view = run.store.view();
    await view.read(FILE);
    run.store.files.set(FILE, TEXT("closed", 1));
    await check(TEXT("open", 2), view);
  });
});

describe("the verdicts in a log", () => {
  const step = { from: "in_review", time: "t", kind: "moved" };

  it("are the steps with a strength, each with its event, or its kind", () => {
    expect(
      verdictsIn([
        { ...step, event: "submit" },
        { ...step, event: "approve", strength: "terminal", by: { who: "ada" } },
        { ...step, kind: "accepted", strength: "board" },
      ]),
    ).toEqual([
      { gate: "in_review", what: "in_review: approve", by: "ada", strength: "terminal", time: "t" },
      { gate: "in_review", what: "in_review: accepted", by: undefined, strength: "board", time: "t" },
    ]);
  });

  it("stand in the overview, as far as the log can be read, with whether its history is whole", async () => {
    const run = await opened();
    expect(await loggedVerdicts(run.store.view(), RUN)).toEqual({});
    const [, opens] = await run.lines();
    const move = opens?.local?.events[0] as object;
    await run.commit([write("open", 1)], [{ ...move, from: "open", to: "open", strength: "board" } as never]);
    expect(await loggedVerdicts(run.store.view(), RUN)).toMatchObject({ verdicts: [{ strength: "board" }] });
    const unproved = openDoorRun();
    expect(await loggedOverview(unproved.store.view(), RUN)).toEqual({ unproved: true });
    unproved.store.files.set(FILE, TEXT("open", 1));
    await unproved.move("closes");
    expect(await loggedVerdicts(unproved.store.view(), RUN)).toEqual({ unproved: true });
    const view = (thrown: Error) =>
      ({ lastLine: async () => null, read: () => Promise.reject(thrown) }) as unknown as View;
    const damaged = new PawlError("state-tampered", "", "");
    expect(await loggedVerdicts(view(damaged), RUN)).toEqual({ unproved: true });
    await expect(loggedVerdicts(view(new Error("no disk")), RUN)).rejects.toThrow("no disk");
  });
});

describe("a run's kind", () => {
  it("is that of its workflow, or found for the run", async () => {
    const view = openDoorRun().store.view();
    expect(await kindOf(DOOR, view, RUN)).toBe(DOOR);
    const asked: string[] = [];
    const find = async (_: View, run: string) => {
      asked.push(run);
      return DOOR;
    };
    expect(await kindOf(find, view, RUN)).toBe(DOOR);
    await kindOf(find, view, null);
    expect(asked).toEqual([RUN, ""]);
  });

  it("finds the state in either of its files, and a place for what cannot be read", async () => {
    const run = openDoorRun();
    expect(await loadState(run.store.view(), DOOR, RUN)).toBeNull();
    await run.move("opens", "taken");
    expect(await loadState(run.store.view(), DOOR, RUN)).toMatchObject({ path: "kept/front.json" });
    expect(placeIn(DOOR, RUN, "{")).toEqual({ machine: "door", state: "", variables: {} });
    expect(placeIn(DOOR, RUN, TEXT("open", 1))).toMatchObject({ state: "open" });
  });
});
