import { beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { type MemoryStore, openMemoryStore } from "../../adapters/memory/memory-store.ts";
import type { Caller, RunAdvanced } from "../../core/event.ts";
import { projectPath } from "../../core/path.ts";
import type { Outside } from "../../core/ports/outside.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Configuration, Workflow } from "../../engine/workflow.ts";
import {
  decideNow,
  type RunDefinition,
  type RunTypes,
  runEvent,
  type Sent,
  type TableRun,
} from "./run-event.ts";
import { type Runtime, runTransaction } from "./run-transaction.ts";
import type { Reply } from "./transaction.ts";

const PARCEL: Workflow = {
  name: "parcel",
  title: "A parcel",
  states: {
    packed: { description: "It is packed." },
    sent: { description: "It is on its way." },
    signed: { description: "It is there.", final: true },
  },
  initial: "packed",
  events: {
    send: { description: "It goes out." },
    sign: { description: "Somebody signs for it." },
    lost: { description: "Nobody knows where it is." },
  },
  facts: {
    stamped: { description: "There are stamps on it.", values: ["no", "yes"] },
    weight: { description: "By the scales.", values: ["light", "heavy"] },
    weather: { description: "Nothing asks for it.", values: ["fair", "foul"] },
  },
  rules: [
    {
      id: "unstamped",
      from: ["packed"],
      on: "send",
      when: [{ stamped: ["no"] }],
      to: "same",
      outcome: "blocked",
      reply: "unstamped",
    },
    {
      id: "light",
      from: ["packed"],
      on: "send",
      when: [{ stamped: ["yes"], weight: ["light"] }],
      to: "sent",
      outcome: "moved",
      reply: "sent",
    },
    {
      id: "heavy",
      from: ["packed"],
      on: "send",
      when: [{ stamped: ["yes"], weight: ["heavy"] }],
      to: "sent",
      outcome: "moved",
      reply: "sent",
      commands: [{ type: "carry" }],
    },
    { id: "signed", from: ["sent"], on: "sign", to: "signed", outcome: "moved", reply: "signed" },
    { id: "lost", from: ["sent"], on: "lost", to: "packed", outcome: "moved", reply: "lost" },
  ],
  goals: ["signed"],
};

interface Parcel extends RunTypes {
  input: { readonly event: string; readonly byEngine?: true };
  run: TableRun;
  sent: Sent;
  note: string;
  material: string;
  reply: Reply;
}

const STATE = projectPath("parcel.json");
const SCALES = projectPath("scales.txt");
const CALLER: Caller = { channel: "library", who: "a test" };
const START: Configuration = { state: "packed", variables: {} };

describe("an event sent to a run", () => {
  let store: MemoryStore;
  let runtime: Runtime;
  let asked: string[];
  let ids: number;
  let definition: RunDefinition<Parcel>;

  beforeEach(() => {
    store = openMemoryStore();
    asked = [];
    ids = 0;
    runtime = {
      store,
      outside: {} as Outside,
      settings: async () => DEFAULT_SETTINGS,
      now: () => new Date("2026-11-22T12:00:00Z"),
      newId: () => `id-${++ids}`,
    };
    const look = (name: string, value: string) => ({
      observe() {
        asked.push(name);
        return { value };
      },
    });
    definition = {
      lock: () => "parcel:one",
      async load({ view }) {
        const text = await view.read(STATE);
        return {
          run: "parcel:one",
          workflow: PARCEL,
          configuration: text === null ? START : JSON.parse(text),
        };
      },
      event: (_, { input }) => input,
      owners: () => ({ lost: "engine", sign: "person" }),
      observers: (_, __, { view }) => ({
        weather: look("weather", "foul"),
        stamped: look("stamped", "yes"),
        weight: {
          costly: true,
          async observe() {
            asked.push("weight");
            return { value: (await view.read(SCALES)) ?? "light", note: "by the scales" };
          },
        },
      }),
      collect: async ({ decision }) => `the label of ${decision.rule.id}`,
      propose({ decision: { after, rule }, material }) {
        const reply = { text: `${rule.reply}, with ${material}`, data: {} };
        if (rule.outcome !== "moved") return { reply };
        return {
          reply,
          changes: [{ type: "write", path: STATE, text: JSON.stringify(after) }],
          moved: { summary: `the parcel is ${after.state}` },
        };
      },
    };
  });

  const send = (event: string, more: object = {}) =>
    runTransaction(runtime, runEvent(definition), { event, ...more }, CALLER);
  const events = () =>
    (store.files.get(".pawl/events.jsonl") ?? "")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as RunAdvanced & { readonly id: string });
  const recordedState = (state: string) => store.files.set(STATE, JSON.stringify({ state, variables: {} }));

  it("moves the run, and is told by one event in the same commit", async () => {
    promise("commit.one-way");
    const { reply } = await send("send");
    expect(reply.text).toBe("sent, with the label of light");
    expect(store.commits).toBe(1);
    expect(events()).toEqual([
      {
        id: "id-1",
        time: "2026-11-22T12:00:00.000Z",
        type: "run:advanced",
        run: "parcel:one",
        machine: "parcel",
        event: "send",
        row: "light",
        from: "packed",
        to: "sent",
        summary: "the parcel is sent",
        by: CALLER,
      },
    ]);
  });

  it("observes only what a rule for it mentions", async () => {
    promise("commit.one-way");
    await send("send");
    expect(asked).toEqual(["stamped", "weight"]);
    asked = [];
    await send("sign");
    expect(asked).toEqual([]);
  });

  it("leaves out a costly look that can make no difference any more", async () => {
    const { observers } = definition;
    const unstamped = { observe: () => ({ value: "no" }) };
    definition = { ...definition, observers: (...all) => ({ ...observers?.(...all), stamped: unstamped }) };
    expect((await send("send")).reply.text).toContain("unstamped");
    expect(asked).toEqual([]);
    expect(store.commits).toBe(0);
  });

  it("is answered by what waits, if an input cannot be told yet", async () => {
    const { observers } = definition;
    const weight = { costly: true as const, observe: () => ({ note: "the scales settle" }) };
    definition = {
      ...definition,
      observers: (...all) => ({ ...observers?.(...all), weight }),
      pending: (_, { notes, pending }) => ({
        answer: { reply: { text: `${pending}: ${notes[pending]}`, data: {}, waits: true } },
      }),
    };
    expect((await send("send")).reply).toMatchObject({ text: "weight: the scales settle", waits: true });
    expect(store.commits).toBe(0);
  });

  it.each([
    ["it is no event", "packed", "snd", "usage", 'no event "snd": expected one of send, sign', "Send send."],
    [
      "it is the engine's",
      "sent",
      "lost",
      "caller-not-allowed",
      "the engine runs that command",
      "In sent it",
    ],
    ["the run is over", "signed", "send", "no-effect", "parcel:one has ended in signed", "complete"],
  ])("is refused before anything is observed if %s", async (_, state, event, code, message, fix) => {
    promise("commit.one-way");
    recordedState(state);
    await expect(send(event)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
      fix: expect.stringContaining(fix),
    });
    expect(asked).toEqual([]);
    expect(store.commits).toBe(0);
  });

  it("is refused with the events that the run does take, and whose they are", async () => {
    promise("commit.one-way");
    recordedState("sent");
    await expect(send("sgin")).rejects.toMatchObject({
      fix: "Send sign. In sent it takes sign (a person's).",
    });
  });

  it("may be the engine's own, when the engine sends it", async () => {
    recordedState("sent");
    await send("lost", { byEngine: true });
    expect(events()[0]).toMatchObject({ event: "lost", from: "sent", to: "packed" });
  });

  it("is held back by its guard before anything is observed", async () => {
    const ask = { message: "Send it?" };
    definition = { ...definition, guard: () => ({ answer: { reply: { text: "", data: {} }, ask } }) };
    expect((await send("send")).ask).toEqual(ask);
    expect(asked).toEqual([]);
    expect(store.commits).toBe(0);
  });

  it("is decided again if what was read has changed by the commit", async () => {
    promise("commit.one-way");
    const { propose } = definition;
    let proposals = 0;
    definition = {
      ...definition,
      propose(step, context) {
        proposals++;
        if (proposals === 1) store.files.set(SCALES, "heavy");
        return propose(step, context);
      },
    };
    await send("send");
    expect(proposals).toBe(2);
    expect(events().map(({ row }) => row)).toEqual(["heavy"]);
  });

  it.each([
    ["once, one after the other, where only files are read", true, 5],
    ["again by all but the first where something is looked up outside", undefined, 15],
  ])("of many at once is decided %s", async (_, filesOnly, most) => {
    promise("commit.one-way");
    const { load, propose } = definition;
    let loads = 0;
    definition = {
      ...definition,
      ...(filesOnly && { filesOnly }),
      async load(context) {
        loads++;
        return load(context);
      },
      propose(step, context) {
        const text = JSON.stringify({ ...START, variables: {}, written: loads });
        return { ...propose(step, context), changes: [{ type: "write", path: STATE, text }] };
      },
    };
    await Promise.all(Array.from({ length: 5 }, () => send("send")));
    expect(store.commits).toBe(5);
    expect(events()).toHaveLength(5);
    expect(loads).toBeLessThanOrEqual(most);
    if (!filesOnly) expect(loads).toBeGreaterThan(5);
  });

  it("is decided by the policy that governs the run, and tells what of the present one does not count", async () => {
    const { propose } = definition;
    const ignored = [{ path: "carrier", pinned: "ours", present: "theirs", loosens: true }];
    let carriers: unknown;
    definition = {
      ...definition,
      govern: async (_, { settings }) => ({ settings: { ...settings, workflows: ["ours"] }, ignored }),
      propose(step, context) {
        carriers = context.settings.workflows;
        return propose(step, context);
      },
    };
    await send("send");
    expect(carriers).toEqual(["ours"]);
    expect(events().map(({ type, id }) => [type, id])).toEqual([
      ["run:advanced", "id-1"],
      ["policy:changed", "id-1-policy"],
    ]);
  });

  it("has an id of its own for each event of its commit, the trace of its caller and the strength of a verdict", async () => {
    const { propose } = definition;
    const told = { type: "task:waiting", task: "one", run: "parcel:one" } as never;
    definition = {
      ...definition,
      propose: (step, context) => ({
        ...propose(step, context),
        moved: { summary: "", strength: "terminal" },
        events: [told, told],
      }),
    };
    runtime = { ...runtime, trace: "00-a-b-01" };
    await send("send");
    expect(events().map(({ id }) => id)).toEqual(["id-1", "id-1-1", "id-1-2"]);
    expect(events()[0]).toMatchObject({ trace: "00-a-b-01", strength: "terminal" });
  });

  it("pins the policy if one must be, and tells nothing of settings that all count", async () => {
    const kept: unknown[] = [];
    const policies = { find: async () => null, keep: async (...given: unknown[]) => void kept.push(given) };
    const pin = { run: "parcel:one", policy: { carrier: "ours" } };
    definition = { ...definition, govern: async () => ({ settings: DEFAULT_SETTINGS, ignored: [], pin }) };
    runtime = { ...runtime, outside: { policies } as unknown as Outside };
    await send("send");
    expect(kept).toEqual([["parcel:one", { carrier: "ours" }]]);
    expect(events().map(({ type }) => type)).toEqual(["run:advanced"]);
  });

  it("is answered if there is no run, or if the call means no event: then its policy is pinned all the same", async () => {
    const answer = {
      reply: { text: "There is none.", data: {} },
      changes: [{ type: "write", path: STATE, text: "{}" }],
    } as const;
    const kept: unknown[] = [];
    const policies = { find: async () => null, keep: async (...given: unknown[]) => void kept.push(given) };
    runtime = { ...runtime, outside: { policies } as unknown as Outside };
    const pin = { run: "parcel:one", policy: { carrier: "ours" } };
    const ignored = [{ path: "carrier", pinned: "ours", present: "theirs", loosens: true }];
    definition = {
      ...definition,
      govern: async () => ({ settings: DEFAULT_SETTINGS, ignored, pin }),
      event: () => ({ answer }),
    };
    expect((await send("send")).reply.text).toBe("There is none.");
    expect(kept).toHaveLength(1);
    expect(events().map(({ type }) => type)).toEqual(["policy:changed"]);
    definition = { ...definition, load: async () => ({ answer }) };
    expect((await send("send")).reply.text).toBe("There is none.");
    expect(kept).toHaveLength(1);
    expect(asked).toEqual([]);
  });

  it("is decided at once if all inputs are, as the engine's own, and of the needed ones alone", () => {
    const run = { run: "parcel:one", workflow: PARCEL, configuration: START };
    const inputs: Readonly<Record<string, string>> = { stamped: "yes", weight: "heavy" };
    const decision = decideNow(run, "send", (name) => inputs[asked[asked.push(name) - 1] as string] ?? "no");
    expect(decision.rule.id).toBe("heavy");
    expect(asked).toEqual(["stamped", "weight"]);
    const sent = { ...run, configuration: { state: "sent", variables: {} } };
    expect(decideNow(sent, "lost", () => "no").after.state).toBe("packed");
    expect(() => decideNow(run, "fly", () => "no")).toThrow(expect.objectContaining({ code: "usage" }));
  });

  it("has the notes of its observers beside what they observed, as far as they made some", async () => {
    const { propose } = definition;
    let observed: unknown;
    definition = {
      ...definition,
      propose(step, context) {
        observed = step.observed;
        return propose(step, context);
      },
    };
    await send("send");
    expect(observed).toEqual({
      facts: { stamped: "yes", weight: "light" },
      notes: { weight: "by the scales" },
    });
    expect(Object.keys((observed as { readonly notes: object }).notes)).toEqual(["weight"]);
  });

  it("has the run's kind for its log if its workflow has one", () => {
    const runs = {} as never;
    expect("runs" in runEvent(definition)).toBe(false);
    expect(runEvent({ ...definition, runs }).runs).toBe(runs);
  });

  it("is decided without a look at facts that nobody observes, if none is needed", async () => {
    const { observers: _, ...blind } = definition;
    recordedState("sent");
    definition = blind as typeof definition;
    expect((await send("sign")).reply.text).toContain("signed");
  });

  describe("whose rule has a command", () => {
    beforeEach(() => {
      store.files.set(SCALES, "heavy");
      const { propose } = definition;
      definition = {
        ...definition,
        propose(step, context) {
          const effects = propose(step, context);
          const isOrdered = step.decision.rule.commands !== undefined;
          return isOrdered ? { ...effects, next: { event: "sign" } } : effects;
        },
      };
    });

    it("sends what is called for after the commit, and answers with that", async () => {
      promise("commit.one-way");
      const { reply } = await send("send");
      expect(reply.text).toContain("signed");
      expect(events().map(({ event }) => event)).toEqual(["send", "sign"]);
      expect(store.commits).toBe(2);
    });

    it("has moved the run whatever becomes of it; that it failed is in the reply and in the log", async () => {
      promise("commit.after-commit-logged");
      const { load } = definition;
      definition = {
        ...definition,
        async load(context) {
          const run = await load(context);
          if ("configuration" in run && run.configuration.state === "sent")
            throw new Error("the carrier is on strike");
          return run;
        },
        failed: (reply, { message }) => ({ ...reply, text: `${reply.text}; but: ${message}` }),
      };
      const { reply } = await send("send");
      expect(reply.text).toContain("sent, with the label of heavy; but: ");
      expect(reply.text).toContain("the carrier is on strike");
      expect(events().map(({ event }) => event)).toEqual(["send"]);
      expect(store.logged.map((line) => JSON.parse(line))).toMatchObject([
        { what: "after-commit", message: expect.stringContaining("on strike") },
      ]);
    });
  });
});
