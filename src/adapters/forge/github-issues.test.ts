import { expect, test } from "vitest";
import { IssuesServer, type ServedIssue } from "../../../test/rig/issues-server.ts";
import { promise } from "../../../test/rig/promise.ts";
import { openGitHubIssues } from "./github-issues.ts";

test("issues of a repository that was renamed are read, and written under its present name", async () => {
  promise("forge.renamed");
  const issue: ServedIssue = { number: 1, title: "a", body: null, state: "open", state_reason: null };
  await using server = await IssuesServer.open("acme/app", [issue]);
  server.former = "old/name";
  const issues = openGitHubIssues({ GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url });
  expect(await issues.list("old/name")).toMatchObject([{ number: 1 }]);
  await issues.setState("old/name", 1, { state: "closed", reason: "not_planned" });
  expect(await issues.read("old/name", 1)).toEqual({ state: "closed", reason: "not_planned" });
  expect(issue.state).toBe("closed");
});

test("an open issue comes with the issues that block it", async () => {
  promise("import.formats");
  const issue = (number: number, given: Partial<ServedIssue> = {}): ServedIssue => ({
    number,
    title: String(number),
    body: null,
    state: "open",
    state_reason: null,
    ...given,
  });
  const served = [issue(1), issue(2, { blockedBy: [1] }), issue(3, { blockedBy: [1], state: "closed" })];
  await using server = await IssuesServer.open("acme/app", served);
  const issues = openGitHubIssues({ GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url });
  const listed = (await issues.list("acme/app")) as readonly { readonly blockedBy?: readonly object[] }[];
  expect(listed.map(({ blockedBy }) => blockedBy?.length)).toEqual([undefined, 1, undefined]);
  expect(listed[1]?.blockedBy).toMatchObject([{ number: 1 }]);
});

const inHalfAnHour = String(Math.ceil(Date.now() / 1000) + 1800);

test.each([
  [
    { status: 429, headers: { "retry-after": "45" }, json: { message: "slow down" } },
    "Try again in 45 seconds.",
  ],
  [
    { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inHalfAnHour }, json: {} },
    /^Try again in 1\d{3} seconds\.$/,
  ],
  [{ status: 401, json: { message: "Bad credentials" } }, /^Set a valid GITHUB_TOKEN/],
  [{ status: 403, json: { message: "Resource not accessible" } }, /^Let the token read/],
] as const)("a refusal says what to do: %j", async (answer, fix) => {
  promise("fetch.words");
  await using server = await IssuesServer.open("acme/app", []);
  server.faults.push({ path: /./, answer });
  const issues = openGitHubIssues({ GITHUB_TOKEN: "t", GITHUB_API_URL: server.url });
  await expect(issues.list("acme/app")).rejects.toMatchObject({
    code: "forge-failed",
    fix: typeof fix === "string" ? fix : expect.stringMatching(fix),
  });
});

test("a refusal names the fields that GitHub names without words", async () => {
  promise("fetch.words");
  await using server = await IssuesServer.open("acme/app", []);
  const errors = [{ resource: "Issue", field: "state", code: "invalid" }];
  server.faults.push({ path: /./, answer: { status: 422, json: { message: "Validation Failed", errors } } });
  const issues = openGitHubIssues({ GITHUB_TOKEN: "t", GITHUB_API_URL: server.url });
  await expect(issues.list("acme/app")).rejects.toThrow(/422: Validation Failed; state: invalid/);
});

test("more issues than it takes are refused, not left out", async () => {
  promise("fetch.words");
  await using server = await IssuesServer.open("acme/app", []);
  const next = `<${server.url}/repos/acme/app/issues?page=2>; rel="next"`;
  server.faults.push({ path: /issues/, answer: { headers: { link: next }, json: [] } });
  const issues = openGitHubIssues({ GITHUB_TOKEN: "t", GITHUB_API_URL: server.url });
  await expect(issues.list("acme/app")).rejects.toThrow(/more than 50000 items/);
});
