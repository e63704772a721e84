import { describe, expect, test } from "vitest";
import { LIMITS, type Limits } from "../../src/adapters/net/limits.ts";
import { openReferences } from "../../src/adapters/trackers/references.ts";
import { ConfluenceServer } from "../rig/confluence-server.ts";
import { ATLASSIAN, JiraServer } from "../rig/jira-server.ts";
import { promise } from "../rig/promise.ts";
import { SpellsProject } from "../rig/spells-project.ts";

const SITE = "https://acme.atlassian.net";
const ISSUE = `${SITE}/browse/PROJ-1`;
const OTHER = `${SITE}/browse/PROJ-2`;
const PAGE = `${SITE}/wiki/spaces/DEV/pages/4711/Design`;

const ISSUES = {
  "PROJ-1": {
    summary: "Sort the list",
    description: "<p>See <b>the</b> list.</p><pre>- [ ] hidden</pre>",
    criteria: "<ul><li>sorted by date</li></ul>",
    comments: Array.from({ length: 130 }, (_, at) => `<p>remark ${at} ${SITE}/browse/FAR-${at + 1}</p>`),
    blocks: "PROJ-9",
  },
  "PROJ-2": { summary: "Filter", description: "<p>Filter it</p>" },
};

const PAGES = { "4711": { title: "Design", body: "<h1>Layout</h1><ul><li>one</li></ul>" } };

const LOGIN = { ATLASSIAN_EMAIL: ATLASSIAN.email, ATLASSIAN_API_TOKEN: ATLASSIAN.token };

interface Rig extends AsyncDisposable {
  readonly project: SpellsProject;
  readonly jira: JiraServer;
  readonly confluence: ConfluenceServer;
}

async function open(more: { limits?: Limits; token?: string } = {}): Promise<Rig> {
  const jira = await JiraServer.open(ISSUES);
  const confluence = await ConfluenceServer.open(PAGES);
  const credentials = {
    ...jira.environment,
    CONFLUENCE_BASE_URL: `${confluence.url}/wiki`,
    ATLASSIAN_API_TOKEN: more.token ?? ATLASSIAN.token,
  };
  const project = new SpellsProject({ references: openReferences(credentials, more.limits) });
  project.state("GATHER_EDITING_CONTEXT");
  return {
    project,
    jira,
    confluence,
    async [Symbol.asyncDispose]() {
      project[Symbol.dispose]();
      await jira[Symbol.asyncDispose]();
      await confluence[Symbol.asyncDispose]();
    },
  };
}

