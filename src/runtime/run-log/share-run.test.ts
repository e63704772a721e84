import { describe, expect, it } from "vitest";
import { openDoorRun, RUN, SHARED } from "../../../test/rig/door-run.ts";
import type { View } from "../../core/ports/store.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../core/settings.ts";
import type { WorkflowModule } from "../module.ts";
import type { Context } from "../transaction/transaction.ts";
import { missingRecords } from "./log-records.ts";
import { shareRun } from "./share-run.ts";

const MODULE = {
  name: "door",
  title: "Doors",
  records: async () => ({ missing: (view: View, id: string) => missingRecords(view, SHARED, `door:${id}`) }),
} as unknown as WorkflowModule;

/** What sharing the run writes and says. */
async function share(
  run = openDoorRun(SHARED),
  module = MODULE,
  settings: Partial<Settings> = { share: true },
) {
  const plan = shareRun(module);
  const context = { settings: { ...DEFAULT_SETTINGS, ...settings } } as Context;
  const input = { id: "front" };
  expect(plan.run(input)).toBe(RUN);
  const changes = await plan.read(run.store.view(), input, context);
  const { reply } = plan.propose(changes, undefined, input, context);
  return { changes, reply };
}

describe("a run that is shared before it rests", () => {
  it("has its missing records written, and says which files to commit", async () => {
    const run = openDoorRun(SHARED);
    await run.move("opens");
    expect(run.records()).toEqual([]);
    const { changes, reply } = await share(run);
    const files = changes.map((change) => (change.type === "write" ? change.path : ""));
    expect(files).toHaveLength(1);
    expect(reply.data).toEqual({ status: "success", message: reply.text, run: RUN, files });
    expect(reply.text).toContain(`Commit ${files[0]}.`);
    expect(reply.text).toContain(`\`pawl adopt ${RUN}\``);
    await run.store.commit(run.store.view(), changes);
    const again = await share(run);
    expect(again.reply.data).toMatchObject({ files: [] });
    expect(again.reply.text).toContain("recorded already. Commit .alfred/records/door/front");
  });

  it("has nothing to record if it has not begun", async () => {
    await expect(share()).rejects.toMatchObject({
      code: "no-effect",
      message: expect.stringContaining("no steps"),
    });
  });

  it("is not shared if its workflow has no records, or the project shares none", async () => {
    const run = openDoorRun(SHARED);
    await run.move("opens");
    const { records: _, ...without } = MODULE;
    await expect(share(run, without)).rejects.toMatchObject({
      ...{ code: "no-effect", message: expect.stringContaining("runs of Doors have no records") },
    });
    await expect(share(run, MODULE, { share: false })).rejects.toMatchObject({
      ...{ code: "no-effect", message: expect.stringContaining("`share`") },
    });
  });

  it("is not shared beside a damaged record, which would be committed too", async () => {
    const run = openDoorRun(SHARED);
    await run.move("opens", "closes");
    const [path = ""] = run.records();
    run.store.files.set(path, "{\n");
    await expect(share(run)).rejects.toMatchObject({ code: "records-invalid" });
  });

  it("is named by an id", () => {
    expect(() => shareRun(MODULE).run({ id: "../x" })).toThrow(/run id/);
  });
});
