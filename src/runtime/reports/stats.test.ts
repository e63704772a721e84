import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { PawlEvent } from "../../core/event.ts";
import type { WorkflowModule } from "../module.ts";
import { type CostRow, groupCosts, mergeCosts, sumCosts } from "./costs.ts";
import { type GateWait, openGateWaits } from "./gate-waits.ts";
import { costsIn, loadStats, statsOf } from "./stats.ts";

const ROW: CostRow = {
  ...{ day: "2026-01-01", task: "T1", agent: "claude", cause: "first try" },
  ...{ usd: 1, tokens: 100, minutes: 10, runs: 1, withoutUsd: 0, withoutTokens: 0, accepted: true },
};
const SILENT = { usd: null, tokens: null, withoutUsd: 1, withoutTokens: 1 };

describe("the costs of agents' runs", () => {
  it("are summed per accepted step, with the share that went into doing it again", () => {
    promise("stats.counted");
    const rows = [
      ROW,
      { ...ROW, cause: "retry" as const, accepted: false },
      { ...ROW, cause: "rework" as const, usd: 2 },
    ];
    expect(sumCosts(rows)).toMatchObject({
      usd: 4,
      tokens: 300,
      runs: 3,
      accepted: 2,
      usdPerStep: 2,
      again: 0.75,
    });
  });

  it("say what agents did not report: nothing known is not zero", () => {
    promise("stats.honest");
    expect(sumCosts([{ ...ROW, ...SILENT }])).toMatchObject({ usd: null, tokens: null, usdPerStep: null });
    const mixed = sumCosts([ROW, { ...ROW, ...SILENT }]);
    expect(mixed).toMatchObject({ usd: 1, withoutUsd: 1, withoutTokens: 1, runs: 2 });
    const conflict = { ...ROW, ...SILENT, cause: "conflict" as const, minutes: 30 };
    expect(sumCosts([{ ...ROW, ...SILENT }, conflict]).again).toBe(0.75);
  });

  it("are the same in all after rows that differ in nothing but figures are merged", () => {
    promise("stats.counted");
    const rows = [ROW, ROW, { ...ROW, ...SILENT }, { ...ROW, accepted: false }, { ...ROW, task: "T2" }];
    expect(mergeCosts(rows)).toHaveLength(3);
    expect(sumCosts(mergeCosts(rows))).toEqual(sumCosts(rows));
  });

  it("are grouped, what cost most first and the latest day first", () => {
    const row = (task: string, day: number, usd: number | null, minutes = 10) => ({
      ...ROW,
      ...{ task, day: `2026-01-0${day}`, usd, minutes },
    });
    const rows = [row("T1", 2, 1), row("T2", 1, null, 5), row("T3", 3, 9), row("T4", 2, null, 20)];
    const names = (by: "task" | "day") => groupCosts(rows, by).map(({ name }) => name);
    expect(names("task")).toEqual(["T3", "T1", "T4", "T2"]);
    expect(names("day")).toEqual(["2026-01-03", "2026-01-02", "2026-01-01"]);
    expect(groupCosts(rows, "day").map(({ minutes, usd }) => [usd, minutes])).toEqual([
      [9, 10],
      [1, 30],
      [null, 5],
    ]);
  });

  it("have no price for a step if none is completed, and nothing was done again if nothing was done", () => {
    expect(sumCosts([{ ...ROW, accepted: false }])).toMatchObject({ usdPerStep: null, again: 0 });
    expect(sumCosts([])).toMatchObject({ usd: null, minutes: 0, again: 0 });
  });
});

const moved = (minute: number, from: string, to: string, more: object = {}, run = "bloom:T1") =>
  ({
    ...{ id: String(minute), time: `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z` },
    ...{ type: "run:advanced", run, machine: "m", event: "e", row: "r", from, to, summary: "" },
    ...more,
  }) as unknown as PawlEvent;
const waits = (minute: number) =>
  ({ ...moved(minute, "", ""), type: "task:waiting", taskId: "T1" }) as unknown as PawlEvent;

function waitsIn(...events: readonly PawlEvent[]): readonly GateWait[] {
  const gates = openGateWaits();
  return events.flatMap((event) => gates.take(event) ?? []);
}

