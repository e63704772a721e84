import { describe, expect, it } from "vitest";
import { toldLater } from "../../../test/rig/error-texts.ts";
import { stepOn } from "../../../test/rig/steps.ts";
import { openMemoryStore } from "../../adapters/memory/memory-store.ts";
import { PawlError } from "../../core/error.ts";
import type { Caller, PawlEvent } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import { projectPath } from "../../core/path.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { GateInput, WorkflowModule } from "../module.ts";
import type { Project } from "../project.ts";
import { logPath, renderLine } from "../run-log/step.ts";
import type { OutOfScopeEdits } from "../transaction/out-of-scope-edits.ts";
import type { Context, Proposal, Reply, Verdict } from "../transaction/transaction.ts";
import { doneOf, openVerdicts, type VerdictOrder } from "./give-verdict.ts";

const CALLER: Caller = { channel: "board", who: "ada" };
const ORDER: VerdictOrder = { approve: true, notes: "", points: [], version: "v1" };
const REPLY: Reply = { text: "Approved.\n", data: {} };
const CHANGES = [{ type: "write", path: projectPath("state"), text: "approved" }] as const;
const VERDICT: Verdict = {
  ...{ gate: "a.open", run: "a:1", approve: true, strength: "board", artifact: "b".repeat(64) },
  ...{ policy: "", workflow: "", evidence: [], notes: "", steps: [], start: {} },
  work: { in: "folder", base: null },
};
const EVENT = {
  ...{ id: "e1", time: "2026-01-31T12:00:00.000Z", type: "run:advanced", run: "a:1", by: CALLER },
} as unknown as PawlEvent;
const MOVED: Proposal<Reply> = { reply: REPLY, changes: CHANGES, events: [EVENT], verdict: VERDICT };

type Said = readonly [GateInput, Context["answered"]];

interface VerdictCase {
  /** What the gate proposes, by what was answered. */
  readonly gate?: ((input: GateInput, answered: Context["answered"]) => Proposal<Reply>) | null;
  readonly hasReview?: boolean;
  readonly fault?: PawlError;
  readonly edits?: OutOfScopeEdits | null;
  readonly sign?: ((record: string) => Promise<string>) | null;
  /** The hashes that the passkey of the caller's device was asked and has proved; absent: it is no device. */
  readonly passkey?: unknown[];
  readonly root?: string;
}

function scene({
  gate = () => MOVED,
  hasReview = true,
  fault,
  edits,
  sign,
  passkey,
  root = "/shop",
}: VerdictCase = {}) {
  const said: Said[] = [];
  const store = openMemoryStore();
  const module = {
    ...{ name: "a", title: "Workflow A", summary: "", overview: async () => [] },
    ...(fault ? { fault } : {}),
    ...(gate && {
      gate: {
        ...(hasReview ? { review: async () => ({}) } : {}),
        verdict: async () => ({
          run: ({ id }: GateInput) => `a:${id}`,
          read: async (_: unknown, input: GateInput, { answered }: Context) => [input, answered] as const,
          propose([input, answered]: Said) {
            said.push([input, answered]);
            return gate(input, answered);
          },
        }),
      },
    }),
  };
  const looked: string[] = [];
  const runtime = {
    store,
    settings: async () => ({ ...DEFAULT_SETTINGS }),
    outside:
      sign === null ? {} : { signatures: { sign: sign ?? (async (record: string) => `signed ${record}`) } },
    now: () => new Date("2026-01-31T12:00:00Z"),
    newId: () => "id",
    ...(edits === undefined
      ? {}
      : {
          scopeWatch: {
            async find(run: string) {
              looked.push(run);
              return edits;
            },
            note: async () => {},
          },
        }),
  };
  const workflows = { a: async () => module as unknown as WorkflowModule };
  const project = { root, runtime, workflows } as unknown as Project;
  const device = passkey && {
    ask: async (hash: string) => ({ challenge: passkey.push(["asked", hash]) }),
    check: async (hash: string, assertion: unknown) => void passkey.push(["checked", hash, assertion]),
  };
  const caller = passkey ? { ...CALLER, device: "phone" } : CALLER;
  const verdicts = openVerdicts();
  const give = (order: Partial<VerdictOrder> = {}) =>
    verdicts.give(project, "a:1", { ...ORDER, ...order }, caller, device);
  const refused = (order: Partial<VerdictOrder> = {}) => toldLater(give(order));
  return { give, looked, project, refused, said, store, verdicts };
}

