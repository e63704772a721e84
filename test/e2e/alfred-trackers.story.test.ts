import { describe, expect, test } from "vitest";
import { openTrackers } from "../../src/adapters/trackers/trackers.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { CONTEXT, DESIGN, PLAN, STRATEGY, through } from "../rig/alfred-artifacts.ts";
import { AlfredProject, CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { IssuesServer, type ServedIssue } from "../rig/issues-server.ts";
import { JiraServer } from "../rig/jira-server.ts";
import { LinearServer } from "../rig/linear-server.ts";
import { promise } from "../rig/promise.ts";

interface Rig extends AsyncDisposable {
  readonly project: AlfredProject;
  add(
    id: string,
    more?: { title?: string; done?: true; high?: true; blockedBy?: string[]; text?: string },
  ): void;
  rename(id: string, title: string): void;
  status(id: string): string | undefined;
  comments(id: string): readonly string[];
  paged(size: number): void;
}

type Provider = "jira" | "linear" | "github";

const environmentOf = (provider: Provider, environment: Record<string, string>) => {
  const project = new AlfredProject({
    settings: { provider, reviews: { default: [] }, tracker: trackerOf(provider) },
  });
  project.environment = environment;
  return project;
};

const trackerOf = (provider: Provider) => ({
  project: provider === "github" ? "acme/app" : "TS",
  statuses: { planning: "In Progress", done: "Done" },
  link: "https://example.com/blob/main/{path}",
});

async function jira(): Promise<Rig> {
  const server = await JiraServer.open();
  const project = environmentOf("jira", server.environment);
  return {
    project,
    add: (id, { blockedBy = [], done, high, text, title } = {}) =>
      void server.add(id, {
        blockedBy,
        ...(title && { summary: title }),
        ...(done && { status: "Done" }),
        ...(high && { priority: "High" }),
        ...(text && {
          description: text
            .replace(/^## (.*)$/gm, "<h2>$1</h2>")
            .replace(/^- (.*)$/gm, "<ul><li>$1</li></ul>"),
        }),
      }),
    rename(id, title) {
      const issue = server.issues.get(id);
      if (issue) issue.summary = title;
    },
    status: (id) => server.issues.get(id)?.status,
    comments: (id) => server.issues.get(id)?.comments ?? [],
    paged: (size) => {
      server.pageSize = size;
    },
    async [Symbol.asyncDispose]() {
      project[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function linear(): Promise<Rig> {
  const server = await LinearServer.open();
  const project = environmentOf("linear", server.environment);
  return {
    project,
    add: (id, { blockedBy = [], done, high, text, title } = {}) =>
      void server.add(id, {
        blockedBy,
        description: text ?? null,
        ...(title && { title }),
        ...(done && { state: "Done" }),
        ...(high && { priority: 2 }),
      }),
    rename(id, title) {
      const issue = server.issues.get(id);
      if (issue) issue.title = title;
    },
    status: (id) => server.issues.get(id)?.state,
    comments: (id) => server.issues.get(id)?.comments ?? [],
    paged: (size) => {
      server.pageSize = size;
    },
    async [Symbol.asyncDispose]() {
      project[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function github(): Promise<Rig> {
  const issues: ServedIssue[] = [];
  const server = await IssuesServer.open("acme/app", issues, ["bug", "in progress", "high"]);
  const project = environmentOf("github", { GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url });
  const numberOf = (id: string) => Number(/^GH-(\d+)$/.exec(id)?.[1]);
  const issueOf = (id: string) => issues.find(({ number }) => number === numberOf(id));
  return {
    project,
    add(id, { blockedBy = [], done, high, text, title } = {}) {
      // A pull request has a number among the issues.
      const [number, pull] = id.startsWith("GH-") ? [numberOf(id), {}] : [99, { pull_request: { url: "u" } }];
      const state = done ? "closed" : "open";
      issues.push({
        ...{
          number,
          title: title ?? id,
          body: text ?? null,
          state,
          state_reason: null,
          comments: [],
          ...pull,
        },
        labels: high ? ["high"] : [],
        ...(blockedBy.length > 0 && { blockedBy: blockedBy.map(numberOf) }),
      });
    },
    rename(id, title) {
      const issue = issueOf(id);
      if (issue) issue.title = title;
    },
    status(id) {
      const { labels = [], state } = issueOf(id) ?? {};
      if (state === "closed") return "Done";
      return labels.includes("in progress") ? "In Progress" : "Open";
    },
    comments: (id) => issueOf(id)?.comments ?? [],
    paged(size) {
      server.pageSize = size;
    },
    async [Symbol.asyncDispose]() {
      project[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function started(project: AlfredProject, id = "TS-1") {
  await project.call("start_task", { task_id: id });
  await project.submit(id, CLEAN);
  return project.submit(id, { branch_name: `feature/${id}`, success: true, details: "" });
}

const BRANDS = { jira: "Jira", linear: "Linear", github: "GitHub" } as const;
const TOKENS = { jira: "ATLASSIAN_API_TOKEN", linear: "LINEAR_API_KEY", github: "GITHUB_TOKEN" } as const;

describe.each([
  ["jira", jira],
  ["linear", linear],
  ["github", github],
] as const)("%s", (name, open) => {
  const at = (number: number) => `${name === "github" ? "GH" : "TS"}-${number}`;
  const ID = at(1);

  test("a task is read when it is first worked on, and kept as a file from then on", async () => {
    promise("alfred.github");
    await using rig = await open();
    rig.add(ID, { title: "Limit the\n rate", text: "## Why\nToo many.", blockedBy: [at(9)], high: true });
    if (name === "github") rig.add(at(9));
    expect((await rig.project.call("work_on_task", { task_id: ID })).data).toMatchObject({
      title: "Limit the rate",
      tool: "start_task",
    });
    expect(rig.project.has(".alfred/tasks")).toBe(false);
    await rig.project.call("start_task", { task_id: ID });
    const text = rig.project.read(`.alfred/tasks/${ID}.md`);
    expect(text).toContain("## Title\nLimit the rate");
    expect(text).toContain("### Why");
    expect(text).toContain("## Priority\n\nhigh");
    expect(text).toContain(`- ${at(9)}`);
    rig.rename(ID, "Renamed");
    expect((await rig.project.call("start_task", { task_id: ID })).next_prompt).toContain("Limit the rate");
  });

  test("a description in the grammar's own sections is read as such", async () => {
    await using rig = await open();
    rig.add(ID, {
      text: "## Context\n\nWhy.\n\n## Implementation Details\n\nHow.\n\n## Acceptance Criteria\n\n- one\n",
    });
    await rig.project.call("start_task", { task_id: ID });
    expect(rig.project.read(`.alfred/tasks/${ID}.md`)).toContain("## Implementation Details\n\nHow.");
  });

  test("the next task is chosen among all pages of the tracker and what is here", async () => {
    promise("alfred.github");
    await using rig = await open();
    rig.paged(2);
    for (const number of [2, 3, 10]) rig.add(at(number));
    rig.add(at(4), { done: true });
    rig.add(at(5), { high: true, blockedBy: [at(2)] });
    rig.add(at(6), { high: true, blockedBy: [at(4)] });
    rig.add("OTHER-1", { high: true });
    const next = await rig.project.call("get_next_task");
    expect(next.data).toMatchObject({
      task_id: at(6),
      alternatives: [{ task_id: at(2) }, { task_id: at(3) }, { task_id: at(10) }],
      blocked: [{ task_id: at(5), waits_for: [at(2)] }],
    });
  });

  test("the status is written back as mapped, and an accepted plan is commented on once", async () => {
    promise("alfred.github");
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    project.write("src/server.txt", "x");
    await project.call("start_task", { task_id: ID });
    expect(rig.status(ID)).not.toBe("In Progress");
    await project.submit(ID, CLEAN);
    const done = await project.submit(ID, { branch_name: `feature/${ID}`, success: true, details: "" });
    expect(done.message).toContain(
      `The tracker was updated about '${ID}': its status there is "In Progress".`,
    );
    expect(done.next_prompt).toMatch(/Call 'plan_task' to begin planning\.$/);
    expect(rig.status(ID)).toBe("In Progress");
    expect(JSON.parse(project.read(`.alfred/workspace/${ID}/tracker.json`))).toEqual({
      status: "In Progress",
      plan: null,
    });
    expect((await project.call("plan_task", { task_id: ID })).message).not.toContain("was told");
    for (const artifact of [CONTEXT, STRATEGY, DESIGN, PLAN]) await through(project, ID, artifact);
    expect(rig.comments(ID)).toHaveLength(1);
    expect(rig.comments(ID)[0]).toContain(
      `https://example.com/blob/main/.alfred/workspace/${ID}/archive/02-plan_task.md`,
    );
    project.write(`.alfred/workspace/${ID}/tracker.json`, "{");
    await project.call("implement_task", { task_id: ID });
    expect(rig.comments(ID)).toHaveLength(1);
  });

  test("while the tracker cannot be reached the work goes on, and the status is written later", async () => {
    promise("alfred.trackers");
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    await project.call("start_task", { task_id: ID });
    const there = project.environment;
    project.environment = {
      ...there,
      JIRA_BASE_URL: "http://127.0.0.1:1",
      LINEAR_API_URL: "http://127.0.0.1:1/graphql",
      GITHUB_API_URL: "http://127.0.0.1:1",
    };
    const offline = await started(project, ID);
    expect(offline.status).toBe("success");
    expect(offline.message).toMatch(
      /could not be updated about '\w\w-1': (Jira|Linear|GitHub) at http:\/\/127\.0\.0\.1:1.*cannot be reached.*tries again later/,
    );
    expect(project.state(ID).task_status).toBe("planning");
    const nothing = await project.call("start_task", { task_id: at(2) });
    expect(nothing.data.code).toBe("tracker-failed");
    expect(project.has(`.alfred/workspace/${at(2)}`)).toBe(false);
    const next = await project.call("get_next_task");
    expect(next.data.task_id).toBe(ID);
    expect(next.message).toContain("cannot be reached");
    project.environment = there;
    const verb = alfred.verbs.find((each) => each.name === "sync");
    const told = await project.run((await verb?.transaction()) as never, { id: ID } as never);
    expect(told.reply.data).toMatchObject({ pending: false });
    expect(rig.status(ID)).toBe("In Progress");
  });

  test("a wrong token, a missing one and an unknown id are reported clearly, and nothing changes", async () => {
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    const there = project.environment;
    project.environment = { ...there, [TOKENS[name]]: "wrong" };
    const wrong = await project.call("start_task", { task_id: ID });
    expect(wrong.message).toMatch(/refused the token/);
    expect(wrong.data.fix).toContain(TOKENS[name]);
    project.environment = {};
    expect((await project.call("start_task", { task_id: ID })).data.code).toBe("tracker-unconfigured");
    project.environment = there;
    const unknown = await project.call("start_task", { task_id: at(77) });
    expect(unknown.message).toBe(`Task '${at(77)}' not found, neither in .alfred/tasks nor in ${name}.`);
    for (const folder of ["tasks", "workspace"]) expect(project.has(`.alfred/${folder}`)).toBe(false);
  });

  test("a status that the tracker does not have is reported with those that it has", async () => {
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    project.settings = {
      ...project.settings,
      tracker: { ...trackerOf(name), statuses: { planning: "Doing" } },
    };
    const answer = await started(project, ID);
    expect(answer.message).toContain(
      `${BRANDS[name]} cannot move ${ID} to the status "Doing": it can be moved to ${name === "github" ? "Open" : "T"}`,
    );
    expect(answer.status).toBe("success");
  });
});

describe("github", () => {
  const ID = "GH-1";

  test("an issue has one mapped label at a time, is closed as completed when it is done, and opened again", async () => {
    promise("alfred.github");
    const issue: ServedIssue = {
      ...{ number: 1, title: "a", body: null, state: "open", state_reason: null, comments: [] },
      labels: ["bug", "in progress"],
    };
    await using server = await IssuesServer.open("acme/app", [issue], ["bug", "in progress", "In review"]);
    const statuses = { planning: "In Progress", in_review: "In Review", done: "Done" };
    const environment = { GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url };
    const tracker = await openTrackers(environment, "/").open("github", { project: "acme/app", statuses });
    await tracker.setStatus(ID, "In Review");
    expect(issue.labels).toEqual(["bug", "In review"]);
    expect((await tracker.read(ID))?.status).toBe("In review");
    await tracker.setStatus(ID, "Done");
    expect(issue).toMatchObject({ state: "closed", state_reason: "completed", labels: ["bug"] });
    expect(await tracker.read(ID)).toMatchObject({ status: "Closed", isDone: true });
    const asked = server.asked.length;
    await tracker.setStatus(ID, "Done");
    expect(server.asked.slice(asked).map(({ method }) => method)).toEqual(["GET"]);
    await tracker.setStatus(ID, "Open");
    expect(issue).toMatchObject({ state: "open", labels: ["bug"] });
  });

  test("a repository without a label In Progress keeps the issue open and says nothing", async () => {
    const issue: ServedIssue = { number: 1, title: "a", body: null, state: "open", state_reason: null };
    await using server = await IssuesServer.open("acme/app", [issue]);
    const environment = { GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url };
    const open = { project: "acme/app", statuses: { planning: "In Progress" } };
    const tracker = await openTrackers(environment, "/").open("github", open);
    await tracker.setStatus(ID, "In Progress");
    expect(server.asked.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("a repository that was renamed is read and written under its present name", async () => {
    promise("forge.renamed");
    const issue: ServedIssue = {
      ...{ number: 1, title: "a", body: null, state: "open", state_reason: null, comments: [] },
    };
    await using server = await IssuesServer.open("acme/app", [issue]);
    server.former = "old/name";
    const environment = { GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url };
    const tracker = await openTrackers(environment, "/").open("github", {
      project: "old/name",
      statuses: {},
    });
    expect((await tracker.list("old/name")).map(({ id }) => id)).toEqual([ID]);
    expect(await tracker.read(ID)).toMatchObject({ id: ID, status: "Open" });
    await tracker.setStatus(ID, "Done");
    await tracker.comment(ID, "mark", "Planned.");
    expect(issue).toMatchObject({ state: "closed", comments: ["Planned. (mark)"] });
  });

  test("the repository is the checkout's if the configuration names none, or the error says how to name it", async () => {
    promise("alfred.github");
    await using rig = await github();
    const { project } = rig;
    rig.add(ID, { title: "Here" });
    project.settings = { ...project.settings, tracker: { ...trackerOf("github"), project: null } };
    const lost = await project.call("start_task", { task_id: ID });
    expect(lost.data).toMatchObject({
      code: "tracker-unconfigured",
      fix: expect.stringContaining("owner/name"),
    });
    project.git("remote", "add", "origin", "https://github.example.com/acme/app.git");
    expect((await project.call("work_on_task", { task_id: ID })).data).toMatchObject({ title: "Here" });
    project.settings = { ...project.settings, tracker: { ...trackerOf("github"), project: "acme" } };
    expect((await project.call("start_task", { task_id: ID })).message).toContain(
      "expected owner/name, found acme",
    );
  });

  test("neither a pull request nor an issue that moved elsewhere is a task, and a limit is said as one", async () => {
    promise("alfred.github");
    const at = (number: number, more: object = {}): ServedIssue => ({
      ...{ number, title: "a", body: null, state: "open", state_reason: null, ...more },
    });
    await using server = await IssuesServer.open("acme/app", [at(1, { pull_request: { url: "u" } }), at(2)]);
    const environment = { GITHUB_TOKEN: "ghp_token", GITHUB_API_URL: server.url };
    const tracker = await openTrackers(environment, "/").open("github", {
      project: "acme/app",
      statuses: {},
    });
    expect(await tracker.read("GH-1")).toBeNull();
    expect(await tracker.read("gh-2")).toBeNull();
    expect((await tracker.list("acme/app")).map(({ id }) => id)).toEqual(["GH-2"]);
    const moved = {
      number: 2,
      title: "a",
      state: "open",
      labels: [],
      repository_url: `${server.url}/repos/acme/lib`,
    };
    server.faults.push({ path: /issues\/2/, answer: { json: moved }, times: 1 });
    expect(await tracker.read("GH-2")).toBeNull();
    server.faults.push({
      path: /issues\/2/,
      answer: {
        status: 403,
        headers: { "x-ratelimit-remaining": "0" },
        json: { message: "API rate limit exceeded" },
      },
    });
    await expect(tracker.read("GH-2")).rejects.toThrow(/accepts no requests for now/);
  });
});

test("with the provider local nothing is asked of a tracker", async () => {
  using project = new AlfredProject();
  await project.call("create_task", { task_content: taskMarkdown("TS-1") });
  expect((await started(project)).message).not.toContain("tracker");
  const verb = alfred.verbs.find((each) => each.name === "sync");
  await expect(project.run((await verb?.transaction()) as never, { id: "TS-1" } as never)).rejects.toThrow(
    /no tracker to update/,
  );
});
