import { describe, expect, it } from "vitest";
import { resultOrError } from "../../../test/rig/error-texts.ts";
import { promise } from "../../../test/rig/promise.ts";
import { chainOf } from "../../../test/rig/steps.ts";
import { openMemoryStore } from "../../adapters/memory/memory-store.ts";
import { projectPath } from "../../core/path.ts";
import type { Change } from "../../core/ports/store.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../core/settings.ts";
import { object } from "../../core/state-json.ts";
import { factValues, hashOfStep, type Step } from "./step.ts";
import {
  branchesOf,
  chosenBranch,
  countingBranch,
  elsewhereError,
  forkedRunError,
  isRecord,
  lastMoveOf,
  loadRecords,
  nameOfBranch,
  newRecords,
  onlyBranch,
  parseRecord,
  recordedByName,
  recordedIds,
  recordNames,
  recordsFolder,
  runOfRecord,
  setAside,
  sharesRuns,
  stepWords,
} from "./team-records.ts";

const RUN = "release:1";

/** A chain of such steps on `before`. */
const chain = (events: readonly string[], before: readonly Step[] = []) => chainOf(RUN, events, before);

/** As they are read in a clone. */
function recorded(steps: readonly Step[], first = 0) {
  return newRecords(RUN, steps, first, { state: steps.at(-1)?.event }).map((change) => {
    if (change.type !== "write") throw new Error("A record is a file.");
    return parseRecord<object>(change.path, RUN, change.text, object);
  });
}

/** The name of the record's file. */
function nameIn(change: Change | undefined): string {
  return change?.type === "write" ? change.path.slice(change.path.lastIndexOf("/") + 1) : "";
}

