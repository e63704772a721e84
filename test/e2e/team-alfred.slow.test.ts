/** Tasks of Alfred, shared by git between people. */
import { describe, expect, it } from "vitest";
import { hashOfStep } from "../../src/runtime/history.ts";
import { overview } from "../../src/workflows/alfred/overview.ts";
import { implement, plan, start } from "../rig/alfred-artifacts.ts";
import { AlfredProject, taskMarkdown } from "../rig/alfred-project.ts";
import { type Member, Team } from "../rig/team.ts";

const ID = "TS-01";
const RECORDS = `.alfred/records/alfred/${ID}`;
const STATE = `.alfred/workspace/${ID}/task_state.json`;
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
    project.write("src/server.txt", "server\n");
  });
}

/** Calls tools in a person's clone. */
function toolsOf({ root }: Member): AlfredProject {
  return new AlfredProject({ ...SETTINGS, root });
}

async function shownTo(member: Member) {
  const [run] = await overview(toolsOf(member).runtime().store.view());
  if (!run) throw new Error("There is no task.");
  return run;
}

/** What the person decides for is named by the beginning of its hash. */
async function sideWith(member: Member, words: RegExp): Promise<string> {
  const message = (await shownTo(member)).problem?.message ?? "";
  const sides = [...message.matchAll(/side ([0-9a-f]{12}): ([^;]+)/g)];
  return sides.find(([, , steps]) => words.test(steps ?? ""))?.[1] ?? "";
}

