import { describe, expect, it } from "vitest";
import { PawlError } from "../../core/error.ts";
import type { RunOverview, WorkflowModule } from "../module.ts";
import { loadWorkflow, loadWorkflows, type Project } from "../project.ts";
import { findRun, isUnbegun, missingRunError, overview, overviewOf } from "./overview.ts";

const runOf = (run: string, more: Partial<RunOverview> = {}) =>
  ({
    run,
    state: "open",
    since: "2026-01-31T09:30:15.250Z",
    awaits: null,
    ...more,
  }) as unknown as RunOverview;

interface Given {
  readonly runs?: readonly RunOverview[];
  readonly begin?: string;
  readonly fault?: PawlError;
  readonly thrown?: unknown;
}

function projectOf(workflows: Readonly<Record<string, Given>>, cache?: object) {
  const settled: unknown[] = [];
  const arounds: unknown[] = [];
  const modules = Object.entries(workflows).map(([name, given]) => {
    const module = {
      name,
      title: name.toUpperCase(),
      summary: `What ${name} is for.`,
      ...(given.begin === undefined ? {} : { begin: given.begin }),
      ...(given.fault ? { fault: given.fault } : {}),
      async overview(_view: unknown, around: { settings(): unknown; time: string; cache?: unknown }) {
        arounds.push({ time: around.time, settings: await around.settings(), cache: around.cache });
        if ("thrown" in given) throw given.thrown;
        return given.runs ?? [];
      },
    } as unknown as WorkflowModule;
    return [name, async () => module] as const;
  });
  const runtime = {
    store: { view: () => "the view" },
    settings: async (view: unknown) => {
      settled.push(view);
      return "the settings";
    },
    outside: {},
    now: () => new Date("2026-02-01T00:00:00Z"),
    ...(cache ? { cache } : {}),
  };
  const project = { runtime, workflows: Object.fromEntries(modules) } as unknown as Project;
  return { project, settled, arounds };
}

const broken = (message = "The file is broken.") => new PawlError("state-unreadable", message, "Mend it.");
const refusal = (code: string, message: string, fix: string) =>
  expect.objectContaining({ code, message, fix });

describe("the overview of a project", () => {
  it("has every run of every workflow, and reads the settings once for all", async () => {
    const { arounds, project, settled } = projectOf({ a: { runs: [runOf("a:1")], begin: "Go." }, b: {} }, {});
    expect(await overview(project)).toEqual([
      { name: "a", title: "A", summary: "What a is for.", runs: [runOf("a:1")], begin: "Go." },
      { name: "b", title: "B", summary: "What b is for.", runs: [] },
    ]);
    expect(settled).toEqual(["the view"]);
    const around = { time: "2026-02-01T00:00:00.000Z", settings: "the settings", cache: {} };
    expect(arounds).toEqual([around, around]);
  });

  it("shows a workflow that cannot be read with its problem, and the others beside it", async () => {
    const { project } = projectOf({
      a: { thrown: broken() },
      b: { runs: [runOf("b:1")], fault: broken("Odd.") },
    });
    expect(await overview(project)).toEqual([
      {
        name: "a",
        title: "A",
        summary: "What a is for.",
        runs: [],
        problem: { message: "The file is broken.", fix: "Mend it." },
      },
      {
        name: "b",
        title: "B",
        summary: "What b is for.",
        runs: [runOf("b:1")],
        warning: { message: "Odd.", fix: "Mend it." },
      },
    ]);
  });

  it("fails if no workflow can be read, all for the same reason", async () => {
    await expect(
      overview(projectOf({ a: { thrown: broken() }, b: { thrown: broken() } }).project),
    ).rejects.toThrow(refusal("state-unreadable", "The file is broken.", "Mend it."));
    const differing = await overview(
      projectOf({ a: { thrown: broken() }, b: { thrown: broken("Odd.") } }).project,
    );
    expect(differing.map(({ problem }) => problem?.message)).toEqual(["The file is broken.", "Odd."]);
    expect(await overview(projectOf({}).project)).toEqual([]);
  });
});

describe("one run of the overview", () => {
  it("is asked of its own workflow alone, by its id", async () => {
    const asked: unknown[] = [];
    const { project } = projectOf({ a: { runs: [runOf("a:1"), runOf("a:2")] }, b: { thrown: broken() } });
    const named = await findRun(project, "a:2");
    const { overview: list } = named.module;
    const overview: typeof list = (view, around) => {
      asked.push(around.only);
      return list(view, around);
    };
    const module = { ...named.module, overview };
    expect(await overviewOf(project, { ...named, module })).toEqual(runOf("a:2"));
    expect(asked).toEqual(["2"]);
    expect(await overviewOf(project, { ...named, run: "a:3", id: "3" })).toBe(null);
  });
});

