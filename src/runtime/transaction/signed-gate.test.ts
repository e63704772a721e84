import { describe, expect, it } from "vitest";
import { toldLater } from "../../../test/rig/error-texts.ts";
import { promise } from "../../../test/rig/promise.ts";
import { openMemoryStore } from "../../adapters/memory/memory-store.ts";
import { ALLOWED_SIGNERS, type GateRecord, parseRecord } from "../../core/gate-record.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import { projectPath } from "../../core/path.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { SignatureOrder, Signatures } from "../../core/ports/signatures.ts";
import type { View } from "../../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { GateLevel } from "../../core/strength.ts";
import type { Facts } from "../../engine/workflow.ts";
import type { RunKind } from "../run-log/kind.ts";
import { hashOfStep, logPath, renderLine, type Step } from "../run-log/step.ts";
import { atGate, type GateContext, levelAt } from "./signed-gate.ts";
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
  work: { in: "folder", base: null },
};
/** A run's log: it begins with these variables, then the events move it. */
function logOf(events: readonly string[], set: Facts = {}): string {
  const at = { machine: "release", from: "", to: "in_review", by: { channel: "mcp" } } as const;
  const steps: Step[] = [];
  for (const event of ["", ...events]) {
    const prev = steps.at(-1);
    steps.push({
      ...{ v: 1, run: "release:1", seq: steps.length + 1, prev: prev ? hashOfStep(prev) : null, time: "t" },
      ...at,
      ...(prev ? { kind: "moved", event, set: {} } : { kind: "begun", set }),
    });
  }
  const end = steps.at(-1) as Step;
  const checkpoint = {
    ...{ machine: "release", state: "in_review", variables: set, seq: end.seq, head: hashOfStep(end) },
  };
  const local = { document: hashOf("{}"), patch: { all: {} }, checkpoint, events: [] };
  return steps
    .map((step) => renderLine({ id: `${step.seq}`, step, ...(step === end ? { local } : {}) }))
    .join("");
}

const LOG = logPath("release:1");
const RUNS: RunKind = {
  tableOf: () => null,
  runOf: () => null,
  pathsOf: () => [projectPath(".pawl/runs/release/1.json")],
  at: () => null,
};
const eventsOf = ({ steps }: GateRecord) => steps.map(({ event }) => event);

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
function scene(
  level: GateLevel,
  tree = "1".repeat(40),
  pinned: object | null = null,
  log = logOf(["submit"]),
): GateContext {
  const git = {
    snapshot: async () => ({ kind: "tree", tree, base: { commit: "2".repeat(40) }, files: [] }),
  };
  const signatures = { signer: async () => ({ principal: "ada", path: "" }), verify: async () => null };
  return {
    caller: { channel: "terminal" },
    settings: { ...DEFAULT_SETTINGS, project_id: "p".repeat(32), gates: { default: level } },
    view: {
      read: async (path: string) => (path === LOG ? log : null),
      list: async () => [],
    } as unknown as View,
    outside: { git, signatures, policies: { find: async () => pinned } } as unknown as Outside,
    time: "2026-01-01T00:00:00.000Z",
    lock: "release:1",
    runs: RUNS,
  };
}

const ask = { message: "Approve?" };
const signing = async (at: GateContext) =>
  (await atGate({ reply: "", ask }, at, async () => MOVED)).ask?.sign?.record ?? "";
const signedAt = (at: GateContext, record: string): GateContext => ({
  ...at,
  answered: { to: { message: "Approve?" }, signed: { record, signature: "s" } },
});

