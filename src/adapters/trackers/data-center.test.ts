import { describe, expect, test } from "vitest";
import { ConfluenceServer } from "../../../test/rig/confluence-server.ts";
import { ATLASSIAN, DATA_CENTER, JiraServer } from "../../../test/rig/jira-server.ts";
import { promise } from "../../../test/rig/promise.ts";
import { openReferences } from "./references.ts";
import { openTrackers } from "./trackers.ts";

const open = (environment: Record<string, string>) =>
  openTrackers(environment, "/").open("jira", { project: "WEB", statuses: {} });

const PASSWORD = { ATLASSIAN_EMAIL: DATA_CENTER.user, ATLASSIAN_API_TOKEN: DATA_CENTER.password };

describe("Jira Data Center", () => {
  test.each([
    ["a personal access token", {}],
    ["a user name and a password", PASSWORD],
  ])("with %s: issues are listed over all pages, read, moved and commented on", async (_, login) => {
    promise("trackers.data-center");
    await using server = await JiraServer.open({}, { isDataCenter: true });
    server.pageSize = 2;
    for (const number of [1, 2, 3, 4, 5])
      server.add(`WEB-${number}`, {
        description: "<p>rendered</p>",
        ...(number === 4 && { status: "Done" }),
      });
    server.add("WEB-6", { markup: "h1. Steps\n\n# first\n# second", blockedBy: ["WEB-1"] });
    const jira = await open({ ...server.environment, ...login });
    const listed = await jira.list("WEB");
    expect(listed.map(({ id }) => id)).toEqual(["WEB-1", "WEB-2", "WEB-3", "WEB-5", "WEB-6"]);
    expect(listed[0]).toMatchObject({ description: "rendered", url: `${server.url}/jira/browse/WEB-1` });
    expect(await jira.read("WEB-6")).toMatchObject({
      description: "# Steps\n\n1. first\n2. second",
      dependencies: ["WEB-1"],
      isDone: false,
    });
    expect(await jira.read("WEB-77")).toBeNull();
    await jira.setStatus("WEB-1", "In Progress");
    expect(server.issues.get("WEB-1")?.status).toBe("In Progress");
    await jira.comment("WEB-1", "mark", "The plan was accepted");
    await jira.comment("WEB-1", "mark", "The plan was accepted");
    expect(server.issues.get("WEB-1")?.comments).toEqual(["The plan was accepted (mark)"]);
    expect(server.asked.filter(({ path }) => !path.startsWith("/jira/rest/api/2/"))).toEqual([]);
  });

  test("a wrong token is said with the ways to sign in, and nothing of a library", async () => {
    promise("fetch.words");
    await using server = await JiraServer.open({}, { isDataCenter: true });
    const jira = await open({ ...server.environment, ATLASSIAN_API_TOKEN: "wrong" });
    await expect(jira.list("WEB")).rejects.toMatchObject({
      code: "tracker-failed",
      message: `Jira at ${server.url}/jira: it refused the token (HTTP 401): You are not authenticated.`,
      fix: expect.stringMatching(/personal access token alone, or a password with the user's name/),
    });
  });

  test("an issue and a page of a site of one's own are fetched with the token alone", async () => {
    promise("trackers.data-center");
    await using jira = await JiraServer.open(
      { "WEB-1": { summary: "Sort", markup: "||a||\n|b|", comments: ["<p>said</p>"] } },
      { isDataCenter: true },
    );
    const body = "<p>text</p>";
    await using confluence = await ConfluenceServer.openDataCenter({
      "7": { title: "By id", body },
      "DEV/How it works": { title: "How it works", body },
    });
    const references = openReferences({ ...jira.environment, CONFLUENCE_BASE_URL: confluence.url });
    const site = "wiki.acme.example";
    expect(await references.fetch({ kind: "issue", site, key: "WEB-1" })).toMatchObject({
      markdown: expect.stringMatching(/# WEB-1: Sort[\s\S]*\| a \|\n\| - \|\n\| b \|[\s\S]*said/),
    });
    for (const [page, title] of [
      ["7", "By id"],
      ["DEV/How it works", "How it works"],
    ] as const)
      expect(await references.fetch({ kind: "page", site, page })).toEqual({
        kind: "fetched",
        markdown: `# ${title}\n\ntext`,
      });
    expect(await references.fetch({ kind: "page", site, page: "8" })).toMatchObject({
      kind: "failed",
      failure: { reason: "not-found", detail: expect.stringContaining("has no page 8") },
    });
  });
});

test("the Cloud's documents come before what it renders, and a blog post is found like a page", async () => {
  promise("trackers.data-center");
  const task = { type: "taskItem", attrs: { state: "DONE" }, content: [{ type: "text", text: "agreed" }] };
  const document = { type: "doc", version: 1, content: [{ type: "taskList", content: [task] }] };
  await using server = await JiraServer.open({
    "WEB-1": { document, description: "<ul><li>agreed</li></ul>" },
  });
  expect((await (await open(server.environment)).read("WEB-1"))?.description).toBe("- [x] agreed");
  await using confluence = await ConfluenceServer.open({
    "9": { title: "News", body: "<p>old</p>", isPost: true },
  });
  const references = openReferences({
    CONFLUENCE_BASE_URL: confluence.url,
    ATLASSIAN_EMAIL: ATLASSIAN.email,
    ATLASSIAN_API_TOKEN: ATLASSIAN.token,
  });
  expect(await references.fetch({ kind: "page", site: "acme.atlassian.net", page: "9" })).toMatchObject({
    markdown: "# News\n\nold",
  });
});

test("an answer without the fields of its description is said as one", async () => {
  promise("fetch.words");
  await using server = await JiraServer.open({ "WEB-1": {} });
  server.faults.push({ path: /issue\/WEB-1/, answer: { json: { fields: { issuelinks: 7 } } } });
  await expect((await open(server.environment)).read("WEB-1")).rejects.toMatchObject({
    message: `Jira at ${server.url}: its answer does not have the shape that its API describes.`,
  });
});
