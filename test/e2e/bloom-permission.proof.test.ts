/** `permission: ask` with an agent that can ask: a person answers while it waits. */
import { expect, it } from "vitest";
import { bloomProject, ranOf } from "../rig/bloom-project.ts";
import { rigProgram } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { until } from "../rig/until.ts";

const LONG = { timeout: 60_000 };
const AGENT = rigProgram("acp-agent");

function asking(lines: readonly string[], bloom: Readonly<Record<string, unknown>> = {}) {
  const instructions = lines.map((line) => `          ${line}\n`).join("");
  const project = bloomProject({
    tasks: `tasks:\n  - id: T1\n    title: One\n    steps:\n      - id: s1\n        instruction: |\n${instructions}`,
  });
  const settings = { agent: "mine", permission: "ask", backoff: { first: 0.05, limit: 0.2 }, ...bloom };
  const acp = { command: "env", args: [`ACP_AGENT_HOME=${project.root}`, process.execPath, AGENT] };
  const agents = { mine: { acp } };
  project.write("pawl.yaml", JSON.stringify({ bloom: settings, agents }));
  const open = async () => {
    const { questions } = JSON.parse((await project.bloom("questions", "--json")).out);
    return (questions as { id: string; text: string; answer: string | null }[]).filter(
      (one) => one.answer === null,
    );
  };
  return { project, open };
}

it("asks a person for each thing, and does what was allowed", LONG, async () => {
  promise("agents.asked");
  const { project, open } = asking(["RUN: touch yes.txt", "RUN: touch no.txt", "RUN: touch yes.txt"]);
  using _ = project;
  const ended = ranOf(project.start("--once"));
  const first = await until(async () => (await open())[0]);
  expect(first.text).toContain("touch yes.txt");
  expect((await project.bloom("answer", first.id, "yes")).code).toBe(0);
  const second = await until(async () => (await open()).find(({ id }) => id !== first.id));
  expect((await project.bloom("answer", second.id, "rather not")).code).toBe(0);
  const ran = await ended;
  expect(ran.code).toBe(0);
  expect([project.read("yes.txt"), project.read("no.txt")]).toEqual(["", null]);
  expect(ran.of("question:asked").map(({ text }) => text)).toEqual([first.text, second.text]);
  expect(ran.of("agent:started").map(({ permission }) => permission)).toEqual(["ask"]);
});

it("waits for the person where the agent was ended meanwhile, and does not ask again", LONG, async () => {
  const { project, open } = asking(["RUN: touch late.txt"], { limits: { silence: 0.05 } });
  using _ = project;
  const waiting = await project.run();
  expect(waiting.code).toBe(3);
  expect(waiting.of("task:waiting")).toHaveLength(1);
  expect(waiting.of("task:retried")).toEqual([]);
  const [question] = await open();
  expect((await project.bloom("answer", question?.id ?? "", "yes")).code).toBe(0);
  const ran = await project.run();
  expect(ran.code).toBe(0);
  expect(ran.of("question:asked")).toEqual([]);
  expect(project.read("late.txt")).toBe("");
});
