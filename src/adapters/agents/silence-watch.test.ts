import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openSilenceWatch, type SilenceWatch } from "./silence-watch.ts";

let folder: string;
let said: string[];
let watch: SilenceWatch;

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), "pawl-silence-"));
  said = [];
  watch = openSilenceWatch(folder, (text) => void said.push(text));
});

afterEach(() => {
  watch.close();
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const seconds = () => said.map((text) => Number(/for (\d+) s/.exec(text)?.[1]));

it("is reported after half a minute, and each time it has lasted twice as long, with the program's error output", () => {
  promise("agents.retry-line");
  vi.advanceTimersByTime(29_000);
  expect(said).toEqual([]);
  writeFileSync(join(folder, "errors.log"), "Attempt 3 failed with status 503.\n    at Object.x\n}\n");
  vi.advanceTimersByTime(1000);
  expect(said[0]).toContain("(Attempt 3 failed with status 503.)");
  vi.advanceTimersByTime(90_000);
  expect(seconds()).toEqual([30, 60, 120]);
});

it("begins anew with each word, and is none while a tool runs", () => {
  promise("agents.retry-line");
  vi.advanceTimersByTime(25_000);
  watch.onLines([{ type: "text", text: "x" }]);
  vi.advanceTimersByTime(25_000);
  watch.onLines([{ type: "tool", name: "shell", detail: "npm test" }]);
  vi.advanceTimersByTime(600_000);
  expect(said).toEqual([]);
  watch.onLines([]);
  vi.advanceTimersByTime(30_000);
  expect(seconds()).toEqual([30]);
});

it("says nothing once it is closed, whatever lines come after the end", () => {
  promise("agents.retry-line");
  watch.close();
  watch.onLines([{ type: "text", text: "x" }]);
  vi.advanceTimersByTime(600_000);
  expect(said).toEqual([]);
});
