import { describe, expect, it } from "vitest";
import { bring, DOOR, type DoorRun, FILE, openDoorRun, RUN, SHARED } from "../../../test/rig/door-run.ts";
import type { Caller } from "../../core/event.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Context } from "../transaction/transaction.ts";
import { acceptEditOf, wholeLogFaults } from "./accept.ts";
import { EDIT_ACCEPTED } from "./history.ts";
import type { RunKind } from "./kind.ts";
import { logPath } from "./step.ts";

const LOG = logPath(RUN);
const PERSON: Caller = { channel: "terminal", who: "ada" };
const context = (answered?: Context["answered"]): Context => ({
  ...{ settings: DEFAULT_SETTINGS, caller: PERSON, now: { time: "2026-01-02T00:00:00.000Z", id: "new" } },
  ...(answered === undefined ? {} : { answered }),
});

/** The question about a run's state file, and what its answer commits. */
async function acceptIn(run: DoorRun, kind: RunKind = DOOR) {
  const accept = acceptEditOf(kind, (id) => `door:${id}`);
  const input = { id: "front" };
  const edited = await accept.read(run.store.view(), input, context());
  const propose = (answered?: Context["answered"]) =>
    accept.propose(edited, undefined, input, context(answered));
  const question = propose().ask?.message ?? "";
  return { accept, edited, question, proposal: propose({ to: { message: question } }), propose };
}

async function opened(kind: RunKind = DOOR): Promise<DoorRun> {
  const run = openDoorRun(kind);
  await run.move("opens", "closes");
  return run;
}
const edit = (run: DoorRun, state: object) => run.store.files.set(FILE, JSON.stringify(state));

describe("an edited state", () => {
  it("is shown to a person with what does not follow, and taken as it is once they agree", async () => {
    const run = await opened();
    edit(run, { state: "open", pushes: 2 });
    const { accept, proposal, propose, question } = await acceptIn(run);
    expect(accept.run({ id: "front" })).toBe(RUN);
    const why =
      "it is not the one that Pawl wrote after step 3: found open with pushes = 2; its log leads to closed with pushes = 1";
    expect(question).toContain(
      `Take ${FILE} as it is, though it does not follow from the run's own history?`,
    );
    expect(question).toContain("approvals that were never given too");
    expect(question).toContain(`- ${why}`);
    expect(propose()).toEqual({ reply: { text: "", data: {} }, ask: { message: question } });
    expect(propose({ to: { message: "Another question" } }).changes).toBeUndefined();
    expect(proposal.changes).toEqual([{ type: "write", path: FILE, text: run.store.files.get(FILE) }]);
    expect(proposal.events).toMatchObject([
      {
        ...{ type: "run:advanced", run: RUN, machine: "door", from: "closed", to: "open" },
        ...{ event: EDIT_ACCEPTED, row: EDIT_ACCEPTED, strength: "terminal", by: PERSON },
        summary: `an edit of ${FILE} was accepted: ${why}`,
      },
    ]);
    expect(proposal.reply.data).toMatchObject({ status: "success", message: proposal.reply.text });
    expect(proposal).not.toHaveProperty("logged");
    await run.commit(proposal.changes ?? [], proposal.events ?? []);
    expect(await run.faults()).toEqual([]);
    await expect(acceptIn(run)).rejects.toMatchObject({ code: "no-effect" });
  });

  it("is not taken if no run of the table can be", async () => {
    const run = await opened();
    edit(run, { state: "gone", pushes: 0 });
    await expect(acceptIn(run)).rejects.toMatchObject({ code: "run-unreachable" });
    run.store.files.set(FILE, "not JSON");
    await expect(acceptIn(run)).rejects.toMatchObject({ code: "run-unreachable" });
  });

  it("is taken without its table, which may be gone", async () => {
    const run = await opened();
    edit(run, { state: "attic", pushes: 0 });
    const { proposal } = await acceptIn(run, { ...DOOR, tableOf: () => null });
    expect(proposal.events).toMatchObject([{ from: "closed", to: "attic" }]);
  });

  it("has nothing to be taken if it follows, or is not there", async () => {
    await expect(acceptIn(await opened())).rejects.toMatchObject({ code: "no-effect" });
    await expect(acceptIn(openDoorRun())).rejects.toMatchObject({ code: "no-effect" });
    const run = await opened();
    run.store.files.delete(FILE);
    run.store.files.set(LOG, "{\n");
    await expect(acceptIn(run)).rejects.toMatchObject({ code: "no-effect" });
  });
});

describe("a log that does not follow", () => {
  it("is shown with each of its faults", async () => {
    const run = await opened();
    const lines = (run.store.files.get(LOG) ?? "").split("\n");
    run.store.files.set(
      LOG,
      [lines[0]?.replace('"time":"2026', '"time":"2027'), ...lines.slice(1)].join("\n"),
    );
    const { edited, question } = await acceptIn(run);
    expect(edited).toMatchObject({ from: "closed", path: FILE, over: [] });
    expect(question).toContain("- step 2 of its log is not made on the 1 before it");
    expect(await wholeLogFaults(run.store.view(), DOOR, RUN)).toEqual(edited.found);
  });

  it("begins anew from the state if it cannot be read", async () => {
    const run = await opened();
    run.store.files.set(LOG, `{\n${run.store.files.get(LOG)}`);
    const { edited, proposal, question } = await acceptIn(run);
    expect(edited.from).toBeNull();
    expect(question).toContain(`- ${LOG}, its log, cannot be used: line 1: it is not JSON`);
    expect(proposal.events).toMatchObject([{ from: "closed", to: "closed" }]);
    expect(await wholeLogFaults(run.store.view(), DOOR, RUN)).toEqual(edited.found);
  });

  it("is missing if the state came without it", async () => {
    const run = openDoorRun();
    edit(run, { state: "closed", pushes: 1 });
    const { edited } = await acceptIn(run);
    expect(edited).toMatchObject({ from: null, found: [`its log, ${LOG}, is missing`] });
  });
});

describe("what others recorded", () => {
  it("no longer counts once a person takes the state as it is", async () => {
    const [mine, theirs] = [await opened(SHARED), await opened(SHARED)];
    await theirs.move("opens", "taken");
    bring(theirs, mine);
    edit(mine, { state: "open", pushes: 2 });
    const { edited, proposal, question } = await acceptIn(mine, SHARED);
    expect(question).toContain("- what others recorded no longer counts");
    expect(edited.over).toEqual([(await theirs.lines()).at(-1)?.local?.checkpoint.head]);
    expect(proposal.logged).toEqual({ over: edited.over });
    // A state that follows is theirs to go on from.
    const untouched = await opened(SHARED);
    bring(theirs, untouched);
    await expect(acceptIn(untouched, SHARED)).rejects.toMatchObject({ code: "no-effect" });
    // Without records, there are none to overrule.
    edit(untouched, { state: "open", pushes: 2 });
    expect((await acceptIn(untouched)).edited.over).toEqual([]);
  });
});
