import { describe, expect, it } from "vitest";
import {
  advanced,
  bring,
  DOOR,
  FILE,
  KEPT,
  openDoorRun,
  RUN,
  ruleOf,
  SHARED,
  START,
  write,
} from "../../../test/rig/door-run.ts";
import { door } from "../../../test/rig/lockable.ts";
import { NotText } from "../../core/error.ts";
import type { PawlEvent } from "../../core/event.ts";
import { projectPath } from "../../core/path.ts";
import { logChanges } from "./append.ts";
import { ADOPTED, EDIT_ACCEPTED, hashOfTable } from "./history.ts";
import type { RunKind } from "./kind.ts";
import { type Line, logPath } from "./step.ts";

const LOG = logPath(RUN);
const OPENS = ruleOf("opens");
const CLOSES = ruleOf("closes");
const PERSON = { channel: "terminal", who: "ada" } as const;
/** A move of a person that is no rule's. */
const decision = (name: string, from: string, to: string, more: object = {}) =>
  advanced({ ...OPENS, id: name, on: name, from: [from], to }, { by: PERSON, strength: "terminal", ...more });
const stepsOf = (lines: readonly Line[]) => lines.flatMap(({ step }) => step ?? []);
const at = (state: string, pushes: number) => ({ machine: "door", state, variables: { pushes } });

describe("the lines of a commit", () => {
  it("say who moved the run by which rule, what it changed, and its table if that is another one", async () => {
    const run = openDoorRun(DOOR, { caller: PERSON });
    await run.move("opens");
    const [begun, opened] = stepsOf(await run.lines());
    const table = hashOfTable(door);
    expect(begun).toEqual({
      ...{ v: 1, run: RUN, seq: 1, prev: null, time: "2026-01-01T00:00:01.000Z", kind: "begun" },
      ...{ machine: "door", from: "closed", to: "closed", set: { pushes: 0 }, table, by: PERSON },
    });
    expect(opened).toMatchObject({
      ...{ seq: 2, kind: "moved", machine: "door", from: "closed", to: "open" },
      ...{ event: "push", rule: "opens", set: { pushes: 1 }, time: "2026-01-01T00:00:00.000Z" },
      by: { channel: "script" },
    });
    expect(opened).not.toHaveProperty("table");
    expect(opened).not.toHaveProperty("strength");
    await run.move("closes");
    expect(stepsOf(await run.lines()).at(-1)).toMatchObject({ rule: "closes" });
    expect(stepsOf(await run.lines()).at(-1)?.set).toEqual({});
    expect(stepsOf(await run.lines()).at(-1)).not.toHaveProperty("table");
    // Only the end of a commit says what the state is after it.
    expect((await run.lines()).map(({ local }) => local?.checkpoint.state)).toEqual([
      undefined,
      "open",
      "closed",
    ]);
  });

  it("have the details and another author at the last move alone", async () => {
    const run = openDoorRun();
    const events = [advanced(OPENS), advanced(CLOSES, { strength: "terminal" })];
    await run.commit([write("closed", 1)], events, { by: PERSON, notes: "Why" });
    const [, opened, closed] = stepsOf(await run.lines());
    expect(opened).toMatchObject({ by: { channel: "script" } });
    expect(opened).not.toHaveProperty("notes");
    expect(closed).toMatchObject({ by: PERSON, notes: "Why", strength: "terminal" });
  });

  it("keep the run's own events, and the file's difference from before", async () => {
    const run = openDoorRun();
    const other = advanced(OPENS, { run: "door:back" });
    const about = { ...advanced(OPENS), type: "task:waiting" } as unknown as PawlEvent;
    const whole = { id: "x", time: "", type: "tasks:loaded" } as unknown as PawlEvent;
    await run.commit([write("open", 1)], [other, about, whole, advanced(OPENS)]);
    await run.commit([write("open", 2)], []);
    const [, first, second] = await run.lines();
    expect(first?.local?.events.map(({ type }) => type)).toEqual(["task:waiting", "run:advanced"]);
    expect(first?.local).toMatchObject({ patch: { all: { state: "open", pushes: 1 } } });
    expect(second).toMatchObject({ step: null, local: { patch: { set: { pushes: 2 } }, events: [] } });
    expect(second?.local).not.toHaveProperty("records");
    // Without what was written last, a difference would not fit.
    run.store.files.set(FILE, JSON.stringify({ state: "open", pushes: 0 }));
    await run.commit([write("open", 2)], []);
    expect((await run.lines()).at(-1)).toMatchObject({ local: { patch: { all: { pushes: 2 } } } });
  });

  it("are none for files that are no run's, and say of a removed state that it is gone", async () => {
    const run = openDoorRun();
    const notes = projectPath("notes.txt");
    await run.commit([{ type: "append", path: FILE, id: "x", text: "" }], []);
    await run.commit([{ type: "write", path: notes, text: "" }], []);
    expect(run.store.files.has(LOG)).toBe(false);
    await run.move("opens");
    await run.commit([{ type: "remove", path: FILE }], []);
    expect((await run.lines()).at(-1)).toMatchObject({
      step: null,
      local: { document: null, patch: { all: null } },
    });
  });

  it("begin if the run's kind says, or if the move does", async () => {
    const { start: _, ...own } = DOOR;
    const first = advanced({ ...OPENS, from: [""], on: "start", to: "closed" });
    const run = openDoorRun(own);
    await run.commit([write("closed")], [first]);
    expect(stepsOf(await run.lines())).toMatchObject([
      { kind: "begun", event: "start", from: "", to: "closed", set: { pushes: 0 } },
    ]);
    const other = openDoorRun();
    await other.commit([write("open", 2)], [], { begins: at("open", 2) });
    expect(stepsOf(await other.lines())).toMatchObject([{ kind: "begun", from: "open", set: { pushes: 2 } }]);
  });

  it("begin a new life if the last one is over, or if the move says so, and no other", async () => {
    const kinds = async (kind: RunKind, ...rest: Parameters<ReturnType<typeof openDoorRun>["commit"]>) => {
      const run = openDoorRun(kind);
      await run.move("opens", "taken");
      await run.commit(...rest);
      return stepsOf(await run.lines()).map((step) => step.rule ?? step.kind);
    };
    const before = ["begun", "opens", "taken"];
    const again = [write("open", 1), { type: "remove", path: KEPT } as const];
    expect(await kinds(DOOR, again, [advanced(OPENS)])).toEqual([...before, "begun", "opens"]);
    // Its state alone is written.
    expect(await kinds(DOOR, [write("gone", 2, KEPT)], [])).toEqual(before);
    expect(await kinds(DOOR, [write("gone", 2, KEPT)], [], { anew: true })).toEqual([...before, "begun"]);
    // A kind without a start begins by moves of its own.
    const { start: _, ...own } = DOOR;
    expect(await kinds(own, again, [advanced(OPENS)])).toEqual(["opens", "taken", "opens"]);
    // A state that the table has no longer is not its end.
    const run = openDoorRun();
    await run.commit([write("attic")], [decision(EDIT_ACCEPTED, "closed", "attic")]);
    await run.commit([write("closed", 1)], [decision("move", "attic", "closed")]);
    expect(stepsOf(await run.lines()).map(({ kind }) => kind)).toEqual(["begun", "accepted", "accepted"]);
  });

  it("say that a person set the state if no rule leads there", async () => {
    const run = openDoorRun();
    await run.move("opens");
    await run.commit([write("gone", 2)], [advanced({ ...CLOSES, to: "gone" })]);
    expect(stepsOf(await run.lines()).at(-1)).toMatchObject({
      ...{ kind: "accepted", from: "open", to: "gone", set: { pushes: 2 }, table: hashOfTable(door) },
    });
    const last = stepsOf(await run.lines()).at(-1);
    expect(last).not.toHaveProperty("rule");
    await run.commit(
      [{ type: "remove", path: FILE }],
      [advanced({ ...CLOSES, from: ["gone"], to: "closed" })],
    );
    expect(stepsOf(await run.lines()).at(-1)).toMatchObject({ kind: "accepted", to: "closed", set: {} });
  });
});

