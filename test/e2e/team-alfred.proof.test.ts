/** Tasks of Alfred, shared by git between people. */
import { describe, expect, it } from "vitest";
import { overview } from "../../src/workflows/alfred/overview.ts";
import { implement, plan, start } from "../rig/alfred-artifacts.ts";
import { AlfredProject, taskMarkdown } from "../rig/alfred-project.ts";
import { promise } from "../rig/promise.ts";
import { type Member, Team } from "../rig/team.ts";

const ID = "TS-01";
const STATE = `.alfred/workspace/${ID}/task_state.json`;
/** The step that ends the plan, in words. */
const FINISHED = /plan_task: \w+ \([^)]*the task is ready_for_development\)/;
const SETTINGS = { settings: { reviews: { default: [] } } };

/** A repository with one task. */
async function alfredTeam(): Promise<Team> {
  using first = new AlfredProject(SETTINGS);
  await first.call("initialize_project", { provider: "local" });
  await first.call("create_task", { task_content: taskMarkdown(ID) });
  const files = new Map(
    [".alfred/config.yml", ".alfred/.gitignore", `.alfred/tasks/${ID}.md`].map((path) => [
      path,
      first.read(path),
    ]),
  );
  return new Team((root) => {
    const project = new AlfredProject({ ...SETTINGS, root });
    for (const [path, text] of files) project.write(path, text);
    project.write("pawl.yaml", "share: true\n");
    project.write("src/server.txt", "server\n");
  });
}

/** Calls tools in a person's clone. */
function toolsOf({ root }: Member): AlfredProject {
  const project = new AlfredProject({ ...SETTINGS, root });
  project.around = { share: true };
  return project;
}

async function shownTo(member: Member) {
  const [run] = await overview(toolsOf(member).runtime().store.view());
  if (!run) throw new Error("There is no task.");
  return run;
}

const records = (member: Member) =>
  member.git("ls-files", "-o", "-c", ".alfred/records").trim().split("\n").filter(Boolean);

/** What the person decides for is named by the beginning of its hash. */
async function sideWith(member: Member, words: RegExp): Promise<string> {
  const { err } = await member.pawl("adopt", `alfred:${ID}`);
  const sides = [...err.matchAll(/branch ([0-9a-f]{12}): ([^;]+)/g)];
  return sides.find(([, , steps]) => words.test(steps ?? ""))?.[1] ?? "";
}

/** Records the task as it is now, and pushes that. */
async function publish(member: Member, branch: string): Promise<void> {
  expect(await member.pawl("share", `alfred:${ID}`)).toMatchObject({ code: 0, err: "" });
  member.push(branch);
}

/** Ana began the task; Ben took it over. Both have a state of it. */
async function bothHaveIt(team: Team): Promise<readonly [Member, Member]> {
  const ana = team.clone("ana");
  await start(toolsOf(ana), ID);
  await publish(ana, "main");
  const ben = team.clone("ben");
  await ben.person("adopt", `alfred:${ID}`);
  return [ana, ben];
}

