import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { limitedBy, resetIn } from "./limited.ts";

/** By the clock on the wall of this machine. */
const local = (day: number, hours: number, minutes: number) => new Date(2026, 10, day, hours, minutes);
const NOW = local(27, 22, 0);
const utc = (text: string) => new Date(`2026-11-${text}Z`);
const MINUTE = 60_000;
const later = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);

describe("The end of a limit is read from", () => {
  it.each([
    [
      "You've hit your usage limit. Visit https://x.example/usage or try again at 11:38 PM.",
      local(27, 23, 38),
    ],
    ["try again at 2:38 AM.", local(28, 2, 38)],
    ["try again at Nov 29th, 2026 2:38 PM.", local(29, 14, 38)],
    ["resets tomorrow at 09:00", local(28, 9, 0)],
    ["resets 21:58", local(27, 21, 58)],
    ["Your limit resets in 3 h", later(180)],
    ["try again in 1 day 2 hours 5 minutes", later(26 * 60 + 5)],
    ["Your quota will reset after 2h12m30s.", later(132.5)],
    ["Please retry in 90.0s.", later(1.5)],
    ['"retryDelay": "7200s"', later(120)],
    ['{"resets_in_seconds":7200}', later(120)],
    ["429, retry-after: 3600", later(60)],
    ["Claude AI usage limit reached|1795790523", new Date(1795790523000)],
    ['"resets_at":1795790523', new Date(1795790523000)],
    ["It resets at 2026-11-28T03:02:00Z", utc("28T03:02:00")],
    ["It resets at 2026-11-28 03:02 +01:00", utc("28T02:02:00")],
  ])("%s", (words, at) => {
    promise("agents.limit");
    expect(resetIn(words, NOW)?.toISOString()).toBe(at.toISOString());
  });

  it.each([
    ["resets 2:42pm (UTC)", utc("27T12:00:00"), utc("27T14:42:00")],
    ["resets 3am (Europe/Berlin)", utc("27T12:00:00"), utc("28T02:00:00")],
    ["resets 3am (America/New_York)", utc("27T12:00:00"), utc("28T08:00:00")],
    ["resets Dec 1 at 3am (Asia/Tokyo)", utc("27T12:00:00"), utc("30T18:00:00")],
  ])("a clock in its own zone: %s", (words, now, at) => {
    promise("agents.limit");
    expect(resetIn(words, now)?.toISOString()).toBe(at.toISOString());
  });

  it.each([
    "You have reached your limit.",
    "try again later",
    "resets at 3am (Middle/Earth)",
    "exceeded retry limit, last status: 429 Too Many Requests",
    "resets 99:99",
    "Please try again in a moment; 40,000 tokens per minute",
  ])("no words that name none: %s", (words) => {
    expect(resetIn(words, NOW)).toBeNull();
  });
});

describe("A failure", () => {
  it("of the run itself is no limit", () => {
    expect(limitedBy({ reason: "model-error", detail: "resets in 3 h" }, "claude", NOW)).toBeNull();
    expect(limitedBy(null, "claude", NOW)).toBeNull();
  });

  it("of the account says what a person must do", () => {
    promise("agents.account");
    const of = (refuses: "key" | "credit" | "model") =>
      limitedBy({ reason: "account", detail: "no", refuses }, "codex", NOW)?.mend;
    expect(of("key")).toContain("`codex login`");
    expect(of("credit")).toContain("no credit");
    expect(of("model")).toContain("agents: {codex: {model: NAME}}");
  });
});
