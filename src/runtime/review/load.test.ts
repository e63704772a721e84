import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { NO_FACTS } from "../../../test/rig/review-facts.ts";
import { PawlError } from "../../core/error.ts";
import type { DiffOrder, GitDiff } from "../../core/ports/git.ts";
import type { RunOverview, WorkflowModule } from "../module.ts";
import type { Project } from "../project.ts";
import { differencesOf, reviewOf, waiting } from "./load.ts";
import type { Review, ReviewFile } from "./model.ts";

const RUN: RunOverview = {
  ...{ run: "a:1", title: "One", state: "open", awaits: "human", waitsFor: "gate", next: "decide" },
  since: "2026-01-31T09:00:00.000Z",
};

/** Reviews by id; an error is thrown. */
function projectOf(
  runs: readonly RunOverview[],
  reviews: Readonly<Record<string, Partial<Review> | PawlError | null>>,
  diff?: (order: DiffOrder) => GitDiff,
): { readonly project: Pick<Project, "runtime" | "workflows">; readonly most: () => number } {
  let [now, most] = [0, 0];
  const review = {
    run: () => null,
    async read(_: unknown, { id }: { readonly id: string }) {
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      now -= 1;
      return reviews[id];
    },
    propose(found: Partial<Review> | PawlError | null) {
      if (found instanceof PawlError) throw found;
      return { reply: found && { ...NO_FACTS, ...found } };
    },
  };
  const module = {
    name: "a",
    title: "A",
    summary: "",
    overview: async () => runs,
    gate: { review: async () => review },
  };
  const bare = { name: "bare", title: "Bare", summary: "", overview: async () => [] };
  const runtime = {
    store: { view: () => ({}) },
    settings: async () => ({ gates: {} }),
    outside: { git: diff ? { diff: async (order: DiffOrder) => diff(order) } : {} },
    now: () => new Date("2026-01-31T12:00:00Z"),
    newId: () => "id",
  };
  const workflows = {
    a: async () => module as unknown as WorkflowModule,
    bare: async () => bare as unknown as WorkflowModule,
  };
  return {
    project: { runtime, workflows } as unknown as Pick<Project, "runtime" | "workflows">,
    most: () => most,
  };
}

describe("the review of a run", () => {
  it("is its workflow's, found by the run's name or its bare id", async () => {
    const { project } = projectOf([RUN], { 1: { run: "a:1" } });
    expect(await reviewOf(project, "a:1")).toMatchObject({ run: "a:1", brief: { against: [] } });
    expect(await reviewOf(project, "1")).toMatchObject({ run: "a:1", brief: { against: [] } });
    expect(await reviewOf(project, "bare:1")).toBeNull();
    await expect(reviewOf(project, "2")).rejects.toMatchObject({ code: "run-missing" });
  });

  it("gives the minutes of what waits, a few reviews at a time; one that fails leaves them unknown", async () => {
    promise("review.waiting");
    const ids = Array.from({ length: 12 }, (_, at) => String(at + 1));
    const size = (minutes: number) => ({ size: { files: 0, toRead: 0, lines: 0, minutes } });
    const reviews = Object.fromEntries(ids.map((id) => [id, size(Number(id))]));
    const runs = ids.map((id) => ({ ...RUN, run: `a:${id}` }));
    const { most, project } = projectOf(runs, {
      ...reviews,
      3: new PawlError("state-unreadable", "Broken.", "Mend."),
      4: null,
    });
    const found = await waiting(project);
    expect(found.map(({ minutes }) => minutes)).toEqual([1, 2, 5, 6, 7, 8, 9, 10, 11, 12, null, null]);
    expect(most()).toBeLessThanOrEqual(4);
  });
});

describe("a review that cannot be made", () => {
  it("is its workflow's fault, if that has one", async () => {
    const fault = new PawlError("workflow-invalid", "It is broken.", "Mend it.");
    const module = { name: "a", title: "A", summary: "", overview: async () => [RUN], fault };
    const { project } = projectOf([RUN], {});
    const faulty = { ...project, workflows: { a: async () => module as unknown as WorkflowModule } };
    await expect(reviewOf(faulty, "a:1")).rejects.toBe(fault);
  });

  it("is looked for in any state if the page is about the work", async () => {
    const asked: unknown[] = [];
    const plan = {
      run: () => null,
      read: async (_: unknown, input: object, { caller }: { readonly caller: object }) =>
        asked.push({ ...input, caller }),
      propose: () => ({ reply: null }),
    };
    const module = { name: "a", title: "A", overview: async () => [], gate: { review: async () => plan } };
    const { project } = projectOf([], {});
    const own = { ...project, workflows: { a: async () => module as unknown as WorkflowModule } };
    await reviewOf(own, "a:1");
    await reviewOf(own, "a:1", true);
    const caller = { channel: "library" };
    expect(asked).toEqual([
      { id: "1", caller },
      { id: "1", anyState: true, caller },
    ]);
  });

  it("has no minutes, and what is no gate is not opened for them", async () => {
    const runs = [RUN, { ...RUN, run: "a:2", waitsFor: "blocked" as const }];
    const { project } = projectOf(runs, { 1: null, 2: {} });
    expect((await waiting(project)).map(({ minutes, run }) => [run, minutes])).toEqual([
      ["a:1", null],
      ["a:2", null],
    ]);
  });
});

