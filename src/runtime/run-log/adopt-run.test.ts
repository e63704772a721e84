import { describe, expect, it } from "vitest";
import { chainOf } from "../../../test/rig/steps.ts";
import type { Caller } from "../../core/event.ts";
import type { Change } from "../../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Context } from "../transaction/transaction.ts";
import { type AdoptInput, adoptRun } from "./adopt-run.ts";
import { hashOfStep, type Step } from "./step.ts";
import type { RunBranch } from "./team-records.ts";

const RUN = "release:1";
const PERSON: Caller = { channel: "terminal", who: "ada" };

const chain = (events: readonly string[], before: readonly Step[] = []) => chainOf(RUN, events, before);

type Own = RunBranch<{ readonly state: string }>;
const side = (steps: readonly Step[], more: Partial<Own> = {}): Own =>
  ({
    head: steps.length === 0 ? "0".repeat(64) : hashOfStep(steps.at(-1) as Step),
    steps,
    recorded: { state: "in_review" },
    ...more,
  }) as Own;

interface AdoptCase {
  readonly branches: readonly Own[];
  readonly branch?: string;
  readonly isOver?: boolean;
  readonly notes?: readonly string[];
  readonly caller?: Caller;
  readonly answered?: Context["answered"];
}

function adoptIn({ branches, isOver = false, notes = [], caller = PERSON, answered, ...input }: AdoptCase) {
  const made: Own[] = [];
  const looked: Own[] = [];
  const context = {
    ...{ settings: DEFAULT_SETTINGS, caller, now: { time: "2026-01-02T00:00:00.000Z", id: "new" } },
    ...(answered === undefined ? {} : { answered }),
  };
  const change: Change = { type: "write", path: "state" as never, text: "" };
  const proposal = adoptRun(
    {
      ...{ run: RUN, branches: branches },
      describe(one) {
        looked.push(one);
        return { machine: "release", state: "in_review", isOver, notes };
      },
    },
    { id: "1", ...input } satisfies AdoptInput,
    (one) => {
      made.push(one);
      return [change];
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
  it("is taken over by a person who is shown where it stands, and what happened", () => {
    const { looked, made, proposal } = adoptIn({ branches: [ONE], notes: ["Its branch is not here."] });
    expect([looked, made, proposal.changes]).toEqual([[ONE], [], undefined]);
    expect(proposal.ask?.command).toBe("pawl adopt release:1");
    const message = proposal.ask?.message ?? "";
    expect(message).toContain("Adopt release:1, which is in in_review?");
    const facts = [
      "Its branch is not here.",
      "Its steps come from records in the repository, which anybody with access may write: they prove no verdict.",
      "Whoever worked on it must stop: if two go on, the run has two branches when both are merged.",
      "This branch:",
    ];
    const places = facts.map((fact) => message.indexOf(fact));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(message).toContain("pawl show release:1");
    for (const event of ["start", "submit", "approve"]) expect(message).toContain(event);
  });

  it("moves by a step of its own, which says who, how surely, and on what", () => {
    const { change, made, proposal } = taken({ branches: [ONE] });
    expect(made).toEqual([ONE]);
    expect(proposal.logged).toEqual({ branch: ONE.steps });
    expect(proposal.changes).toEqual([change]);
    const text = "release:1 is adopted. It is in_review.";
    expect(proposal.reply).toEqual({
      text,
      data: { status: "success", message: text, run: RUN, state: "in_review" },
    });
    expect(proposal.events).toEqual([
      expect.objectContaining({
        ...{ type: "run:advanced", run: RUN, machine: "release", from: "in_review", to: "in_review" },
        ...{ summary: "adopted in in_review", time: "2026-01-02T00:00:00.000Z" },
        ...{ by: expect.objectContaining({ channel: "terminal", who: "ada" }), strength: "terminal" },
      }),
    ]);
    expect(proposal.ask).toBeUndefined();
  });

  it("is asked for anew if the answer was to another question", () => {
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
    expect(more).toContain("This branch: 3 steps, then");
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
        fix: "There is nothing to adopt.",
      },
    ],
    [
      "one that is over",
      { branches: [ONE], isOver: true },
      {
        code: "no-effect",
        message: "release:1 is over: it is in_review.",
        fix: "There is nothing to adopt.",
      },
    ],
    ["a side that there is not", { branches: [ONE, OTHER], branch: "ffffffff0" }, {}],
    ["one of two, if none is named", { branches: [ONE, OTHER] }, {}],
  ])("%s", (_, scene, expected) => {
    expect(() => adoptIn(scene)).toThrow(expect.objectContaining(expected));
  });
});

describe("a run with two sides", () => {
  const scene: AdoptCase = { branches: [ONE, OTHER], branch: nameOf(ONE) };

  it("is decided by the one that a person names, with what only each of them has", () => {
    const { looked, proposal } = adoptIn(scene);
    expect(looked).toEqual([ONE]);
    expect(proposal.ask?.command).toBe(`pawl adopt release:1 --branch ${nameOf(ONE)}`);
    const message = proposal.ask?.message ?? "";
    expect(message).toMatch(/^Does the branch \S+ of release:1 count, which is in in_review\?/m);
    expect(message).toContain(
      "Yes overrules the other branch for everybody who gets this choice by git. Its records stay.",
    );
    const [, own = "", others = ""] = /This branch:([\s\S]*)The branch \S+:([\s\S]*)/.exec(message) ?? [];
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

  it("names what it overrules, also if it is over", () => {
    const { proposal } = taken({ ...scene, isOver: true });
    expect(proposal.logged).toEqual({ over: [OTHER.head], branch: ONE.steps });
    expect(proposal.events?.[0]).toMatchObject({
      summary: expect.stringMatching(/^adopted in in_review, on the branch \S+$/),
    });
    const mine = taken({ branches: [{ ...ONE, recorded: null }, OTHER], branch: nameOf(ONE) });
    expect([mine.made.length, mine.proposal.logged]).toEqual([1, { over: [OTHER.head] }]);
  });

  it("says nothing of others if there is one", () => {
    expect(taken({ branches: [ONE] }).proposal.logged).not.toHaveProperty("over");
  });
});