const asking = (
  message: string,
  sign?: { readonly record: string; readonly words: string },
): Proposal<Reply> => ({
  reply: { text: "", data: {} },
  ask: { message, ...(sign && { sign: { ...sign, hash: hashOf(sign.record) } }) },
});

describe("a verdict from a page", () => {
  it("is committed, and answered with its receipt", async () => {
    const { give, said, store } = scene();
    expect(await give()).toEqual({
      words: "Approved.\n",
      receipt: {
        ...{ run: "a:1", gate: "a.open", approved: true, time: "2026-01-31T12:00:00.000Z" },
        ...{ by: "ada", channel: "board", strength: "board", artifact: "b".repeat(64) },
        worth: "given on the board; unverified: anyone with your browser",
        ...{ work: null, record: null },
      },
    });
    expect(said).toEqual([[{ id: "1", approve: true, version: "v1" }, undefined]]);
    expect(store.files.get("state")).toBe("approved");
  });

  it("has the notes, and its points under them", async () => {
    const { give, said } = scene();
    const points = [{ text: "Name the unit." }, { text: "Never reset.", at: "src/a.ts:12" }];
    await give({ approve: false, notes: " Not yet. ", points });
    await give({ notes: "  " });
    expect(said.map(([input]) => input)).toEqual([
      {
        ...{ id: "1", approve: false, version: "v1" },
        notes: "Not yet.\n\n- Name the unit.\n- [src/a.ts:12] Never reset.",
      },
      { id: "1", approve: true, version: "v1" },
    ]);
  });

  it("answers what the review has shown already, and nothing else", async () => {
    const gate: VerdictCase["gate"] = (_, answered) =>
      answered === undefined ? asking("Approve a:1?") : MOVED;
    const { give, said, store } = scene({ gate });
    expect(await give()).toMatchObject({ words: "Approved.\n" });
    expect(said.map(([, answered]) => answered)).toEqual([undefined, { to: { message: "Approve a:1?" } }]);
    expect(store.files.get("state")).toBe("approved");
    const clean = scene({ gate, edits: null });
    expect(await clean.give()).toMatchObject({ words: "Approved.\n" });
  });

  it("is asked for again if the answer is to another question by then", async () => {
    const gate: VerdictCase["gate"] = (_, answered) =>
      asking(answered === undefined ? "Approve a:1?" : "Approve a:1, now with findings?");
    const { give, store } = scene({ gate });
    const message = "Approve a:1, now with findings?";
    expect(await give()).toEqual({ asked: { hash: hashOf(message), message, digits: 0 } });
    expect(store.commits).toBe(0);
  });
});

