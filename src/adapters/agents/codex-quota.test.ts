import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { openAgents } from "./agents.ts";
import { codexQuota } from "./codex-quota.ts";

/** Its first 48 bits are the 28th of November 2026, 13:37. */
const SESSION = "01a2225f-a2a0-7961-a214-93b1c9becf5b";
const DAY = "2026/11/28";
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "pawl-codex-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

const RESETS = 1795880224;
/** As codex 0.171.0 writes it. */
const line = (rate_limits: object) =>
  `${JSON.stringify({ type: "event_msg", payload: { type: "token_count", info: null, rate_limits } })}\n`;
const limits = (used: number, weekly: number) => ({
  ...{ limit_id: "codex", credits: null, rate_limit_reached_type: null },
  primary: { used_percent: used, window_minutes: 300, resets_at: RESETS },
  secondary: { used_percent: weekly, window_minutes: 10080, resets_at: RESETS + 1000 },
});
const at = (seconds: number) => new Date(seconds * 1000).toISOString();

function write(text: string, day = DAY): string {
  const folder = join(home, "sessions", day);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `rollout-2026-11-28T13-37-02-${SESSION}.jsonl`);
  writeFileSync(file, text);
  return file;
}

describe("What codex' account has used", () => {
  it("is said by the last answer in the session's file, however long that is", () => {
    promise("agents.fit");
    write(
      `${line(limits(10, 1))}{"x":"${"y".repeat(2_000_000)}"}\n${line(limits(41.5, 12))}{"type":"end"}\n`,
    );
    expect(codexQuota(home, SESSION)).toEqual([
      {
        type: "quota",
        windows: [
          { name: "5_hour", used: 0.415, resets: at(RESETS) },
          { name: "7_day", used: 0.12, resets: at(RESETS + 1000) },
        ],
      },
    ]);
  });

  it("says when a window that is used up is renewed: the last of them", () => {
    promise("agents.limit");
    write(line(limits(100, 100)));
    expect(codexQuota(home, SESSION).at(-1)).toEqual({ type: "limit", resets: (RESETS + 1000) * 1000 });
  });

  it("is found if the day was another one in codex' zone", () => {
    write(line(limits(50, 50)), "2026/11/27");
    expect(codexQuota(home, SESSION)).toHaveLength(1);
  });

  it.each([
    ["nothing, with a key", line({ limit_id: "codex", primary: null, secondary: null })],
    ["words", "no JSON\n"],
    ["odd values", line({ primary: { used_percent: "1", window_minutes: 300, resets_at: 1e300 } })],
  ])("is unknown if the file says %s", (_, text) => {
    write(text);
    expect(codexQuota(home, SESSION)).toEqual([]);
  });

  it("is unknown if a link or a pipe stands in the file's place, or there is none", () => {
    const file = write(line(limits(50, 50)));
    renameSync(file, join(home, "elsewhere"));
    expect(codexQuota(home, SESSION)).toEqual([]);
    expect(codexQuota(home, "no UUID")).toEqual([]);
    symlinkSync(join(home, "elsewhere"), file);
    expect(codexQuota(home, SESSION)).toEqual([]);
    rmSync(file);
    execFileSync("mkfifo", [file]);
    expect(codexQuota(home, SESSION)).toEqual([]);
    rmSync(file);
    renameSync(join(home, "elsewhere"), file);
    renameSync(join(home, "sessions", DAY), join(home, "moved"));
    symlinkSync(join(home, "moved"), join(home, "sessions", DAY));
    expect(codexQuota(home, SESSION)).toEqual([]);
  });

  it("is part of a run's end", async () => {
    promise("agents.fit");
    write(line(limits(41.5, 12)));
    const program = join(home, "codex-program");
    const events = [
      { type: "thread.started", thread_id: SESSION },
      { type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } },
    ];
    const said = events.map((event) => `echo '${JSON.stringify(event)}'`).join("\n");
    writeFileSync(
      program,
      `#!/bin/sh\n[ "$1" = --version ] && exec echo codex-cli 0.171.0\ncat >/dev/null\n${said}\n`,
      {
        mode: 0o755,
      },
    );
    const agents = openAgents({
      ...{ projectRoot: home, stateFolder: home, environment: { ...process.env, CODEX_HOME: home } },
      agents: { mine: { dialect: "codex", program } },
    });
    const { ended } = agents.start(
      {
        ...{ run: "run-1", agent: "mine", folder: { agentPath: home }, prompt: "work" },
        ...{ session: { type: "new" }, permission: "edits" },
      },
      () => {},
    );
    expect((await ended).quota).toMatchObject([{ name: "5_hour", used: 0.415 }, { name: "7_day" }]);
  });
});
