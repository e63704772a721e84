import { describe, expect, test } from "vitest";
import { ConfluenceServer } from "../../../test/rig/confluence-server.ts";
import { ATLASSIAN, DATA_CENTER, JiraServer } from "../../../test/rig/jira-server.ts";
import { promise } from "../../../test/rig/promise.ts";
import { type Http, openHttp } from "../net/http.ts";
import { openJira } from "./jira.ts";
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

  test("a wrong token or password is said with the ways to sign in, and nothing of a library", async () => {
    promise("fetch.words");
    await using server = await JiraServer.open({}, { isDataCenter: true });
    const wrong = { ...server.environment, ATLASSIAN_API_TOKEN: "wrong" };
    const jira = await open(wrong);
    const host = new URL(server.url).host;
    const refusal = (said: string) => ({
      code: "tracker-failed",
      message: `Jira at ${server.url}/jira: it refused the token${said}.`,
      fix: expect.stringMatching(/personal access token alone, or a password with the user's name/),
    });
    const asStranger = `: ${host} did not accept the login, and answered as to a stranger`;
    await expect(jira.list("WEB")).rejects.toMatchObject(refusal(asStranger));
    const said = " (HTTP 401): You do not have the permission to see the specified issue; Login Required";
    await expect(jira.read("WEB-1")).rejects.toMatchObject(refusal(said));
    const ann = await open({ ...wrong, ATLASSIAN_EMAIL: DATA_CENTER.user });
    await expect(ann.list("WEB")).rejects.toMatchObject(refusal(" (HTTP 401)"));
    const denied = {
      status: 403,
      headers: {
        "content-type": "text/html",
        "x-seraph-loginreason": "AUTHENTICATION_DENIED",
        "x-authentication-denied-reason": `CAPTCHA_CHALLENGE; login-url=${server.url}/jira/login.jsp`,
      },
      text: "<html><title>Forbidden (403)</title></html>",
    };
    server.faults.push({ path: /search/, answer: denied });
    const captcha = `: ${host} asks for a CAPTCHA after failed logins; sign in there once in a browser, as the same user`;
    await expect(ann.list("WEB")).rejects.toMatchObject(refusal(captcha));
  });

  test("a limit that nothing is spent of is none; a spent one names the wait", async () => {
    promise("fetch.limits");
    await using server = await JiraServer.open({}, { isDataCenter: true });
    const jira = await open(server.environment);
    const filled = { "x-ratelimit-interval-seconds": "60", "x-ratelimit-remaining": "0" };
    const text = "<html><title>HTTP Status 429 – Too Many Requests</title></html>";
    server.faults.push(
      { path: /search/, answer: { status: 403, headers: { "retry-after": "0" }, json: {} }, times: 1 },
      { path: /search/, answer: { status: 429, headers: { ...filled, "content-type": "text/html" }, text } },
    );
    await expect(jira.list("WEB")).rejects.toThrow(/it refused the token \(HTTP 403\)/);
    await expect(jira.list("WEB")).rejects.toMatchObject({
      message: expect.stringContaining("it accepts no requests for now (HTTP 429)"),
      fix: expect.stringContaining("Try again in 60 s"),
    });
  });

  test("an answer that is no issue is said to be none, not an issue without a name", async () => {
    promise("fetch.words");
    await using server = await JiraServer.open({}, { isDataCenter: true });
    server.faults.push({ path: /issue/, answer: { json: {} } });
    const jira = await open(server.environment);
    await expect(jira.read("WEB-1")).rejects.toThrow(/answered without an issue: check that JIRA_BASE_URL/);
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
      "DEV/2026/01/02/We ship": { title: "We ship", body, isPost: true },
    });
    const references = openReferences({ ...jira.environment, CONFLUENCE_BASE_URL: confluence.url });
    const byPassword = openReferences({ ...PASSWORD, CONFLUENCE_BASE_URL: confluence.url });
    const site = new URL(confluence.url).host;
    const ofJira = new URL(jira.url).host;
    expect(await references.fetch({ kind: "issue", site, key: "WEB-1" })).toEqual({
      kind: "not-configured",
      detail: `It belongs to ${site}, but JIRA_BASE_URL names ${ofJira}.`,
    });
    expect(await references.fetch({ kind: "issue", site: ofJira, key: "WEB-1" })).toMatchObject({
      markdown: expect.stringMatching(/# WEB-1: Sort[\s\S]*\| a \|\n\| - \|\n\| b \|[\s\S]*said/),
    });
    for (const [page, title] of [
      ["7", "By id"],
      ["DEV/How it works", "How it works"],
      ["DEV/2026/01/02/We ship", "We ship"],
    ] as const)
      for (const each of [references, byPassword])
        expect(await each.fetch({ kind: "page", site, page })).toEqual({
          kind: "fetched",
          markdown: `# ${title}\n\ntext`,
        });
    expect(await references.fetch({ kind: "page", site, page: "8" })).toMatchObject({
      kind: "failed",
      failure: { reason: "not-found", detail: expect.stringContaining("has no page 8") },
    });
    expect(await references.fetch({ kind: "page", site, page: "OPS/Notes" })).toMatchObject({
      failure: { reason: "not-found", detail: "HTTP 404: No space with key : OPS" },
    });
  });
});

