import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { NotText } from "../../core/error.ts";
import type { PawlEvent } from "../../core/event.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { object } from "../../core/state-json.ts";
import { lastLineOf } from "../../core/text/lines.ts";
import type { Workflow } from "../../engine/workflow.ts";
import type { StateFiles } from "../transaction/transaction.ts";
import { headPath } from "./history.ts";
import {
  hashOfTable,
  loadRecord,
  type RunRecord,
  recordChanges,
  recordedOverview,
  recordFaults,
  recordOfTaken,
  verdictsIn,
} from "./record.ts";
import { branchesOf, loadRecords, RECORDS, recordNames } from "./team-records.ts";

const FILE = projectPath("runs/a.json");
const RUN = "door:a";
const TABLE: Workflow = {
  name: "door",
  title: "Door",
  states: { shut: { description: "" }, open: { description: "" } },
  initial: "shut",
  goals: ["open"],
  events: { push: { description: "" } },
  facts: {},
  rules: [
    { id: "opens", from: ["shut"], on: "push", to: "open", outcome: "moved", reply: "r" },
    { id: "shuts", from: ["open"], on: "push", to: "shut", outcome: "moved", reply: "r" },
  ],
};

const states = (table: Workflow = TABLE, keptSteps?: number): StateFiles => ({
  table,
  ...(keptSteps === undefined ? {} : { keptSteps }),
  runOf: (path) => (path === FILE ? RUN : null),
  configurationIn: (text) => ({ state: String(JSON.parse(text).state), variables: {} }),
});

class Project {
  readonly files = new Map<string, string>();
  table = TABLE;
  keptSteps: number | undefined;
  /** Git shares its steps, each as soon as it is made; with `rests`, else those that are no longer kept here. */
  isShared = false;
  rests = true;
  #count = 0;

  view(): View {
    const first = new Map<string, string | null>();
    const now = (path: string) => this.files.get(path) ?? null;
    return {
      async read(path) {
        if (!first.has(path)) first.set(path, now(path));
        return now(path);
      },
      list: async (folder) =>
        [...this.files.keys()].flatMap((path) => {
          const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "/";
          return name.includes("/") ? [] : [{ kind: "file", name }];
        }),
      lastLine: async (path) => lastLineOf(now(path)),
      isCurrent: async (paths) => paths.every((path) => !first.has(path) || first.get(path) === now(path)),
      packaged: async () => null,
    };
  }

