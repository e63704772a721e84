/** What a project's work cost and how it went, from its event log: a real loop, an approval, then the commands. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BloomProject, bloomProject, checkpointTask } from "../rig/bloom-project.ts";
import { ask, enterBoard, openBoardServer } from "../rig/board.ts";
import { promise } from "../rig/promise.ts";

let project: BloomProject;
beforeAll(async () => {
  const checked = `- id: T2
  title: checked
  repo: .
  verify: [test -f b.txt]
  steps:
    - id: s1
      instruction: "RUN: echo a > a2.txt; git add -A; git commit -qm a2; bloom step done s1"
`;
  project = bloomProject({
    tasks: checkpointTask("a") + checked,
    answers: { "test -f b.txt": "RUN: echo b > b.txt; git add -A; git commit -qm b" },
  });
  await project.run();
  await project.person("approve", "T1");
  await project.run();
}, 120_000);
afterAll(() => project[Symbol.dispose]());

describe("the board's /metrics", () => {
  it("are the figures as Prometheus reads them, for a session or a token of its own", async () => {
    promise("board.metrics");
    const environment = { ...project.environment, PAWL_METRICS_TOKEN: "open-sesame" };
    await using server = await openBoardServer(project, { environment });
    const address = `${server.url}metrics`;
    const asked = (authorization: string) => ask(address, { headers: { authorization } });
    const { headers, status, text } = await asked("Bearer open-sesame");
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(text).toMatch(/^# TYPE pawl_agent_runs_total counter$/m);
    const value = (name: string) =>
      [...text.matchAll(new RegExp(`^${name}\\{.*\\} (\\S+)$`, "gm"))].reduce(
        (sum, [, n]) => sum + Number(n),
        0,
      );
    const { total } = JSON.parse((await project.bloom("stats", "--json")).out);
    expect(value("pawl_agent_runs_total")).toBe(total.runs);
    expect(value("pawl_agent_cost_usd_total")).toBeCloseTo(total.usd);
    expect(value("pawl_gate_waits_total")).toBe(1);
    expect(text).not.toMatch(/T1|T2|open-sesame/);
    expect((await asked("Bearer wrong")).status).toBe(401);
    expect((await ask(address)).status).toBe(401);
    // The token opens nothing else.
    expect(
      (await ask(`${server.url}api/inbox`, { headers: { authorization: "Bearer open-sesame" } })).status,
    ).toBe(401);
    const browser = await enterBoard(server);
    expect((await browser.get("/metrics")).status).toBe(200);
  });
});

describe("pawl log stats", () => {
  it("counts money, tokens, time, tries, rework and the wait at the gate, as the board does", async () => {
    promise("stats.counted");
    const of = async (...args: readonly string[]) =>
      JSON.parse((await project.bloom("stats", "--json", ...args)).out);
    const { groups, total } = await of();
    expect(total).toMatchObject({ runs: 3, accepted: 2, gates: 1, withoutUsd: 0 });
    expect(total.gateMinutes).toBeGreaterThan(0);
    expect(total.causes.rework).toBeGreaterThan(0);
    expect(groups.map(({ name }: { name: string }) => name).sort()).toEqual(["T1", "T2"]);
    expect((await of("--by", "agent")).groups).toEqual([
      expect.objectContaining({ name: "scripted", runs: 3, gates: null }),
    ]);
    await using server = await openBoardServer(project, { environment: project.environment });
    const browser = await enterBoard(server);
    const { rows } = (await browser.get(`/api/${browser.project}/cost`)).json();
    const sum = (name: string) =>
      rows.reduce((all: number, row: Record<string, number>) => all + (row[name] ?? 0), 0);
    expect(sum("usd")).toBeCloseTo(total.usd);
    expect(sum("tokens")).toBe(total.tokens);
    expect(sum("runs")).toBe(total.runs);
  });

  it("refuses another grouping, and says which there are", async () => {
    expect(await project.bloom("stats", "--by", "moon")).toMatchObject({
      code: 2,
      err: expect.stringContaining("expected one of task, agent, day"),
    });
  });
});

describe("a log of which parts were put aside", () => {
  it("is read as one: log, trace, stats, show and status", async () => {
    promise("log.parts");
    const path = join(project.root, ".pawl/events.jsonl");
    const lines = readFileSync(path, "utf8").split(/(?<=\n)/);
    const said = async () => {
      const words = ["log --json", "log T1 --json", "trace T1 --json", "trace T2 --json", "stats --json"];
      const all = [...words, "show T1", "status --json"].map((line) => line.split(" "));
      const answers = [];
      for (const each of all) answers.push((await project.bloom(...each)).out);
      return answers;
    };
    const before = await said();
    const half = Math.floor(lines.length / 3);
    writeFileSync(join(project.root, ".pawl/events-000001.jsonl"), lines.slice(0, half).join(""));
    writeFileSync(join(project.root, ".pawl/events-000002.jsonl"), lines.slice(half, -1).join(""));
    writeFileSync(path, lines.at(-1) ?? "");
    expect(lines.length).toBeGreaterThan(20);
    expect(await said()).toEqual(before);
  });
});