describe("the differences of a review", () => {
  const file = (path: string, isNew: boolean | null): ReviewFile => ({
    ...{ path, isNew, added: 1, deleted: 0 },
    ...({ group: "other", item: null, isOutside: false, folded: null } as const),
  });
  const changes = (lastJudged: string | null): Review["changes"] => ({
    ...{ kind: "changes", repo: null, base: "main", from: "base", to: "now", lastJudged, untouched: [] },
    files: [file("z", true), file("a", false)],
    since: lastJudged === null ? [] : [file("z", true), file("back", true)],
  });
  const shown = (path: string) => ({ path, text: `${path}\n`, isBinary: false, leftOut: 0 });
  const orders: DiffOrder[] = [];
  const { project } = projectOf([], {}, (order) => {
    orders.push(order);
    return { kind: "diff", files: [".pawl/own", "a", "back", "z"].map(shown) };
  });

  it("are those of its files, in their order, without the project's own", async () => {
    promise("review.differences");
    const found = await differencesOf(project, { changes: changes("judged") }, { bytes: 9 });
    expect(found).toEqual({ kind: "diff", files: [shown("z"), shown("a")] });
    expect(orders.at(-1)).toEqual({ from: "base", to: "now", path: null, bytes: 9 });
  });

  it("since the last verdict are those against what was judged then", async () => {
    const wanted = { bytes: 9, since: true };
    const found = await differencesOf(project, { changes: changes("judged") }, wanted);
    expect(found).toEqual({ kind: "diff", files: [shown("z"), shown("back")] });
    expect(orders.at(-1)?.from).toBe("judged");
    await differencesOf(project, { changes: changes(null) }, wanted);
    expect(orders.at(-1)?.from).toBe("base");
  });

  it("are not searched for in a file outside of the review", async () => {
    const before = orders.length;
    const found = await differencesOf(project, { changes: changes(null) }, { path: ".pawl/own", bytes: 9 });
    expect([found, orders.length]).toEqual([{ kind: "diff", files: [] }, before]);
  });

  it("are unavailable if the changes are, or if git's port shows none", async () => {
    const reason = "no git";
    expect(await differencesOf(project, { changes: { kind: "unavailable", reason } }, { bytes: 9 })).toEqual({
      ...{ kind: "unavailable", reason },
    });
    const { project: without } = projectOf([], {});
    expect((await differencesOf(without, { changes: changes(null) }, { bytes: 9 })).kind).toBe("unavailable");
    expect(await differencesOf(without, { changes: null }, { bytes: 9 })).toEqual({
      kind: "diff",
      files: [],
    });
  });

  it("of renamed files are between their names, in one call for all", async () => {
    const orders: DiffOrder[] = [];
    const { project } = projectOf([], {}, (order) => {
      orders.push(order);
      const was = order.renames ? { was: "old" } : {};
      return { kind: "diff", files: ["a", "b", "c"].map((path) => ({ ...shown(path), ...was })) };
    });
    const files = [
      { ...file("a", true), was: "old" },
      { ...file("b", true), was: "old" },
    ];
    const renamed = { ...changes(null), files } as Review["changes"];
    const found = await differencesOf(project, { changes: renamed }, { bytes: 9, context: 3 });
    await differencesOf(project, { changes: renamed }, { bytes: 9, path: "b" });
    const range = { from: "base", to: "now", bytes: 9 };
    expect(orders).toEqual([
      { ...range, path: null, renames: true, context: 3 },
      { ...range, path: "b", was: "old" },
    ]);
    expect(found.kind === "diff" && found.files.map(({ path }) => path)).toEqual(["a", "b"]);
  });

  it("are whole for a file that only git takes for a renamed one", async () => {
    const { project } = projectOf([], {}, ({ path }) => {
      if (path !== null) return { kind: "diff", files: [{ ...shown(path), text: "whole" }] };
      return { kind: "diff", files: ["a", "b"].map((each) => ({ ...shown(each), was: "old" })) };
    });
    const files = [{ ...file("a", true), was: "old" }, file("b", true)];
    const renamed = { ...changes(null), files } as Review["changes"];
    const found = await differencesOf(project, { changes: renamed }, { bytes: 9 });
    expect(found.kind === "diff" && found.files.map(({ text }) => text)).toEqual(["a\n", "whole"]);
  });

  it("in another repository are that one's, or the reason why there are none", async () => {
    const { project } = projectOf([], {});
    const elsewhere = { ...changes(null), repo: "api" } as Review["changes"];
    expect(await differencesOf(project, { changes: elsewhere }, { bytes: 9 })).toEqual({
      ...{ kind: "unavailable", reason: "its work is in the repository api" },
    });
  });
});
