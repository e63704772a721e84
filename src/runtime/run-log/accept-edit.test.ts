import { beforeEach, describe, expect, it } from "vitest";
import { door } from "../../../test/rig/lockable.ts";
import type { PawlEvent } from "../../core/event.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { Change, View } from "../../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Context, StateFiles } from "../transaction/transaction.ts";
import { acceptEditOf } from "./accept-edit.ts";
import { headPath } from "./history.ts";
import {
  checkFile,
  checkRecord,
  loadRecord,
  recordChanges,
  recordedOverview,
  recordFaults,
} from "./record.ts";

const RUN = "door:a";
const FILE = projectPath("runs/a.json");
const OTHER = projectPath("done/a.json");
const TIME = "2026-01-31T09:30:15.250Z";

const STATES: StateFiles = {
  table: door,
  runOf: (path) => (path === FILE || path === OTHER ? RUN : null),
  configurationIn: (text) => ({
    state: /"state"\s*:\s*"(\w+)"/.exec(text)?.[1] ?? "",
    variables: { pushes: 0 },
  }),
};

const files = new Map<string, string>();
const view: View = {
  read: async (path) => files.get(path) ?? null,
  list: async () => [],
  lastLine: async () => null,
  isCurrent: async () => true,
  packaged: async () => null,
};
const plan = acceptEditOf({ states: STATES, lock: "door:lock", paths: () => [FILE, OTHER] });

function apply(changes: readonly Change[]): void {
  for (const change of changes)
    if (change.type === "write") files.set(change.path, change.text);
    else if (change.type === "remove") files.delete(change.path);
}

const written = (path: ProjectPath, state: string): Change => ({
  type: "write",
  path,
  text: JSON.stringify({ state }),
});

async function accept(answered?: Context["answered"], channel: Context["caller"]["channel"] = "terminal") {
  const context = {
    settings: DEFAULT_SETTINGS,
    caller: { channel },
    now: { time: TIME, id: "id-1" },
    ...(answered === undefined ? {} : { answered }),
  } as Context;
  const seen = await plan.read(view, { id: "a" }, context);
  return plan.propose(seen, undefined, { id: "a" }, context);
}

async function asked(): Promise<string> {
  const { ask, changes, reply } = await accept();
  expect([changes, reply]).toEqual([undefined, { text: "", data: {} }]);
  return ask?.message ?? "";
}

beforeEach(async () => {
  files.clear();
  const changes = [written(FILE, "closed"), written(OTHER, "gone")];
  apply([...changes, ...(await recordChanges(view, STATES, { changes }, TIME))]);
});

describe("an edit that a person accepts", () => {
  it("is asked for with what does not follow, and holds the run's lock", async () => {
    files.set(OTHER, JSON.stringify({ state: "open" }));
    expect(plan.run({ id: "a" })).toBe("door:lock");
    expect(plan.states).toBe(STATES);
    const message = await asked();
    expect(message).toContain(
      "Take done/a.json as it is, though it does not follow from the run's own history?\n\nWhatever was edited counts from then on, approvals that were never given too. It is recorded as accepted by you.\n- it is not the one that Pawl wrote",
    );
    expect(message).toMatch(/\n\nAll of it: done\/a\.json$/);
  });

  it("is taken as it is, with a step of its own, once the person says yes", async () => {
    files.set(OTHER, JSON.stringify({ state: "open" }));
    const message = await asked();
    const { changes = [], events = [], reply } = await accept({ to: { message } } as Context["answered"]);
    const text = "done/a.json is taken as it is; its history goes on from there.";
    expect(reply).toEqual({ text, data: { status: "success", message: text } });
    expect(changes).toEqual([written(OTHER, "open")]);
    expect(events).toMatchObject([
      {
        type: "run:advanced",
        run: RUN,
        machine: "door",
        event: "edit_accepted",
        row: "edit_accepted",
        from: "gone",
        to: "open",
        strength: "terminal",
        summary: expect.stringMatching(
          /^an edit of done\/a\.json was accepted: it is not the one that Pawl wrote/,
        ),
      },
    ]);
    apply([
      ...changes,
      ...(await recordChanges(view, STATES, { changes, events: events as readonly PawlEvent[] }, TIME)),
    ]);
    expect(await recordFaults(view, STATES, OTHER, files.get(OTHER) ?? "")).toEqual([]);
    expect((await loadRecord(view, RUN))?.origin).toMatchObject({ state: "open", begins: false, at: 1 });
  });

  it("names all files that were edited, and what is wrong with each", async () => {
    files.set(FILE, JSON.stringify({ state: "open" }));
    files.set(OTHER, JSON.stringify({ state: "open" }));
    const message = await asked();
    expect(message).toContain("Take runs/a.json and done/a.json as it is");
    const { changes, events } = await accept({ to: { message } } as Context["answered"]);
    expect(changes).toEqual([written(FILE, "open"), written(OTHER, "open")]);
    expect(JSON.stringify(events)).toContain("an edit of runs/a.json and done/a.json was accepted");
    expect((events as readonly { summary: string }[])[0]?.summary.split("; it is not the one")).toHaveLength(
      2,
    );
  });

  it("is none where every file follows from its history, or where there is none", async () => {
    const none = (message: string) =>
      expect(accept()).rejects.toMatchObject({
        code: "no-effect",
        message,
        fix: "There is nothing to accept.",
      });
    await none("The state of door:a follows from its history.");
    files.clear();
    await none("The state of door:a follows from its history.");
  });

  it("is asked for again over a channel that asks nobody, and where the question is another one", async () => {
    files.set(OTHER, JSON.stringify({ state: "open" }));
    const message = await asked();
    expect((await accept({ to: { message } } as Context["answered"], "mcp")).ask?.message).toBe(message);
    expect((await accept({ to: { message: "Q" } } as Context["answered"])).ask?.message).toBe(message);
  });
});