describe("Expecto with credentials", () => {
  test("fetches issues and pages into the context, fenced, and records them only then", async () => {
    await using rig = await open();
    const { project, jira } = rig;
    project.write("context.md", `# Context\n\nSee [the issue](${ISSUE}), and (${PAGE}).\n`);
    const { row, text } = await project.cast("expecto");
    expect(row).toBe("E1b");
    expect(text).toContain("All linked issues and pages were fetched (2 in all).");
    const context = project.read("context.md");
    expect(context).toContain(`## Fetched from ${ISSUE}`);
    expect(context).toContain("# PROJ-1: Sort the list");
    expect(context).toContain("See **the** list.");
    expect(context).toContain("## Acceptance Criteria\n\n- sorted by date");
    expect(context).toContain("- blocks: PROJ-9 The other one");
    expect(context).toContain("- Design: https://design.example/1");
    expect(context).toContain("remark 0 ");
    expect(context).toContain("remark 129 ");
    expect(context).toContain(`## Fetched from ${PAGE}`);
    expect(context).toContain("# Layout");
    expect(project.read(".atlassian-refs")).toBe(`${ISSUE}\n${PAGE}\n`);
    expect(jira.asked.filter(({ path }) => path.endsWith("/comment"))).toHaveLength(2);
    expect(project.stateFile().history.map(({ transition }) => transition)).toEqual([
      "GATHER_EDITING_CONTEXT → GATHER_EDITING_CONTEXT",
    ]);
    // Links in what was fetched are not the person's: nothing is left to do.
    expect(await project.castAll("expecto")).toEqual(["E4"]);
  });

  test("makes no fetched checkbox a criterion of the plan", async () => {
    promise("spells.fetch");
    await using rig = await open();
    const { project } = rig;
    project.state("GATHER_EDITING");
    project.write("plan.md", `# Plan\n\n${ISSUE}\n\n\`\`\`\nleft open\n`);
    expect(await project.castAll("expecto", "accio")).toEqual(["E2", "G3"]);
    expect(project.read("plan.md")).toContain("- [ ] hidden");
  });

  test("keeps what could be fetched, says what could not, and fetches only that again", async () => {
    await using rig = await open();
    const { project, jira } = rig;
    jira.faults.push({ path: /PROJ-2/, answer: { status: 404, json: {} }, times: 1 });
    project.write("context.md", `${ISSUE}\r\n${OTHER}\r\n`);
    const first = await project.cast("expecto");
    expect(first.text).toContain("Of 2 linked issues and pages one could be fetched");
    expect(first.text).toContain(`${OTHER}: It does not exist there`);
    expect(first.available).toContain("expecto");
    expect(project.read(".atlassian-refs")).toBe(`${ISSUE}\n`);
    const asked = jira.asked.length;
    const second = await project.cast("expecto");
    expect(second.row).toBe("E1b");
    expect(
      jira.asked
        .slice(asked)
        .filter(({ path }) => path.includes("/issue/"))
        .every(({ path }) => path.includes("PROJ-2")),
    ).toBe(true);
    expect(project.read(".atlassian-refs")).toBe(`${ISSUE}\n${OTHER}\n`);
    expect(project.read("context.md").match(/## Fetched from/g)).toHaveLength(2);
    expect(project.read("context.md")).not.toMatch(/[^\r]\n/);
  });

  test("takes an issue whole or not at all: if its comments fail, nothing is written", async () => {
    await using rig = await open();
    const { project, jira } = rig;
    jira.faults.push({ path: /startAt=100/, answer: { status: 500, json: {} }, times: 1 });
    project.write("context.md", ISSUE);
    await project.cast("expecto");
    expect(project.read("context.md")).toBe(ISSUE);
    expect(project.has(".atlassian-refs")).toBe(false);
    expect(project.stateFile().history).toEqual([]);
    expect(await project.castAll("expecto", "expecto")).toEqual(["E1b", "E4"]);
  });

  test.each([
    [{ status: 401, json: {} }, "The token was refused"],
    [{ status: 403, json: {} }, "does not give access to it"],
    [{ status: 404, json: {} }, "It does not exist there"],
    [{ status: 429, headers: { "retry-after": "17" }, json: {} }, "try again in 17 seconds"],
    [{ status: 503, json: {} }, "in a way that was not understood"],
    [{ silent: true as const }, "did not answer in time"],
  ])("answers %j with a sentence that says %j", async (answer, words) => {
    await using rig = await open("silent" in answer ? { limits: { ...LIMITS, silence: 1_500 } } : {});
    rig.jira.faults.push({ path: /./, answer });
    rig.project.write("context.md", `${ISSUE}\n${PAGE}\n`);
    const { text } = await rig.project.cast("expecto");
    expect(text).toContain(words);
    expect(text).not.toContain(ATLASSIAN.token);
    expect(text).toContain("Offer the developer to fetch them with tools of your own");
  });

  test("says so if the site cannot be reached", async () => {
    await using rig = await open();
    await rig.jira[Symbol.asyncDispose]();
    rig.project.write("context.md", ISSUE);
    expect((await rig.project.cast("expecto")).text).toContain("could not be reached");
  });

  test("says so if the token is wrong, and asks the same server no more", async () => {
    await using rig = await open({ token: "other" });
    rig.project.write("context.md", `${ISSUE}\n${OTHER}\n`);
    const { text } = await rig.project.cast("expecto");
    expect(text).toContain("The token was refused");
    expect(text).toContain("not tried any more");
    expect(rig.jira.asked).toHaveLength(1);
  });
});

describe("links that cannot be fetched", () => {
  const BOARD = `${SITE}/jira/software/projects/P/boards/1`;

  test("for what they are are told as that, with how to be asked no more", async () => {
    await using rig = await open({ token: "other" });
    rig.project.write("context.md", `${ISSUE}\n${BOARD}\n`);
    const mixed = await rig.project.cast("expecto");
    expect(mixed.text).toContain(`${BOARD}: The address is not that of a single issue or page`);
    rig.project.write("context.md", `${BOARD}\n`);
    const { text } = await rig.project.cast("expecto");
    expect(text).toContain("Nothing could be fetched, and nothing was changed.");
    expect(text).toMatch(/list each URL, on a line of its own, in `\.ai\/task\/\.atlassian-refs`/);
    expect(text).not.toContain("fetches only what is still missing");
    rig.project.write(".atlassian-refs", `${BOARD}\n`);
    expect(await rig.project.castAll("expecto")).toEqual(["E4"]);
  });

  test("of issues do not keep pages from being fetched", async () => {
    await using rig = await open();
    rig.jira.faults.push({ path: /./, answer: { status: 429, headers: { "retry-after": "17" }, json: {} } });
    rig.project.write("context.md", `${ISSUE}\n${OTHER}\n${PAGE}\n`);
    const { text } = await rig.project.cast("expecto");
    expect(text).toContain(`${OTHER}: It was not tried any more`);
    expect(rig.project.read(".atlassian-refs")).toBe(`${PAGE}\n`);
  });
});

describe("credentials", () => {
  test("go to the configured address only, whatever host a link names", async () => {
    promise("spells.fetch");
    await using rig = await open();
    const { project, jira } = rig;
    project.write(
      "context.md",
      `${ISSUE} https://acme.atlassian.net.evil.example/browse/PROJ-1 http://acme.atlassian.net/browse/PROJ-1`,
    );
    await project.cast("expecto");
    expect(jira.asked.length).toBeGreaterThan(0);
    expect(project.read(".atlassian-refs")).toBe(`${ISSUE}\n`);
  });

  test("for another site of Atlassian's cloud are not used", async () => {
    const credentials = { JIRA_BASE_URL: "https://other.atlassian.net", ...LOGIN };
    using project = new SpellsProject({ references: openReferences(credentials) });
    project.state("GATHER_EDITING_CONTEXT");
    project.write("context.md", ISSUE);
    expect((await project.cast("expecto")).text).toContain("It belongs to acme.atlassian.net");
  });

  test.each([
    ["http://jira.example", "must begin with https://"],
    ["jira", "it is not an address"],
    ["https://ann:pw@acme.atlassian.net", "must not hold credentials"],
  ])("are not sent to %s", async (jira, words) => {
    using project = new SpellsProject({ references: openReferences({ JIRA_BASE_URL: jira, ...LOGIN }) });
    project.state("GATHER_EDITING_CONTEXT");
    project.write("context.md", ISSUE);
    expect((await project.cast("expecto")).text).toContain(words);
  });

  test("that are missing are named, and nothing is written", async () => {
    using project = new SpellsProject({ references: openReferences({ ATLASSIAN_EMAIL: ATLASSIAN.email }) });
    project.state("GATHER_EDITING_CONTEXT");
    project.write("context.md", `${ISSUE}\n${PAGE}\n`);
    const before = project.read("state.json");
    const { text } = await project.cast("expecto");
    expect(text).toContain("Not set: `JIRA_BASE_URL`, `ATLASSIAN_API_TOKEN`.");
    expect(text).toContain("Not set: `CONFLUENCE_BASE_URL`, `ATLASSIAN_API_TOKEN`.");
    expect(text).toContain("`.ai/task/.atlassian-refs`");
    expect(project.read("state.json")).toBe(before);
  });
});
