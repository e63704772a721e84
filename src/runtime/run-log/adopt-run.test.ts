import { describe, expect, it } from "vitest";
import type { Caller } from "../../core/event.ts";
import type { Change } from "../../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Context } from "../transaction/transaction.ts";
import { type AdoptInput, type AdoptionStep, adoptRun } from "./adopt-run.ts";
import { hashOfStep } from "./history.ts";
import type { RunBranch, SharedStep } from "./team-records.ts";

const RUN = "release:1";
const PERSON: Caller = { channel: "terminal", who: "ada" };

function chain(events: readonly string[], before: readonly SharedStep[] = []): readonly SharedStep[] {
  const steps = [...before];
  for (const event of events) {
    const last = steps.at(-1);
    const time = `2026-01-01T00:00:${String(steps.length).padStart(2, "0")}.000Z`;
    const by = { channel: "mcp", who: "ben" } as const;
    steps.push({ time, event, row: event, from: "a", to: "b", by, prev: last ? hashOfStep(last) : null });
  }
  return steps;
}

type Own = RunBranch<SharedStep, { readonly state: string }>;
const side = (steps: readonly SharedStep[], more: Partial<Own> = {}): Own =>
  ({
    head: steps.length === 0 ? "0".repeat(64) : hashOfStep(steps.at(-1) as SharedStep),
    steps,
    recorded: { state: "in_review" },
    ...more,
  }) as Own;

interface AdoptCase {
  readonly branches: readonly Own[];
  readonly side?: string;
  readonly isOver?: boolean;
  readonly notes?: readonly string[];
  readonly caller?: Caller;
  readonly answered?: Context["answered"];
}

function adoptIn({ branches, isOver = false, notes = [], caller = PERSON, answered, ...input }: AdoptCase) {
  const made: (readonly [Own, AdoptionStep])[] = [];
  const looked: Own[] = [];
  const context = {
    ...{ settings: DEFAULT_SETTINGS, caller, now: { time: "2026-01-02T00:00:00.000Z", id: "new" } },
    ...(answered === undefined ? {} : { answered }),
  };
  const change: Change = { type: "write", path: "state" as never, text: "" };
  const proposal = adoptRun(
    {
      ...{ run: RUN, machine: "release", branches: branches },
      look(one) {
        looked.push(one);
        return { state: "in_review", isOver, notes };
      },
    },
    { id: "1", ...input } satisfies AdoptInput,
    (one, step) => {
      made.push([one, step]);
      return { changes: [change] };
    },
    context,
  );
  return { change, looked, made, proposal };
}

/** Asks, and answers yes to just that. */
function taken(scene: AdoptCase) {
  const { proposal } = adoptIn(scene);
  return adoptIn({ ...scene, answered: { to: { message: proposal.ask?.message ?? "" } } });
}

const BASE = chain(["start", "submit"]);
const ONE = side(chain(["approve"], BASE));
const OTHER = side(chain(["reject", "submit"], BASE));
const nameOf = ({ head }: Own) => head.slice(0, 8);