describe("a state that its log does not have", () => {
  it("is found, and unproved until its next life", async () => {
    const run = openDoorRun();
    run.store.files.set(FILE, JSON.stringify({ state: "open", pushes: 1 }));
    await run.move("closes");
    expect(stepsOf(await run.lines())).toMatchObject([
      { kind: "found", from: "open", to: "open", set: { pushes: 1 } },
      { kind: "moved", rule: "closes" },
    ]);
    const unproved = async () => (await run.lines()).at(-1)?.local?.checkpoint.unproved;
    expect(await unproved()).toBe(true);
    await run.move("opens", "taken");
    expect(await unproved()).toBe(true);
    await run.move("opens");
    expect(await unproved()).toBeUndefined();
    expect(stepsOf(await run.lines()).at(-2)).toMatchObject({ kind: "begun", from: "closed", to: "closed" });
  });

  it("is found with the status that its worker knows", async () => {
    for (const status of [undefined, "in_progress"]) {
      const run = openDoorRun();
      await run.commit([write("closed", 1)], [advanced(CLOSES)], {
        found: { ...at("open", 1), ...(status && { status }) },
      });
      const [found] = stepsOf(await run.lines());
      expect(found).toMatchObject({ kind: "found", from: "open", set: { pushes: 1 } });
      expect(found?.status).toBe(status);
      expect(found && "status" in found).toBe(status !== undefined);
    }
  });

  it("is gone back to where its kind may be put back, as proved as it was", async () => {
    const kind: RunKind = { ...DOOR, returns: true };
    const run = openDoorRun(kind);
    await run.move("opens");
    const opened = run.store.files.get(FILE) ?? "";
    const head = (await run.lines()).at(-1)?.local?.checkpoint.head;
    await run.move("closes");
    run.store.files.set(FILE, opened);
    await run.move("taken");
    expect(stepsOf(await run.lines()).slice(-2)).toMatchObject([
      { kind: "returned", from: "closed", to: "open", of: head, set: { pushes: 1 } },
      { kind: "moved", rule: "taken" },
    ]);
    expect((await run.lines()).at(-1)?.local?.checkpoint.unproved).toBeUndefined();
    // What was never written is not gone back to, nor is anything where it holds the run.
    const kindsAfter = async (of: RunKind, text: string) => {
      const other = openDoorRun(of);
      await other.move("opens");
      await other.move("closes");
      other.store.files.set(FILE, text);
      await other.commit([write("gone", 1)], [advanced(ruleOf("taken"))]);
      return stepsOf(await other.lines())
        .slice(3)
        .map((step) => step.kind);
    };
    expect(await kindsAfter(kind, opened)).toEqual(["returned", "moved"]);
    expect(await kindsAfter(kind, '{"state":"open","pushes":2}')).not.toContain("returned");
    expect(await kindsAfter(DOOR, opened)).not.toContain("returned");
    expect(await kindsAfter(kind, '{"state":"closed","pushes":1}')).not.toContain("returned");
  });

  it("that was found stays unproved if it is gone back to", async () => {
    const run = openDoorRun({ ...DOOR, returns: true });
    const text = JSON.stringify({ state: "open", pushes: 1 });
    run.store.files.set(FILE, text);
    await run.commit([{ type: "write", path: FILE, text }], []);
    await run.move("closes");
    run.store.files.set(FILE, text);
    await run.move("closes");
    const lines = await run.lines();
    expect(stepsOf(lines).map(({ kind }) => kind)).toEqual(["found", "moved", "returned", "moved"]);
    expect(lines.at(-1)?.local?.checkpoint.unproved).toBe(true);
  });
});

