import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { Caller } from "../../core/event.ts";
import { asCommandLine, hasAnswered, isCommandLine, strengthOf } from "./person.ts";
import type { Context } from "./transaction.ts";

const asking = (channel: Caller["channel"], answered?: Context["answered"]) => ({
  caller: { channel } as Caller,
  ...(answered === undefined ? {} : { answered }),
});
const answer = (message: string) => ({ to: { message } }) as NonNullable<Context["answered"]>;
const CHANNELS: readonly Caller["channel"][] = [
  "terminal",
  "board",
  "elicitation",
  "mcp",
  "script",
  "agent",
  "library",
];

describe("a person's word", () => {
  it.each([
    ["at a terminal, to the question that was asked", "terminal", answer("Merge?"), true],
    ["to a client's question", "elicitation", answer("Merge?"), true],
    ["on the board, to the question that was asked", "board", answer("Merge?"), true],
    ["on the board, to another question", "board", answer("Push?"), false],
    ["to another question", "terminal", answer("Push?"), false],
    ["to nothing", "terminal", undefined, false],
    ["over a channel that asks nobody", "script", answer("Merge?"), false],
    ["vouched for by a program", "library", "vouched", true],
  ] as const)("is given %s: %s %o %s", (_, channel, answered, given) => {
    expect(hasAnswered(asking(channel, answered), "Merge?")).toBe(given);
  });

  it.each([
    ["library", undefined, "program"],
    ["terminal", "vouched", "program"],
    ["elicitation", answer("Merge?"), "elicited"],
    ["terminal", answer("Merge?"), "terminal"],
    ["terminal", undefined, "relayed"],
    ["board", answer("Merge?"), "board"],
    ["board", undefined, "relayed"],
    ["board", "vouched", "program"],
    ["mcp", answer("Merge?"), "relayed"],
  ] as const)("over %s with %o is %s", (channel, answered, strength) => {
    promise("board.verdict");
    expect(strengthOf(asking(channel, answered))).toBe(strength);
  });

  it("is as strong as the signature or the passkey that came with it", () => {
    const strength = (answered: object, device?: string) =>
      strengthOf({
        caller: { channel: "board", ...(device && { device }) } as Caller,
        answered: { to: { message: "Merge?" }, ...answered } as NonNullable<Context["answered"]>,
      });
    expect(strength({ passkey: "proved" }, "phone")).toBe("passkey");
    // A device without a proof, and a proof without a device, are the board's word.
    expect(strength({}, "phone")).toBe("board");
    expect(strength({ passkey: "proved" })).toBe("board");
    expect(strength({ signed: { record: "", signature: "" } })).toBe("signed");
  });

  it("comes over the command line from a terminal, a script or an agent's shell", () => {
    expect(CHANNELS.filter((channel) => isCommandLine(asking(channel)))).toEqual([
      "terminal",
      "script",
      "agent",
    ]);
  });

  it("comes over the command line without a look at which of its channels it is", () => {
    const caller = asCommandLine({
      get channel(): never {
        throw new Error("looked");
      },
    });
    expect(isCommandLine({ caller })).toBe(true);
    expect(
      isCommandLine({ caller: { ...asCommandLine({ channel: "terminal" }), channel: "elicitation" } }),
    ).toBe(false);
    expect(JSON.stringify(asCommandLine({ channel: "script", who: "ann" }))).toBe(
      '{"channel":"script","who":"ann"}',
    );
  });
});
