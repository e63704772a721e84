import { expect, test } from "vitest";
import { IssuesServer, type ServedIssue } from "../../../test/rig/issues-server.ts";
import { promise } from "../../../test/rig/promise.ts";
import { openGitHubIssues } from "./github-issues.ts";

test("issues of a repository that was renamed are read, and written under its present name", async () => {
  promise("forge.renamed");
  const issue: ServedIssue = { number: 1, title: "a", body: null, state: "open", state_reason: null };
  await using server = await IssuesServer.open("acme/app", [issue]);
  server.former = "old/name";
  const issues = openGitHubIssues({
    ...{ token: "ghp_token", api: server.url, environment: {}, now: () => 0 },
  });
  expect(await issues.list("old/name")).toMatchObject([{ number: 1 }]);
  await issues.setState("old/name", 1, { state: "closed", reason: "not_planned" });
  expect(await issues.read("old/name", 1)).toEqual({ state: "closed", reason: "not_planned" });
  expect(issue.state).toBe("closed");
});