describe("A task of Alfred's, for a team", () => {
  it("goes on in its own checkout if two people finished the same tool, and is held in a clone with both branches named, until a person chooses", {
    timeout: 180_000,
  }, async () => {
    promise("team.branches");
    using team = await alfredTeam();
    const [ana, ben] = await bothHaveIt(team);
    await plan(toolsOf(ana), ID);
    await plan(toolsOf(ben), ID);
    await publish(ana, "ana");
    await publish(ben, "ben");
    ana.merge("ben");
    ben.merge("ana");
    const cleo = team.clone("cleo", "ana");
    cleo.merge("ben");
    for (const member of [ana, ben]) {
      const { aside, problem, state } = await shownTo(member);
      expect([problem, state]).toEqual([undefined, "ready_for_development"]);
      expect(aside).toMatchObject([{ steps: expect.stringMatching(FINISHED) }]);
      expect((await toolsOf(member).call("work_on_task", { task_id: ID })).status).toBe("success");
    }
    const { command, problem } = await shownTo(cleo);
    expect({ command, code: problem?.code }).toEqual({ command: undefined, code: "records-forked" });
    expect(problem?.message).toContain(`alfred:${ID} was advanced on 2 branches`);
    expect(problem?.message.match(new RegExp(FINISHED, "g"))).toHaveLength(2);
    const before = cleo.git("status", "--porcelain");
    for (const tool of ["implement_task", "work_on_task"])
      expect((await toolsOf(cleo).call(tool, { task_id: ID })).data.code).toBe("records-forked");
    expect(await cleo.pawl("adopt", `alfred:${ID}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining("[records-forked]"),
    });
    expect([cleo.git("status", "--porcelain"), cleo.read(STATE)]).toEqual([before, null]);
    const side = await sideWith(ben, /own state/);
    const chosen = await cleo.person("adopt", `alfred:${ID}`, "--branch", side);
    expect(chosen).toMatchObject({ code: 0, out: expect.stringContaining("It is ready_for_development") });
    await publish(cleo, "main");
    await implement(toolsOf(cleo), ID);
    await publish(cleo, "main");
    for (const member of [ana, ben]) {
      member.merge("main");
      expect(await shownTo(member)).toMatchObject({
        state: "ready_for_review",
        elsewhere: { by: expect.stringContaining("test-client") },
        command: `pawl adopt alfred:${ID}`,
      });
      expect((await toolsOf(member).call("review_task", { task_id: ID })).data.code).toBe("run-elsewhere");
      expect((await member.pawl("show", `alfred:${ID}`)).out).toContain("## implement_task");
    }
    expect(await ana.person("adopt", `alfred:${ID}`)).toMatchObject({ code: 0 });
    expect((await toolsOf(ana).call("review_task", { task_id: ID })).status).toBe("success");
  });

  it("goes on if one person is in the middle of a tool that another has finished; who chooses their own overrules the other", async () => {
    promise("team.branches");
    using team = await alfredTeam();
    const [ana, ben] = await bothHaveIt(team);
    await plan(toolsOf(ben), ID);
    await publish(ben, "ben");
    await toolsOf(ana).call("plan_task", { task_id: ID });
    ana.merge("ben");
    expect((await toolsOf(ana).call("plan_task", { task_id: ID })).status).toBe("success");
    expect((await ana.pawl("adopt", `alfred:${ID}`)).err).toMatch(
      /plan_task: begun .* \(this checkout's own state\)/,
    );
    const side = await sideWith(ana, /own state/);
    expect(await ana.person("adopt", `alfred:${ID}`, "--branch", side)).toMatchObject({ code: 0 });
    expect((await toolsOf(ana).call("work_on_task", { task_id: ID })).data.active_tool).toBe("plan_task");
    await plan(toolsOf(ana), ID);
    await publish(ana, "main");
    ben.merge("main");
    expect(await shownTo(ben)).toMatchObject({
      state: "ready_for_development",
      command: `pawl adopt alfred:${ID}`,
    });
    const cleo = team.clone("cleo");
    expect(await shownTo(cleo)).toMatchObject({ state: "ready_for_development", awaits: "assistant" });
    expect((await toolsOf(cleo).call("implement_task", { task_id: ID })).status).toBe("success");
  });

  it("goes on in a clone while a tool is open if it was recorded so, and is the clone's from then on", async () => {
    promise("team.shared-when-said");
    using team = await alfredTeam();
    const ana = team.clone("ana");
    expect((await ana.pawl("share", `alfred:${ID}`)).err).toContain("it has not begun");
    await start(toolsOf(ana), ID);
    await toolsOf(ana).call("plan_task", { task_id: ID });
    expect(records(ana)).toEqual([]);
    await publish(ana, "main");
    expect(records(ana)).toMatchObject([expect.stringMatching(/\/0001-0004-/)]);
    const ben = team.clone("ben");
    expect(await shownTo(ben)).toMatchObject({ state: "planning", awaits: "assistant" });
    await plan(toolsOf(ben), ID);
    expect(records(ben)).toEqual(records(ana));
    await publish(ben, "main");
    expect(records(ben)).toMatchObject([{}, expect.stringMatching(/\/0005-00\d\d-/)]);
    ana.merge("main");
    expect(await shownTo(ana)).toMatchObject({ command: `pawl adopt alfred:${ID}`, elsewhere: {} });
    expect((await ana.pawl("share", `alfred:${ID}`)).err).toContain("[run-elsewhere]");
  });

  it("is taken over if the other side is chosen, and what was open here is given up", async () => {
    promise("team.taken-over-by-a-person");
    using team = await alfredTeam();
    const [ana, ben] = await bothHaveIt(team);
    await plan(toolsOf(ben), ID);
    await publish(ben, "ben");
    await toolsOf(ana).call("plan_task", { task_id: ID });
    ana.merge("ben");
    const side = await sideWith(ana, /the task is ready_for_development/);
    const chosen = await ana.person("adopt", `alfred:${ID}`, "--branch", side);
    expect(chosen.screen).toContain("The open run of plan_task in this checkout is given up.");
    expect(toolsOf(ana).state(ID)).toMatchObject({
      task_status: "ready_for_development",
      active_tool_state: null,
    });
    expect((await ana.pawl("status")).out).toContain("unproved: its history here does not go back");
    expect((await toolsOf(ana).call("implement_task", { task_id: ID })).status).toBe("success");
  });

  it("is never moved by a record if there is a state of it, whatever the record claims", async () => {
    promise("team.records-prove-nothing");
    using team = await alfredTeam();
    const ana = team.clone("ana");
    await start(toolsOf(ana), ID);
    await publish(ana, "main");
    const ben = team.clone("ben");
    await plan(toolsOf(ben), ID);
    await publish(ben, "main");
    const before = ana.read(STATE);
    ana.merge("main");
    for (const tool of ["implement_task", "plan_task"])
      expect((await toolsOf(ana).call(tool, { task_id: ID })).data.code).toBe("run-elsewhere");
    expect(ana.read(STATE)).toBe(before);
  });
});