describe("a verdict that needs more than the review", () => {
  const EDITS: OutOfScopeEdits = { run: "a:1", state: "open", files: ["src/a.ts"], tree: null };
  const gate: VerdictCase["gate"] = (_, answered) => (answered === undefined ? asking("Approve?") : MOVED);

  it("shows what strayed, word for word, and counts once that is answered", async () => {
    const { give, looked, said, store } = scene({ gate, edits: EDITS });
    const asked = await give();
    const message =
      'While a:1 is at "open", where they may not be written, these files changed: src/a.ts. Your yes accepts them.\n\nApprove?';
    expect(asked).toEqual({ asked: { hash: hashOf(message), message, digits: 0 } });
    expect([store.commits, new Set(looked)]).toEqual([0, new Set(["a:1"])]);
    expect(await give({ asked: hashOf(message) })).toMatchObject({ words: "Approved.\n" });
    expect([store.commits, said.at(-1)?.[1]]).toEqual([
      1,
      { to: { message: "Approve?", edits: message.replace("Approve?", "") } },
    ]);
    // It is answered: the same order is a new one.
    expect(await give({ asked: hashOf(message) })).toEqual(asked);
  });

  it("asks again by a hash that nobody was asked for", async () => {
    const { give, said } = scene({ gate, edits: EDITS });
    expect(await give({ asked: "f".repeat(64) })).toHaveProperty("asked");
    expect(said.map(([, answered]) => answered)).toEqual([undefined]);
  });

  it("forgets the question of which the most others were asked since", async () => {
    let number = 0;
    const { give } = scene({
      gate: (_, answered) => (answered === undefined ? asking(`Approve ${number++}?`) : MOVED),
      edits: EDITS,
    });
    const hashes: string[] = [];
    for (let count = 0; count < 101; count++) {
      const found = await give();
      if ("asked" in found) hashes.push(found.asked.hash);
    }
    expect(await give({ asked: hashes[1] ?? "" })).toHaveProperty("receipt");
    expect(await give({ asked: hashes[0] ?? "" })).toHaveProperty("asked");
  });
});

describe("a verdict that is signed", () => {
  const RECORD = { record: "the record", words: "You sign it all." };
  const HASH = hashOf(RECORD.record);
  const gate: VerdictCase["gate"] = (_, answered) =>
    typeof answered === "object" && answered.signed
      ? { reply: REPLY, changes: CHANGES }
      : asking("Approve?", RECORD);

  it("is shown with what is signed, and signed once the first digits of its hash are typed", async () => {
    const { give, said, store } = scene({ gate });
    expect(await give()).toEqual({
      asked: { hash: HASH, message: "Approve?\n\nYou sign it all.", digits: 8 },
    });
    expect(said).toHaveLength(1);
    expect(await give({ asked: HASH, digits: ` ${HASH.slice(0, 8).toUpperCase()} ` })).toEqual({
      words: "Approved.\n",
      receipt: null,
    });
    expect(said.at(-1)?.[1]).toEqual({
      to: { message: "Approve?" },
      signed: { record: "the record", signature: "signed the record" },
    });
    expect(store.commits).toBe(1);
  });

  it.each([undefined, "", "1234567", HASH.slice(0, 7), HASH.slice(0, 9)])(
    "is not by the digits %j",
    async (digits) => {
      const { give, refused, store } = scene({ gate });
      await give();
      expect(await refused({ asked: HASH, ...(digits === undefined ? {} : { digits }) })).toEqual({
        code: "person-declined",
        message: "The digits are not those of the record. Nothing was changed, and the run waits as before.",
        fix: "Type the first eight digits of the hash that the page shows.",
      });
      expect(store.commits).toBe(0);
      // The question stands.
      expect(await give({ asked: HASH, digits: HASH.slice(0, 8) })).toMatchObject({ words: "Approved.\n" });
    },
  );

  const signing = async (sign: VerdictCase["sign"]) => {
    const at = scene({ gate, sign: sign ?? null });
    await at.give();
    return at.refused({ asked: HASH, digits: HASH.slice(0, 8) });
  };

  it("is given in a terminal if the key needs more than the page can give it", async () => {
    const thrown = new PawlError("signature-failed", "It wants a PIN.", "Type it.");
    expect(await signing(() => Promise.reject(thrown))).toEqual({
      code: "signature-failed",
      message: "It wants a PIN.",
      fix: "Give the verdict with `pawl approve` or `pawl reject` in a terminal, where the key can ask for what it needs.",
    });
  });

  it("fails as its key does otherwise, or as a program without keys", async () => {
    const missing = new PawlError("key-missing", "There is no key.", "Add one.");
    expect(await signing(() => Promise.reject(missing))).toMatchObject({
      code: "key-missing",
      fix: "Add one.",
    });
    expect(await signing(() => Promise.reject(new Error("no")))).toMatchObject({ message: "no" });
    expect(await signing(null)).toEqual({
      code: "internal",
      message: "This program cannot sign.",
      fix: "Report this.",
    });
  });

  it("is one at a time: there is one terminal to type at", async () => {
    const order: string[] = [];
    let fails = true;
    const { give, refused } = scene({
      gate,
      async sign(record) {
        order.push("begins");
        await new Promise(setImmediate);
        order.push("ends");
        if (fails) {
          fails = false;
          throw new Error("no");
        }
        return record;
      },
    });
    await give();
    const signed = { asked: HASH, digits: HASH.slice(0, 8) };
    const [first, second] = await Promise.all([refused(signed), give(signed)]);
    expect([first.message, second]).toEqual(["no", { words: "Approved.\n", receipt: null }]);
    expect(order).toEqual(["begins", "ends", "begins", "ends"]);
  });
});

