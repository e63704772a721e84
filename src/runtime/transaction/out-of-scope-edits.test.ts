import { describe, expect, it } from "vitest";
import type { Caller } from "../../core/event.ts";
import { found, type OutOfScopeEdits, proposeWithOutOfScopeEdits, UNDO } from "./out-of-scope-edits.ts";
import type { Context, Proposal } from "./transaction.ts";

const EDITS: OutOfScopeEdits = { run: "a:1", state: "in review", files: ["src/a.ts", "src/b.ts"], tree: "t" };
const FOUND =
  'While a:1 is at "in review", where they may not be written, these files changed: src/a.ts, src/b.ts.';
const SHOWN = `${FOUND} Your yes accepts them.\n\n`;
const CHANGE = { type: "write", path: "a", text: "" } as never;
const MOVES: Proposal<string> = { reply: "moved", changes: [CHANGE] };
const ASKS: Proposal<string> = { reply: "", ask: { message: "Approve?", command: "pawl approve a:1" } };

interface EditsCase {
  readonly edits?: OutOfScopeEdits | null;
  readonly channel?: Caller["channel"];
  readonly answered?: Context["answered"];
  readonly proposal?: Proposal<string>;
}

async function beside({ edits = EDITS, channel = "mcp", answered, proposal = MOVES }: EditsCase) {
  let looks = 0;
  const asked: unknown[] = [];
  const result = await proposeWithOutOfScopeEdits(
    async () => {
      looks++;
      return edits;
    },
    { caller: { channel }, ...(answered === undefined ? {} : { answered }) },
    async (asking) => {
      asked.push(asking);
      return proposal;
    },
  );
  return { ...result, asked, looks };
}

describe("files that changed if they may not", () => {
  it("are reported in one sentence, twenty by name", () => {
    expect(found(EDITS)).toBe(FOUND);
    const files = Array.from({ length: 21 }, (_, at) => `f${at}`);
    expect(found({ ...EDITS, files: files.slice(0, 20) })).toMatch(/: f0, .*f19\.$/);
    expect(found({ ...EDITS, files })).toMatch(/f19 and 1 more\.$/);
    expect(found({ ...EDITS, unknown: "nobody can say which files changed." })).toBe(
      'While a:1 is at "in review", where they may not be written, nobody can say which files changed.',
    );
  });

  it("are searched for only if the run would move", async () => {
    for (const proposal of [{ reply: "" }, { reply: "", changes: [] }]) {
      const { accepted, looks, proposal: same } = await beside({ proposal });
      expect([looks, accepted, same]).toEqual([0, null, proposal]);
    }
    const { looks, proposal } = await beside({ edits: null });
    expect([looks, proposal]).toEqual([1, MOVES]);
    expect((await beside({ edits: null, proposal: ASKS })).proposal).toBe(ASKS);
  });

  it.each(["mcp", "agent", "script", "library"] as const)("keep %s from moving it", async (channel) => {
    await expect(beside({ channel })).rejects.toMatchObject({
      code: "tree-strayed",
      message: `${FOUND} Nothing was changed by this call.`,
      fix: "Undo these edits, then call again. If they are meant to stay, tell the person: they accept them with `pawl repair` in a terminal.",
    });
  });

  it("do not keep a person from moving it, and are shown before each question", async () => {
    expect(await beside({ channel: "terminal" })).toMatchObject({ proposal: MOVES, accepted: null });
    for (const channel of ["mcp", "terminal", "board"] as const) {
      const { accepted, asked, proposal } = await beside({ channel, proposal: ASKS });
      expect(proposal).toEqual({
        reply: "",
        ask: { message: "Approve?", edits: SHOWN, command: "pawl approve a:1" },
      });
      expect([accepted, asked]).toEqual([null, [{ caller: { channel } }]]);
    }
  });

  it("are accepted by a yes to what was shown", async () => {
    const answered = { to: { message: "Approve?", edits: SHOWN }, notes: "Good" };
    const yes = await beside({ channel: "terminal", answered });
    expect(yes.asked).toEqual([{ caller: { channel: "terminal" }, answered }]);
    expect([yes.accepted, yes.proposal]).toEqual([EDITS, MOVES]);
    const approved = await beside({ answered, proposal: { ...MOVES, verdict: { approve: true } as never } });
    expect(approved.accepted).toBe(EDITS);
    const rejected = await beside({ answered, proposal: { ...MOVES, verdict: { approve: false } as never } });
    expect(rejected.accepted).toBeNull();
  });

  it("are shown anew if something else was, or more is asked", async () => {
    const other = await beside({ answered: { to: { message: "Approve?" } }, proposal: ASKS });
    expect(other.asked).toEqual([{ caller: { channel: "mcp" } }]);
    expect([other.accepted, other.proposal.ask?.edits]).toEqual([null, SHOWN]);
    const elsewhere = { message: `${SHOWN}Approve?` };
    expect((await beside({ answered: { to: elsewhere } })).accepted).toBeNull();
    const more = await beside({ answered: { to: { message: "Approve?", edits: SHOWN } }, proposal: ASKS });
    expect([more.accepted, more.proposal.ask?.edits]).toEqual([null, SHOWN]);
  });

  it("are no part of what a program asks in its own words, and of nothing if there are none", async () => {
    const vouched = await beside({ answered: "vouched" });
    expect([vouched.asked, vouched.accepted]).toEqual([
      [{ caller: { channel: "mcp" }, answered: "vouched" }],
      null,
    ]);
    const answered = { to: { message: "Approve?" } };
    const none = await beside({ edits: null, answered });
    expect([none.asked, none.accepted]).toEqual([[{ caller: { channel: "mcp" }, answered }], null]);
  });

  it("are undone by whoever made them", () => {
    expect(UNDO).toBe(
      "Undo these edits. If they are meant to stay, tell the person: they accept them with `pawl repair` in a terminal.",
    );
  });
});