describe("the waits for a person", () => {
  it("last from when the run came to its gate until the verdict", () => {
    promise("stats.counted");
    const found = waitsIn(
      moved(0, "plan", "review"),
      moved(9, "review", "review"),
      moved(12, "review", "code", { event: "approved", strength: "terminal" }),
    );
    expect(found).toEqual([
      expect.objectContaining({ run: "bloom:T1", gate: "review", verdict: "approved" }),
    ]);
    expect(statsOf([], found, "task").total).toMatchObject({ gates: 1, gateMinutes: 12 });
  });

  it("include questions, if the workflow says that the run waits", () => {
    const found = waitsIn(
      moved(0, "working", "waits"),
      waits(0),
      moved(5, "waits", "working", { event: "answered" }),
    );
    expect(found).toHaveLength(1);
    expect(waitsIn(moved(0, "working", "verifying"), moved(5, "verifying", "working"))).toEqual([]);
  });

  it("are nobody's before their beginning is known", () => {
    expect(waitsIn(moved(5, "review", "code", { strength: "terminal" }))).toEqual([]);
  });

  it("count for their task and day, also if no agent ran, and for no agent", () => {
    promise("stats.counted");
    const wait = { gate: "g", verdict: "v", from: "2026-01-01T00:00:00Z", to: "2026-01-02T00:00:00Z" };
    const of = (by: "task" | "agent" | "day") =>
      statsOf(
        [ROW],
        [
          { ...wait, run: "T1" },
          { ...wait, run: "alfred:A" },
        ],
        by,
      ).groups.map(({ gateMinutes, name }) => [name, gateMinutes]);
    expect(of("task")).toEqual([
      ["T1", 1440],
      ["alfred:A", 1440],
    ]);
    expect(of("day")).toEqual([
      ["2026-01-02", 2880],
      ["2026-01-01", 0],
    ]);
    expect(of("agent")).toEqual([["claude", null]]);
    const days = [2, 3, 1].map((day) => ({ ...wait, run: "T1", to: `2026-01-0${day}T00:00:00Z` }));
    expect(statsOf([], days, "day").groups.map(({ name }) => name.slice(-1))).toEqual(["3", "2", "1"]);
  });
});

describe("the figures of a project", () => {
  const log = (...events: readonly PawlEvent[]) => {
    const entries = events.map((event, at) => ({ text: JSON.stringify(event), start: at, end: at + 1 }));
    return {
      position: async () => ({ generation: "1", end: entries.length }),
      read: async () => ({ entries, next: entries.length, isAll: true }),
    };
  };
  const withCosts = {
    name: "bloom",
    board: async () => ({
      costs() {
        const rows: CostRow[] = [];
        return {
          containing: ["agent:cost"],
          take: (event: PawlEvent) => void rows.push({ ...ROW, task: event.id }),
          rows: () => rows,
        };
      },
    }),
  } as unknown as WorkflowModule;
  const without = { name: "alfred" } as WorkflowModule;
  const projectOf = (workflows: readonly WorkflowModule[], ...events: readonly PawlEvent[]) => {
    let isCaughtUp = false;
    return {
      workflows: Object.fromEntries(workflows.map((each) => [each.name, async () => each])),
      runtime: {
        store: {
          catchUp: async () => {
            isCaughtUp = true;
          },
        },
      },
      eventLog: async () => (isCaughtUp ? log(...events) : log()),
    } as unknown as Parameters<typeof loadStats>[0];
  };
  const events = ["bloom:T1", "alfred:T1"].flatMap((run) => [
    moved(0, "plan", "review", {}, run),
    moved(12, "review", "code", { strength: "terminal" }, run),
  ]);

  it("are of all that is committed, and tasks of the workflow with costs have their ids alone", async () => {
    const { by, groups, total } = await loadStats(projectOf([without, withCosts], ...events), "task");
    expect([by, total]).toMatchObject(["task", { runs: 4, gates: 2, gateMinutes: 24 }]);
    expect(groups.map(({ gates, name, runs }) => [name, runs, gates])).toEqual([
      ["0", 2, 0],
      ["12", 2, 0],
      ["T1", 0, 1],
      ["alfred:T1", 0, 1],
    ]);
  });

  it("have no costs if no workflow's runs are tasks of agents, and each run its whole name", async () => {
    const { groups, total } = await loadStats(projectOf([without], ...events), "task");
    expect(total).toMatchObject({ runs: 0, usd: null, gates: 2 });
    expect(groups.map(({ name }) => name)).toEqual(["bloom:T1", "alfred:T1"]);
    const none = await costsIn({});
    expect([none.workflow, none.openCosts().containing, none.openCosts().rows()]).toEqual([null, [], []]);
    expect((await costsIn({ bloom: async () => withCosts })).workflow).toBe("bloom");
  });
});
