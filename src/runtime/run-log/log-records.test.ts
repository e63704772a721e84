import { describe, expect, it } from "vitest";
import {
  advanced,
  bring,
  DOOR,
  type DoorRun,
  FILE,
  KEPT,
  openDoorRun,
  RECORDS,
  RUN,
  ruleOf,
  SHARED,
  write,
} from "../../../test/rig/door-run.ts";
import { promise } from "../../../test/rig/promise.ts";
import type { ProjectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { object } from "../../core/state-json.ts";
import { ADOPTED } from "./history.ts";
import { loadBranches, loadChain, missingRecords, othersSteps, recordedEnds } from "./log-records.ts";
import { lastOf, loadLines, loadSteps, loggedVerdicts } from "./read.ts";
import { logPath } from "./step.ts";

const openCheckout = (shares = true): DoorRun => openDoorRun(SHARED, { shares });
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
    await door.move("taken");
    expect(door.store.files.has(FILE)).toBe(false);
    await door.move("opens");
    expect(door.store.files.has(KEPT)).toBe(false);
    const view = door.store.view();
    expect(words(await loadChain(view, RUN))).toEqual([
      "begun",
      "opens",
      "closes",
      "opens",
      "taken",
      "begun",
      "opens",
    ]);
    expect(words(await loadSteps(view, RUN))).toEqual(["begun", "opens"]);
    expect(await door.faults()).toEqual([]);
    expect(await loggedVerdicts(view, RUN)).toEqual({});
  });

  it("has a line without a step if the state alone was written, and holds a file that is not its last one", async () => {
    promise("gates.history-edits");
    const door = openCheckout();
    await door.move("opens");
    const text = JSON.stringify({ state: "open", pushes: 1, note: "x" });
    await door.commit([{ type: "write", path: FILE, text }], []);
    expect((await loadLines(door.store.view(), RUN)).at(-1)).toMatchObject({ step: null });
    expect(await door.faults()).toEqual([]);
    door.store.files.set(FILE, JSON.stringify({ state: "gone", pushes: 1 }));
    expect(await door.faults()).toEqual([
      expect.stringContaining("found gone with pushes = 1; its log leads to open with pushes = 1"),
    ]);
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
    const found = { machine: "door", state: "open", variables: { pushes: 1 } };
    await door.commit([write("closed", 1)], [advanced(ruleOf("closes"))], { found });
    expect(words(await loadSteps(door.store.view(), RUN))).toEqual(["begun", "opens", "found", "closes"]);
    expect(await lastOf(door.store.view(), RUN)).toMatchObject({ local: { checkpoint: { unproved: true } } });
    expect(await door.faults()).toEqual([]);
  });
});