const linesIn = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
const textOf = (...lines: readonly unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");

const eventsOf = (steps: readonly Step[]) => steps.map(({ event }) => event).join(" ");

describe("The records of a run", () => {
  const base = chain(["one", "two"]);

  it("lead to one side, in whatever files the steps are, and how often", () => {
    promise("team.same-for-all");
    const long = chain(["three", "four"], base);
    const records = [
      ...recorded(base),
      ...recorded(long, 2),
      ...recorded(long.slice(0, 3), 1),
      ...recorded(long),
    ];
    const side = onlyBranch(RUN, branchesOf(RUN, records.toReversed()));
    expect(eventsOf(side.steps)).toBe("one two three four");
    expect(side.recorded?.recordedState).toEqual({ state: "four" });
  });

  it("name each side if two steps follow the same one", () => {
    promise("team.branches");
    const [mine, theirs] = [chain(["mine"], base), chain(["theirs", "then"], base)];
    const branches = branchesOf(RUN, [...recorded(base), ...recorded(theirs, 2)], mine);
    expect(branches.map(({ steps }) => eventsOf(steps)).sort()).toEqual([
      "one two mine",
      "one two theirs then",
    ]);
    expect(() => onlyBranch(RUN, branches)).toThrow(
      /2 branches after its first 2 steps.*mine.*checkout's own state/,
    );
    expect(() => chosenBranch(RUN, branches, "0")).toThrow(/has no branch "0"/);
    for (const side of branches) expect(chosenBranch(RUN, branches, side.head.slice(0, 12))).toBe(side);
  });

  it("have one side again after a choice, until the other one is advanced further", () => {
    promise("team.branches");
    const [mine, theirs] = [chain(["mine"], base), chain(["theirs"], base)];
    const over = [hashOfStep(theirs.at(-1) as Step)];
    const choice = { ...(chain(["adopted"], mine).at(-1) as Step), over };
    const all = [...recorded(mine), ...recorded(theirs, 2), ...recorded([...mine, choice], 3)];
    expect(eventsOf(onlyBranch(RUN, branchesOf(RUN, all)).steps)).toBe("one two mine adopted");
    expect(branchesOf(RUN, [...all, ...recorded(chain(["more"], theirs), 3)])).toHaveLength(2);
  });

  it("cannot be used if a step in between is missing, or the end of a long one", () => {
    promise("team.what-git-moves");
    const long = chain(["three"], base);
    expect(() => branchesOf(RUN, recorded(long, 2))).toThrow(/the step before three .* is in no record/);
    expect(() => branchesOf(RUN, recorded(long, 2), base)).not.toThrow();
    const heavy = base.map((step) => ({ ...step, notes: "x".repeat(150_000) }));
    const linked = [heavy[0], { ...heavy[1], prev: hashOfStep(heavy[0] as Step) }, { ...base[1] }];
    linked[2] = { ...base[1], prev: hashOfStep(linked[1] as Step) } as Step;
    const [first, second] = recorded(linked as Step[]);
    expect(second).toBeDefined();
    expect(() => branchesOf(RUN, [first as never])).toThrow(/the records that follow step 2 are missing/);
  });

  it("say by their names alone how many of the steps they hold", () => {
    promise("team.same-for-all");
    const steps = chain(["three", "four", "five"], base);
    const named = (first: number, last: number, of = steps) =>
      newRecords(RUN, of.slice(0, last), first - 1, {}).map((change) => nameIn(change));
    const say = (...names: readonly (readonly string[])[]) => {
      const { own, ...said } = recordedByName(names.flat(), steps);
      expect(said.isAll).toBe(own.length === names.flat().length);
      return said;
    };
    expect(say()).toEqual({ recorded: 0, isAll: true });
    expect(say(named(1, 5))).toEqual({ recorded: 5, isAll: true });
    expect(say(named(4, 4), named(1, 3))).toEqual({ recorded: 4, isAll: true });
    // One of them was left on another branch, and is written again with what follows.
    expect(say(named(1, 1), named(4, 5))).toEqual({ recorded: 1, isAll: true });
    expect(say(named(1, 1), named(4, 5), named(2, 4))).toEqual({ recorded: 5, isAll: true });
    expect(say(named(2, 5))).toEqual({ recorded: 0, isAll: true });
    // Others went on, or on another branch.
    expect(say(named(1, 2), named(1, 6, chain(["six"], steps)))).toEqual({ recorded: 2, isAll: false });
    expect(say(named(1, 3), named(3, 3, chain(["other"], base)))).toEqual({ recorded: 3, isAll: false });
    expect(recordedByName(named(1, 1), [])).toEqual({ recorded: 0, isAll: false, own: [] });
  });

  // biome-ignore lint/suspicious/noExplicitAny: a test edits the lines as they are
  it.each<[string, RegExp, (lines: any[]) => unknown[]]>([
    [
      "of another run",
      /line 3: run: expected "release:1", found "release:2"/,
      ([one, two, end]) => [one, two, { ...end, run: "release:2" }],
    ],
    [
      "of another version",
      /line 3: v: expected 1, found 2/,
      ([one, two, end]) => [one, two, { ...end, v: 2 }],
    ],
    [
      "with a key that nothing reads",
      /line 3: more: expected no such key/,
      ([one, two, end]) => [one, two, { ...end, more: 1 }],
    ],
    ["without steps", /expected one step at least and then the run's state/, ([, , end]) => [end]],
    ["whose end was cut off", /line 2: state: expected an object, found nothing/, ([one, two]) => [one, two]],
    [
      "with a step that was edited",
      /its step 2 is not made on the one before it/,
      ([one, ...rest]) => [{ ...one, event: "forged" }, ...rest],
    ],
    [
      "whose last step was edited",
      /its name is not made of the hash/,
      ([one, two, end]) => [one, { ...two, to: "c" }, end],
    ],
    [
      "with fewer steps than its name says",
      /its name does not have the numbers of its steps/,
      ([, two, end]) => [two, end],
    ],
    [
      "with a predecessor that is no hash",
      /line 1: prev: expected a sha-256/,
      ([one, ...rest]) => [{ ...one, prev: "../../x" }, ...rest],
    ],
  ])("refuse one %s", (_, said, edit) => {
    promise("team.records-prove-nothing");
    const [change] = newRecords(RUN, base, 0, {});
    if (change?.type !== "write") throw new Error("A record is a file.");
    const text = textOf(...edit(linesIn(change.text)));
    expect(() => parseRecord(change.path, RUN, text, object)).toThrow(said);
  });

  it.each<[string, string, RegExp]>([
    ["nothing", "", /expected one step at least/],
    ["a last line without its end", "{}\n{}\n{}", /expected one step at least/],
    ["an empty line", "\n{}\n", /line 1: it is empty/],
    ["a line that is no JSON", '{"time":\n{}\n', /line 1: it is not valid JSON/],
    ["a line that is no object", "[]\n{}\n", /line 1: expected an object/],
  ])("refuse one with %s", (_, text, said) => {
    const path = projectPath(".alfred/records/release/1/0001-0001-0123456789abcdef.jsonl");
    expect(() => parseRecord(path, RUN, text, object)).toThrow(said);
  });

  it("refuse one under the numbers of other steps", () => {
    promise("team.records-prove-nothing");
    const read = (first: number, path: string) => {
      const [change] = newRecords(RUN, base, first, {});
      if (change?.type !== "write") throw new Error("A record is a file.");
      return () =>
        parseRecord(projectPath(change.path.replace(/[^/]+?-[^/]+?-/, path)), RUN, change.text, object);
    };
    const said = /its name does not have the numbers of its steps/;
    expect(read(0, "0001-0002-")).not.toThrow();
    expect(read(0, "0002-0003-")).toThrow(said);
    expect(read(0, "0001-0003-")).toThrow(said);
    expect(read(1, "0001-0001-")).toThrow(said);
    expect(read(1, "0003-0003-")).not.toThrow();
  });

  it("refuse one that nests deeper than the stack reaches", () => {
    promise("team.records-prove-nothing");
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const step = JSON.stringify({ ...base[0], by: { channel: "mcp", who: "ada", task: "deep" } });
    const text = `${step.replace('"deep"', deep)}\n{"run":"${RUN}","state":null,"v":1}\n`;
    const path = projectPath(".alfred/records/release/1/0001-0001-0123456789abcdef.jsonl");
    expect(() => parseRecord(path, RUN, text, object)).toThrow(/cannot be used: it nests too deep/);
  });

  it("are told from any other text in their folder, whatever its name", async () => {
    promise("team.records-prove-nothing");
    const { files, view } = openMemoryStore();
    const [change] = newRecords(RUN, base, 0, {});
    if (change?.type !== "write") throw new Error("A record is a file.");
    const name = nameIn(change);
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

describe("The files of a run's records", () => {
  const folder = ".alfred/records/release/1";
  const numbered = (seq: number) => String(seq).padStart(4, "0");
  const name = (last: number, digits = "0123456789abcdef", first = last) =>
    `${numbered(first)}-${numbered(last)}-${digits}.jsonl`;

  it("are those of its folder that have a record's name, sorted", async () => {
    const { files, view } = openMemoryStore();
    const names = [name(2), name(1, "ffffffffffffffff"), name(1), name(12_345)];
    for (const each of names) files.set(`${folder}/${each}`, "");
    const others = [
      name(3, "0123"),
      name(0),
      name(1, undefined, 2),
      `0${name(5)}`,
      `0001-0${name(5).slice(5)}`,
    ];
    for (const each of ["notes.md", `x${name(1)}`, `${name(1)}.bak`, `${name(4)}/x`, ...others])
      files.set(`${folder}/${each}`, "");
    expect(await recordNames(view(), RUN)).toEqual(
      [name(1), name(1, "ffffffffffffffff"), name(2), name(12_345)].sort(),
    );
    expect(await recordNames(view(), "release:2")).toEqual([]);
    expect(recordsFolder("alfred:a:b")).toBe(".alfred/records/alfred/a:b");
  });

  it("are in folders whose names are ids", async () => {
    const { files, view } = openMemoryStore();
    for (const each of ["1/x", "T-2/x", ".git/x", "file"]) files.set(`.alfred/records/release/${each}`, "");
    expect(await recordedIds(view(), "release")).toEqual(["1", "T-2"]);
    expect(await recordedIds(view(), "alfred")).toEqual([]);
  });

  it("are told from other paths", () => {
    const path = `${folder}/${name(1)}`;
    expect(runOfRecord(path)).toBe(RUN);
    for (const other of [
      ...[`x/${path}`, `${path}/x`, `.alfred/records/release/${name(1)}`, `${folder}/notes.json`],
      ...[`.alfred/records/.git/1/${name(1)}`, `.alfred/records/release/.git/${name(1)}`, ""],
    ])
      expect(runOfRecord(other)).toBeNull();
  });

  it("are loaded with what they hold", async () => {
    const { files, view } = openMemoryStore();
    const steps = chain(["one", "two"]);
    const [change] = newRecords(RUN, steps, 0, { state: "two" });
    if (change?.type !== "write") throw new Error("A record is a file.");
    files.set(change.path, change.text);
    const names = await recordNames(view(), RUN);
    expect(await loadRecords(view(), RUN, names, object)).toEqual([
      { path: change.path, steps, recordedState: { state: "two" } },
    ]);
    await expect(loadRecords(view(), RUN, [name(1)], object)).rejects.toMatchObject({
      code: "records-invalid",
    });
    const many = Array.from({ length: 10_001 }, (_, at) => name(at + 1));
    await expect(loadRecords(view(), RUN, many, object)).rejects.toMatchObject({
      message: `${folder} cannot be used: it holds 10001 records; expected at most 10000. Nothing was changed.`,
      fix: `Restore it as it was committed: \`git log -- ${folder}\` shows when it changed.`,
    });
    const most = await loadRecords(view(), RUN, many.slice(1), object).catch(({ message }) => message);
    expect(most).not.toContain("10000 records");
  });

  it("are refused if they are too long, with the place", () => {
    const path = projectPath(folder, name(1));
    expect(() => parseRecord(path, RUN, "x".repeat(4_000_001), object)).toThrow(
      `${path} cannot be used: it has 4000001 characters; expected at most 4000000. Nothing was changed.`,
    );
    expect(() => parseRecord(path, RUN, " ".repeat(4_000_000), object)).not.toThrow(/characters/);
  });

  it("are split if they grow long, by number and hash of their last step, and only the last says where the run stands", () => {
    const long = chain(["a", "b", "c", "d"]).map((step) => ({ ...step, notes: "x".repeat(150_000) }));
    const parts = newRecords(RUN, long, 1, { state: "d" });
    const held = parts.map((change) => linesIn(change.type === "write" ? change.text : ""));
    expect(
      held.map((lines) => [
        lines
          .slice(0, -1)
          .map(({ event }) => event)
          .join(""),
        lines.at(-1),
      ]),
    ).toEqual([
      ["bc", { run: RUN, state: null, v: 1 }],
      ["d", { run: RUN, state: { state: "d" }, v: 1 }],
    ]);
    expect(parts.map((change) => (change.type === "write" ? change.path : ""))).toEqual([
      `${folder}/${name(3, hashOfStep(long[2] as Step).slice(0, 16), 2)}`,
      `${folder}/${name(4, hashOfStep(long[3] as Step).slice(0, 16))}`,
    ]);
    expect(newRecords(RUN, long, 4, {})).toEqual([]);
    const [first] = parts;
    expect(first?.type === "write" && first.text.endsWith("}\n")).toBe(true);
  });
});

describe("The sharing of runs", () => {
  const settings = (more: Partial<Settings>): Settings => ({ ...DEFAULT_SETTINGS, ...more });
  const sharing = (more: Partial<Settings>) =>
    ["alfred", "bloom", "release"].filter((workflow) => sharesRuns(settings(more), workflow)).join(" ");

  it.each<[string, Partial<Settings>]>([
    ["", {}],
    ["alfred bloom release", { share: true }],
    ["alfred bloom release", { gates: { default: "signed" } }],
    ["bloom release", { gates: { default: "touch", alfred: "terminal" } }],
    ["", { gates: { default: "terminal", alfred: "any" } }],
    ["alfred", { gates: { alfred: "touch" } }],
    ["alfred", { gates: { "alfred.plan_task": "signed" } }],
    ["alfred bloom", { gates: { alfred: "any", "alfred.plan_task": "signed", bloom: "signed" } }],
    // A gate's name alone may be one of any workflow.
    ["alfred bloom release", { gates: { plan_task: "signed" } }],
    ["bloom release", { gates: { plan_task: "signed", "alfred.plan_task": "any" } }],
    // The name of a workflow is none of a gate.
    ["release", { gates: { release: "signed" }, workflows: ["./tables/release.yaml"] }],
  ])("is that of %j with %j", (workflows, more) => {
    expect(sharing(more)).toBe(workflows);
  });
});

describe("A step's variables", () => {
  it.each<[unknown, boolean]>([
    [{ a: 1, b: "x", c: true, d: null }, true],
    [{ a: {} }, false],
    [{ a: [1] }, false],
  ])("%j: %s", (value, isSound) => {
    const fault = factValues(value, []);
    expect(fault === null || fault === undefined).toBe(isSound);
    if (!isSound) expect(JSON.stringify(fault)).toContain("expected a string, a number, true, false or null");
  });

  it.each([
    ["by", { by: { channel: 7 } }],
    ["by.who", { by: { channel: "mcp", who: 7 } }],
    ["over", { over: ["x"] }],
    ["time", { time: 7 }],
    ["rule", { rule: null }],
    ["run", { run: "release:2" }],
    ["key", { more: 1 }],
    ["from", { from: 1 }],
    ["to", { to: 1 }],
    ["event", { event: 1 }],
  ])("are not taken with another %s", (_, more) => {
    const text = textOf({ ...chain(["one"])[0], ...more }, { run: RUN, state: null, v: 1 });
    const path = projectPath(".alfred/records/release/1/0001-0001-0123456789abcdef.jsonl");
    expect(() => parseRecord(path, RUN, text, object)).toThrow(/cannot be used: line 1: /);
  });
});

describe("The sides of a run", () => {
  const base = chain(["one", "two"]);
  const recordOf = (steps: readonly Step[], recordedState: object | null, path = "p") =>
    ({ path: projectPath(path), steps, recordedState }) as never;

  it("stand if the record with their last step says, if one does", () => {
    const [side] = branchesOf<object>(RUN, [recordOf(base, null, "b"), recordOf(base, { state: "x" }, "a")]);
    expect(side?.recorded).toEqual({ path: "a", recordedState: { state: "x" } });
    const [other] = branchesOf<object>(RUN, [recordOf(base, { state: "x" }, "a"), recordOf(base, null, "b")]);
    expect(other?.recorded).toEqual({ path: "a", recordedState: { state: "x" } });
    expect(() => branchesOf(RUN, [recordOf(base, null)])).toThrow(
      ".alfred/records/release/1 cannot be used: the records that follow step 2 are missing.",
    );
    expect(branchesOf(RUN, [])).toEqual([]);
  });

  it("are sorted by their hashes, so that everybody names them in one order", () => {
    const ends = ["a", "b", "c", "d", "e"].map((event) => chain([event], base));
    const branches = branchesOf(
      RUN,
      ends.map((steps) => recordOf(steps, {})),
    );
    const heads = branches.map(({ head }) => head);
    expect(heads).toEqual([...heads].sort());
    expect(
      branchesOf(
        RUN,
        ends.toReversed().map((steps) => recordOf(steps, {})),
      ).map(({ head }) => head),
    ).toEqual(heads);
  });

  it("are shown with what only each of them has, three steps of it, and if that is", () => {
    const mine = chain(["m1", "m2", "m3", "m4"], base);
    const by = { channel: "mcp", who: "ben" } as const;
    const theirs = [...base, { ...(chain(["t1"], base)[2] as Step), by }];
    const branches = branchesOf<object>(RUN, [recordOf(theirs, {}, "theirs.json")], mine);
    const error = forkedRunError(RUN, branches);
    const words = (side: string) =>
      /branch [0-9a-f]{12}: ([^;]*)/g[Symbol.match](error.message)?.find((each) => each.includes(side));
    expect(error.code).toBe("records-forked");
    expect(error.message).toMatch(
      /^release:1 was advanced on 2 branches after its first 2 steps: branch .*; branch .*\. Nothing was changed\.$/,
    );
    expect(words("m2")).toMatch(
      /: m2 \(a → b\) by mcp at 2026-01-01T00:00:03\.000Z, then m3 .*, then m4 .* \(this checkout's own state\)/,
    );
    expect(words("m1")).toBeUndefined();
    expect(words("t1")).toMatch(/: t1 \(a → b\) by ben at 2026-01-01T00:00:02\.000Z \(theirs\.json\)/);
    expect(error.fix).toBe(
      `A person decides in a terminal which branch counts: ${branches.map((side) => `\`pawl adopt release:1 --branch ${nameOfBranch(side)}\``).join(" or ")}.`,
    );
    expect(nameOfBranch(branches[0] as never)).toBe(branches[0]?.head.slice(0, 12));
  });

  it.each<[readonly string[], string]>([
    [[], "from its beginning"],
    [["one"], "after its first step"],
    [["one", "two", "three"], "after its first 3 steps"],
  ])("that share %j were advanced %s", (shared, words) => {
    const common = chain(shared);
    const branches = ["x", "y"].map((event) => recordOf(chain([event], common), {}));
    expect(forkedRunError(RUN, branchesOf(RUN, branches)).message).toContain(` on 2 branches ${words}: `);
  });

  it("may be one that the other contains, in the message", () => {
    const branches = [base, chain(["three"], base)].map((steps) => ({
      head: "0".repeat(64),
      steps,
      recorded: null,
    }));
    expect(forkedRunError(RUN, branches).message).toContain("after its first 2 steps");
    expect(forkedRunError(RUN, []).message).toContain("on 0 branches from its beginning");
  });

  it("are chosen by four letters of their hash at least, if they are of one alone", () => {
    const side = (head: string) => ({ head: head.padEnd(64, "0"), steps: base, recorded: null });
    const branches = [side("aaaa1"), side("aaaa2"), side("bbbb1")];
    expect(chosenBranch(RUN, branches, "bbbb")).toBe(branches[2]);
    expect(chosenBranch(RUN, branches, "aaaa1")).toBe(branches[0]);
    expect(chosenBranch(RUN, branches.slice(2), undefined)).toBe(branches[2]);
    const refused = (name: string) => resultOrError(() => chosenBranch(RUN, branches, name));
    for (const name of ["aaaa", "bbb", "cccc", ""])
      expect(refused(name)).toEqual({
        code: "usage",
        message: `release:1 has no branch ${JSON.stringify(name)}: expected aaaa10000000 or aaaa20000000 or bbbb10000000.`,
        fix: "`pawl status` names its branches.",
      });
    expect(JSON.stringify(refused("x".repeat(100)))).toContain(`"${"x".repeat(80)}\\"`.slice(1));
    expect(() => chosenBranch(RUN, branches, undefined)).toThrow(/on 3 branches/);
    expect(() => chosenBranch(RUN, [], undefined)).toThrow(/on 0 branches/);
  });

  it("are not moved by whoever has not taken them over", () => {
    expect(elsewhereError(RUN, { by: "ben", time: "2026-01-01" })).toMatchObject({
      code: "run-elsewhere",
      message: "release:1 was moved last in another checkout, by ben at 2026-01-01. Nothing was changed.",
      fix: "To adopt it, a person runs `pawl adopt release:1` in a terminal.",
    });
  });

  it("have steps by somebody, or by a channel", () => {
    const step = base[0] as Step;
    const at = "one (a → b)";
    expect(stepWords({ ...step, by: { channel: "mcp" } })).toBe(`${at} by mcp at ${step.time}`);
    expect(stepWords({ ...step, by: { channel: "mcp", who: "ada" } })).toBe(`${at} by ada at ${step.time}`);
    const tool = { ...step, run: "alfred:1", machine: "plan_task", status: "planning" };
    expect(stepWords(tool)).toBe(`plan_task: one (a → b, the task is planning) by mcp at ${step.time}`);
  });
});

describe("The branch that counts", () => {
  const steps = chain(["one", "two"]);
  const branch = (events: readonly string[], isOwn = false) => {
    const all = chain(events, steps);
    const recordedState = isOwn
      ? null
      : { path: projectPath(`.alfred/records/release/1/${events[0]}`), recordedState: {} };
    return { head: hashOfStep(all.at(-1) as Step), steps: all, recorded: recordedState };
  };
  const [own, approved, rejected] = [branch(["go"], true), branch(["approve"]), branch(["reject"])];

  it("is this checkout's own, else the only one, else none until a person chooses", () => {
    expect(countingBranch(RUN, [])).toBeNull();
    expect(countingBranch(RUN, [approved])).toBe(approved);
    expect(countingBranch(RUN, [approved, own])).toBe(own);
    const held = resultOrError(() => countingBranch(RUN, [approved, rejected]));
    expect(held).toMatchObject({ code: "records-forked", message: expect.stringContaining("It is held.") });
    expect(forkedRunError(RUN, [approved, own]).message).not.toContain("held");
  });

  it("sets the others aside, with the steps that only they have", () => {
    expect(setAside([approved, rejected])).toEqual([]);
    expect(setAside([own, approved])).toEqual([
      {
        branch: nameOfBranch(approved),
        steps: expect.stringMatching(/^approve \(a → b\) by mcp .*\/approve\)$/),
      },
    ]);
  });

  it("was moved last by whom its last step names, or over its channel", () => {
    expect(lastMoveOf(approved)).toEqual({ by: "mcp", time: "2026-01-01T00:00:02.000Z" });
    const last = { ...(approved.steps.at(-1) as Step), by: { channel: "mcp", who: "ada" } as const };
    expect(lastMoveOf({ ...approved, steps: [...steps, last] }).by).toBe("ada");
  });
});