describe("a person's decision", () => {
  it("takes the state as it is, with its table, and leaves nothing unproved but what others proved", async () => {
    const run = openDoorRun();
    await run.move("opens");
    run.store.files.set(FILE, JSON.stringify({ state: "closed", pushes: 2 }));
    await run.commit([write("closed", 2)], [decision(EDIT_ACCEPTED, "open", "closed")]);
    const [, , accepted] = stepsOf(await run.lines());
    expect(accepted).toMatchObject({
      ...{ kind: "accepted", from: "open", to: "closed", set: { pushes: 2 }, strength: "terminal" },
      ...{ table: hashOfTable(door), by: PERSON },
    });
    // The whole document: nothing before the decision counts.
    expect((await run.lines()).at(-1)?.local?.patch).toHaveProperty("all");
    await run.commit([write("closed", 2)], [decision(ADOPTED, "closed", "closed")]);
    expect(stepsOf(await run.lines()).at(-1)).toMatchObject({ kind: "adopted" });
    expect((await run.lines()).at(-1)?.local?.patch).toHaveProperty("all");
    expect((await run.lines()).at(-1)?.local?.checkpoint.unproved).toBe(true);
    // Where nobody knows from what.
    await run.commit([write("closed", 2)], [decision(EDIT_ACCEPTED, "", "closed")]);
    expect(stepsOf(await run.lines()).at(-1)).toMatchObject({ kind: "accepted" });
    expect((await run.lines()).at(-1)?.local?.checkpoint).not.toHaveProperty("unproved");
  });

  it("accepts the run if a line of its log cannot be read, and the log is kept and begins anew", async () => {
    const run = openDoorRun();
    await run.move("opens");
    await run.move("closes");
    const damaged = `{\n${run.store.files.get(LOG)}`;
    run.store.files.set(LOG, damaged);
    await run.commit([write("closed", 1)], [decision(EDIT_ACCEPTED, "closed", "closed")]);
    expect(run.store.files.get(`${LOG}.bak-2026-01-01T00-00-03.000Z`)).toBe(damaged);
    expect(stepsOf(await run.lines())).toMatchObject([{ seq: 1, prev: null, kind: "accepted" }]);
    expect(await run.faults()).toEqual([]);
  });

  it("is not what a move by a rule is, which reads its log's last line alone", async () => {
    const run = openDoorRun();
    await run.move("opens");
    run.store.files.set(LOG, `{\n${run.store.files.get(LOG)}`);
    await run.move("closes");
    expect([...run.store.files.keys()].filter((path) => path.includes(".bak-"))).toEqual([]);
  });

  it("is recorded for others though the run does not rest", async () => {
    const [mine, theirs] = [openDoorRun(SHARED), openDoorRun(SHARED)];
    await mine.move("opens");
    await mine.commit([write("open", 1)], [advanced(OPENS, { row: "elsewhere" })]);
    expect(mine.records()).toEqual([]);
    await mine.commit([write("open", 1)], [decision(EDIT_ACCEPTED, "open", "open")], {
      over: ["a".repeat(64)],
    });
    expect(mine.records()).toHaveLength(1);
    await theirs.move("opens");
    expect(theirs.records()).toEqual([]);
    await theirs.commit([write("open", 1)], [decision(ADOPTED, "open", "open")]);
    expect(theirs.records()).toHaveLength(1);
    await theirs.move("closes", "opens");
    expect(theirs.records()).toHaveLength(1);
    expect((await theirs.lines()).at(-1)?.local?.records).toHaveLength(1);
  });
});