describe("The records of a run", () => {
  it("are written if it rests, with the log's own steps, and only those that no record has", async () => {
    const door = openCheckout();
    await door.move("opens");
    expect(door.records()).toEqual([]);
    await door.move("closes");
    await door.move("opens");
    await door.move("taken");
    const [first = "", second = ""] = door.records();
    expect([first, second].map((path) => path.slice(RECORDS.length, RECORDS.length + 9))).toEqual([
      "0001-0003",
      "0004-0005",
    ]);
    const recorded = [first, second].flatMap((path) => stepsIn(door.store.files.get(path)));
    expect(recorded).toEqual(await loadChain(door.store.view(), RUN));
    expect(await missingRecords(door.store.view(), SHARED, RUN)).toEqual([]);
    door.store.files.delete(second);
    expect(await missingRecords(door.store.view(), SHARED, RUN)).toMatchObject([{ path: second }]);
  });

  it("are none if the project does not share", async () => {
    const door = openCheckout(false);
    await door.move("opens", "closes");
    expect(door.records()).toEqual([]);
  });

  it("are known by the last line if all are the checkout's own, and the log is not read", async () => {
    const [mine, theirs] = [openCheckout(), openCheckout()];
    await mine.move("opens", "closes");
    bring(mine, theirs);
    // An update, and a move that is not recorded.
    await mine.commit([write("closed", 1)], []);
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
    bring(theirs, mine);
    expect(await loadBranches(watched(), RUN, object)).toHaveLength(2);
    expect(read).toContain(logPath(RUN));
  });

  it("let another checkout take the run over, whose steps are of the same chain", async () => {
    promise("team.branches");
    const [mine, theirs] = [openCheckout(), openCheckout()];
    await mine.move("opens", "closes");
    bring(mine, theirs);
    const [branch] = await loadBranches(theirs.store.view(), RUN, object);
    expect(branch?.recorded).toMatchObject({ recordedState: { state: "closed" } });
    const adopts = { ...ruleOf("closes"), id: ADOPTED, on: ADOPTED, from: ["closed"] };
    const event = advanced(adopts, { by: { channel: "terminal" } });
    await theirs.commit([write("closed", 1)], [event], { branch: branch?.steps });
    expect(words(await loadChain(theirs.store.view(), RUN))).toEqual(["begun", "opens", "closes", "adopted"]);
    expect(await theirs.faults()).toEqual([]);
    await theirs.move("opens");
    expect(await theirs.faults()).toEqual([]);
    // The record of the adoption leads on for the first checkout, too.
    bring(theirs, mine);
    expect(await loadBranches(mine.store.view(), RUN, object)).toMatchObject([
      { recorded: {}, steps: { length: 4 } },
    ]);
    // Two that went on from there are two branches.
    await mine.move("opens", "closes");
    await theirs.move("taken");
    bring(theirs, mine);
    expect(await loadBranches(mine.store.view(), RUN, object)).toHaveLength(2);
  });

  it("are continued by a new life in another checkout", async () => {
    const [mine, theirs] = [openCheckout(), openCheckout()];
    await mine.move("opens");
    await mine.move("taken");
    bring(mine, theirs);
    await theirs.move("opens", "closes");
    expect(words(await loadChain(theirs.store.view(), RUN))).toEqual([
      "begun",
      "opens",
      "taken",
      "begun",
      "opens",
      "closes",
    ]);
    expect(words(await loadSteps(theirs.store.view(), RUN))).toEqual(["begun", "opens", "closes"]);
    expect(await theirs.faults()).toEqual([]);
    bring(theirs, mine);
    expect(await loadBranches(mine.store.view(), RUN, object)).toHaveLength(1);
  });

  it("are continued without those that are this checkout's own", async () => {
    const [mine, theirs] = [openCheckout(), openCheckout()];
    await mine.move("opens", "taken");
    bring(mine, theirs);
    await theirs.move("opens", "taken");
    bring(theirs, mine);
    await mine.move("opens", "closes");
    const lives = ["begun", "opens", "taken", "begun", "opens", "taken", "begun", "opens", "closes"];
    expect(words((await mine.lines()).flatMap(({ step }) => step ?? []))).toEqual(lives);
    expect(await mine.faults()).toEqual([]);
  });

  it("that are damaged, or of several branches, are not gone on from in a new life", async () => {
    for (const others of ["damaged", "two"] as const) {
      const [mine, theirs, third] = [openCheckout(), openCheckout(), openCheckout()];
      await theirs.move("opens", "taken");
      bring(theirs, mine);
      const [path = ""] = theirs.records();
      if (others === "damaged") mine.store.files.set(path, "{\n");
      else {
        await third.move("opens", "closes", "opens", "closes");
        bring(third, mine);
      }
      await mine.move("opens", "closes");
      expect(words(await loadChain(mine.store.view(), RUN))).toEqual(["begun", "opens", "closes"]);
      if (others === "damaged") expect(await recordedEnds(mine.store.view(), RUN)).toEqual([]);
      else expect(await recordedEnds(mine.store.view(), RUN)).toHaveLength(2);
    }
  });

  it("are overruled by their ends, of which this checkout's own is none", async () => {
    const [mine, theirs] = [openCheckout(), openCheckout()];
    expect(await recordedEnds(mine.store.view(), RUN)).toEqual([]);
    await mine.move("opens", "closes");
    expect(await recordedEnds(mine.store.view(), RUN)).toEqual([]);
    bring(mine, theirs);
    const [end] = await recordedEnds(theirs.store.view(), RUN);
    expect(end).toBe((await mine.lines()).at(-1)?.local?.checkpoint.head);
    // A log that cannot be read has no steps of its own.
    theirs.store.files.set(logPath(RUN), "{\n");
    expect(await recordedEnds(theirs.store.view(), RUN)).toEqual([end]);
  });

  it("cannot be looked for on a disk that fails", async () => {
    const door = openCheckout();
    await door.move("opens", "closes");
    const failing = (what: "list" | "read") =>
      Object.assign(Object.create(door.store.view()), {
        [what]: () => Promise.reject(new Error("no disk")),
      }) as View;
    for (const what of ["list", "read"] as const)
      await expect(recordedEnds(failing(what), RUN)).rejects.toThrow("no disk");
    await expect(othersSteps(failing("list"), RUN)).rejects.toThrow("no disk");
  });

  it("lack nothing if the run has no state here, or none that git shares", async () => {
    const door = openCheckout();
    expect(await missingRecords(door.store.view(), SHARED, RUN)).toEqual([]);
    await door.move("opens");
    expect(await missingRecords(door.store.view(), SHARED, RUN)).toHaveLength(1);
    expect(await missingRecords(door.store.view(), DOOR, RUN)).toEqual([]);
  });
});
