import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { birthOf } from "../../src/adapters/checks/process.ts";
import { MANIFEST, plan, start } from "../rig/alfred-artifacts.ts";
import { projectWithTask } from "../rig/alfred-project.ts";
import { connect, ERAS } from "../rig/client.ts";
import type { TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { trustAsItIs } from "../rig/trust.ts";
import { hangs, shellUntil, until } from "../rig/until.ts";

/** A workflow of the project's own whose event waits for a command that ends when the file `go` is there. */
function slowProject() {
  const project = releaseReady();
  project.write("test.sh", `touch begun; ${shellUntil("-e go")}\n`);
  return project;
}

const RUN_FILE = ".pawl/runs/release/1.2.0.json";
const SUBMIT = { run: "release:1.2.0", event: "submit", given: { risk: "low" } };

describe.each(ERAS)("a call that is called off by a client of %s", (era) => {
  it("commits nothing, whatever it waited for; its check runs on", async () => {
    promise("mcp.cancel");
    using project = slowProject();
    await using connected = await connect(project, { era });
    const off = new AbortController();
    const call = connected.client
      .callTool({ name: "advance", arguments: SUBMIT }, { signal: off.signal })
      .then(() => "answered")
      .catch(() => "called off");
    await until(() => project.read("begun") !== null);
    off.abort();
    expect(await call).toBe("called off");
    // Its answer shows that the server has read what was sent before it.
    await connected.call("look", { run: "release:1.2.0" });
    project.write("go", "");
    // The next call comes after the other would have committed.
    expect((await connected.call("look", { run: "release:1.2.0" })).data).toMatchObject({
      state: "drafting",
    });
    expect(project.read(RUN_FILE)).toBeNull();
    expect((await connected.call("advance", SUBMIT)).data).toMatchObject({ state: "in_review" });
  });

  it("is told of the progress of a long wait, if it asked for that", async () => {
    promise("mcp.cancel");
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

const ID = "TS-01";
const CHECK = `echo $$ > "$PAWL_TEST_PIDS"; ${hangs()} & echo $! >> "$PAWL_TEST_PIDS"; wait`;

/** A task whose work is done and not handed in, and whose check never ends. */
async function readyToHandIn() {
  const project = await projectWithTask(ID, { settings: { reviews: { default: ["ai"] } } });
  await start(project, ID);
  await plan(project, ID);
  await project.call("implement_task", { task_id: ID });
  project.write("src/bucket.txt", "x");
  for (const subtask_id of ["S-1", "S-2"])
    await project.call("mark_subtask_complete", { task_id: ID, subtask_id });
  project.write(
    ".alfred/config.yml",
    JSON.stringify({ reviews: { default: ["ai"] }, checks: { test: CHECK } }),
  );
  project.write("pawl.yaml", "environment: [PAWL_TEST_PIDS]\nsandbox: none\n");
  trustAsItIs(project.root);
  return project;
}

it("a submit_work that is called off writes nothing, and ends its checks with all their processes", async () => {
  promise("mcp.cancel");
  using project = await readyToHandIn();
  const pids = project.path(".pawl/pids");
  const environment = { DOOR_ONLY: "", PAWL_TEST_PIDS: pids };
  await using connected = await connect(project as unknown as TemporaryProject, { environment });
  const looked = () => [
    readFileSync(project.path(`.alfred/workspace/${ID}/task_state.json`), "utf8"),
    eventsOf(project.root),
  ];
  const before = looked();
  const off = new AbortController();
  const call = connected.client
    .callTool({ name: "submit_work", arguments: { task_id: ID, artifact: MANIFEST } }, { signal: off.signal })
    .then((answer) => JSON.stringify(answer))
    .catch(() => "called off");
  const begun = () => (existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n") : []);
  const early = call.then((answered) => Promise.reject(new Error(`not waited for: ${answered}`)));
  await Promise.race([until(() => begun().length === 2), early]);
  off.abort();
  expect(await call).toBe("called off");
  await until(() => begun().every((pid) => birthOf(Number(pid)) === null));
  await until(() => readdirSync(project.path(".pawl/checks")).length === 0);
  expect(looked()).toEqual(before);
});

function eventsOf(root: string): string {
  return readFileSync(join(root, ".pawl/events.jsonl"), "utf8");
}