describe("no verdict counts", () => {
  it("of a workflow that cannot be used, or has no gate", async () => {
    const fault = new PawlError("workflow-invalid" as never, "It is faulty.", "Mend it.");
    expect(await scene({ fault }).refused()).toMatchObject({ message: "It is faulty." });
    expect(await scene({ gate: null }).refused()).toEqual({
      code: "no-effect",
      message: "a:1 has no gate: people approve or reject nothing in Workflow A.",
      fix: "`pawl status` shows what each run waits for.",
    });
  });

  it("that names no review, if there are reviews", async () => {
    expect(await scene().refused({ version: "" })).toEqual({
      code: "usage",
      message: "The verdict names no version of a review: expected that of the one that was read.",
      fix: "Load the review, and decide on that.",
    });
    const { give, said } = scene({ hasReview: false });
    await give({ version: "" });
    expect(said.map(([input]) => input)).toEqual([{ id: "1", approve: true }]);
  });
});

describe("what was done", () => {
  it("is said in the reply's message, or its text", () => {
    expect(doneOf({ reply: { text: "Text", data: { message: "Message" } } })).toEqual({
      words: "Message",
      receipt: null,
    });
    expect(doneOf({ reply: { text: "Text", data: { message: 7 } } })).toEqual({
      words: "Text",
      receipt: null,
    });
  });

  it("is nothing if it was refused", () => {
    const reply = { text: " It is over.\n", data: {}, refused: true } as const;
    expect(() => doneOf({ reply })).toThrow(
      expect.objectContaining({
        code: "no-effect",
        message: "It is over.",
        fix: "Load the page again: it shows what waits now.",
      }),
    );
  });
});

