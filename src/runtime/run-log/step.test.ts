import { describe, expect, it } from "vitest";
import { stepOn } from "../../../test/rig/steps.ts";
import {
  documentIn,
  type End,
  endOf,
  hashOfStep,
  type Line,
  logPath,
  parseEnd,
  parseLine,
  renderLine,
} from "./step.ts";

const RUN = "door:front";
const HASH = "a".repeat(64);
const STEP = stepOn(undefined, RUN, "push");
const CHECKPOINT = { machine: "door", state: "b", variables: {}, seq: 1, head: hashOfStep(STEP) };
const LOCAL = { document: HASH, patch: { all: null }, checkpoint: CHECKPOINT, events: [] };
const LINE = { id: "1", step: STEP, local: LOCAL };
const ENDED = { command: "npm test", exit_code: 0, milliseconds: 5, sha256: HASH };

const faultOf = (line: object, parse: (run: string, line: string) => Line = parseLine) => {
  try {
    parse(RUN, JSON.stringify(line));
    return null;
  } catch (thrown) {
    return (thrown as { problem: string }).problem.replace("the last line: ", "");
  }
};

describe("a line of a log", () => {
  it.each<[string, object]>([
    ["the end of a commit", LINE],
    ["a step before it", { id: "1", step: STEP }],
    ["a document without a step", { ...LINE, step: null }],
    ["a removed document, and records", { ...LINE, local: { ...LOCAL, document: null, records: ["r"] } }],
    [
      "a run whose history is not whole",
      { ...LINE, local: { ...LOCAL, checkpoint: { ...CHECKPOINT, unproved: true } } },
    ],
    [
      "a command's end",
      { id: "1", step: { ...STEP, ended: { ...ENDED, exit_code: null, empty: true, agent: "a" } } },
    ],
    [
      "facts, and those that ran no test",
      { id: "1", step: { ...STEP, facts: { a: null, b: 1, c: "x", d: true }, empty: ["b"] } },
    ],
  ])("is read with %s", (_, line) => {
    expect(parseLine(RUN, JSON.stringify(line))).toEqual(line);
    expect(renderLine(line as Line)).toBe(`${JSON.stringify(line)}\n`);
  });

  it.each<[string, object, string]>([
    ["no id", { ...LINE, id: 1 }, "id: expected"],
    ["a step of another version", { ...LINE, step: { ...STEP, v: 2 } }, "step.v: expected 1, found 2"],
    [
      "a step of another kind",
      { ...LINE, step: { ...STEP, kind: "flown" } },
      "step.kind: expected one of begun, moved, accepted, found, returned, adopted, found",
    ],
    ["a step that says more than is checked", { ...LINE, step: { ...STEP, more: 1 } }, "more"],
    [
      "a step of another run",
      { ...LINE, step: { ...STEP, run: "door:back" } },
      "it is about the run door:back",
    ],
    ["an author without a channel", { ...LINE, step: { ...STEP, by: {} } }, "step.by.channel: expected"],
    [
      "a list as a variable",
      { ...LINE, step: { ...STEP, set: { x: [] } } },
      "a string, a number, true, false or null",
    ],
    [
      "a command's end without its time",
      { ...LINE, step: { ...STEP, ended: { ...ENDED, milliseconds: "" } } },
      "ended.milliseconds",
    ],
    [
      "a command's end of no command",
      { ...LINE, step: { ...STEP, ended: { ...ENDED, command: 1 } } },
      "ended.command",
    ],
    [
      "a command that was empty by a word",
      { ...LINE, step: { ...STEP, ended: { ...ENDED, empty: "" } } },
      "ended.empty",
    ],
    ["no hash of its document", { ...LINE, local: { ...LOCAL, document: "x" } }, "local.document"],
    [
      "no state after it",
      { ...LINE, local: { ...LOCAL, checkpoint: { ...CHECKPOINT, state: 1 } } },
      "checkpoint.state",
    ],
    [
      "no hash of its last step",
      { ...LINE, local: { ...LOCAL, checkpoint: { ...CHECKPOINT, head: 1 } } },
      "checkpoint.head",
    ],
    ["events that are none", { ...LINE, local: { ...LOCAL, events: [1] } }, "local.events.0"],
    ["records that are none", { ...LINE, local: { ...LOCAL, records: [1] } }, "local.records.0"],
  ])("is refused with %s", (_, line, fault) => {
    expect(faultOf(line)).toContain(fault);
  });

  it.each<[string, object]>([
    ["its commit is cut off", { id: "1", step: STEP }],
    [
      "another step is said to be its last",
      { ...LINE, local: { ...LOCAL, checkpoint: { ...CHECKPOINT, head: HASH } } },
    ],
    [
      "another state is said to follow",
      { ...LINE, local: { ...LOCAL, checkpoint: { ...CHECKPOINT, state: "c" } } },
    ],
  ])("is no end of a commit if %s", (_, line) => {
    expect(faultOf(line)).toBeNull();
    expect(faultOf(line, parseEnd)).toMatch(/cut off|contradict/);
  });

  it("is the end of a commit if its step leads to what it says, or it has none", () => {
    expect(faultOf(LINE, parseEnd)).toBeNull();
    expect(faultOf({ ...LINE, step: null }, parseEnd)).toBeNull();
  });

  it("ends its commit, or is before the line that does", () => {
    const lines = [{ id: "1", step: STEP }, LINE, { id: "2", step: STEP }] as unknown as readonly End[];
    expect([0, 1, 2].map((at) => endOf(lines, at))).toEqual([1, 1, 3]);
  });
});

describe("a run's files", () => {
  it("have a log named by the workflow and the whole id", () => {
    expect(logPath("release:1.2:3")).toBe(".pawl/log/release/1.2:3.jsonl");
  });

  it("are JSON, or a text", () => {
    expect(documentIn('\uFEFF{"a":1}')).toEqual({ a: 1 });
    expect(documentIn("status: done")).toBe("status: done");
  });
});