/** Without the artifacts, whose keys are sorted in records. */
async function storyOf(member: Member): Promise<readonly string[]> {
  const { out } = await member.pawl("show", `alfred:${ID}`);
  return out.split("\n").filter((line) => /^(#|Status|From|- |Accepted)/.test(line));
}

const records = (member: Member) =>
  member.git("ls-files", "-o", "-c", ".alfred/records").trim().split("\n").filter(Boolean);

/** Ana began the task; Ben took it over. Both have a state of it. */
async function bothHaveIt(team: Team): Promise<readonly [Member, Member]> {
  const ana = team.clone("ana");
  await start(toolsOf(ana), ID);
  ana.push("main");
  const ben = team.clone("ben");
  await ben.person("take", `alfred:${ID}`);
  return [ana, ben];
}

/** The clone's files as the version before wrote them. */
function asBefore(member: Member): void {
  for (const name of records(member)) {
    const { stands } = JSON.parse(member.read(name) ?? "");
    const { finished_at, tool_name } = stands.finished;
    const time = finished_at.replace(/[-:.]/g, "");
    const number = String(Number(/(\d{4})-/.exec(name)?.[1]) / 2).padStart(2, "0");
    member.remove(name);
    const run = JSON.stringify({ ...stands.finished, task_id: ID }, null, 2);
    member.write(`.alfred/records/${ID}/${number}-${tool_name}-${time}.json`, `${run}\n`);
  }
  const json = member.read(STATE);
  if (json === null) return;
  const state = JSON.parse(json);
  let prev: string | null = null;
  for (const step of state.history) {
    delete step.shared;
    step.prev = prev;
    prev = hashOfStep(step);
  }
  member.write(STATE, `${JSON.stringify(state, null, 2)}\n`);
  const head = { run: `alfred:${ID}`, length: state.history.length, last: state.history.at(-1) };
  member.write(`.pawl/heads/alfred/${ID}.json`, `${JSON.stringify(head, null, 2)}\n`);
}

describe("A task of Alfred's, for a team", () => {
  it("is held where two people finished the same tool, with both sides named, here and in a clone, until a person chooses", async () => {
    using team = await alfredTeam();
    const [ana, ben] = await bothHaveIt(team);
    await plan(toolsOf(ana), ID);
    await plan(toolsOf(ben), ID);
    ana.push("ana");
    ben.push("ben");
    ana.merge("ben");
    ben.merge("ana");
    const cleo = team.clone("cleo", "ana");
    cleo.merge("ben");
    for (const member of [ana, ben, cleo]) {
      const { command, problem } = await shownTo(member);
      expect({ command, code: problem?.code }).toEqual({ command: undefined, code: "records-forked" });
      expect(problem?.message).toContain(`alfred:${ID} was advanced on 2 sides`);
      expect(problem?.message.match(/plan_task finished \(planning → ready_for_development\)/g)).toHaveLength(
        2,
      );
      const before = [member.git("status", "--porcelain"), member.read(STATE)];
      for (const tool of ["implement_task", "work_on_task"])
        expect((await toolsOf(member).call(tool, { task_id: ID })).data.code).toBe("records-forked");
      expect(await member.pawl("take", `alfred:${ID}`)).toMatchObject({
        code: 1,
        err: expect.stringContaining("[records-forked]"),
      });
      expect([member.git("status", "--porcelain"), member.read(STATE)]).toEqual(before);
    }
    const side = await sideWith(cleo, /taken_over/);
    const chosen = await cleo.person("take", `alfred:${ID}`, "--side", side);
    expect(chosen).toMatchObject({ code: 0, out: expect.stringContaining("It is ready_for_development") });
    cleo.push("main");
    await implement(toolsOf(cleo), ID);
    cleo.push("main");
    for (const member of [ana, ben]) {
      member.merge("main");
      expect(await shownTo(member)).toMatchObject({
        state: "ready_for_review",
        elsewhere: { by: expect.stringContaining("test-client") },
        command: `pawl take alfred:${ID}`,
      });
      expect((await toolsOf(member).call("review_task", { task_id: ID })).data.code).toBe("run-elsewhere");
      expect((await member.pawl("show", `alfred:${ID}`)).out).toContain("## implement_task");
    }
    expect(await ana.person("take", `alfred:${ID}`)).toMatchObject({ code: 0 });
    expect((await toolsOf(ana).call("review_task", { task_id: ID })).status).toBe("success");
  });

  it("is held where one person is in the middle of a tool that another has finished; who chooses their own goes on in it", async () => {
    using team = await alfredTeam();
    const [ana, ben] = await bothHaveIt(team);
    await plan(toolsOf(ben), ID);
    ben.push("ben");
    await toolsOf(ana).call("plan_task", { task_id: ID });
    ana.merge("ben");
    const held = await toolsOf(ana).call("plan_task", { task_id: ID });
    expect(held.data.code).toBe("records-forked");
    expect(held.message).toMatch(/plan_task begun .* \(this checkout's own state\)/);
    const side = await sideWith(ana, /own state/);
    expect(await ana.person("take", `alfred:${ID}`, "--side", side)).toMatchObject({ code: 0 });
    expect((await toolsOf(ana).call("work_on_task", { task_id: ID })).data.active_tool).toBe("plan_task");
    await plan(toolsOf(ana), ID);
    ana.push("main");
    ben.merge("main");
    expect(await shownTo(ben)).toMatchObject({
      state: "ready_for_development",
      command: `pawl take alfred:${ID}`,
    });
    const cleo = team.clone("cleo");
    expect(await shownTo(cleo)).toMatchObject({ state: "ready_for_development", awaits: "assistant" });
    expect((await toolsOf(cleo).call("implement_task", { task_id: ID })).status).toBe("success");
  });

  it("is taken over where the other side is chosen, and what was open here is given up", async () => {
    using team = await alfredTeam();
    const [ana, ben] = await bothHaveIt(team);
    await plan(toolsOf(ben), ID);
    ben.push("ben");
    await toolsOf(ana).call("plan_task", { task_id: ID });
    ana.merge("ben");
    const side = await sideWith(ana, /finished/);
    const chosen = await ana.person("take", `alfred:${ID}`, "--side", side);
    expect(chosen.screen).toContain("The open run of plan_task in this checkout is given up.");
    expect(toolsOf(ana).state(ID)).toMatchObject({
      task_status: "ready_for_development",
      active_tool_state: null,
    });
    expect((await ana.pawl("status")).out).toContain("unproved: its history here does not go back");
    expect((await toolsOf(ana).call("implement_task", { task_id: ID })).status).toBe("success");
  });

  it("is never moved by a record where there is a state of it, whatever the record claims", async () => {
    using team = await alfredTeam();
    const ana = team.clone("ana");
    await start(toolsOf(ana), ID);
    ana.push("main");
    const ben = team.clone("ben");
    await plan(toolsOf(ben), ID);
    ben.push("main");
    const before = ana.read(STATE);
    ana.merge("main");
    for (const tool of ["implement_task", "plan_task"])
      expect((await toolsOf(ana).call(tool, { task_id: ID })).data.code).toBe("run-elsewhere");
    expect(ana.read(STATE)).toBe(before);
  });

  it("is the same for all with the records of an earlier version, which are read on and become part of the chain", async () => {
    using team = await alfredTeam();
    const ana = team.clone("ana");
    await start(toolsOf(ana), ID);
    await plan(toolsOf(ana), ID);
    asBefore(ana);
    const earlier = records(ana);
    expect(earlier.map((path) => path.replace(/\d{8}T\d{9}Z/, "TIME"))).toEqual([
      `.alfred/records/${ID}/01-start_task-TIME.json`,
      `.alfred/records/${ID}/02-plan_task-TIME.json`,
    ]);
    ana.push("main");
    const ben = team.clone("ben");
    for (const member of [ana, ben])
      expect(await shownTo(member)).toMatchObject({ state: "ready_for_development", awaits: "assistant" });
    await implement(toolsOf(ana), ID);
    expect(records(ana)).toEqual(expect.arrayContaining(earlier));
    expect(records(ana).filter((path) => path.startsWith(RECORDS))).toHaveLength(3);
    ana.push("ana");
    const cleo = team.clone("cleo", "ana");
    expect(await shownTo(cleo)).toMatchObject({ state: "ready_for_review", awaits: "assistant" });
    expect(await storyOf(cleo)).toEqual(await storyOf(ana));

    await implement(toolsOf(ben), ID);
    ben.push("ben");
    ana.merge("ben");
    expect((await shownTo(ana)).problem?.message).toContain("2 sides after its first 2 steps");
  });

  it("is held by the records of an earlier version, too, and they stay as they are when a person chooses", async () => {
    using team = await alfredTeam();
    const ana = team.clone("ana");
    await start(toolsOf(ana), ID);
    asBefore(ana);
    ana.push("main");
    const ben = team.clone("ben");
    await plan(toolsOf(ben), ID);
    ben.remove(".alfred/records/alfred");
    const { finished_at } = toolsOf(ben).state(ID).completed_tool_outputs.plan_task;
    const run = {
      ...toolsOf(ben).state(ID).completed_tool_outputs.plan_task,
      tool_name: "plan_task",
      task_id: ID,
    };
    const name = `02-plan_task-${finished_at.replace(/[-:.]/g, "")}.json`;
    ben.write(`.alfred/records/${ID}/${name}`, `${JSON.stringify(run, null, 2)}\n`);
    ben.push("ben");
    await plan(toolsOf(ana), ID);
    ana.push("ana");
    ana.merge("ben");
    expect((await toolsOf(ana).call("implement_task", { task_id: ID })).data.code).toBe("records-forked");
    const before = records(ana).map((path) => ana.read(path));
    const side = await sideWith(ana, /own state/);
    expect(await ana.person("take", `alfred:${ID}`, "--side", side)).toMatchObject({ code: 0 });
    expect(records(ana).map((path) => ana.read(path))).toEqual(expect.arrayContaining(before));
    expect((await toolsOf(ana).call("implement_task", { task_id: ID })).status).toBe("success");
  });
});