describe("an approval from a device", () => {
  const gate: VerdictCase["gate"] = (_, answered) =>
    answered === undefined ? asking("Approve a:1?") : MOVED;
  const asked = async (about: VerdictCase = {}) => {
    const passkey: unknown[] = [];
    const made = scene({ gate, passkey, ...about });
    const question = await made.give();
    if (!("asked" in question)) throw new Error("It was not asked.");
    return { ...made, passkey, ...question };
  };

  it("is asked of its passkey, and counts with its proof of exactly that", async () => {
    const { asked: question, give, passkey, store } = await asked();
    expect(question).toMatchObject({ message: "Approve a:1?", digits: 0, passkey: { challenge: 1 } });
    const [[, hash] = []] = passkey as [string, string][];
    expect(question.hash).toBe(hashOf(hash ?? ""));
    expect(store.files.size).toBe(0);
    const done = await give({ asked: question.hash, assertion: { id: "key" } });
    expect(passkey.slice(1)).toEqual([["checked", hash, { id: "key" }]]);
    expect(done).toMatchObject({ receipt: { approved: true } });
    // It is answered once.
    expect(await give({ asked: question.hash, assertion: { id: "key" } })).toHaveProperty("asked");
  });

  it("is of one project, and of the edits that were shown with it", async () => {
    const edits = { run: "a:1", state: "open", files: ["src/b.ts"], tree: null };
    const hashes = await Promise.all(
      [{}, { root: "/site" }, { edits }].map(async (about) => (await asked(about)).asked.hash),
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it("does not count if its passkey does not prove it, nor if nothing asks a passkey", async () => {
    const { asked: question, project, store, verdicts } = await asked();
    const refusing = {
      ask: async () => ({}),
      check: () => Promise.reject(new PawlError("board-refused", "It is another.", "")),
    };
    const device = { ...CALLER, device: "phone" };
    const order = { ...ORDER, asked: question.hash };
    await expect(verdicts.give(project, "a:1", order, device, refusing)).rejects.toMatchObject({
      code: "board-refused",
    });
    await expect(verdicts.give(project, "a:1", order, device)).rejects.toMatchObject({ code: "internal" });
    expect(store.files.size).toBe(0);
  });

  it("is a yes on the board itself, which asks no passkey", async () => {
    const { give } = scene({ gate });
    expect(await give()).toMatchObject({ receipt: { approved: true } });
  });
});

describe("a verdict that comes too late", () => {
  const late = new PawlError("review-changed", "It has changed.", "Look again.");
  const throwing: VerdictCase["gate"] = () => {
    throw late;
  };
  const decided = (store: { readonly files: Map<string, string> }) => {
    const step = stepOn(undefined, "a:1", "approve", {
      strength: "terminal",
      by: { channel: "terminal", who: "bob" },
    });
    store.files.set(logPath("a:1"), renderLine({ id: "1", step }));
    return step.time;
  };

  it("is told who has decided, if anybody did, with the login of the database", async () => {
    const { give, project, store } = scene({ gate: throwing });
    await expect(give()).rejects.toMatchObject({ message: "It has changed." });
    const time = decided(store);
    await expect(give()).rejects.toMatchObject({
      ...{
        code: "review-changed",
        message: `It has changed. bob has decided already: approve, ${time}.`,
        fix: "Look again.",
      },
    });
    Object.assign(project.runtime.outside, { workers: { logins: async () => new Map([[time, "bob_db"]]) } });
    await expect(give()).rejects.toMatchObject({ message: expect.stringContaining("bob_db") });
  });

  it("is an error, too, if the gate says so in its reply", async () => {
    const said = (data: object) => scene({ gate: () => ({ reply: { text: "Late.", data: data as never } }) });
    const { give, store } = said({
      message: "It is over.",
      data: { code: "review-changed", fix: "Reload." },
    });
    decided(store);
    await expect(give()).rejects.toMatchObject({
      ...{
        code: "review-changed",
        message: expect.stringMatching(/^It is over\. bob has decided/),
        fix: "Reload.",
      },
    });
    await expect(said({ data: { code: "review-changed" } }).give()).rejects.toMatchObject({
      message: "",
      fix: "",
    });
    expect(await said({ message: "Fine.", data: { code: "other" } }).give()).toMatchObject({
      words: "Fine.",
    });
  });

  it("is any other error as it is", async () => {
    const thrown = [new PawlError("no-effect", "Nothing waits.", ""), new Error("no disk")];
    for (const each of thrown) {
      const { give, store } = scene({
        gate() {
          throw each;
        },
      });
      decided(store);
      await expect(give()).rejects.toBe(each);
    }
  });
});

it("a rejection may block its task", async () => {
  const { give, said } = scene();
  await give({ approve: false, block: true });
  await give({ approve: false, block: false });
  expect(said.map(([input]) => input)).toEqual([
    { id: "1", approve: false, version: "v1", block: true },
    { id: "1", approve: false, version: "v1" },
  ]);
});