describe("the run that a person names", () => {
  const unbegun = { since: null } as Partial<RunOverview>;

  it("is found by its whole name without a look at any other", async () => {
    const { arounds, project } = projectOf({ a: { runs: [] }, b: {} });
    expect(await findRun(project, "b:x:y")).toMatchObject({ run: "b:x:y", id: "x:y", module: { name: "b" } });
    expect(arounds).toEqual([]);
    await expect(findRun(project, "c:x")).rejects.toMatchObject({ code: "workflow-missing" });
  });

  it("is found by its id if only one is called so, and one that has begun comes first", async () => {
    const { project } = projectOf({
      a: { runs: [runOf("a:1"), runOf("a:2", unbegun)] },
      b: { runs: [runOf("b:2"), runOf("b:3", unbegun)] },
    });
    expect((await findRun(project, "1")).run).toBe("a:1");
    expect((await findRun(project, "2")).run).toBe("b:2");
    expect(await findRun(project, "3")).toMatchObject({ run: "b:3", id: "3", module: { name: "b" } });
  });

  it("is refused with the candidates if several are called so", async () => {
    const { project } = projectOf({ a: { runs: [runOf("a:1")] }, b: { runs: [runOf("b:1")] } });
    await expect(findRun(project, "1")).rejects.toThrow(
      refusal(
        "run-ambiguous",
        'More than one run is called "1": a:1, b:1.',
        "Write the run's whole name, such as a:1.",
      ),
    );
  });

  it("is refused with what there is if none is called so", async () => {
    const { project } = projectOf({ a: { runs: [runOf("a:first")] } });
    await expect(findRun(project, "frist")).rejects.toThrow(
      refusal(
        "run-missing",
        'No run is called "frist": expected one of a:first.',
        "Did you mean first? `pawl status` lists every run.",
      ),
    );
    await expect(findRun(project, ":x")).rejects.toMatchObject({ code: "run-missing" });
    await expect(findRun(projectOf({ a: {} }).project, "x")).rejects.toThrow(
      refusal(
        "run-missing",
        'No run is called "x": the project has no runs yet.',
        "`pawl status` lists every run.",
      ),
    );
  });

  it("is not reported as missing if it may be among those that cannot be read", async () => {
    const { project } = projectOf({ a: { thrown: broken() }, b: { runs: [runOf("b:1")] } });
    await expect(findRun(project, "2")).rejects.toThrow(
      refusal(
        "run-missing",
        'No run that can be read is called "2", and those of A cannot be read: The file is broken.',
        "Mend it.",
      ),
    );
    expect((await findRun(project, "1")).run).toBe("b:1");
  });

  it("is not guessed from nothing, and at most eight are listed", () => {
    const runs = (count: number) => Array.from({ length: count }, (_, at) => `a:${at + 1}`);
    expect(missingRunError("", runs(8))).toMatchObject({
      message: 'No run is called "": expected one of a:1, a:2, a:3, a:4, a:5, a:6, a:7, a:8.',
      fix: "`pawl status` lists every run.",
    });
    expect(missingRunError("", runs(10)).message).toBe(
      'No run is called "": expected one of a:1, a:2, a:3, a:4, a:5, a:6, a:7, a:8 and 2 more.',
    );
  });

  it("has not begun as long as nothing happened to it and no person is waited for", () => {
    expect(isUnbegun(runOf("a:1", unbegun))).toBe(true);
    expect(isUnbegun(runOf("a:1"))).toBe(false);
    expect(isUnbegun(runOf("a:1", { ...unbegun, awaits: "human" } as Partial<RunOverview>))).toBe(false);
    expect(isUnbegun(runOf("a:1", { ...unbegun, problem: { message: "", fix: "" } } as never))).toBe(false);
  });
});

describe("the workflows of a project", () => {
  const { workflows } = projectOf({ alfred: {}, bloom: {} }).project;

  it("are loaded by name, each once, or all", async () => {
    expect((await loadWorkflows(workflows)).map(({ name }) => name)).toEqual(["alfred", "bloom"]);
    expect((await loadWorkflows(workflows, ["bloom", "bloom"])).map(({ name }) => name)).toEqual(["bloom"]);
  });

  it("are refused by another name, with the nearest or with all", () => {
    const message = (name: string) => `No workflow is called "${name}": expected one of alfred, bloom.`;
    expect(() => loadWorkflow(workflows, "blom")).toThrow(
      refusal("workflow-missing", message("blom"), "Use bloom."),
    );
    expect(() => loadWorkflow(workflows, "toString")).toThrow(
      refusal("workflow-missing", message("toString"), "`pawl status` shows each with its runs."),
    );
  });
});
