import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { PawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { matches, parseLogFilter } from "./log-filter.ts";

const NOW = new Date("2026-03-10T12:00:00Z");
const event = (time: string, type = "agent:ended") => ({ id: "a", time, type }) as PawlEvent;
const shows = (options: object, time: string, type?: string) =>
  matches(parseLogFilter({ ...options }, NOW), event(time, type));

describe("the filter of the log", () => {
  it.each([
    [{ since: "2h" }, "2026-03-10T10:00:00Z", true],
    [{ since: "30min" }, "2026-03-10T11:29:59Z", false],
    [{ until: "1d" }, "2026-03-09T12:00:01Z", false],
    [{ since: "2026-03-10T12:30+01:00" }, "2026-03-10T11:30:00Z", true],
    [{ since: "2026-03-10 12:30Z" }, "2026-03-10T12:29:00Z", false],
    [{ since: "1w", until: "3d" }, "2026-03-06T00:00:00Z", true],
  ])("%j against an event of %s: %s", (options, time, expected) =>
    expect(shows(options, time)).toBe(expected),
  );

  it("takes a day from its first to its last moment, by the reader's clock", () => {
    promise("log.filter");
    const day = { since: "2026-03-09", until: "2026-03-09" };
    const at = (hour: number, minute: number) => new Date(2026, 2, 9, hour, minute, 59).toISOString();
    expect([shows(day, at(0, 0)), shows(day, at(23, 59)), shows(day, at(24, 0))]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("takes types by their name or their first word, several at once", () => {
    const of = (type: string | string[]) =>
      ["agent:ended", "agent:started", "agents:x", "task:done"].filter((each) =>
        shows({ type }, "2026", each),
      );
    expect(of("agent")).toEqual(["agent:ended", "agent:started"]);
    expect(of("agent:")).toEqual(["agent:ended", "agent:started"]);
    expect(of(["agent:ended", "task"])).toEqual(["agent:ended", "task:done"]);
  });

  it.each([
    [{ since: "yesterday" }, "--since"],
    [{ since: "2026-02-30" }, "--since"],
    [{ until: "2026-01-01T25:00" }, "--until"],
    [{ until: "" }, "--until"],
    [{ since: "9999999d" }, "--since"],
    [{ number: "0" }, "-n"],
    [{ number: "-3" }, "-n"],
    [{ number: "1.5" }, "-n"],
    [{ type: ["agent:ended", "a b"] }, "--type"],
    [{ since: "1h", until: "2h" }, "--since"],
    [{ until: "1h", follow: true }, "--follow"],
  ])("refuses %j with a word on what is expected", (options, named) => {
    promise("log.filter");
    const parse = () => parseLogFilter(options, NOW);
    expect(parse).toThrow(PawlError);
    expect(parse).toThrow(named);
  });
});