describe("the Cloud", () => {
  test("that answers a wrong token as a stranger has no empty list and no missing issue", async () => {
    promise("fetch.words");
    await using server = await JiraServer.open({ "WEB-1": {} });
    await using confluence = await ConfluenceServer.open({});
    const wrong = { ...server.environment, ATLASSIAN_API_TOKEN: "wrong" };
    const jira = await open(wrong);
    const { host } = new URL(server.url);
    const refused = `it refused the token: ${host} did not accept the login, and answered as to a stranger.`;
    await expect(jira.list("WEB")).rejects.toThrow(refused);
    await expect(jira.read("WEB-1")).rejects.toThrow(refused);
    const references = openReferences({ ...wrong, CONFLUENCE_BASE_URL: confluence.url });
    expect(await references.fetch({ kind: "issue", site: host, key: "WEB-1" })).toMatchObject({
      failure: { reason: "unauthorized" },
    });
    const site = new URL(confluence.url).host;
    expect(await references.fetch({ kind: "page", site, page: "7" })).toMatchObject({
      failure: {
        reason: "forbidden",
        detail: 'HTTP 403: 403 FORBIDDEN "Request rejected because caller cannot access Confluence"',
      },
    });
  });

  test("without a user is not asked: it knows no token alone", async () => {
    promise("fetch.words");
    const alone = { JIRA_BASE_URL: "https://acme.atlassian.net", ATLASSIAN_API_TOKEN: "t" };
    await expect(open(alone)).rejects.toMatchObject({ code: "tracker-unconfigured" });
  });

  test("at the gateway of tokens with scopes names the site's own pages", async () => {
    promise("fetch.words");
    await using server = await JiraServer.open({ "WEB-1": {} });
    const gateway = "https://api.atlassian.com/ex/jira/7d5";
    const local = openHttp({});
    const http: Http = (url, order) => local(String(url).replace(gateway, server.url), order);
    const { email: user, token } = ATLASSIAN;
    const jira = openJira({ address: new URL(gateway), user, token, http });
    const url = "https://acme.atlassian.net/browse/WEB-1";
    expect(await jira.list("WEB")).toMatchObject([{ id: "WEB-1", url }]);
    expect(await jira.read("WEB-1")).toMatchObject({ url });
  });

  test("is read to its last page, also over an empty one, and a removed address is no missing issue", async () => {
    promise("fetch.words");
    await using server = await JiraServer.open({ "WEB-1": {} });
    const empty = { issues: [], isLast: false, nextPageToken: "0" };
    const gone = { errorMessages: ["The requested API has been removed."] };
    server.faults.push(
      { path: /search/, answer: { json: empty }, times: 1 },
      { path: /issue/, answer: { status: 410, json: gone } },
    );
    const jira = await open(server.environment);
    expect((await jira.list("WEB")).map(({ id }) => id)).toEqual(["WEB-1"]);
    await expect(jira.read("WEB-1")).rejects.toThrow(/HTTP 410: The requested API has been removed/);
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
  server.faults.push({ path: /issue\/WEB-1/, answer: { json: { key: "WEB-1", fields: { issuelinks: 7 } } } });
  await expect((await open(server.environment)).read("WEB-1")).rejects.toMatchObject({
    message: expect.stringMatching(
      /its answer does not have the shape that its API describes \(.+ is not .+\)\.$/,
    ),
  });
});