describe("a run that others moved", () => {
  it("goes on after their steps in its next life, unless its log cannot be read", async () => {
    const [mine, theirs] = [openDoorRun(SHARED), openDoorRun(SHARED)];
    await theirs.move("opens", "taken");
    bring(theirs, mine);
    await mine.move("opens", "closes");
    expect(stepsOf(await mine.lines()).map(({ kind, rule }) => rule ?? kind)).toEqual([
      ...["begun", "opens", "taken", "begun", "opens", "closes"],
    ]);
    expect(await mine.faults()).toEqual([]);
    const damaged = openDoorRun(SHARED);
    bring(theirs, damaged);
    damaged.store.files.set(LOG, "{\n");
    await damaged.move("opens", "closes");
    expect(stepsOf(await damaged.lines()).map(({ kind, rule }) => rule ?? kind)).toEqual([
      "begun",
      "opens",
      "closes",
    ]);
  });

  it("goes on here after its own steps in the same life, though others are ahead", async () => {
    const [mine, theirs] = [openDoorRun(SHARED), openDoorRun(SHARED)];
    await mine.move("opens", "closes");
    await theirs.move("opens", "closes");
    await theirs.move("opens", "closes");
    bring(theirs, mine);
    await mine.move("opens");
    const words = stepsOf(await mine.lines()).map(({ kind, rule }) => rule ?? kind);
    expect(words).toEqual(["begun", "opens", "closes", "opens"]);
    // A person's choice of a branch is all that it follows, also where a new life begins.
    const chosen = stepsOf(await mine.lines()).slice(0, 3);
    const other = openDoorRun(SHARED);
    bring(theirs, other);
    await other.commit([write("closed", 1)], [], { branch: chosen });
    expect(stepsOf(await other.lines())).toEqual(chosen);
  });

  it("follows the branch that a person chose, with its variables and its table", async () => {
    const [mine, theirs] = [openDoorRun(SHARED), openDoorRun(SHARED)];
    await theirs.move("opens", "closes");
    const branch = stepsOf(await theirs.lines());
    await mine.commit([write("closed", 1)], [], { branch });
    expect((await mine.lines()).at(-1)?.local?.checkpoint).toEqual({
      ...{ machine: "door", state: "closed", variables: { pushes: 1 }, table: hashOfTable(door), seq: 3 },
      head: (await theirs.lines()).at(-1)?.local?.checkpoint.head,
    });
    await mine.move("opens");
    expect(stepsOf(await mine.lines()).at(-1)).toMatchObject({ rule: "opens", set: { pushes: 2 } });
    expect(stepsOf(await mine.lines()).at(-1)).not.toHaveProperty("table");
  });
});

describe("a state file that is not text", () => {
  it("is found with a state that says nothing, and any other error stops the commit", async () => {
    const view = (thrown: Error) =>
      ({
        lastLine: async () => null,
        read: async () => {
          throw thrown;
        },
      }) as never;
    const committing = {
      ...{ changes: [write("closed")], events: [], caller: PERSON, time: "", id: "1" },
      shares: async () => false,
    };
    const [append] = await logChanges(view(new NotText("state-tampered", "", "")), DOOR, committing);
    const line = JSON.parse(append && "text" in append && typeof append.text === "string" ? append.text : "");
    expect(line).toMatchObject({ step: { kind: "found", machine: "door", from: "", set: {} } });
    await expect(logChanges(view(new Error("no disk")), DOOR, committing)).rejects.toThrow("no disk");
  });
});

it("a table's start is where a run without a state begins", async () => {
  const run = openDoorRun();
  await run.commit([write("closed")], []);
  expect(stepsOf(await run.lines())).toMatchObject([{ kind: "begun", to: START.state }]);
});
