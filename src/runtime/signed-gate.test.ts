import { describe, expect, it } from "vitest";
import { type GateRecord, parseRecord } from "../core/gate-record.ts";
import type { Outside } from "../core/ports/outside.ts";
import type { View } from "../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../core/settings.ts";
import type { GateLevel } from "../core/strength.ts";
import { atGate, type GateScene } from "./signed-gate.ts";
import type { Proposal, Verdict } from "./transaction.ts";

const HASH = "a".repeat(64);
const VERDICT: Verdict = {
  gate: "release.in_review",
  run: "release:1",
  approve: true,
  strength: "signed",
  artifact: null,
  policy: HASH,
  workflow: HASH,
  evidence: [],
  notes: "",
  steps: [{ event: "submit" }],
  start: {},
  work: { in: "folder", base: null },
};
const MOVED: Proposal<string> = {
  reply: "done",
  changes: [],
  events: [
    {
      ...{ id: "1", time: "t", type: "run:advanced", run: "release:1", machine: "release", event: "approve" },
      ...{ row: "approve", from: "in_review", to: "published", summary: "", by: { channel: "terminal" } },
    } as never,
  ],
  verdict: VERDICT,
};

/** A gate in a project without files, whose work has this tree. */
function scene(level: GateLevel, tree = "1".repeat(40), pinned: object | null = null): GateScene {
  const git = {
    snapshot: async () => ({ kind: "tree", tree, base: { commit: "2".repeat(40) }, files: [] }),
  };
  const signatures = { signer: async () => ({ principal: "ada", path: "" }), verify: async () => null };
  return {
    caller: { channel: "terminal" },
    settings: { ...DEFAULT_SETTINGS, project_id: "p".repeat(32), gates: { default: level } },
    view: { read: async () => null, list: async () => [] } as unknown as View,
    outside: { git, signatures, policies: { find: async () => pinned } } as unknown as Outside,
    time: "2026-01-01T00:00:00.000Z",
    lock: "release:1",
  };
}

const ask = { message: "Approve?" };
const signing = async (at: GateScene) =>
  (await atGate({ reply: "", ask }, at, async () => MOVED)).ask?.sign?.record ?? "";
const signedAt = (at: GateScene, record: string): GateScene => ({
  ...at,
  answered: { message: "Approve?", signed: { record, signature: "s" } },
});

describe("A verdict at a gate", () => {
  it("is what it was where no gate asks for more", async () => {
    const at = { ...scene("any"), caller: { channel: "mcp" as const } };
    const relayed = { ...MOVED, verdict: { ...VERDICT, strength: "relayed" as const } };
    expect(await atGate(relayed, at, async () => relayed)).toBe(relayed);
  });

  it.each(["terminal", "signed", "touch"] as const)(
    "is refused where it is weaker than %s",
    async (level) => {
      const relayed = { ...MOVED, verdict: { ...VERDICT, strength: "elicited" as const } };
      const at = { ...scene(level), caller: { channel: "elicitation" as const } };
      await expect(atGate(relayed, at, async () => relayed)).rejects.toMatchObject({
        code: "verdict-too-weak",
      });
    },
  );

  it.each([
    ["any", true],
    ["terminal", true],
    ["signed", false],
    ["touch", false],
  ] as const)("that is given on the board is enough for %s: %s", async (level, isEnough) => {
    const onBoard = { ...MOVED, verdict: { ...VERDICT, strength: "board" as const } };
    const at = { ...scene(level), caller: { channel: "board" as const }, answered: { message: "Approve?" } };
    const { ask } = await atGate(onBoard, at, async () => onBoard);
    expect(ask?.sign === undefined).toBe(isEnough);
  });

  it("is asked for as a signature, and committed with record and signature", async () => {
    const at = scene("signed");
    const record = await signing(at);
    expect(parseRecord(record)).toMatchObject({ event: "approve", signer: "ada", seq: 1 });
    const { ask, changes } = await atGate(MOVED, signedAt(at, record), async () => MOVED);
    expect(ask).toBeUndefined();
    expect(changes?.map((change) => "path" in change && change.path)).toEqual([
      ".alfred/gates/release/1/0001.json",
      ".alfred/gates/release/1/0001.sig",
    ]);
  });

  it("is asked for anew where the work has changed since it was signed", async () => {
    const record = await signing(scene("signed"));
    const later = signedAt(scene("signed", "3".repeat(40)), record);
    const { ask, changes } = await atGate(MOVED, later, async () => MOVED);
    expect((parseRecord(ask?.sign?.record ?? "") as GateRecord).tree).toBe("3".repeat(40));
    expect(changes).toEqual([]);
  });

  it.each([
    ["what was found", { evidence: [{ about: "test", verdict: "differs", words: "1 failed" }] }],
    ["the artifact", { artifact: "b".repeat(64) }],
    ["the policy", { policy: "b".repeat(64) }],
    ["a step", { steps: [{ event: "submit" }, { event: "submit" }] }],
    ["the verdict", { approve: false }],
    ["the notes", { notes: "Good" }],
  ])("is asked for anew where %s has changed since it was signed", async (_, change) => {
    const at = signedAt(scene("signed"), await signing(scene("signed")));
    const moved = { ...MOVED, verdict: { ...VERDICT, ...change } };
    expect((await atGate(moved, at, async () => moved)).ask?.sign).toBeDefined();
  });

  it("is signed where it was pinned so, whatever the files say since", async () => {
    const at = scene("any", undefined, { "gates.release.in_review": "signed" });
    expect(await signing(at)).toContain('"signer": "ada"');
  });
});
