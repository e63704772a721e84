import { describe, expect, it } from "vitest";
import { PawlError } from "../../core/error.ts";
import type { WorkflowModule } from "../module.ts";
import { openScopes, runNames, runOfCall, scopeOf } from "./open-scopes.ts";

const scope = (run: string) => ({
  ...{ run, state: "open", writes: "none", forbids: [], planFiles: [], next: "Go on.", awaits: "assistant" },
});
type Scopes = Readonly<Record<string, "open" | "over" | PawlError>>;

/** Workflows by name, with their runs by id. */
function projectOf(workflows: Readonly<Record<string, Scopes | null>>) {
  const view = { name: "the view" };
  const views: unknown[] = [];
  const modules = Object.entries(workflows).map(([name, runs]) => {
    const own =
      runs === null
        ? {}
        : {
            scopes: {
              runIds: async (given: unknown) => {
                views.push(given);
                return Object.keys(runs);
              },
              async scopeOf(given: unknown, id: string) {
                views.push(given);
                const found = runs[id];
                if (found instanceof PawlError) throw found;
                return found === "open" ? scope(`${name}:${id}`) : null;
              },
              runOfCall: (tool: string, input: { readonly id?: string }) =>
                tool === `${name}_tool` ? (input.id ?? null) : null,
            },
          };
    return [name, async () => ({ name, title: name, ...own }) as unknown as WorkflowModule] as const;
  });
  const project = { runtime: { store: { view: () => view } }, workflows: Object.fromEntries(modules) };
  return { project: project as never, view, views };
}

const BROKEN = new PawlError("state-unreadable", "It is broken.", "Mend it.");

describe("the scopes of all runs", () => {
  it("are those of the open ones, in the order of their workflows", async () => {
    const { project, view, views } = projectOf({ a: { 1: "open", 2: "over" }, none: null, b: { 3: "open" } });
    expect(await openScopes(project)).toEqual([scope("a:1"), scope("b:3")]);
    expect(new Set(views)).toEqual(new Set([view]));
  });

  it("are one in which nothing may be written, if a workflow's cannot be read", async () => {
    const { project } = projectOf({ a: { 1: "open", 2: BROKEN }, b: { 3: "open" } });
    expect(await openScopes(project)).toEqual([
      {
        run: "a",
        state: "unreadable",
        writes: "none",
        forbids: expect.anything(),
        planFiles: [],
        next: "Mend it.",
        awaits: "human",
      },
      scope("b:3"),
    ]);
  });
});

describe("a run", () => {
  const { project } = projectOf({ a: { 1: "open", "2:b": "open", 3: "over" }, none: null, b: { 1: "open" } });

  it("is named with its workflow, open or not", async () => {
    expect(await runNames(project)).toEqual(["a:1", "a:3", "a:2:b", "b:1"]);
  });

  it("has the scope of its workflow, or none", async () => {
    expect(await scopeOf(project, "a:1")).toEqual(scope("a:1"));
    expect(await scopeOf(project, "a:2:b")).toEqual(scope("a:2:b"));
    for (const run of ["a:3", "a:9", "none:1", "c:1", "toString:1", "a", ""])
      expect(await scopeOf(project, run)).toBeNull();
  });

  it("is what a tool's call is about, if the tool is of its workflow", async () => {
    expect(await runOfCall(project, "b_tool", { id: "1" })).toBe("b:1");
    expect(await runOfCall(project, "a_tool", { id: "7" })).toBe("a:7");
    expect(await runOfCall(project, "b_tool", {})).toBeNull();
    expect(await runOfCall(project, "other", { id: "1" })).toBeNull();
  });
});
