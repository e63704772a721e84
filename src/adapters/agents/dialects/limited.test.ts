import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { limitedBy } from "./limited.ts";
import { resetIn, timeOf } from "./reset-time.ts";

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
    ["try again in 3 h 20 min", later(200)],
    ["try again in 3 hours and 20 minutes", later(200)],
    ["resets in 3:20:00", later(200)],
    ["try again in about an hour", later(60)],
    ["Wait 30 seconds before you try again", later(0.5)],
    ["Please try again in 1500ms", later(0.025)],
    ["resets 10 minutes from now", later(10)],
    ["retry after 30", later(0.5)],
    ["retry_after: 120", later(2)],
    ["retry-after-ms: 120000", later(2)],
    ['"retryAfterSeconds":120', later(2)],
    ["x-ratelimit-reset-requests: 6m0s", later(6)],
    ["retry-after: Sat, 28 Nov 2026 03:02:00 GMT", utc("28T03:02:00")],
    ["resets at 1795790523", new Date(1795790523000)],
    ['"resetsAt":1795790523123', new Date(1795790523123)],
    ["anthropic-ratelimit-unified-reset: 1795790523", new Date(1795790523000)],
    ["It resets at 2026-11-28T03:02:00+0100", utc("28T02:02:00")],
    ["quota renews at 2026-11-28T03:02:00.123456Z", utc("28T03:02:00")],
    ["resets 5am tomorrow", local(28, 5, 0)],
    ["resets on Monday at 9:00 AM", local(30, 9, 0)],
    ["resets 30 Nov 2026 09:00", local(30, 9, 0)],
    ["resets at midnight", local(28, 0, 0)],
    ["Access resumes at 5 p.m.", local(28, 17, 0)],
    ["You will regain access on 2026-11-29 at 00:00 UTC.", utc("29T00:00:00")],
    ["Your allowance resets on November 30, 2026.", local(30, 0, 0)],
    ["resets Nov 30 (UTC)", utc("30T00:00:00")],
    ["Try again later. Your limit resets 11pm. 12:30 is lunch.", local(27, 23, 0)],
  ])("%s", (words, at) => {
    promise("agents.limit");
    expect(resetIn(words, NOW)?.toISOString()).toBe(at.toISOString());
  });

  it.each([
    ["resets 2:42pm (UTC)", utc("27T12:00:00"), utc("27T14:42:00")],
    ["resets 3am (Europe/Berlin)", utc("27T12:00:00"), utc("28T02:00:00")],
    ["resets 3am (America/New_York)", utc("27T12:00:00"), utc("28T08:00:00")],
    ["resets Dec 1 at 3am (Asia/Tokyo)", utc("27T12:00:00"), utc("30T18:00:00")],
    ["resets tomorrow at 5am (Europe/Paris)", utc("27T12:00:00"), utc("28T04:00:00")],
    ["resets at 5pm PST", utc("27T12:00:00"), utc("28T01:00:00")],
    ["resets at 5:00 PM ET", utc("27T12:00:00"), utc("27T22:00:00")],
    ["resets at 5am (GMT+2)", utc("27T12:00:00"), utc("28T03:00:00")],
    ["resets at 17:00+02:00", utc("27T12:00:00"), utc("27T15:00:00")],
    ["resets Mon 9:00 (UTC)", utc("27T12:00:00"), utc("30T09:00:00")],
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
    "resets at 5pm QQT",
    "available again on 11/12/2026 3:02 AM",
    "try again in a few minutes",
    "Please try again in a moment; 40,000 tokens per minute",
    "try again later, as of Nov 30 the limits are new",
  ])("no words that name none: %s", (words) => {
    expect(resetIn(words, NOW)).toBeNull();
  });
});

describe("A time in a field", () => {
  it.each([
    [1795790523, 1795790523000],
    [1795790523123, 1795790523123],
    ["1795790523", 1795790523000],
    ["2026-11-28T03:02:00Z", Date.UTC(2026, 10, 28, 3, 2)],
    [1e300, null],
    [Number.NaN, null],
    ["soon", null],
    [null, null],
  ])("%j is read in seconds, milliseconds or as ISO 8601", (value, at) => {
    expect(timeOf(value)?.getTime() ?? null).toBe(at);
  });
});

describe("A failure", () => {
  it("is read to its end, and shown shortly", () => {
    const detail = `429 ${"x".repeat(2000)} try again in 3 h`;
    const limited = limitedBy({ reason: "rate-limit", detail }, "codex", NOW);
    expect(limited).toMatchObject({ resets: later(180).toISOString(), byWords: true });
    expect(limited?.words.length).toBe(300);
  });

  it("takes the first field that says when the limit ends", () => {
    const fields = ["nothing", "retry-after: 120", "x-ratelimit-reset: 7200"];
    expect(limitedBy({ reason: "rate-limit", detail: "in 3 h", fields }, "codex", NOW)).toEqual({
      words: "in 3 h",
      resets: later(2).toISOString(),
    });
  });

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
