/** What leaves the machine, by the built program. */
import { expect, it } from "vitest";
import { JiraServer } from "../rig/jira-server.ts";
import { runPawl, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

it("an issue of a Data Center becomes a task, with its table and its code", {
  timeout: 120_000,
}, async () => {
  promise("trackers.data-center");
  const description =
    '<table><tr><th>Env</th></tr><tr><td>prod</td></tr></table><pre class="code-java">a_b = x*y;\n</pre>';
  await using jira = await JiraServer.open(
    { "WEB-1": { summary: "Limit the rate", description } },
    { isDataCenter: true },
  );
  using project = temporaryProject({ marked: false });
  project.write(".alfred/config.yml", "provider: jira\ntracker: {project: WEB}\n");
  const call = ["call", "start_task", '{"task_id":"WEB-1"}'];
  const { code, out, err } = await runPawl(project.root, call, { DOOR_ONLY: "", ...jira.environment });
  expect(`${code} ${err}`).toBe("0 ");
  expect(out).toContain("Limit the rate");
  expect(project.read(".alfred/tasks/WEB-1.md")).toContain(
    "| Env |\n| - |\n| prod |\n\n```java\na_b = x*y;\n```",
  );
});
