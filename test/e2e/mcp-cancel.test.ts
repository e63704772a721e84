import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { connect, ERAS } from "../rig/client.ts";
import { releaseReady } from "../rig/release-project.ts";

/** A workflow of the project's own whose event waits for a command that ends when the file `go` is there. */
function slowProject() {
  const project = releaseReady();
  project.write("test.sh", "touch begun; until test -e go; do sleep 0.05; done\n");
  return project;
}

const RUN_FILE = ".pawl/runs/release/1.2.0.json";
const SUBMIT = { run: "release:1.2.0", event: "submit", given: { risk: "low" } };

describe.each(ERAS)("a call that is called off by a client of %s", (era) => {
  it("commits nothing, whatever it waited for; its check runs on", async () => {
    using project = slowProject();
    await using connected = await connect(project, { era });
    const off = new AbortController();
    const call = connected.client
      .callTool({ name: "advance", arguments: SUBMIT }, { signal: off.signal })
      .then(() => "answered")
      .catch(() => "called off");
    while (project.read("begun") === null) await sleep(20);
    off.abort();
    expect(await call).toBe("called off");
    project.write("go", "");
    // The next call comes after the other would have committed.
    expect((await connected.call("look", { run: "release:1.2.0" })).data).toMatchObject({
      state: "drafting",
    });
    expect(project.read(RUN_FILE)).toBeNull();
    expect((await connected.call("advance", SUBMIT)).data).toMatchObject({ state: "in_review" });
  });

  it("is told of the progress of a long wait, where it asked for that", async () => {
    using project = slowProject();
    await using connected = await connect(project, { era });
    const told: (string | undefined)[] = [];
    const onprogress = ({ message }: { message?: string | undefined }) => {
      told.push(message);
      project.write("go", "");
    };
    await connected.client.callTool({ name: "advance", arguments: SUBMIT }, { onprogress });
    expect(told[0]).toMatch(/^`.*test\.sh.*` is running, for \d+ s so far\.$/);
  });
});