  async write(
    state: string,
    moves: readonly (readonly [row: string, from: string, to: string])[],
  ): Promise<void> {
    const text = JSON.stringify({ state, more: "what else it says" });
    const events = moves.map(([row, from, to]) => this.#event(row, from, to));
    const changes: Change[] = [{ type: "write", path: FILE, text }];
    const records = await recordChanges(
      this.view(),
      {
        ...states(this.table, this.keptSteps),
        ...(this.isShared && {
          sharedIn: (json) => ({ rests: this.rests, recordedState: JSON.parse(json) }),
        }),
      },
      { changes, events },
      "2026-01-31T09:30:15.250Z",
    );
    for (const change of [...changes, ...records])
      if (change.type === "write") this.files.set(change.path, change.text);
      else if (change.type === "remove") this.files.delete(change.path);
  }

  push(): Promise<void> {
    const state = this.state();
    return state === "open"
      ? this.write("shut", [["shuts", "open", "shut"]])
      : this.write("open", [["opens", "shut", "open"]]);
  }

  state(): string {
    return JSON.parse(this.files.get(FILE) ?? '{"state":"shut"}').state;
  }

  faults(more: Partial<StateFiles> = {}): Promise<readonly string[] | null> {
    return recordFaults(this.view(), { ...states(this.table), ...more }, FILE, this.files.get(FILE) ?? "");
  }

  async record(): Promise<RunRecord> {
    return (await loadRecord(this.view(), RUN)) as RunRecord;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test edits the file as it is
  edit(path: ProjectPath, change: (value: any) => void): void {
    const value = JSON.parse(this.files.get(path) ?? "");
    change(value);
    this.files.set(path, JSON.stringify(value));
  }

  #event(row: string, from: string, to: string): PawlEvent {
    this.#count += 1;
    const time = `2026-01-31T09:30:${String(this.#count % 60).padStart(2, "0")}.000Z`;
    const told = {
      run: RUN,
      machine: "door",
      event: "push",
      summary: "",
      by: { channel: "terminal" },
    } as const;
    return {
      id: String(this.#count),
      time,
      type: "run:advanced",
      ...told,
      row,
      from,
      to,
      strength: "terminal",
    };
  }
}

async function pushed(times: number): Promise<Project> {
  const project = new Project();
  for (let n = 0; n < times; n++) await project.push();
  return project;
}

describe("The record of a run", () => {
  it("finds nothing wrong where a commit came in between the looks at the file and at its record", async () => {
    promise("gates.history-torn");
    const project = new Project();
    await project.push();
    const look = project.view();
    const before = (await look.read(FILE)) ?? "";
    await project.push();
    expect(await recordFaults(look, states(), FILE, before)).toEqual([]);
    project.files.set(FILE, before);
    const view = project.view();
    await view.read(FILE);
    expect(await recordFaults(view, states(), FILE, before)).toHaveLength(1);
    const whole = await project.record();
    const meanwhile: View = {
      ...view,
      async read(path) {
        const text = await view.read(path);
        if (path === headPath(RUN))
          project.files.set(path, JSON.stringify({ ...whole, time: `${whole.time}0` }));
        return text;
      },
    };
    expect(await recordFaults(meanwhile, states(), FILE, before)).toEqual([]);
  });

  it("has each step, and its file follows from it, however it is laid out", async () => {
    const project = await pushed(3);
    const { origin, recordedState, steps } = await project.record();
    expect({ origin, recordedState, rows: steps.map(({ row }) => row) }).toEqual({
      origin: { state: "shut", kept: {}, at: 0, begins: true },
      recordedState: { state: "open", kept: {} },
      rows: ["opens", "shuts", "opens"],
    });
    expect(await project.faults()).toEqual([]);
    project.files.set(FILE, JSON.stringify(JSON.parse(project.files.get(FILE) ?? ""), null, 7));
    expect(await project.faults()).toEqual([]);
    expect((await recordedOverview(project.view(), RUN)).verdicts).toHaveLength(3);
  });

  it.each<[string, RegExp, ProjectPath, Parameters<Project["edit"]>[1]]>([
    [
      "another state",
      /not the one that Pawl wrote after 1 steps, .*: found shut; its history leads to open/,
      FILE,
      (file) => Object.assign(file, { state: "shut" }),
    ],
    [
      "more than was written",
      /not the one that Pawl wrote .* still stands at open/,
      FILE,
      (file) => Object.assign(file, { evidence: [] }),
    ],
    [
      "a step that its table does not have",
      /step 1 of its history \(push\) does not lead on from shut/,
      headPath(RUN),
      ({ steps }) => Object.assign(steps[0], { row: "shuts" }),
    ],
    [
      "another beginning",
      /did not begin where a run of the table begins/,
      headPath(RUN),
      ({ origin }) => Object.assign(origin, { state: "open" }),
    ],
    [
      "a step changed after the next",
      /step 2 of its history is not made on the 1 before it/,
      headPath(RUN),
      ({ steps }) => steps.unshift({ ...steps[0], by: { channel: "mcp" } }),
    ],
    [
      "another end",
      /found shut; its history leads to open/,
      headPath(RUN),
      ({ recordedState }) => Object.assign(recordedState, { state: "shut" }),
    ],
    [
      "no steps that can be read",
      /cannot be read/,
      headPath(RUN),
      (record) => Object.assign(record, { version: 2 }),
    ],
    [
      "no word of the file",
      /has recorded no such file/,
      headPath(RUN),
      (record) => Object.assign(record, { files: {} }),
    ],
  ])("shows an edit to have %s", async (_, said, path, change) => {
    promise("gates.history");
    const project = await pushed(1);
    project.edit(path, change);
    expect((await project.faults())?.join("; ")).toMatch(said);
  });

  it("begins with the next commit where there was none, and the run stays unproved until it begins anew", async () => {
    promise("gates.history-missing");
    const project = await pushed(1);
    project.files.delete(headPath(RUN));
    expect(await project.faults()).toEqual(["none of its steps is recorded"]);
    await project.push();
    await project.push();
    expect(await project.faults()).toEqual([]);
    expect(await project.record()).toMatchObject({
      unproved: true,
      origin: { state: "shut", begins: false },
    });
    project.files.delete(FILE);
    await project.push();
    expect(await project.faults()).toEqual([]);
    expect(await recordedOverview(project.view(), RUN)).not.toHaveProperty("unproved");
  });

  it("has the verdicts of persons, and is shown as unproved only where its beginning is not known", async () => {
    const time = "2026-01-31T09:30:15.250Z";
    const told = { event: "approve", from: "in_review", time };
    expect(verdictsIn([{ ...told, strength: "terminal" }, told])).toEqual([
      { gate: "in_review", what: "in_review: approve", strength: "terminal", time },
    ]);
    expect(verdictsIn([])).toEqual([]);
    const project = new Project();
    expect(await recordedOverview(project.view(), RUN)).toEqual({ unproved: true });
    await project.write("open", []);
    expect(await recordedOverview(project.view(), RUN)).toEqual({});
    project.edit(headPath(RUN), (record) => Object.assign(record, { unproved: true }));
    expect(await recordedOverview(project.view(), RUN)).toEqual({ unproved: true });
  });

  it("takes the steps of its own run alone, and nothing of files that are no state", async () => {
    const project = await pushed(1);
    const [step] = (await project.record()).steps;
    const event = (more: object) =>
      ({ ...step, id: "x", type: "run:advanced", run: RUN, ...more }) as PawlEvent;
    const written = (path: string): Change => ({
      type: "write",
      path: projectPath(path),
      text: '{"state":"shut"}',
    });
    const changes: Change[] = [
      written("else.txt"),
      written("runs/a.json"),
      { type: "append", path: FILE, id: "1", text: "x" },
    ];
    const events = [
      event({ run: "door:b" }),
      event({ type: "task:claimed" }),
      event({ from: "open", to: "shut" }),
    ];
    const made = await recordChanges(
      project.view(),
      states(),
      { changes, events },
      "2026-01-31T09:30:15.250Z",
    );
    expect(made).toMatchObject([{ type: "write", path: headPath(RUN) }]);
    const [record] = made;
    const { steps, files } = JSON.parse(record?.type === "write" ? record.text : "{}") as RunRecord;
    expect(steps.map(({ from, to }) => [from, to])).toEqual([
      ["shut", "open"],
      ["open", "shut"],
    ]);
    expect(Object.keys(files)).toEqual([FILE]);
    expect(await recordChanges(project.view(), states(), {}, "2026-01-31T09:30:15.250Z")).toEqual([]);
  });

  it("is not replayed through another table than its own", async () => {
    const project = await pushed(1);
    const [, shuts] = TABLE.rules;
    project.table = { ...TABLE, rules: shuts ? [{ ...shuts, id: "closes" }] : [] };
    expect(await project.faults()).toEqual([]);
    await project.write("shut", [["closes", "open", "shut"]]);
    expect(await project.faults()).toEqual([]);
    expect((await project.record()).origin).toMatchObject({ state: "shut", at: 2, begins: false });
  });

  it("keeps a bounded number of steps, and what it keeps is replayed", async () => {
    const project = await pushed(405);
    const { dropped, steps } = await project.record();
    expect(dropped + steps.length).toBe(405);
    expect(steps.length).toBeLessThan(250);
    expect(await project.faults()).toEqual([]);
    project.edit(headPath(RUN), (record) => record.steps.splice(3, 1));
    expect((await project.faults())?.join()).toContain("is not made on");
  });

  it("keeps as few steps as its workflow wants", async () => {
    const project = await pushed(10);
    project.keptSteps = 5;
    expect((await project.record()).steps).toHaveLength(10);
    await project.push();
    expect((await project.record()).steps).toHaveLength(5);
    expect(await project.faults()).toEqual([]);
  });

  it("is a side of its own where the run began before records and others recorded it: nothing is made on their steps", async () => {
    promise("team.forks-are-held");
    const others = new Project();
    others.isShared = true;
    await others.push();
    const project = new Project();
    project.files.set(FILE, JSON.stringify({ state: "open" }));
    for (const [path, text] of others.files) if (path.startsWith(RECORDS)) project.files.set(path, text);
    project.isShared = true;
    await project.push();
    const codec = { step: object as never, recordedState: object };
    const names = await recordNames(project.view(), RUN);
    const sides = branchesOf(RUN, await loadRecords(project.view(), RUN, names, codec));
    expect(sides.map(({ steps }) => steps.length)).toEqual([1, 1]);
    // A run that begins anew is made on the lives before it.
    project.files.delete(FILE);
    project.files.delete(headPath(RUN));
    for (const [path] of project.files) if (!others.files.has(path)) project.files.delete(path);
    await project.push();
    expect((await loadRecord(project.view(), RUN))?.steps.length).toBe(2);
  });

  it("shows that its first steps were taken away, unless it says how many are no longer kept", async () => {
    const project = await pushed(3);
    project.edit(headPath(RUN), (record) => {
      record.steps.shift();
      record.origin = { state: "open", kept: {}, at: 0, begins: false };
    });
    expect((await project.faults())?.join()).toContain(
      "step 1 of its history is not made on the 0 before it",
    );
    project.edit(headPath(RUN), (record) => Object.assign(record, { dropped: 1 }));
    expect(await project.faults()).toEqual([]);
  });

  it("keeps twice as many as its workflow wants, and not one more", async () => {
    const project = new Project();
    project.keptSteps = 5;
    for (let n = 0; n < 10; n++) await project.push();
    expect(await project.record()).toMatchObject({ dropped: 0, steps: { length: 10 } });
    await project.push();
    expect(await project.record()).toMatchObject({ dropped: 6, steps: { length: 5 } });
  });

  it("leaves steps that it drops to the shared records, though the run does not rest", async () => {
    const project = new Project();
    Object.assign(project, { keptSteps: 2, isShared: true, rests: false });
    const shared = () => recordNames(project.view(), RUN);
    for (let n = 0; n < 4; n++) await project.push();
    expect(await shared()).toEqual([]);
    await project.push();
    expect((await shared()).length).toBeGreaterThan(0);
    const before = await shared();
    await project.push();
    expect(await shared()).toEqual(before);
  });

  it("is not shared from the middle on, where steps were dropped while it was not shared", async () => {
    const project = new Project();
    Object.assign(project, { keptSteps: 2, isShared: false });
    for (let n = 0; n < 5; n++) await project.push();
    expect(await project.record()).toMatchObject({ dropped: 3 });
    project.isShared = true;
    await project.push();
    expect(await recordNames(project.view(), RUN)).toEqual([]);
  });

  it("begins in the middle where a step is none of the table's, though others are", async () => {
    const project = new Project();
    await project.write("shut", [
      ["opens", "shut", "open"],
      ["bolts", "open", "shut"],
    ]);
    expect((await project.record()).origin).toMatchObject({ state: "shut", at: 2, begins: false });
    expect(await project.faults()).toEqual([]);
  });

  it("knows a file by what it says, with a mark of its encoding or without, and one that is no JSON by its text", async () => {
    const project = await pushed(1);
    project.files.set(FILE, `\uFEFF${project.files.get(FILE)}`);
    expect(await project.faults()).toEqual([]);
    const plain = { ...states(), configurationIn: () => ({ state: "open", variables: {} }) };
    const faultsOf = (text: string) => recordFaults(project.view(), plain, FILE, text);
    expect(await faultsOf("no JSON")).not.toEqual([]);
    const changes: Change[] = [{ type: "write", path: FILE, text: "no JSON" }];
    const [record] = await recordChanges(project.view(), plain, { changes }, "");
    project.files.set(headPath(RUN), record?.type === "write" ? record.text : "");
    expect(await faultsOf("no JSON")).toEqual([]);
    expect(await faultsOf("no JSON ")).not.toEqual([]);
  });

  it("is of a run that was there before where its file is no text", async () => {
    const project = new Project();
    const view = project.view();
    const refusing = (error: Error): View => ({
      ...view,
      read: async (path) => {
        if (path === FILE) throw error;
        return view.read(path);
      },
    });
    const changes: Change[] = [{ type: "write", path: FILE, text: '{"state":"open"}' }];
    const made = (error: Error) => recordChanges(refusing(error), states(), { changes }, "");
    const [record] = await made(new NotText("state-unreadable", "not text", "fix"));
    expect(JSON.parse(record?.type === "write" ? record.text : "{}")).toMatchObject({ unproved: true });
    await expect(made(new Error("disk"))).rejects.toThrow("disk");
  });

  it("is made though shared records are damaged, and not where they cannot be looked for", async () => {
    const others = new Project();
    others.isShared = true;
    await others.push();
    const project = new Project();
    project.isShared = true;
    for (const [path] of others.files) if (path.startsWith(RECORDS)) project.files.set(path, "{");
    await project.push();
    expect((await project.record()).steps).toHaveLength(1);
    const list = async () => Promise.reject(new Error("disk"));
    const changes: Change[] = [{ type: "write", path: FILE, text: '{"state":"open"}' }];
    const sharing = { ...states(), sharedIn: () => ({ rests: true, recordedState: {} }) };
    await expect(recordChanges({ ...new Project().view(), list }, sharing, { changes }, "")).rejects.toThrow(
      "disk",
    );
  });

  it.each<readonly [string, number, number, object]>([
    ["as it began", 3, 0, { at: 0, begins: true, state: "shut" }],
    ["from where it stands, as its beginning is not there", 3, 1, { at: 2, begins: false, state: "open" }],
    ["with the last steps of many", 11, 0, { at: 5, begins: false, state: "open" }],
  ])("of a run that was taken over is replayed %s", async (_, times, missing, origin) => {
    const theirs = await pushed(times);
    const text = theirs.files.get(FILE) ?? "";
    const steps = (await theirs.record()).steps.slice(missing);
    const taken = recordOfTaken(
      {
        ...{ run: RUN, states: states(TABLE, 5), steps, recordedState: { state: "open", variables: {} } },
        ...{ table: hashOfTable(TABLE), time: "2026-01-31T09:30:15.250Z" },
      },
      FILE,
      text,
    );
    const project = new Project();
    project.files.set(FILE, JSON.stringify(JSON.parse(text), null, 2));
    project.files.set(headPath(RUN), taken.type === "write" ? taken.text : "");
    expect(taken).toMatchObject({ type: "write", path: headPath(RUN) });
    expect((await project.record()).origin).toMatchObject(origin);
    expect((await project.record()).dropped).toBe(times === 11 ? 6 : 0);
    expect(await project.record()).toMatchObject({ run: RUN, version: 1, recordedState: { state: "open" } });
    if (missing === 0) expect(await project.faults()).toEqual([]);
    await project.push();
    if (missing === 0) expect(await project.faults()).toEqual([]);
  });

  it("goes with its last file", async () => {
    const project = await pushed(1);
    const gone = [{ type: "remove", path: FILE }] as const;
    expect(await recordChanges(project.view(), states(), { changes: gone }, "")).toEqual([
      { type: "remove", path: headPath(RUN) },
    ]);
  });
});