describe("A verdict at a gate", () => {
  it("is what it was if no gate asks for more", async () => {
    promise("gates.level");
    const at = { ...scene("any"), caller: { channel: "mcp" as const } };
    const relayed = { ...MOVED, verdict: { ...VERDICT, strength: "relayed" as const } };
    expect(await atGate(relayed, at, async () => relayed)).toBe(relayed);
  });

  it.each(["terminal", "signed", "touch"] as const)("is refused if it is weaker than %s", async (level) => {
    promise("gates.level");
    const relayed = { ...MOVED, verdict: { ...VERDICT, strength: "elicited" as const } };
    const at = { ...scene(level), caller: { channel: "elicitation" as const } };
    await expect(atGate(relayed, at, async () => relayed)).rejects.toMatchObject({
      code: "verdict-too-weak",
    });
  });

  it.each([
    ["any", true],
    ["terminal", true],
    ["signed", false],
    ["touch", false],
  ] as const)("that is given on the board is enough for %s: %s", async (level, isEnough) => {
    promise("board.verdict");
    const onBoard = { ...MOVED, verdict: { ...VERDICT, strength: "board" as const } };
    const at = {
      ...scene(level),
      caller: { channel: "board" as const },
      answered: { to: { message: "Approve?" } },
    };
    const { ask } = await atGate(onBoard, at, async () => onBoard);
    expect(ask?.sign === undefined).toBe(isEnough);
  });

  it("is asked for as a signature, and committed with record and signature", async () => {
    promise("gates.signed");
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

  it("is asked for anew if the work has changed since it was signed", async () => {
    promise("gates.as-signed");
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
    ["the verdict", { approve: false }],
    ["the notes", { notes: "Good" }],
  ])("is asked for anew if %s has changed since it was signed", async (_, change) => {
    promise("gates.as-signed");
    const at = signedAt(scene("signed"), await signing(scene("signed")));
    const moved = { ...MOVED, verdict: { ...VERDICT, ...change } };
    expect((await atGate(moved, at, async () => moved)).ask?.sign).toBeDefined();
  });

  it("is asked for anew if the run has moved since it was signed", async () => {
    promise("gates.as-signed");
    const record = await signing(scene("signed"));
    const later = scene("signed", undefined, null, logOf(["submit", "submit"]));
    expect((await atGate(MOVED, signedAt(later, record), async () => MOVED)).ask?.sign).toBeDefined();
  });

  it("is signed if it was pinned so, whatever the files say since", async () => {
    promise("gates.level");
    const at = scene("any", undefined, { "gates.release.in_review": "signed" });
    expect(await signing(at)).toContain('"signer": "ada"');
  });
});

/** A gate in a project with files, in which records are kept, and whose signatures are checked. */
function kept(more: { readonly level?: GateLevel; readonly verdict?: Partial<Verdict> } = {}) {
  const store = openMemoryStore();
  store.files.set(ALLOWED_SIGNERS, "ada ssh-ed25519 AAAA\n");
  const logged = (events: readonly string[], set?: Facts) => store.files.set(LOG, logOf(events, set));
  logged(["submit"]);
  const signatureOf = async (text: string) => `signature of ${hashOf(text)}`;
  const orders: SignatureOrder[] = [];
  const git = {
    snapshot: async () => ({
      ...{ kind: "tree", tree: "1".repeat(40), base: { commit: "2".repeat(40) } },
      files: [{ path: "src/a.ts" }, { path: "package.json" }],
    }),
  };
  const signatures: Signatures = {
    signer: async () => ({ principal: "ada", path: "" }),
    sign: signatureOf,
    async verify(order) {
      orders.push(order);
      if (!order.allowed.includes(order.principal)) return "its key is not allowed";
      return order.signature === (await signatureOf(order.text)) ? null : "it is of another text";
    },
  };
  const outside = { git, signatures, policies: { find: async () => null } };
  const at = (change: object = {}): GateContext => ({
    ...scene(more.level ?? "signed"),
    ...{ view: store.view(), outside: outside as unknown as Outside },
    ...change,
  });
  const moved = (verdict: Partial<Verdict> = {}, event = "approve"): Proposal<string> => ({
    ...MOVED,
    events: [{ ...MOVED.events?.[0], event, row: event } as never],
    verdict: { ...VERDICT, ...more.verdict, ...verdict },
  });
  /** Asks for a signature, signs, and commits. */
  const sign = async (proposal: Proposal<string>) => {
    const { ask } = await atGate(proposal, at(), async () => proposal);
    const record = ask?.sign?.record ?? "";
    const signature = await signatureOf(record);
    const answered = { message: ask?.message ?? "", signed: { record, signature } };
    const ready = await atGate(proposal, at({ answered }), async () => proposal);
    expect(await store.commit(store.view(), ready.changes ?? [])).toBe("committed");
    return parseRecord(record) as GateRecord;
  };
  const refused = (proposal: Proposal<string>, change: object = {}) =>
    toldLater(atGate(proposal, at(change), async () => proposal));
  return { at, git, logged, moved, orders, outside, refused, sign, signatureOf, store };
}

const unsignable = (why: string) => ({
  code: "gate-unsignable",
  message: `The gate release.in_review of release:1 wants a signed verdict, but nothing can be signed: ${why}. Nothing was changed.`,
  fix: "Fix that, then give your verdict again; `pawl keys add` makes a project ready for signed gates.",
});

describe("The record of a verdict", () => {
  const EVIDENCE = [{ about: "test", verdict: "passes", words: "12 passed" }];

  it("says everything that was judged, and how", async () => {
    const { at, moved } = kept({ verdict: { evidence: EVIDENCE, notes: "Good", artifact: "b".repeat(64) } });
    const { ask } = await atGate(moved(), at({ answered: { to: { message: "Approve?" } } }), async () =>
      moved(),
    );
    const record = parseRecord(ask?.sign?.record ?? "") as GateRecord;
    expect(eventsOf(record)).toEqual([undefined, "submit"]);
    expect(record).toEqual({
      ...{ v: 1, project: "p".repeat(32), run: "release:1", gate: "release.in_review", round: 1 },
      ...{ verdict: "approve", machine: "release", event: "approve", rule: "approve" },
      ...{ from: "in_review", to: "published", artifact: "b".repeat(64) },
      ...{ tree: "1".repeat(40), base_commit: "2".repeat(40), process_files: ["package.json"] },
      ...{ policy: HASH, workflow: HASH, checks: [{ about: "test", verdict: "passes" }] },
      ...{ evidence: hashOf(canonical(EVIDENCE)), notes: "Good", steps: record.steps },
      ...{ start: {}, seq: 1, prev: null, time: "2026-01-01T00:00:00.000Z", signer: "ada" },
    });
    expect(ask?.message).toBe("Approve?");
    expect(ask?.sign?.hash).toBe(hashOf(ask?.sign?.record ?? ""));
    expect(ask?.sign?.words.split("\n")).toEqual([
      "You sign, as ada:",
      "- release.in_review of release:1: approve",
      `- the tree ${"1".repeat(40)}, against the commit ${"2".repeat(40)}`,
      "- changed files that decide how the work is judged: package.json",
    ]);
  });

  it("names no files if none of them decides, and says that it rejects", async () => {
    const at = scene("signed");
    const rejects = { ...MOVED, verdict: { ...VERDICT, approve: false } };
    const { ask } = await atGate(rejects, at, async () => rejects);
    expect(ask?.sign?.words).toContain("- release.in_review of release:1: reject\n");
    expect(ask?.sign?.words).toMatch(/judged: none$/);
    expect(ask?.message).toBe("");
    expect(parseRecord(ask?.sign?.record ?? "")).toMatchObject({ verdict: "reject", process_files: [] });
  });

  it("follows the ones before it: their hash, what happened since, and its round at its gate", async () => {
    const { logged, moved, sign, store } = kept();
    const first = await sign(moved({ approve: false }, "reject"));
    logged(["submit", "reject", "submit"]);
    const second = await sign(moved({ gate: "release.other" }));
    logged(["submit", "reject", "submit", "again"]);
    const third = await sign(moved());
    expect([first, second, third].map(({ round, seq, start }) => [seq, round, start])).toEqual([
      [1, 1, {}],
      [2, 1, null],
      [3, 2, null],
    ]);
    expect([second, third].map(eventsOf)).toEqual([["reject", "submit"], ["again"]]);
    const text = (seq: number) => store.files.get(`.alfred/gates/release/1/000${seq}.json`) ?? "";
    expect([second.prev, third.prev]).toEqual([hashOf(text(1)), hashOf(text(2))]);
  });

  it("begins anew if the run did, and counts on", async () => {
    const { logged, moved, sign } = kept();
    await sign(moved());
    logged(["import"], { tries: 1 });
    const anew = await sign(moved());
    expect(anew).toMatchObject({ seq: 2, round: 2, start: { tries: 1 } });
    expect(eventsOf(anew)).toEqual([undefined, "import"]);
    logged(["import", "submit"], { tries: 1 });
    const next = await sign(moved());
    expect(next).toMatchObject({ seq: 3, start: null });
    expect(eventsOf(next)).toEqual(["submit"]);
  });

  it("is verified with all before it, by those who may sign, at its time", async () => {
    const { logged, moved, orders, sign, store } = kept();
    await sign(moved());
    orders.length = 0;
    logged(["submit", "approve"]);
    await sign(moved());
    const text = (seq: number) => store.files.get(`.alfred/gates/release/1/000${seq}.json`) ?? "";
    const order = {
      ...{ principal: "ada", allowed: "ada ssh-ed25519 AAAA\n", time: "2026-01-01T00:00:00.000Z" },
    };
    expect(orders.map(({ text: each }) => each)).toEqual([text(1), text(1), text(2)]);
    expect(orders[0]).toMatchObject(order);
    expect(orders[2]).toMatchObject(order);
  });
});

describe("Nothing can be signed", () => {
  it("if a record before it is gone, damaged or not what was signed", async () => {
    const folder = ".alfred/gates/release/1";
    const gone = kept();
    await gone.sign(gone.moved());
    const [text = "", signature = ""] = ["json", "sig"].map((end) =>
      gone.store.files.get(`${folder}/0001.${end}`),
    );
    const found = async (files: Readonly<Record<string, string>>) => {
      const { moved, refused, store } = kept();
      for (const [name, content] of Object.entries(files)) store.files.set(`${folder}/${name}`, content);
      return refused(moved());
    };
    const bare = async (files: Readonly<Record<string, string>>) => (await found(files)).code;
    expect(await bare({ "0001.json": text, "0001.sig": signature, "note.md": "" })).toBe("");
    expect(await found({ "0002.json": text, "0002.sig": signature })).toEqual(
      unsignable(`${folder} lacks the record 0001.json`),
    );
    expect(await found({ "0001.json": "{" })).toEqual(
      unsignable(`${folder}/0001.json is not a gate record: it is not valid JSON`),
    );
    const other = "it is of another text";
    expect(await found({ "0001.json": text })).toEqual(
      unsignable(`${folder}/0001.json is not what was signed: ${other}`),
    );
    expect(await found({ "0001.json": text, "0001.sig": "signature of another" })).toEqual(
      unsignable(`${folder}/0001.json is not what was signed: ${other}`),
    );
  });

  it.each<readonly [string, object, string]>([
    ["elsewhere", { in: "elsewhere", reason: "it is in another repository" }, "it is in another repository"],
    [
      "in a commit that git does not show",
      { in: "commit", commit: "c", target: null },
      "this git port gives no tree of a commit",
    ],
  ])("of work %s", async (_, work, why) => {
    const { moved, refused } = kept();
    expect(await refused(moved({ work: work as never }))).toEqual(unsignable(why));
  });

  it.each<readonly [object, string]>([
    [{ kind: "unavailable", reason: "git is not there" }, "git is not there"],
    [{ kind: "none" }, "the project is in no git repository"],
    [
      { kind: "tree", tree: "1".repeat(40), base: null, files: [] },
      "there is no base branch (main, master) to compare with",
    ],
  ])("of a folder of which git says %o", async (look, why) => {
    const { moved, outside, refused } = kept();
    const git = { snapshot: async () => look };
    expect(await refused(moved(), { outside: { ...outside, git } })).toEqual(unsignable(why));
  });

  it("without a project's id, a move or signatures", async () => {
    const { at, moved, outside, refused } = kept();
    expect(await refused(moved(), { settings: { ...at().settings, project_id: null } })).toEqual(
      unsignable("pawl.yaml has no project_id"),
    );
    expect(await refused({ ...moved(), events: [] })).toEqual(unsignable("it moves nothing"));
    const other = { ...MOVED.events?.[0], run: "release:2" } as never;
    expect(await refused({ ...moved(), events: [other] })).toEqual(unsignable("it moves nothing"));
    const noted = { ...MOVED.events?.[0], type: "task:noted" } as never;
    expect(await refused({ ...moved(), events: [noted] })).toEqual(unsignable("it moves nothing"));
    const { signatures: _, ...without } = outside;
    expect(await refused(moved(), { outside: without })).toEqual(
      unsignable("this program has no signatures"),
    );
  });
});

describe("Work in a commit", () => {
  const work = { in: "commit", commit: "c".repeat(40), target: "main" } as const;

  it("is judged by that commit's tree, against its target", async () => {
    const { moved, at, outside } = kept({ verdict: { work } });
    const asked: unknown[] = [];
    const git = {
      async committed(order: unknown) {
        asked.push(order);
        return {
          ...{ kind: "tree", tree: "3".repeat(40), base: "4".repeat(40), files: ["pawl.yaml", "a.ts"] },
        };
      },
    };
    const { ask } = await atGate(moved(), at({ outside: { ...outside, git } }), async () => moved());
    expect(parseRecord(ask?.sign?.record ?? "")).toMatchObject({
      ...{ tree: "3".repeat(40), base_commit: "4".repeat(40), process_files: ["pawl.yaml"] },
    });
    expect(asked).toEqual([{ ...work, own: [".pawl", ".alfred/gates", ".alfred/records"] }]);
  });

  it("cannot be signed if git does not have it", async () => {
    const { moved, outside, refused } = kept({ verdict: { work } });
    const git = { committed: async () => ({ kind: "unavailable", reason: "the commit is gone" }) };
    expect(await refused(moved(), { outside: { ...outside, git } })).toEqual(
      unsignable("the commit is gone"),
    );
  });
});

describe("A signature", () => {
  const signed = async (level: GateLevel, strength: Verdict["strength"], signature?: string) => {
    const { at, moved, refused, signatureOf } = kept({ level, verdict: { strength } });
    const record =
      (await atGate(moved(), { ...at(), settings: scene("signed").settings }, async () => moved())).ask?.sign
        ?.record ?? "";
    const answered = {
      to: { message: "" },
      signed: { record, signature: signature ?? (await signatureOf(record)) },
    };
    return { found: await refused(moved(), { answered }), answered, at, moved };
  };

  it("that does not count is refused, with the place of those that do", async () => {
    expect((await signed("signed", "signed", "of somebody else")).found).toEqual({
      code: "signature-failed",
      message:
        "The signature of ada does not count by .alfred/allowed_signers: it is of another text. Nothing was changed.",
      fix: "Run `pawl keys list`; `pawl keys add` names your key there, for a reviewer to see.",
    });
  });

  it("counts if none is asked for, too", async () => {
    const { answered, at, found, moved } = await signed("any", "signed");
    expect(found.code).toBe("");
    const { changes } = await atGate(moved(), at({ answered }), async () => moved());
    expect(changes).toEqual([
      { type: "write", path: ".alfred/gates/release/1/0001.json", text: answered.signed.record },
      { type: "write", path: ".alfred/gates/release/1/0001.sig", text: answered.signed.signature },
    ]);
  });

  it("without a touch is too weak if one is asked for", async () => {
    expect((await signed("touch", "signed")).found.code).toBe("verdict-too-weak");
    expect((await signed("touch", "touched")).found.code).toBe("");
  });

  it("of something that is no record is asked for anew, with the same words", async () => {
    const { at, moved } = kept();
    const answered = { to: { message: "Approve?" }, signed: { record: "{}", signature: "s" } };
    const { ask, changes } = await atGate(moved(), at({ answered }), async () => moved());
    expect([ask?.message, typeof ask?.sign?.record, changes]).toEqual(["Approve?", "string", []]);
  });

  it("cannot be checked by a program without signatures", async () => {
    const { at, moved, outside } = kept();
    const { ask } = await atGate(moved(), at(), async () => moved());
    const { signatures: _, ...without } = outside;
    const answered = { to: { message: "" }, signed: { record: ask?.sign?.record ?? "", signature: "s" } };
    await expect(
      atGate(moved(), at({ answered, outside: without }), async () => moved()),
    ).rejects.toMatchObject({
      message: expect.stringContaining("this program cannot verify it"),
    });
  });
});

describe("A verdict that is too weak", () => {
  it.each<readonly [GateLevel, boolean, string, string]>([
    [
      ...(["terminal", true, "one given at a terminal or on the board"] as const),
      "A person runs `pawl approve release:1` in a terminal.",
    ],
    [
      ...(["signed", false, "one signed with an allowed key"] as const),
      "A person runs `pawl reject release:1` in a terminal.",
    ],
    [
      ...(["touch", true, "one signed with a hardware key that is touched"] as const),
      "A person runs `pawl approve release:1` in a terminal, with a hardware key (`pawl keys add`).",
    ],
  ])("for %s is told what is wanted, and who can give it", async (level, approve, wanted, fix) => {
    const { moved, refused } = kept({ level, verdict: { approve, strength: "relayed" } });
    expect(await refused(moved(), { caller: { channel: "mcp" } })).toEqual({
      code: "verdict-too-weak",
      message: `The gate release.in_review of release:1 wants a stronger verdict (\`gates\`: ${level}): expected ${wanted}, found one that is relayed. Nothing was changed.`,
      fix,
    });
  });
});

describe("The level of a gate", () => {
  const at = (levels: Readonly<Record<string, GateLevel>>, pins: Readonly<Record<string, object>> = {}) =>
    levelAt(VERDICT, {
      settings: { ...DEFAULT_SETTINGS, gates: levels },
      outside: { policies: { find: async (name: string) => pins[name] ?? null } } as unknown as Outside,
    });
  const pin = (level: GateLevel) => ({ "gates.release.in_review": level });

  it("is the strictest of the files, of what was pinned for the run, and for its workflow", async () => {
    expect(await at({})).toBe("any");
    expect(await at({ "release.in_review": "signed" }, { "release:1": pin("terminal") })).toBe("signed");
    expect(await at({}, { "release:1": pin("terminal") })).toBe("terminal");
    expect(await at({ default: "terminal" }, { release: pin("touch"), "release:1": pin("signed") })).toBe(
      "touch",
    );
    expect(await at({}, { "release:1": { "gates.release.other": "touch" }, "release:2": pin("touch") })).toBe(
      "any",
    );
    const none = { settings: DEFAULT_SETTINGS, outside: {} as unknown as Outside };
    expect(await levelAt(VERDICT, none)).toBe("any");
  });
});

describe("A question at a gate", () => {
  const QUESTION: Proposal<string> = { reply: "", ask };
  /** Which verdict was foreseen, and what became of the question. */
  async function asked(change: Partial<GateContext>, verdict: Partial<Verdict> | null = {}) {
    const foreseen: unknown[] = [];
    const { at, moved } = kept({ level: "any" });
    const result = await atGate(QUESTION, at(change), async (asking) => {
      foreseen.push(asking);
      return verdict === null ? { reply: "" } : moved(verdict);
    });
    return { foreseen, isSame: result === QUESTION, sign: result.ask?.sign, message: result.ask?.message };
  }
  const level = (one: GateLevel) => ({ settings: scene(one).settings });
  const pinned = (pins: Readonly<Record<string, object>>) => {
    const { outside } = kept();
    return {
      outside: { ...outside, policies: { find: async (name: string) => pins[name] ?? null } } as never,
    };
  };

  it("is as it is if anybody's word is enough, and nothing is proposed twice", async () => {
    expect(await asked({})).toMatchObject({ foreseen: [], isSame: true });
    expect(await asked({ ...pinned({ "release:1": { "checks.test": "npm test" } }) })).toMatchObject({
      foreseen: [],
    });
    expect(
      await asked({ ...pinned({ "release:1": { "gates.release.in_review": "signed" } }), lock: null }),
    ).toMatchObject({ foreseen: [] });
  });

  it.each([
    ["the files", level("signed")],
    ["a pin of its run", pinned({ "release:1": { "gates.release.in_review": "signed" } })],
    ["a pin of its workflow", pinned({ release: { "gates.release.in_review": "signed" } })],
  ])("becomes one for a signature if %s want it", async (_, change) => {
    const found = await asked(change);
    expect(found).toMatchObject({ isSame: false, message: "Approve?" });
    expect(found.foreseen).toEqual([
      { caller: { channel: "terminal" }, answered: { to: { message: "Approve?" } } },
    ]);
    expect(parseRecord(found.sign?.record ?? "")).toMatchObject({ event: "approve" });
  });

  it("stays if another gate wants it, if no verdict comes of it, or if a terminal is enough", async () => {
    const other = { settings: { ...scene("any").settings, gates: { "release.other": "signed" as const } } };
    expect((await asked(other)).isSame).toBe(true);
    expect((await asked(level("signed"), null)).isSame).toBe(true);
    expect((await asked(level("terminal"))).isSame).toBe(true);
  });

  it("is asked through a client only if such an answer would be enough", async () => {
    const client = { caller: { channel: "mcp", who: "ben" } } as const;
    const found = await asked({ ...client, ...level("terminal") }, { strength: "terminal" });
    expect(found.isSame).toBe(true);
    expect(found.foreseen).toEqual([
      { caller: { channel: "elicitation", who: "ben" }, answered: { to: { message: "Approve?" } } },
    ]);
    await expect(asked({ ...client, ...level("terminal") }, { strength: "elicited" })).rejects.toMatchObject({
      code: "verdict-too-weak",
    });
    expect((await asked({ ...client, ...level("signed") }, { strength: "signed" })).isSame).toBe(true);
  });
});

describe("the steps that are signed", () => {
  it("are those of a log that follows: of any other nothing can be signed", async () => {
    const faulty = logOf(["submit"]).replace('"time":"t"', '"time":"other"');
    const { runs: _, ...without } = scene("signed");
    for (const [at, why] of [
      [
        scene("signed", undefined, null, faulty),
        "the steps of the run: step 2 of its log is not made on the 1 before it",
      ],
      [scene("signed", undefined, null, `{\n${faulty}`), "cannot be used: line 1"],
      [without, "the steps of the run: it has no log"],
    ] as const)
      await expect(signing(at)).rejects.toMatchObject({
        ...{ code: "gate-unsignable", message: expect.stringContaining(why) },
      });
  });
});

it("a device's verdict is as strong as its gate wants, by what is pinned, too", async () => {
  const device = { caller: { channel: "board", device: "phone" } } as const;
  const decide = (at: GateContext) => atGate({ reply: "", ask }, { ...at, ...device }, async () => MOVED);
  expect((await decide(scene("terminal"))).ask).toMatchObject({
    message: "Approve?",
    passkey: expect.any(String),
  });
  await expect(decide(scene("signed"))).rejects.toMatchObject({ code: "verdict-too-weak" });
  const pinned = scene("any", undefined, { "gates.release.in_review": "touch" });
  await expect(decide(pinned)).rejects.toMatchObject({ code: "verdict-too-weak" });
});
