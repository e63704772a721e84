/** When a process that lives on looks for what to tell. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { stateHome } from "../../../test/rig/state-home.ts";
import { until } from "../../../test/rig/until.ts";
import type { PawlEvent } from "../../core/event.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Trust } from "../../runtime/project.ts";
import { openNotices } from "./notices.ts";

const HOUR = 3_600_000;
const SOON = 1000;
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-notices-"));
  vi.useFakeTimers({ now: new Date(2026, 2, 5, 23), toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(root, { recursive: true, force: true });
});

/** `looks`: how often it asked for the settings, which each look does. */
function opened(quiet: string | null, more: Readonly<Record<string, string>> = {}) {
  let looks = 0;
  const settings = async () => {
    looks += 1;
    return { ...DEFAULT_SETTINGS, notify: { ...DEFAULT_SETTINGS.notify, desktop: true, quiet } };
  };
  const place = {
    root,
    home: root,
    environment: { ...stateHome(), ...more },
    settings,
    now: () => new Date(),
  };
  return { notices: openNotices(place, {} as Trust), looks: () => looks };
}

it("A process that lives through quiet hours looks again when they end", async () => {
  promise("notices.quiet");
  const { looks, notices } = opened("22:00-07:00");
  notices.wake();
  await vi.advanceTimersByTimeAsync(SOON);
  await until(() => looks() === 2);
  await until(() => vi.getTimerCount() === 1);
  await vi.advanceTimersByTimeAsync(8 * HOUR - 2 * SOON);
  expect(looks()).toBe(2);
  await vi.advanceTimersByTimeAsync(3 * SOON);
  await until(() => looks() > 2);
  await notices.close();
});

it("An agent's process never looks: it has no secret, and ends with its run", async () => {
  promise("notices.not-by-agents");
  const { looks, notices } = opened(null, { PAWL_RUN_MARK: "x.T1.1" });
  notices.wake();
  notices.onCommit([
    {
      type: "append",
      path: ".pawl/events.jsonl" as never,
      id: "1",
      text: JSON.stringify({ type: "task:blocked", id: "1" } as Partial<PawlEvent>),
    },
  ]);
  await vi.advanceTimersByTimeAsync(SOON);
  await notices.close();
  expect(looks()).toBe(0);
});