describe("a file that somebody builds on", () => {
  const tampered = {
    code: "state-tampered",
    message: expect.stringContaining("runs/a.json does not follow from the run's own history"),
  };

  it("is believed as it was written with its run's record", async () => {
    const text = files.get(FILE) ?? "";
    await checkRecord(view, STATES, FILE, text);
    await checkFile(view, RUN, FILE, text);
    files.set(FILE, '{"state":"gone"}');
    await expect(checkRecord(view, STATES, FILE, '{"state":"gone"}')).rejects.toMatchObject(tampered);
    await expect(checkFile(view, RUN, FILE, '{"state":"gone"}')).rejects.toMatchObject(tampered);
    await expect(checkFile(view, RUN, projectPath("runs/b.json"), "{}")).rejects.toMatchObject({
      message: expect.stringContaining("Pawl has recorded no such file of the run"),
    });
  });

  it("is held where its run has no record, and shown as unproved", async () => {
    files.delete(headPath(RUN));
    await expect(checkRecord(view, STATES, FILE, "{}")).rejects.toMatchObject(tampered);
    await expect(checkFile(view, RUN, FILE, "{}")).rejects.toMatchObject(tampered);
    await checkRecord(view, STATES, projectPath("else.json"), "{}");
    expect(await recordedOverview(view, RUN)).toEqual({ unproved: true });
    files.set(FILE, "{}");
    files.set(headPath(RUN), JSON.stringify({ version: 1, run: "door:b", steps: [] }));
    expect(await loadRecord(view, RUN)).toBeNull();
    expect(await recordFaults(view, STATES, FILE, "{}")).toEqual([
      ".pawl/heads/door/a.json, the record of its steps, cannot be read",
    ]);
  });

  it("is compared by what it says: neither a mark at its beginning nor blanks count, and no JSON counts as it is", async () => {
    const faults = (text: string) => {
      files.set(FILE, text);
      return recordFaults(view, STATES, FILE, text);
    };
    expect(await faults('\uFEFF{ "state" : "closed" }')).toEqual([]);
    expect(await faults('{"state":"closed"')).not.toEqual([]);
    apply(
      await recordChanges(
        view,
        STATES,
        { changes: [{ type: "write", path: OTHER, text: '{"state":"gone"}' }] },
        TIME,
      ),
    );
    expect(Object.keys((await loadRecord(view, RUN))?.files ?? {})).toEqual([FILE, OTHER]);
  });

  it("goes with its record: what is removed is forgotten, and with the last file all of it", async () => {
    const removed = async (path: ProjectPath) => {
      const changes: Change[] = [{ type: "remove", path }];
      apply([...changes, ...(await recordChanges(view, STATES, { changes }, TIME))]);
    };
    await removed(FILE);
    expect((await loadRecord(view, RUN))?.files).toEqual({ [OTHER]: expect.any(String) });
    await removed(OTHER);
    expect(files.has(headPath(RUN))).toBe(false);
    await removed(OTHER);
    expect(files.size).toBe(0);
  });
});
