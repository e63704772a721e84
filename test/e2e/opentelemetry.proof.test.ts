/** The live export: a real loop and its agents, and a receiver that decodes what comes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { Collector, type ReceivedSpan } from "../rig/collector.ts";
import { machines, sharedTasks } from "../rig/machines.ts";
import { emptyDatabase, STARTING } from "../rig/postgres.ts";
import { runPawl } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { hangs, until } from "../rig/until.ts";

const WORK = "git add -A; git commit -qm work";
const TASKS = `tasks:
- id: T1
  title: A title that stays at home
  repo: .
  merge_into: main
  verify: ['test -f words-of-the-project.txt || echo "$TRACEPARENT $OTEL_EXPORTER_OTLP_ENDPOINT" >> "$PAWL_TRACED"']
  steps:
    - id: s1
      instruction: |
        RUN: test -f asked || { touch asked; bloom ask T1 "Which port?" --blocking; }
        RUN: test ! -f told || { echo "$TRACEPARENT $OTEL_EXPORTER_OTLP_ENDPOINT" > traced.txt; ${WORK}; bloom step done s1; }
`;
const ANSWERS = {
  "The answer: eighty-eighty": `RUN: touch told; echo "$TRACEPARENT $OTEL_EXPORTER_OTLP_ENDPOINT" > traced.txt; ${WORK}; bloom step done s1`,
};
const ONE = `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: bloom done T1\n`;

beforeAll(emptyDatabase, STARTING);

describe("OpenTelemetry", () => {
  it("gets each run as one trace, from every process that worked on it, and the figures", {
    timeout: 90_000,
  }, async () => {
    promise("telemetry.live", "telemetry.private");
    await using collector = await Collector.open();
    using project = bloomProject({
      tasks: TASKS,
      answers: ANSWERS,
      project: { environment: ["PAWL_TRACED"] },
    });
    const traced = join(project.root, "../traced-checks.txt");
    const receiver = {
      PAWL_TRACED: traced,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_EXPORTER_OTLP_HEADERS: "x-door=open%20sesame",
      OTEL_SERVICE_NAME: "the-shop",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    };
    expect((await project.runWith(receiver)).code).toBe(3);
    const first = collector.spans;
    expect(first.map(({ name }) => name)).toEqual(["invoke_agent scripted"]);
    const answering = { DOOR_ONLY: "", ...receiver };
    expect((await runPawl(project.root, ["answer", "q1", "eighty-eighty"], answering)).code).toBe(0);
    const ran = await project.runWith(receiver);
    expect([ran.code, ran.err]).toEqual([0, ""]);
    const { spans } = collector;
    const root = spans.find(({ name }) => name === "bloom:T1");
    const step = spans.find(({ name }) => name === "step s1");
    expect(spans.map(({ name }) => name).sort()).toEqual(
      [
        "bloom:T1",
        "check",
        "check",
        "invoke_agent scripted",
        "invoke_agent scripted",
        "merge",
        "step s1",
        "wait waiting_for_human",
      ].sort(),
    );
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(root?.parentSpanId).toBe("");
    expect(step?.parentSpanId).toBe(root?.spanId);
    const agents = spans.filter(({ name }) => name.startsWith("invoke_agent"));
    expect(agents.map(({ parentSpanId }) => parentSpanId)).toEqual([step?.spanId, step?.spanId]);
    expect(agents[1]?.attributes).toMatchObject({
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "scripted",
      "gen_ai.usage.output_tokens": expect.anything(),
    });
    // The agent knows its own span, and nothing of the receiver.
    expect(project.git("show", "main:traced.txt").trim()).toBe(`00-${root?.traceId}-${agents[1]?.spanId}-01`);
    // So does each check.
    const checks = spans.filter(({ name }) => name === "check");
    const parents = checks.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01 `);
    expect(
      readFileSync(traced, "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => `${line.trim()} `)
        .sort(),
    ).toEqual(parents.sort());
    const { total } = JSON.parse((await project.bloom("stats", "--json")).out);
    expect(collector.sum("gen_ai.client.token.usage")).toBe(total.tokens);
    expect(collector.sum("pawl.agent.cost")).toBeCloseTo(total.usd);
    expect(collector.sum("pawl.gate.wait")).toBeGreaterThan(0);
    expect(collector.sum("pawl.runs.finished")).toBe(1);
    expect(collector.resources[0]).toMatchObject({
      "service.name": "the-shop",
      "deployment.environment.name": "test",
    });
    expect(collector.received[0]?.headers["x-door"]).toBe("open sesame");
    const sent = collector.received.map(({ body }) => body.toString()).join();
    expect(sent).not.toMatch(/stays at home|Which port|words-of-the-project|traced\.txt|eighty-eighty/);
    // After the fact, the log has the same spans.
    expect(idsIn((await project.bloom("trace", "T1", "--json")).out)).toEqual(idsOf(spans));
    expect((await project.bloom("trace", "T1")).out).toMatch(
      /^bloom:T1 done.*\n├─ step s1.*\n│ {2}├─ scripted \(step\)/,
    );
  });

  it("gets a run as the same trace from each of several machines", { timeout: 240_000 }, async () => {
    promise("telemetry.live");
    await using collector = await Collector.open();
    const receiver = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
    const tasks = sharedTasks(["T1"], 'echo "$TRACEPARENT" > traced.txt');
    using both = await machines({ tasks, environment: receiver });
    expect((await both.two.run()).code).toBe(0);
    const agent = collector.spans.find(({ name }) => name.startsWith("invoke_agent"));
    expect(both.remoteGit("show", "main:traced.txt").trim()).toBe(`00-${agent?.traceId}-${agent?.spanId}-01`);
    // The other machine has a log of its own beside the shared one.
    expect(idsIn((await both.one.pawl("trace", "bloom:T1", "--json")).out)).toEqual(idsOf(collector.spans));
  });

  it("speaks protobuf if nothing else is asked for", { timeout: 60_000 }, async () => {
    promise("telemetry.live");
    await using collector = await Collector.open();
    using project = bloomProject({ tasks: ONE });
    expect((await project.runWith({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })).code).toBe(0);
    expect(collector.at("/v1/traces")[0]?.headers["content-type"]).toBe("application/x-protobuf");
    const [agent, root] = collector.spans;
    expect([agent?.name, root?.name]).toEqual(["invoke_agent scripted", "bloom:T1"]);
    expect(agent?.parentSpanId).toBe(root?.spanId);
    expect(root?.lasted).toBeGreaterThanOrEqual(agent?.lasted ?? Number.NaN);
  });

  it("is sent by a process beside the loop, which ends with it, also if it is killed", {
    timeout: 60_000,
  }, async () => {
    promise("telemetry.beside");
    await using collector = await Collector.open();
    using project = bloomProject({
      tasks: `${ONE}- id: T2\n  title: t\n  depends_on: [T1]\n  instructions: |\n    RUN: ${hangs()}\n`,
      environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    });
    const loop = project.start();
    await until(() => collector.spans.some(({ name }) => name === "bloom:T1"));
    expect(exportersOf(project.root)).toEqual([loop.pid]);
    loop.kill("SIGKILL");
    await until(() => exportersOf(project.root).length === 0);
  });

  it.each(["refuses", "never answers"])(
    "stops and delays no work if the receiver %s: it is said once",
    { timeout: 60_000 },
    async (what) => {
      promise("telemetry.harmless");
      await using silent = await Collector.open({ silent: true });
      using project = bloomProject({ tasks: ONE });
      const gone = await Collector.open();
      const { url } = gone;
      await gone[Symbol.asyncDispose]();
      const ran = await project.runWith({
        OTEL_EXPORTER_OTLP_ENDPOINT: what === "refuses" ? url : silent.url,
      });
      expect(ran.code).toBe(0);
      expect(ran.of("task:completed")).toHaveLength(1);
      expect(ran.err.match(/OpenTelemetry: /g)?.length ?? 0).toBeLessThanOrEqual(1);
      if (what === "refuses") expect(ran.err).toContain("The work continues.");
    },
  );
});

/** Of the spans that a receiver got. */
function idsOf(spans: readonly ReceivedSpan[]): readonly string[] {
  return spans.map(({ spanId }) => spanId).sort();
}

/** Of the spans that `pawl log trace --json` printed. */
function idsIn(printed: string): readonly string[] {
  const { spans } = JSON.parse(printed) as { readonly spans: readonly { readonly id: string }[] };
  return spans.map(({ id }) => id).sort();
}

/** The parents of the processes that export for a project. */
function exportersOf(root: string): readonly number[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      if (!words.some((word) => /export-telemetry/.test(word)) || !words.includes(root)) return [];
      return [Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])];
    } catch {
      // No process, or gone meanwhile.
      return [];
    }
  });
}
