import { expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import type { TreeNote } from "../core/ports/tree-notes.ts";
import type { Scope } from "../runtime/scope.ts";
import { proposeWithOutOfScopeEdits } from "../runtime/transaction/out-of-scope-edits.ts";
import { askedIn, type Proposal, shownIn } from "../runtime/transaction/transaction.ts";
import { openScopeWatch } from "./out-of-scope-edits.ts";

const RUN = "alfred:TS-1";
const NONE: Scope = {
  ...{ run: RUN, state: "first", writes: "none", forbids: ["commit", "push"], planFiles: [] },
  ...{ next: "", awaits: "assistant" },
};

/** A project whose tree is the list of its files, joined. */
function openWorld() {
  const notes = new Map<string, TreeNote>();
  const world = {
    ...{ scope: NONE as Scope | null, files: "a", told: [] as string[] },
    ...{ fault: null as string | null, nested: {} as Record<string, string> },
  };
  const watch = openScopeWatch({
    nested: () => world.nested,
    git: {
      snapshot: async () =>
        (world.fault === null
          ? { kind: "tree", tree: world.files }
          : { kind: "unavailable", reason: world.fault }) as never,
      between: async (one, other) => {
        const before = one.split(" ");
        const fresh = other.split(" ").filter((file) => !before.includes(file));
        return fresh.map((path) => ({ path, added: 1, deleted: 0 }));
      },
    },
    notes: {
      find: async (run) => notes.get(run) ?? null,
      keep: async (run, note) => void notes.set(run, note),
      forget: async (run) => void notes.delete(run),
    },
    scopeOf: async () => world.scope,
    isOn: async () => true,
    append: async ({ paths }) => void world.told.push(...paths),
  });
  const found = async () => (await watch.find(RUN))?.files ?? null;
  return { world, watch, found };
}

it("keeps the measure through moves, whatever they are, until somebody accepts what strayed", async () => {
  const { found, watch, world } = openWorld();
  await watch.note(RUN, null);
  world.files = "a stray";
  expect(await found()).toEqual(["stray"]);
  world.scope = { ...NONE, state: "second", writes: "plan", planFiles: ["plan.md"] };
  await watch.note(RUN, null);
  expect(await found(), "a move to plan files accepts nothing").toEqual(["stray"]);
  await watch.note(RUN, await watch.find(RUN));
  expect(await found(), "accepted").toBeNull();
  expect(world.told).toEqual(["stray"]);
});

it("takes plan files for lawful if they were, also after the state that let them be written", async () => {
  const { found, watch, world } = openWorld();
  world.scope = { ...NONE, writes: "plan", planFiles: ["plan.md"] };
  await watch.note(RUN, null);
  world.files = "a plan.md";
  expect(await found()).toBeNull();
  world.scope = NONE;
  await watch.note(RUN, null);
  expect(await found()).toBeNull();
  world.files = "a plan.md more";
  expect(await found()).toEqual(["more"]);
});

it("holds the run if the files cannot be read, until a person accepts what is there", async () => {
  promise("guard.out-of-scope-edits");
  const { watch, world } = openWorld();
  world.fault = "x/ is odd.";
  await watch.note(RUN, null);
  const unknown = async () => (await watch.find(RUN))?.unknown ?? null;
  expect(await unknown()).toContain("x/ is odd.");
  world.fault = null;
  expect(await unknown(), "what it was is not known").toContain("when it began: x/ is odd.");
  await watch.note(RUN, null);
  expect(await unknown(), "nobody's move makes it known").toContain("when it began");
  await watch.note(RUN, await watch.find(RUN));
  expect(await unknown(), "accepted").toBeNull();
  world.fault = "y/ is odd.";
  expect(await unknown()).toContain("y/ is odd.");
});

it("sees what changes in a repository without a commit, and that one came or went", async () => {
  promise("guard.out-of-scope-edits");
  const { found, watch, world } = openWorld();
  world.nested = { x: "1" };
  await watch.note(RUN, null);
  expect(await found()).toBeNull();
  world.nested = { x: "2", y: "1" };
  expect(await found()).toEqual(["x/", "y/"]);
});

it("does not measure by a note of another state, which nobody came to renew", async () => {
  const { found, watch, world } = openWorld();
  await watch.note(RUN, null);
  world.files = "a the whole implementation";
  world.scope = { ...NONE, state: "much later" };
  expect(await found()).toBeNull();
  world.files = "a the whole implementation stray";
  expect(await found()).toEqual(["stray"]);
});

const EDITS = { run: RUN, state: "first", files: ["stray"], tree: "a stray" };
const looked = async () => EDITS;
const person = { channel: "elicitation", who: "dev" } as const;

async function answered(proposal: Partial<Proposal<null>>) {
  const ask = { ask: { message: "Approve?" }, reply: null, changes: [{}] } as unknown as Proposal<null>;
  const asking = await proposeWithOutOfScopeEdits(looked, { caller: person }, async () => ask);
  const to = askedIn(asking.proposal.ask ?? { message: "" });
  expect(shownIn(to)).toContain("stray");
  return proposeWithOutOfScopeEdits(looked, { caller: person, answered: { to } }, async () => {
    return { reply: null, changes: [{}], ...proposal } as unknown as Proposal<null>;
  });
}

it("is accepted by a person's yes, and not by their no or by a question that is asked again", async () => {
  const verdict = (approve: boolean) => ({ verdict: { approve } }) as unknown as Partial<Proposal<null>>;
  expect((await answered(verdict(true))).accepted).toEqual(EDITS);
  expect((await answered(verdict(false))).accepted).toBeNull();
  expect((await answered({ ask: { message: "Changed?" } })).accepted).toBeNull();
  const vouched = { caller: person, answered: "vouched" } as const;
  const proposal = await proposeWithOutOfScopeEdits(looked, vouched, async () => ({
    reply: null,
    changes: [],
  }));
  expect(proposal.accepted).toBeNull();
});
