import { describe, expect, test } from "vitest";
import alfred from "../../src/workflows/alfred/module.ts";
import { CONTEXT, DESIGN, PLAN, STRATEGY, through } from "../rig/alfred-artifacts.ts";
import { AlfredProject, CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { JiraServer } from "../rig/jira-server.ts";
import { LinearServer } from "../rig/linear-server.ts";

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

const environmentOf = (provider: "jira" | "linear", environment: Record<string, string>) => {
  const project = new AlfredProject({
    settings: { provider, reviews: { default: [] }, tracker: TRACKER },
  });
  project.environment = environment;
  return project;
};

const TRACKER = {
  project: "TS",
  statuses: { planning: "In Progress", done: "Done" },
  link: "https://example.com/blob/main/{path}",
};

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

const ID = "TS-1";

async function started(project: AlfredProject) {
  await project.call("start_task", { task_id: ID });
  await project.submit(ID, CLEAN);
  return project.submit(ID, { branch_name: "feature/TS-1", success: true, details: "" });
}

describe.each([
  ["jira", jira],
  ["linear", linear],
] as const)("%s", (name, open) => {
  test("a task is read when it is first worked on, and kept as a file from then on", async () => {
    await using rig = await open();
    rig.add(ID, { title: "Limit the\n rate", text: "## Why\nToo many.", blockedBy: ["TS-9"], high: true });
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
    expect(text).toContain("- TS-9");
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
    await using rig = await open();
    rig.paged(2);
    for (const id of ["TS-2", "TS-3", "TS-10"]) rig.add(id);
    rig.add("TS-4", { done: true });
    rig.add("TS-5", { high: true, blockedBy: ["TS-2"] });
    rig.add("TS-6", { high: true, blockedBy: ["TS-4"] });
    rig.add("OTHER-1", { high: true });
    const next = await rig.project.call("get_next_task");
    expect(next.data).toMatchObject({
      task_id: "TS-6",
      alternatives: [{ task_id: "TS-2" }, { task_id: "TS-3" }, { task_id: "TS-10" }],
      blocked: [{ task_id: "TS-5", waits_for: ["TS-2"] }],
    });
  });

  test("the status is written back as mapped, and an accepted plan is commented on once", async () => {
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    project.write("src/server.txt", "x");
    await project.call("start_task", { task_id: ID });
    expect(rig.status(ID)).not.toBe("In Progress");
    await project.submit(ID, CLEAN);
    const done = await project.submit(ID, { branch_name: "feature/TS-1", success: true, details: "" });
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
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    await project.call("start_task", { task_id: ID });
    const there = project.environment;
    project.environment = {
      ...there,
      JIRA_BASE_URL: "http://127.0.0.1:1",
      LINEAR_API_URL: "http://127.0.0.1:1/graphql",
    };
    const offline = await started(project);
    expect(offline.status).toBe("success");
    expect(offline.message).toMatch(
      /could not be updated about 'TS-1': (Jira|Linear) at http:\/\/127\.0\.0\.1:1.*cannot be reached.*tries again later/,
    );
    expect(project.state(ID).task_status).toBe("planning");
    const nothing = await project.call("start_task", { task_id: "TS-2" });
    expect(nothing.data.code).toBe("tracker-failed");
    expect(project.has(".alfred/workspace/TS-2")).toBe(false);
    const next = await project.call("get_next_task");
    expect(next.data.task_id).toBe(ID);
    expect(next.message).toContain("cannot be reached");
    project.environment = there;
    const verb = alfred.verbs.find((each) => each.name === "sync");
    const told = await project.run((await verb?.transaction()) as never, { id: ID } as never);
    expect(told.reply.data).toMatchObject({ pending: false });
    expect(rig.status(ID)).toBe("In Progress");
  });

  test("a wrong token, a missing one and an unknown id are told clearly, and nothing has changed", async () => {
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    const there = project.environment;
    project.environment = { ...there, ATLASSIAN_API_TOKEN: "wrong", LINEAR_API_KEY: "wrong" };
    const wrong = await project.call("start_task", { task_id: ID });
    expect(wrong.message).toMatch(/refused the token \(HTTP 401\)/);
    expect(wrong.data.fix).toContain(name === "jira" ? "ATLASSIAN_API_TOKEN" : "LINEAR_API_KEY");
    project.environment = {};
    expect((await project.call("start_task", { task_id: ID })).data.code).toBe("tracker-unconfigured");
    project.environment = there;
    const unknown = await project.call("start_task", { task_id: "TS-77" });
    expect(unknown.message).toBe(`Task 'TS-77' not found, neither in .alfred/tasks nor in ${name}.`);
    for (const folder of ["tasks", "workspace"]) expect(project.has(`.alfred/${folder}`)).toBe(false);
  });

  test("a status that the tracker does not have is told with those it has", async () => {
    await using rig = await open();
    const { project } = rig;
    rig.add(ID);
    project.settings = { ...project.settings, tracker: { ...TRACKER, statuses: { planning: "Doing" } } };
    const answer = await started(project);
    expect(answer.message).toContain(`cannot move ${ID} to the status "Doing": it can be moved to T`);
    expect(answer.status).toBe("success");
  });
});

test("with the provider local nothing is asked of a tracker", async () => {
  using project = new AlfredProject();
  await project.call("create_task", { task_content: taskMarkdown(ID) });
  expect((await started(project)).message).not.toContain("tracker");
  const verb = alfred.verbs.find((each) => each.name === "sync");
  await expect(project.run((await verb?.transaction()) as never, { id: ID } as never)).rejects.toThrow(
    /no tracker to update/,
  );
});
