import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { PawlError } from "../../core/error.ts";
import type { Task } from "../../tasks-file/task.ts";
import { lackOf, parseLabels, whyUnserved } from "./labels.ts";

const settings = { agent: "claude", labels: { ios: ["macos", "xcode"] } };
const task = (more: object = {}) => ({ id: "T", ...more }) as Task;

describe("A worker's labels", () => {
  it.each([
    ["", []],
    ["gpu", ["gpu"]],
    [" repo:api , agent:claude,linux,linux,", ["agent:claude", "linux", "repo:api"]],
    ["repo:./apps/web,repo:.", ["repo:.", "repo:apps/web"]],
  ])("are read from %j", (text, labels) => {
    promise("machines.labels");
    expect(parseLabels(text)).toEqual(labels);
  });

  it.each(["a b", "repository:api", "repo:", ":x", "repo:a:b", "x\u001b[2J", "a".repeat(200)])(
    "are refused in %j, with what they look like",
    (text) => {
      promise("machines.labels");
      expect(() => parseLabels(text)).toThrow(PawlError);
      expect(() => parseLabels(text)).toThrow("expected repo:PATH, agent:NAME, or a word such as gpu");
    },
  );

  it.each([
    ["", {}, []],
    ["gpu", { repo: "api", agent: "codex" }, []],
    ["repo:api", { repo: "./api" }, []],
    ["repo:api", { repo: "web" }, ["repo:web"]],
    ["repo:api", {}, []],
    ["agent:codex", {}, ["agent:claude"]],
    ["agent:codex,agent:claude", {}, []],
    ["repo:api,agent:codex", { repo: "web" }, ["repo:web", "agent:claude"]],
    ["", { repo: "ios" }, ["macos", "xcode"]],
    ["macos,xcode,gpu", { repo: "ios" }, []],
    ["macos,xcode,repo:api", { repo: "ios" }, ["repo:ios"]],
    ["", { repo: "constructor" }, []],
  ])("%j serve %j but for %j", (labels, more, lack) => {
    promise("machines.labels");
    expect(lackOf(parseLabels(labels), task(more), settings)).toEqual(lack);
  });

  it("that all fail a task name what it asks for", () => {
    promise("machines.labels");
    const workers = ["macos", "repo:api"].map(parseLabels);
    expect(whyUnserved([], task(), settings)).toMatch(/^there is no worker: /);
    expect(whyUnserved(workers, task(), settings)).toBeNull();
    expect(whyUnserved(workers, task({ repo: "ios" }), settings)).toBe(
      "no worker serves repo:ios with agent:claude with macos with xcode: `pawl worker list` lists them",
    );
  });
});
