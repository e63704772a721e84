import { describe, expect, it } from "vitest";
import { openMemoryStore } from "../../test/rig/memory-store.ts";
import { projectPath } from "../core/path.ts";
import { object } from "../core/state-json.ts";
import { hashOfStep } from "./history.ts";
import {
  areOf,
  chosenSide,
  isRecord,
  newRecords,
  onlySide,
  parseRecord,
  recordedUpTo,
  type SharedStep,
  sidesOf,
} from "./team-records.ts";

const RUN = "release:1";
const CODEC = { step: object as never, stands: object };

/** A chain of such steps on `before`. */
function chain(events: readonly string[], before: readonly SharedStep[] = []): SharedStep[] {
  const steps = [...before];
  for (const event of events) {
    const last = steps.at(-1);
    const prev = last ? hashOfStep(last) : null;
    steps.push({
      time: `2026-01-01T00:00:0${steps.length}.000Z`,
      event,
      row: event,
      from: "a",
      to: "b",
      prev,
    });
  }
  return steps;
}

/** As they are read in a clone. */
function recorded(steps: readonly SharedStep[], first = 0) {
  return newRecords(RUN, steps, first, { state: steps.at(-1)?.event }).map((change) => {
    if (change.type !== "write") throw new Error("A record is a file.");
    return parseRecord<SharedStep, object>(change.path, RUN, change.text, CODEC as never);
  });
}

const eventsOf = (steps: readonly SharedStep[]) => steps.map(({ event }) => event).join(" ");