describe("a run that others advanced", () => {
  it("is taken over by a person who is told where it stands, and what happened", () => {
    const { looked, made, proposal } = adoptIn({ branches: [ONE], notes: ["Its branch is not here."] });
    expect([looked, made, proposal.changes]).toEqual([[ONE], [], undefined]);
    expect(proposal.ask?.command).toBe("pawl take release:1");
    const message = proposal.ask?.message ?? "";
    expect(message).toContain("Take over release:1, which is in in_review?");
    const facts = [
      "Its branch is not here.",
      "Its steps come from records in the repository, which anybody with access may write: they prove no verdict.",
      "Whoever worked on it must stop: if two go on, the run is held when both are merged.",
      "This side:",
    ];
    const places = facts.map((fact) => message.indexOf(fact));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(message).toContain("pawl show release:1");
    for (const event of ["start", "submit", "approve"]) expect(message).toContain(event);
  });

  it("moves by a step of its own, which says who, how surely, and on what", () => {
    const { change, made, proposal } = taken({ branches: [ONE] });
    const step = {
      ...{ time: "2026-01-02T00:00:00.000Z", event: "taken-over", row: "taken-over" },
      ...{ from: "in_review", to: "in_review", by: { channel: "terminal", who: "ada" } },
      ...{ strength: "terminal", prev: ONE.head },
    };
    expect(made).toEqual([[ONE, { ...step, event: expect.any(String), row: expect.any(String) }]]);
    expect(proposal.changes).toEqual([change]);
    const text = "release:1 is taken over. It is in_review.";
    expect(proposal.reply).toEqual({
      text,
      data: { status: "success", message: text, run: RUN, state: "in_review" },
    });
    expect(proposal.events).toEqual([
      expect.objectContaining({
        ...{ type: "run:advanced", run: RUN, machine: "release", from: "in_review", to: "in_review" },
        ...{ summary: "taken over in in_review", time: "2026-01-02T00:00:00.000Z" },
        ...{ by: expect.objectContaining({ channel: "terminal", who: "ada" }) },
      }),
    ]);
    expect(proposal.ask).toBeUndefined();
  });

  it("is taken by somebody without a name, too", () => {
    const { made } = taken({ branches: [ONE], caller: { channel: "terminal" } });
    expect(made[0]?.[1].by).toEqual({ channel: "terminal" });
  });

  it("is asked for anew where the answer was to another question", () => {
    const { made, proposal } = adoptIn({ branches: [ONE], answered: { to: { message: "Another?" } } });
    expect([made, proposal.ask !== undefined]).toEqual([[], true]);
  });

  it("shows its last twenty steps, and how many there are before them", () => {
    const long = (count: number) =>
      adoptIn({ branches: [side(chain(Array.from({ length: count }, (_, at) => `event-${at}.`)))] }).proposal
        .ask?.message ?? "";
    const some = long(20);
    expect([some.includes("event-0."), some.includes("steps, then")]).toEqual([true, false]);
    const more = long(23);
    expect(more).toContain("This side: 3 steps, then");
    expect([more.includes("event-2."), more.includes("event-3."), more.includes("event-22.")]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

describe("what cannot be taken over", () => {
  it.each<readonly [string, AdoptCase, object]>([
    [
      "a run without records",
      { branches: [] },
      { code: "no-effect", message: "release:1 is in this checkout already." },
    ],
    [
      "one that nobody recorded",
      { branches: [{ ...ONE, recorded: null }] },
      {
        code: "no-effect",
        message: "release:1 is in this checkout already.",
        fix: "There is nothing to take over.",
      },
    ],
    [
      "one that is over",
      { branches: [ONE], isOver: true },
      {
        code: "no-effect",
        message: "release:1 is over: it is in_review.",
        fix: "There is nothing to take over.",
      },
    ],
    ["a side that there is not", { branches: [ONE, OTHER], side: "ffffffff0" }, {}],
    ["one of two, if none is named", { branches: [ONE, OTHER] }, {}],
  ])("%s", (_, scene, expected) => {
    expect(() => adoptIn(scene)).toThrow(expect.objectContaining(expected));
  });
});

describe("a run with two sides", () => {
  const scene: AdoptCase = { branches: [ONE, OTHER], side: nameOf(ONE) };

  it("is decided by the one that a person names, and is told what only each of them has", () => {
    const { looked, proposal } = adoptIn(scene);
    expect(looked).toEqual([ONE]);
    expect(proposal.ask?.command).toBe(`pawl take release:1 --side ${nameOf(ONE)}`);
    const message = proposal.ask?.message ?? "";
    expect(message).toMatch(/^Does the side \S+ of release:1 count, which is in in_review\?/m);
    expect(message).toContain(
      "Yes overrules the other side for everybody who gets this choice by git. Its records stay.",
    );
    const [, own = "", others = ""] = /This side:([\s\S]*)The side \S+:([\s\S]*)/.exec(message) ?? [];
    expect([own.includes("approve"), own.includes("start"), own.includes("reject")]).toEqual([
      true,
      false,
      false,
    ]);
    expect([others.includes("reject"), others.includes("start"), others.includes("approve")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("names what it overrules, also where it is over", () => {
    const { made, proposal } = taken({ ...scene, isOver: true });
    expect(made[0]?.[1]).toMatchObject({ prev: ONE.head, over: [OTHER.head] });
    expect(proposal.events?.[0]).toMatchObject({
      summary: expect.stringMatching(/^taken over in in_review, by the side \S+$/),
    });
    const mine = taken({ branches: [{ ...ONE, recorded: null }, OTHER], side: nameOf(ONE) });
    expect(mine.made).toHaveLength(1);
  });

  it("says nothing of others where there is one", () => {
    expect(taken({ branches: [ONE] }).made[0]?.[1]).not.toHaveProperty("over");
  });
});
