/** What a person does on the board, and what it shows of each project. */
import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bloomProject, checkpointTask } from "../rig/bloom-project.ts";
import { ask, type Browser, enterBoard, openBoardServer } from "../rig/board.ts";
import { reviewProject, runOf } from "../rig/own-agents.ts";
import { promise } from "../rig/promise.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";
import type { ServerProcessOptions } from "../rig/server-process.ts";
import { type Person, personWithKey } from "../rig/signing.ts";
import { until } from "../rig/until.ts";

const RUN = "release:1.2.0";
const git = (root: string, ...args: string[]) =>
  execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: "pipe" }).trim();

/** A run of the project's own workflow that waits for a person's verdict. */
async function waiting(environment: Readonly<Record<string, string>> = {}, gates = "") {
  const project = releaseProject(environment);
  project.write("pawl.yaml", `${project.read("pawl.yaml")}${gates}`);
  project.write("releases/1.2.0.md", DONE);
  const sent = await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
  expect(sent.err).toBe("");
  return project;
}

async function boardOf(project: { readonly root: string }, options: ServerProcessOptions = {}) {
  const server = await openBoardServer(project, options);
  return {
    server,
    browser: await enterBoard(server),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const versionOf = async ({ get, project }: Browser, run: string): Promise<string> =>
  (await get(`/api/${project}/review/${run}`)).json().review?.version ?? "";

const order = (more: object = {}) => ({ approve: true, notes: "", points: [], version: "", ...more });
const stateOf = (project: { read(path: string): string | null }) =>
  JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;

describe("the board for an autoscaler", () => {
  it("says that it lives, and how many tasks wait in which state", async () => {
    promise("board.queue");
    using project = bloomProject({
      tasks:
        "tasks:\n- {id: T-1, title: a}\n- {id: T-2, title: b}\n- {id: T-3, title: c, depends_on: [T-1]}\n",
    });
    const environment = { ...project.environment, PAWL_METRICS_TOKEN: "figures-only" };
    await using at = await boardOf(project, { environment });
    const url = new URL(at.server.url).origin;
    expect((await ask(`${url}/healthz`)).text).toBe("ok\n");
    expect((await ask(`${url}/metrics`)).status).toBe(401);
    const { text } = await ask(`${url}/metrics`, { headers: { authorization: "Bearer figures-only" } });
    expect(text).toContain("# TYPE pawl_tasks gauge\n");
    expect(text).toMatch(/^pawl_tasks\{project="[^"]+",key="[^"]+",state="todo"\} 3$/m);
    expect(text).toMatch(/^pawl_tasks_queued\{project="[^"]+",key="[^"]+"\} 2$/m);
  });
});

describe("an agent's order that waits for a person, on the board", () => {
  const ORDER = { words: "The first." };

  it("goes on by a person's act, once, and by no other", async () => {
    promise("board.order");
    using project = reviewProject({ answers: { "Write the text": "SAY: Which of the two?" } });
    await project.bloom("cast", "review:T", "start");
    const before = JSON.stringify(runOf(project));
    await using at = await boardOf(project, { environment: project.environment });
    const { get, post, project: key } = at.browser;
    const send = async (act: string, run = "review:T") => {
      const { status, text } = await post(`/api/${key}/${act}/${run}`, ORDER);
      return `${status} ${text}`;
    };
    const shown = async () => (await get(`/api/${key}/run/review:T`)).json().entry;
    // Its agent has not worked yet: there is nothing to answer.
    expect(await shown()).not.toHaveProperty("order");
    expect(await send("answer")).toMatch(
      /^409 .*No agent of review:T waits for this: the agent writer has it/,
    );
    expect(await send("retry")).toMatch(/^409 /);
    expect(JSON.stringify(runOf(project))).toBe(before);
    expect((await project.run()).code).toBe(3);
    expect(await shown()).toMatchObject({
      order: { why: "asks", words: "The agent writer asks: Which of the two?" },
    });
    for (const act of ["take", "cancel", "stop", "interject"]) expect(await send(act)).toMatch(/^409 /);
    expect(await send("answer", "review:other")).toMatch(/^40[49] /);
    expect(runOf(project).pending.work.held).toMatchObject({ why: "asks" });
    expect(await send("answer")).toMatch(/^200 /);
    expect(await send("answer")).toMatch(/^409 .*the agent writer has it/);
    expect(runOf(project).pending.work).toMatchObject({ hint: "The first." });
    expect((await project.bloom("log", "review:T")).out).toContain(
      "a person lets the agent writer try again: The first.",
    );
    expect((await project.bloom("repair")).out).not.toContain("review");
  });

  it("is shown, and goes on from nowhere, on a board that only shows", async () => {
    promise("board.order");
    using project = reviewProject({ answers: { "Write the text": "SAY: Which of the two?" } });
    await project.bloom("cast", "review:T", "start");
    expect((await project.run()).code).toBe(3);
    await using at = await boardOf(project, { environment: project.environment, args: ["--read-only"] });
    const { post, project: key } = at.browser;
    expect((await post(`/api/${key}/answer/review:T`, ORDER)).status).toBe(403);
    expect(runOf(project).pending.work.held).toMatchObject({ why: "asks" });
  });
});

describe("a task's form on the board", () => {
  const TASK = `tasks:
  - id: T-1
    title: one # short
    verify: [npm test]
    checkpoint: true
    budget: {usd: 5}
`;

  it("changes its keys once the person has seen the difference and each dangerous key", async () => {
    promise("board.edit-task");
    using project = bloomProject({ tasks: TASK });
    await using at = await boardOf(project, { environment: project.environment });
    const { get, post, project: key } = at.browser;
    const shown = (await get(`/api/${key}/task/T-1`)).json();
    expect(shown, JSON.stringify(shown)).toMatchObject({ task: "T-1" });
    expect(shown.definition).toEqual({
      ...{ id: "T-1", title: "one", verify: ["npm test"], checkpoint: true, budget: { usd: 5 } },
    });
    const values = { checkpoint: null, "budget.usd": 9, title: "eins" };
    const edit = (more: object = {}) => post(`/api/${key}/edit/T-1`, { values, seen: shown.seen, ...more });
    const { asked } = (await edit()).json();
    expect(asked.message).toContain("! T-1 checkpoint: true → none: no person approves it any more");
    expect(asked.message).toContain("! T-1 budget.usd: 5 → 9 (looser)");
    expect(asked.message).toContain("+    title: eins # short");
    expect(project.read("tasks.yaml")).toBe(TASK);
    expect((await edit({ asked: "0".repeat(64) })).json().asked.hash).toBe(asked.hash);
    expect((await edit({ asked: asked.hash })).status).toBe(200);
    expect(project.read("tasks.yaml")).toBe(
      TASK.replace("one", "eins").replace("    checkpoint: true\n", "").replace("{usd: 5}", "{ usd: 9 }"),
    );
    // The form of another tab shows what was there before.
    expect(await edit()).toMatchObject({ status: 409 });
    for (const wrong of [{ status: "done" }, { ai_notes: ["x"] }, { id: "T-2" }, { verify: [1] }])
      expect(
        (await edit({ values: wrong, seen: (await get(`/api/${key}/task/T-1`)).json().seen })).status,
      ).toBeGreaterThan(399);
  });

  it("is refused on a board that only shows", async () => {
    promise("board.edit-task");
    using project = bloomProject({ tasks: TASK });
    await using at = await boardOf(project, { args: ["--read-only"] });
    const { post, project: key } = at.browser;
    expect((await post(`/api/${key}/edit/T-1`, { values: { title: "x" }, seen: "" })).status).toBe(403);
    expect(project.read("tasks.yaml")).toBe(TASK);
  });
});

describe("a verdict on the board", () => {
  it("moves the run as `pawl approve` does, with the board's strength, and answers with a receipt", async () => {
    promise("board.verdict");
    using project = await waiting();
    await using at = await boardOf(project);
    const { get, post, project: key } = at.browser;
    const [item] = (await get("/api/inbox")).json().items;
    expect(item).toMatchObject({ project: key, run: RUN, kind: "gate", state: "in_review" });
    const version = await versionOf(at.browser, RUN);
    const answered = await post(`/api/${key}/verdict/${RUN}`, order({ version, notes: "Good" }));
    expect([answered.status, answered.json().receipt]).toEqual([
      200,
      expect.objectContaining({ channel: "board", strength: "board", by: expect.stringContaining("@") }),
    ]);
    expect(stateOf(project)).toBe("published");
    expect((await get("/api/inbox")).json().items).toEqual([]);
    expect((await project.pawl("show", RUN)).out).toContain("given on the board; unverified");
    expect((await project.pawl("log", RUN)).out).toContain("given on the board; unverified");
  });

  it("sends back with points, each at its place, for the next prompt", async () => {
    promise("board.verdict");
    using project = await waiting();
    await using at = await boardOf(project);
    const version = await versionOf(at.browser, RUN);
    const points = [{ text: "Name the unit.", at: "releases/1.2.0.md:3" }, { text: "Too long." }];
    const sent = order({ approve: false, version, notes: "Nearly.", points });
    expect((await at.browser.post(`/api/${at.browser.project}/verdict/${RUN}`, sent)).status).toBe(200);
    expect(stateOf(project)).toBe("drafting");
    const story = (await project.pawl("show", RUN)).out;
    expect(story).toContain("[releases/1.2.0.md:3] Name the unit.");
    expect(story).toContain("Too long.");
  });

  it("counts once if two tabs race for it: the other is refused, and sees what became of it", async () => {
    promise("board.verdict");
    using project = await waiting();
    await using one = await boardOf(project);
    await using other = await boardOf(project);
    const version = await versionOf(one.browser, RUN);
    const races = [one, other, one, other].map(({ browser }, at) =>
      browser.post(`/api/${browser.project}/verdict/${RUN}`, order({ version, approve: at % 2 === 0 })),
    );
    const answers = await Promise.all(races);
    expect(answers.map(({ status }) => status).sort(), answers.map(({ text }) => text).join("\n")).toEqual([
      200, 409, 409, 409,
    ]);
    const events = (project.read(".pawl/events.jsonl") ?? "")
      .split("\n")
      .filter((line) => line.includes('"in_review"'));
    expect(events.filter((line) => line.includes('"from":"in_review"'))).toHaveLength(1);
    const { entry } = (await other.browser.get(`/api/${other.browser.project}/run/${RUN}`)).json();
    expect(entry.state).toBe(stateOf(project));
  });

  it.each(["terminal", "any"])("is enough for a gate that asks for %s", async (level) => {
    promise("board.verdict");
    using project = await waiting({}, `gates: ${level}\n`);
    await using at = await boardOf(project);
    const version = await versionOf(at.browser, RUN);
    expect(
      (await at.browser.post(`/api/${at.browser.project}/verdict/${RUN}`, order({ version }))).status,
    ).toBe(200);
  });

  it("is refused on a board that only shows, and if the request is not as it should be", async () => {
    promise("board.verdict");
    using project = await waiting();
    await using shows = await boardOf(project, { args: ["--read-only"] });
    const path = `/api/${shows.browser.project}/verdict/${RUN}`;
    expect((await shows.browser.post(path, order())).status).toBe(403);
    await using at = await boardOf(project);
    for (const wrong of [
      "",
      "[]",
      "7",
      "{}",
      order({ approve: "yes" }),
      order({ points: [7] }),
      order({ notes: null }),
    ])
      expect((await at.browser.post(path, wrong)).json().code, JSON.stringify(wrong)).toBe("usage");
    const none = `/api/${at.browser.project}/verdict/release:none`;
    expect([404, 409]).toContain((await at.browser.post(none, order({ version: "x" }))).status);
    expect((await at.browser.post(`/api/${at.browser.project}/verdict/nothing:x`, order())).status).toBe(404);
    expect(stateOf(project)).toBe("in_review");
  });
});

/** The same, where its gate is signed. */
async function signing(person: Person) {
  const project = releaseProject(person.environment);
  const { root } = project;
  project.write("pawl.yaml", `${project.read("pawl.yaml")}gates: signed\n`);
  git(root, "init", "-q", "-b", "main");
  git(root, "config", "user.email", person.name);
  git(root, "config", "user.name", "Ada");
  await project.person("keys", "add", `${person.key}.pub`, "--unprotected");
  project.write(".gitignore", ".pawl/\n");
  project.write("releases/1.2.0.md", DONE);
  git(root, "add", "-A");
  git(root, "commit", "-qm", "Begin");
  await project.pawl("cast", RUN, "submit", "--fact", "risk=low");
  return project;
}

describe("a signed verdict on the board", () => {
  it("shows the record first, and counts with the digits of its hash, signed", async () => {
    promise("board.signed");
    using ada = personWithKey();
    using project = await signing(ada);
    await using at = await boardOf(project, { environment: ada.environment });
    const path = `/api/${at.browser.project}/verdict/${RUN}`;
    const version = await versionOf(at.browser, RUN);
    const { asked } = (await at.browser.post(path, order({ version }))).json();
    expect(asked).toMatchObject({ digits: 8, message: expect.stringContaining(`You sign, as ${ada.name}:`) });
    expect(stateOf(project)).toBe("in_review");
    const wrong = await at.browser.post(path, order({ version, asked: asked.hash, digits: "00000000" }));
    expect([wrong.status, wrong.json().code, stateOf(project)]).toEqual([
      409,
      "person-declined",
      "in_review",
    ]);
    const digits = asked.hash.slice(0, 8);
    const done = await at.browser.post(path, order({ version, asked: asked.hash, digits }));
    expect([done.status, done.json().receipt?.strength, stateOf(project)]).toEqual([
      200,
      "signed",
      "published",
    ]);
    expect(project.read(".alfred/gates/release/1.2.0/0001.sig")).toContain("SSH SIGNATURE");
  });

  it("is asked for anew if another verdict is sent with the record of the first", async () => {
    promise("board.signed");
    using ada = personWithKey();
    using project = await signing(ada);
    await using at = await boardOf(project, { environment: ada.environment });
    const path = `/api/${at.browser.project}/verdict/${RUN}`;
    const version = await versionOf(at.browser, RUN);
    const { asked } = (await at.browser.post(path, order({ version, approve: false }))).json();
    const answer = { version, asked: asked.hash, digits: asked.hash.slice(0, 8) };
    const other = (await at.browser.post(path, order(answer))).json();
    expect(other.asked.hash).not.toBe(asked.hash);
    expect(stateOf(project)).toBe("in_review");
  });

  it("goes to the terminal if the key asks for what the board cannot give", async () => {
    promise("board.signed");
    using ada = personWithKey(undefined, "a passphrase");
    using project = await signing(ada);
    await using at = await boardOf(project, { environment: ada.environment });
    const path = `/api/${at.browser.project}/verdict/${RUN}`;
    const version = await versionOf(at.browser, RUN);
    const { asked } = (await at.browser.post(path, order({ version }))).json();
    const answer = { version, asked: asked.hash, digits: asked.hash.slice(0, 8) };
    const refused = await at.browser.post(path, order(answer));
    expect(refused.json()).toMatchObject({
      code: "signature-failed",
      fix: expect.stringContaining("in a terminal"),
    });
    expect(stateOf(project)).toBe("in_review");
  });
});

const TASKS = `tasks:
- id: T1
  title: First
  instructions: Change src/a.ts and src/b.ts
- id: T2
  title: Second <img src=x onerror=alert(1)>
  instructions: Change src/b.ts
  depends_on: [T1]
- id: T3
  title: Third
  status: done
`;

describe("the board's pages of tasks", () => {
  it("show the columns, what depends on what, what overlaps, and take a person's answer and stop", async () => {
    promise("board.pages");
    using project = bloomProject({ tasks: TASKS });
    expect((await project.bloom("ask", "T1", "Which colour?")).err).toBe("");
    await using at = await boardOf(project, { environment: project.environment });
    const { get, post, project: key } = at.browser;
    const page = (await get(`/api/${key}/tasks`)).json();
    expect(page.problem).toBeNull();
    expect(page.tasks.map(({ id, column }: { id: string; column: string }) => [id, column])).toEqual([
      ["T1", "waiting"],
      ["T2", "open"],
      ["T3", "done"],
    ]);
    expect(page.tasks[1]).toMatchObject({
      run: "bloom:T2",
      dependsOn: ["T1"],
      title: "Second <img src=x onerror=alert(1)>",
    });
    expect(page.overlaps).toEqual([{ tasks: ["T1", "T2"], files: ["src/b.ts"] }]);
    const [question] = page.tasks[0].questions;
    expect(question).toMatchObject({ id: "q1", text: "Which colour?" });
    expect((await get("/api/inbox")).json().items).toContainEqual(
      expect.objectContaining({ run: "bloom:T1", kind: "question", next: "Which colour?" }),
    );
    expect((await post(`/api/${key}/answer/q1`, { words: "Blue" })).status).toBe(200);
    expect(JSON.parse(project.read(".pawl/questions/q1.json") ?? "").answer).toBe("Blue");
    const again = await post(`/api/${key}/answer/q1`, { words: "Red" });
    expect([again.status, again.json().code]).toEqual([409, "no-effect"]);
    expect((await post(`/api/${key}/stop/T1`, { words: "Not now" })).status).toBe(200);
    expect(project.tasks()[0]).toMatchObject({ status: "blocked" });
    expect((await post(`/api/${key}/interject/T1`, { words: "Hello" })).status).toBe(409);
    expect((await post(`/api/${key}/stop/nothing`, { words: "" })).status).toBe(400);
    expect((await post(`/api/${key}/approve/T1`, { words: "" })).status).toBe(404);
  });

  it("show what each run cost and why, what is at a gate, and let it be approved there", async () => {
    promise("board.pages");
    using project = bloomProject({ tasks: checkpointTask("a") });
    await project.run();
    await using at = await boardOf(project, { environment: project.environment });
    const { get, post, project: key } = at.browser;
    const { rows } = (await get(`/api/${key}/cost`)).json();
    expect(rows[0]).toMatchObject({ task: "T1", agent: "scripted", cause: "first try" });
    const run = (await get(`/api/${key}/run/bloom:T1`)).json();
    expect(run).toMatchObject({ at: "waiting_for_human", machine: { name: "bloom" } });
    expect(run.moves.find(({ event }: { event: string }) => event === "approved").refused).toBeNull();
    expect(run.moves.find(({ event }: { event: string }) => event === "pushed").refused).toEqual(
      expect.any(String),
    );
    expect(run.timeline.length).toBeGreaterThan(3);
    const { workflows } = (await get(`/api/${key}/runs`)).json();
    const all = workflows.flatMap(({ runs }: { runs: readonly object[] }) => runs);
    expect(all).toContainEqual(run.entry);
    const later = {
      id: "later",
      type: "task:noted",
      time: new Date().toISOString(),
      taskId: "T1",
      text: "Go.",
    };
    appendFileSync(join(project.root, ".pawl/events.jsonl"), `${JSON.stringify(later)}\n`);
    const { timeline } = (await get(`/api/${key}/run/bloom:T1`)).json();
    expect(timeline.slice(0, -1)).toEqual(run.timeline);
    expect(timeline.at(-1).words).toContain("Go.");
    const { review } = (await get(`/api/${key}/review/bloom:T1`)).json();
    expect(review.changes.files).toEqual([expect.objectContaining({ path: "a.txt", added: 1 })]);
    const diff = (await get(`/api/${key}/diff/bloom:T1?path=a.txt`)).json();
    expect(diff).toMatchObject({ path: "a.txt", isBinary: false, leftOut: 0, colours: null });
    expect(diff.patch).toMatch(/^@@ -0,0 \+1 @@\n\+a$/m);
    for (const path of ["b.txt", "../project/a.txt", "/etc/passwd", "", "--output=x"])
      expect((await get(`/api/${key}/diff/bloom:T1?path=${encodeURIComponent(path)}`)).status, path).toBe(
        404,
      );
    const version = await versionOf(at.browser, "bloom:T1");
    const done = await post(`/api/${key}/verdict/bloom:T1`, order({ version }));
    expect([done.status, done.json().receipt?.strength]).toEqual([200, "board"]);
    expect((await get(`/api/${key}/run/bloom:T1`)).json().at).not.toBe("waiting_for_human");
  });
});

describe("the board's other pages", () => {
  it("show the runs, the tables with their proofs, and try an event without doing it", async () => {
    promise("board.pages");
    using project = await waiting();
    await using at = await boardOf(project);
    const { get, post, project: key } = at.browser;
    const { workflows } = (await get(`/api/${key}/workflows`)).json();
    const release = workflows.find(({ name }: { name: string }) => name === "release");
    expect(release.tables[0].proof.holds).toBe(true);
    const facts = Object.fromEntries(
      Object.entries(release.tables[0].facts as Record<string, string[]>).map(([name, values]) => [
        name,
        values[0],
      ]),
    );
    const tried = await post(`/api/${key}/try`, {
      machine: "release",
      state: "in_review",
      event: "approve",
      facts,
    });
    expect(tried.json()).toMatchObject({ to: expect.any(String), rule: expect.any(String) });
    expect(
      (await post(`/api/${key}/try`, { machine: "release", state: "nowhere", event: "approve", facts: {} }))
        .status,
    ).toBe(400);
    expect(stateOf(project)).toBe("in_review");
    const runs = (await get(`/api/${key}/runs`)).json();
    expect(runs.workflows.find(({ name }: { name: string }) => name === "release").runs[0].run).toBe(RUN);
  });

  it("pass on hostile content as data, cleaned if it is Pawl's own sentence, and never fail on it", async () => {
    promise("board.hostile");
    using project = await waiting();
    const hostile = "<script>alert(1)</script>\u001b[2J\u202Eevil\u200b";
    const events = [
      {
        id: "1",
        type: "run:advanced",
        time: "2026",
        run: "release:9",
        to: hostile,
        from: "x",
        summary: hostile,
      },
      { id: "2", type: "git:pushed", time: hostile, taskId: { toString: 7 } },
      { id: "3", type: "agent:strayed", time: "2026", taskId: "T1" },
      { id: "4", type: "guard:strayed", time: "2026", run: 7 },
      { id: "5", type: "agent:ended", time: "2026", taskId: hostile, duration: "long" },
      { id: "6", type: "__proto__", time: "2026" },
    ];
    const lines = events.map((event) => `${JSON.stringify(event)}\n`).join("");
    await using at = await boardOf(project);
    const { get, listen, project: key } = at.browser;
    const live = await listen();
    await live.next("hello");
    const log = join(project.root, ".pawl/events.jsonl");
    appendFileSync(log, `not json\n[]\n7\n${"x".repeat(2_000_000)}\n${lines}`);
    for (const _ of events) await live.next("logged");
    live.close();
    const { timeline: shown } = (await get(`/api/${key}/run/release:9`)).json();
    expect(shown.map(({ words }: { words: string }) => words)).toContain(
      "<script>alert(1)</script><U+202E>evil<U+200B>",
    );
    for (const page of ["cost", "tasks", "runs", "run/release:9", "workflows"]) {
      const answered = await get(`/api/${key}/${page}`);
      expect(answered.status, page).toBe(200);
      expect(answered.headers["content-type"]).toMatch(/^application\/json/);
    }
  });

  it("are of several projects, each with a key of its own; one that cannot be read keeps the others as they are", async () => {
    promise("board.pages");
    using project = await waiting();
    using broken = releaseProject();
    broken.write("pawl.yaml", "workflows: [\n");
    await using at = await boardOf(project, { args: ["--project", project.root, "--project", broken.root] });
    const { projects } = (await at.browser.get("/api/session")).json();
    expect(projects.map(({ root }: { root: string }) => root)).toEqual([project.root, broken.root]);
    expect(projects.map(({ problem }: { problem: object | null }) => problem)).toEqual([
      null,
      expect.objectContaining({ code: "config-invalid" }),
    ]);
    const inbox = async () => (await at.browser.get("/api/inbox")).json().items;
    expect(await inbox()).toHaveLength(1);
    // What reading its review takes is known a moment later.
    await until(async () => (await inbox())[0].minutes !== null);
    expect((await at.browser.get(`/api/${projects[1].key}/runs`)).json()).toMatchObject({
      code: "config-invalid",
    });
  });
});