describe("The records of a run", () => {
  const base = chain(["one", "two"]);

  it("lead to one side, in whatever files the steps are, and how often", () => {
    const long = chain(["three", "four"], base);
    const records = [
      ...recorded(base),
      ...recorded(long, 2),
      ...recorded(long.slice(0, 3), 1),
      ...recorded(long),
    ];
    const side = onlySide(RUN, sidesOf(RUN, records.toReversed()));
    expect(eventsOf(side.steps)).toBe("one two three four");
    expect(side.recorded?.stands).toEqual({ state: "four" });
    expect(recordedUpTo(recorded(base), long)).toBe(2);
    expect(recordedUpTo(recorded(long, 2), long)).toBe(0);
  });

  it("name each side where two steps follow the same one", () => {
    const [mine, theirs] = [chain(["mine"], base), chain(["theirs", "then"], base)];
    const sides = sidesOf(RUN, [...recorded(base), ...recorded(theirs, 2)], mine);
    expect(sides.map(({ steps }) => eventsOf(steps)).sort()).toEqual(["one two mine", "one two theirs then"]);
    expect(() => onlySide(RUN, sides)).toThrow(/2 sides after its first 2 steps.*mine.*checkout's own state/);
    expect(() => chosenSide(RUN, sides, "0")).toThrow(/has no side "0"/);
    for (const side of sides) expect(chosenSide(RUN, sides, side.head.slice(0, 12))).toBe(side);
  });

  it("have one side again after a choice, until the other one is advanced further", () => {
    const [mine, theirs] = [chain(["mine"], base), chain(["theirs"], base)];
    const over = [hashOfStep(theirs.at(-1) as SharedStep)];
    const choice = { ...(chain(["taken_over"], mine).at(-1) as SharedStep), over };
    const all = [...recorded(mine), ...recorded(theirs, 2), ...recorded([...mine, choice], 3)];
    expect(eventsOf(onlySide(RUN, sidesOf(RUN, all)).steps)).toBe("one two mine taken_over");
    expect(sidesOf(RUN, [...all, ...recorded(chain(["more"], theirs), 3)])).toHaveLength(2);
  });

  it("cannot be used where a step in between is missing, or the end of a long one", () => {
    const long = chain(["three"], base);
    expect(() => sidesOf(RUN, recorded(long, 2))).toThrow(/the step before three .* is in no record/);
    expect(() => sidesOf(RUN, recorded(long, 2), base)).not.toThrow();
    const heavy = base.map((step) => ({ ...step, notes: "x".repeat(150_000) }));
    const linked = [heavy[0], { ...heavy[1], prev: hashOfStep(heavy[0] as SharedStep) }, { ...base[1] }];
    linked[2] = { ...base[1], prev: hashOfStep(linked[1] as SharedStep) } as SharedStep;
    const [first, second] = recorded(linked as SharedStep[]);
    expect(second).toBeDefined();
    expect(() => sidesOf(RUN, [first as never])).toThrow(/the records that follow step 2 are missing/);
  });

  it("are known by their names alone if they are the very ones of the steps", () => {
    const names = base.map((_, at) => {
      const [change] = newRecords(RUN, base.slice(0, at + 1), at, {});
      return change?.type === "write" ? change.path.slice(change.path.lastIndexOf("/") + 1) : "";
    });
    expect(areOf(names, base)).toBe(true);
    expect(areOf(names.slice(1), base)).toBe(false);
    expect(areOf(names, chain(["one", "other"]))).toBe(false);
  });

  // biome-ignore lint/suspicious/noExplicitAny: a test edits the record as it is
  it.each<[string, RegExp, (record: any) => unknown]>([
    [
      "of another run",
      /run: expected "release:1", found "release:2"/,
      (record) => ({ ...record, run: "release:2" }),
    ],
    ["of another version", /version: expected 1/, (record) => ({ ...record, version: 2 })],
    ["without steps", /steps: expected one step at least/, (record) => ({ ...record, steps: [] })],
    [
      "with a step that was edited",
      /its step 2 is not made on the one before it/,
      (record) => ({ ...record, steps: [{ ...record.steps[0], event: "forged" }, record.steps[1]] }),
    ],
    [
      "whose last step was edited",
      /its name is not made of the hash/,
      (record) => ({ ...record, steps: [record.steps[0], { ...record.steps[1], to: "c" }] }),
    ],
    [
      "with a predecessor that is no hash",
      /steps.0.prev: expected a sha-256/,
      (record) => ({ ...record, steps: [{ ...record.steps[0], prev: "../../x" }] }),
    ],
  ])("refuse one %s", (_, said, edit) => {
    const [change] = newRecords(RUN, base, 0, {});
    if (change?.type !== "write") throw new Error("A record is a file.");
    const text = JSON.stringify(edit(JSON.parse(change.text)));
    expect(() => parseRecord(change.path, RUN, text, CODEC as never)).toThrow(said);
  });

  it("refuse one that nests deeper than the stack reaches", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const step = `{"time":"","event":"","row":"","from":"","to":"","prev":null,"notes":${deep}}`;
    const text = `{"version":1,"run":"${RUN}","steps":[${step}],"stands":null}`;
    const path = projectPath(".alfred/records/release/1/0001-0123456789abcdef.json");
    expect(() => parseRecord(path, RUN, text, CODEC as never)).toThrow(/cannot be used: it nests too deep/);
  });

  it("are told from any other text in their folder, whatever its name", async () => {
    const { files, view } = openMemoryStore();
    const [change] = newRecords(RUN, base, 0, {});
    if (change?.type !== "write") throw new Error("A record is a file.");
    const name = change.path.slice(change.path.lastIndexOf("/") + 1);
    const elsewhere = `.alfred/records/release/2/${name}`;
    const longer = `.alfred/records/release/1/more/${name}`;
    const own = `.alfred/records/.git/1/${name}`;
    for (const path of [change.path, elsewhere, longer, own]) files.set(path, change.text);
    expect(await isRecord(view(), change.path)).toBe(true);
    for (const path of [elsewhere, longer, own, ".alfred/records/release/1/notes.json"])
      expect(await isRecord(view(), path)).toBe(false);
    files.set(change.path, change.text.replace("one", "1"));
    expect(await isRecord(view(), change.path)).toBe(false);
  });
});
