import { describe, expect, it } from "vitest";
import type { Caller } from "../../core/event.ts";
import type { GateLevel } from "../../core/strength.ts";
import { atDeviceGate } from "./device-gate.ts";
import type { Context, Proposal, Verdict } from "./transaction.ts";

const DEVICE: Caller = { channel: "board", who: "ada", device: "phone" };
const VERDICT = {
  ...{ gate: "release.in_review", run: "release:1", approve: true, strength: "board", artifact: null },
  ...{ policy: "p", workflow: "w", evidence: [], notes: "", work: { in: "folder", base: null } },
} as Verdict;
const verdictOf = (more: Partial<Verdict>): Proposal<string> => ({
  reply: "done",
  verdict: { ...VERDICT, ...more },
});
const APPROVAL = verdictOf({});
const ASK = { message: "Publish it?" };
const QUESTION: Proposal<string> = { reply: "", ask: ASK };

interface DeviceCase {
  readonly answered?: Context["answered"];
  readonly level?: GateLevel;
  /** What is proposed once the question is answered. */
  readonly foreseen?: Proposal<string>;
}

async function decide(
  proposal: Proposal<string>,
  { answered, level = "any", foreseen = APPROVAL }: DeviceCase = {},
) {
  const foreseenFor: unknown[] = [];
  const result = await atDeviceGate(
    proposal,
    { caller: DEVICE, ...(answered === undefined ? {} : { answered }) },
    {
      async foresee(to) {
        foreseenFor.push(to);
        return foreseen;
      },
      level: async () => level,
    },
  );
  return { ...result, foreseenFor };
}

/** The hash that a passkey must prove for this question and verdict. */
const boundFor = async (foreseen: Proposal<string>, message = ASK.message) =>
  (await decide({ reply: "", ask: { message } }, { foreseen })).ask?.passkey;

describe("an approval from a device", () => {
  it("is asked for with the hash of exactly this verdict and this question", async () => {
    const { ask, foreseenFor } = await decide({
      ...QUESTION,
      ask: { ...ASK, edits: "Edits. ", command: "pawl approve" },
    });
    expect(foreseenFor).toEqual([{ ...ASK, edits: "Edits. " }]);
    expect(ask).toMatchObject({ ...ASK, edits: "Edits. ", command: "pawl approve" });
    const bound = await boundFor(APPROVAL);
    // Out-of-scope edits are not part of it, nor is how strong it will be.
    expect(ask?.passkey).toBe(bound);
    expect(await boundFor(verdictOf({ strength: "passkey" }))).toBe(bound);
    for (const more of [{ artifact: "a" }, { notes: "n" }, { policy: "q" }, { run: "release:2" }])
      expect(await boundFor(verdictOf(more))).not.toBe(bound);
    expect(await boundFor(APPROVAL, "Publish it now?")).not.toBe(bound);
  });

  it("counts with the passkey's proof of it, and is asked for again with any other", async () => {
    const passkey = (await boundFor(APPROVAL)) ?? "";
    const proved = await decide(APPROVAL, { answered: { to: ASK, passkey } });
    expect(proved).toEqual({ ...APPROVAL, foreseenFor: [] });
    for (const answered of [
      { to: ASK },
      { to: ASK, passkey: "another" },
      { to: { message: "Other?" }, passkey },
    ])
      expect((await decide(APPROVAL, { answered })).ask?.passkey).toBeDefined();
    expect(
      (await decide(verdictOf({ notes: "changed since" }), { answered: { to: ASK, passkey } })).ask,
    ).toMatchObject(ASK);
    // A question that is asked once more is not answered yet.
    expect((await decide(QUESTION, { answered: { to: ASK, passkey } })).ask).toMatchObject({ passkey });
  });

  it("is shown in words of its own if it came without a question, also to a program", async () => {
    for (const answered of [undefined, "vouched" as const]) {
      const { ask } = await decide(APPROVAL, answered === undefined ? {} : { answered });
      expect(ask).toMatchObject({ message: "You approve release.in_review of release:1." });
      expect(ask?.passkey).toMatch(/^[0-9a-f]{64}$/);
    }
  });

  it("is refused at a gate that wants a signature", async () => {
    for (const level of ["signed", "touch"] as const) {
      await expect(decide(QUESTION, { level })).rejects.toMatchObject({
        ...{ code: "verdict-too-weak", message: expect.stringContaining(`\`gates\`: ${level}`) },
        fix: expect.stringContaining("`pawl approve release:1`"),
      });
      await expect(decide(verdictOf({ approve: false }), { level })).rejects.toMatchObject({
        fix: expect.stringContaining("`pawl reject release:1`"),
      });
    }
  });
});

describe("a rejection from a device", () => {
  it("needs no passkey, since it opens nothing", async () => {
    const rejection = verdictOf({ approve: false });
    expect(await decide(rejection)).toEqual({ ...rejection, foreseenFor: [] });
    expect((await decide(QUESTION, { foreseen: rejection })).ask).toEqual(ASK);
  });
});

describe("what is no verdict, from a device", () => {
  const move: Proposal<string> = { reply: "moved" };

  it("is done if it asks nobody", async () => {
    expect(await decide(move)).toEqual({ ...move, foreseenFor: [] });
    expect((await decide(move, { answered: "vouched" })).reply).toBe("moved");
  });

  it("is asked, and its answer is refused", async () => {
    expect((await decide(QUESTION, { foreseen: move })).ask).toEqual(ASK);
    await expect(decide(move, { answered: { to: ASK } })).rejects.toMatchObject({
      code: "caller-not-allowed",
    });
  });
});
