/** A night: many tasks, two agents, and everything that goes wrong while nobody is there. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { memoryForge } from "../../../../test/rig/schedule/memory-forge.ts";
import { type Failing, openStage, type Stage, type StageRun } from "../../../../test/rig/schedule/stage.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TASKS = 40;
/** One task in four has two steps. */
const stepsOf = (n: number) => (n % 4 === 0 ? ["a", "b"] : ["a"]);
/** What a call of the model costs, in dollars: no power of two. */
const CALL = 0.0137;
const CALLS = 3;

const IDS = Array.from({ length: TASKS }, (_, n) => `T${n + 1}`);
const STEPS = IDS.map((id, n) => stepsOf(n).map((step) => `${id}${step}`));
const TASKS_FILE = `tasks:\n${IDS.map((id, n) => {
  const steps = STEPS[n]?.map((step) => `{id: ${step}, instruction: i}`).join(", ");
  return `- {id: ${id}, title: t, repo: ., steps: [${steps}]}\n`;
}).join("")}`;

/** By agent: from when to when its account is limited, in hours of the night. */
const LIMITS: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  claude: [
    [1, 2],
    [6, 7.5],
  ],
  codex: [[1.7, 2.3]],
};
/** From then on the second agent's key is refused. */
const REFUSED = 5;

function openNight() {
  let spent = 0;
  let runs = 0;
  const met = { refused: 0, overloads: 0, resets: 0 };
  const limits = new Set<readonly number[]>();
  const stage: Stage = openStage({
    ...{ tasks: TASKS_FILE, once: true, agents: 4, mostSteps: 200_000 },
    ...{ settings: { agent: "claude", stand_ins: ["codex"] } },
    async agent(run) {
      let isEnded = false;
      void run.stopped.then(() => {
        isEnded = true;
      });
      runs += 1;
      const turn = runs;
      const failing = accountOf(run, stage.elapsed() / HOUR);
      if (failing !== undefined) return failing;
      if (turn % 11 === 0) {
        met.overloads += 1;
        return { ...OVERLOADED, limited: { words: OVERLOADED.detail, resets: null } };
      }
      for (let call = 1; call <= CALLS; call++) {
        await run.works(9 * MINUTE);
        if (isEnded) return undefined;
        spent += CALL;
        run.spend(call, call * CALL);
        if (turn % 13 === 0 && call === 2) {
          met.resets += 1;
          return { reason: "model-error", detail: "read ECONNRESET" };
        }
      }
      await run.stepDone(openStep(stage, run.task));
      return undefined;
    },
  });
  const accountOf = ({ agent }: StageRun, hour: number): Failing | undefined => {
    if (agent === "codex" && hour >= REFUSED) {
      met.refused += 1;
      const words = "invalid api key";
      return { reason: "account", detail: words, limited: { words, resets: null, mend: "log in again" } };
    }
    const limit = LIMITS[agent]?.find(([from, to]) => hour >= from && hour < to);
    if (limit === undefined) return undefined;
    limits.add(limit);
    const resets = new Date(stage.now().getTime() + (limit[1] - hour) * HOUR).toISOString();
    return { reason: "rate-limit", detail: "limit", limited: { words: "limit", resets } };
  };
  return { limits, met, spent: () => spent, stage };
}

const OVERLOADED = { reason: "rate-limit", detail: "529 overloaded" } as const;

function openStep(stage: Stage, id: string): string {
  const task = stage.tasks().find((each) => each.id === id);
  return task?.steps.find(({ status }) => status !== "done")?.id ?? "";
}

describe("A night", () => {
  it("of 40 tasks and two agents, with three limits, a bad key, 529s, cut connections and two kills, leaves nothing to mend but the key", async () => {
    promise("agents.night");
    const { limits, met, spent, stage } = openNight();
    for (const hour of [1.5, 4.1]) {
      await stage.until(() => stage.elapsed() > hour * HOUR);
      stage.kill();
      void stage.again();
    }
    const end = await stage.end();
    expect(end).toMatchObject({ done: IDS, blocked: [], open: [], waiting: [] });
    expect(limits.size).toBe(3);
    for (const count of Object.values(met)) expect(count).toBeGreaterThan(0);
    const by = (type: "step:completed" | "task:completed" | "merge:completed") =>
      stage.stored.filter((each) => each.type === type).map(({ taskId, stepId }) => stepId ?? taskId);
    expect(by("step:completed").sort()).toEqual(STEPS.flat().sort());
    expect(by("task:completed").sort()).toEqual([...IDS].sort());
    // A kill may come between a commit and its telling: nothing is done twice, and nothing is left out.
    expect(new Set(by("merge:completed")).size).toBe(by("merge:completed").length);
    expect(stage.of("task:blocked")).toEqual([]);
    const tries = stage.of("task:retried").map(({ reason }) => reason);
    expect(tries.every((reason) => reason.includes("ECONNRESET"))).toBe(true);
    const counted = IDS.map((id) => JSON.parse(stage.read(`.pawl/done/${id}.json`) ?? "").spent.usd);
    const cents = (usd: number) => Math.round(usd * 1e6) / 1e4;
    expect(cents(counted.reduce((sum, usd) => sum + usd, 0))).toBe(cents(spent()));
  });
});

describe("A remote that cannot be reached", () => {
  const delivered = (id: string) =>
    `- {id: ${id}, title: t, repo: ., merge_into: main, steps: [{id: ${id}a, instruction: i}]}\n`;
  const tasks = `git: {push_to_remote: true}\ntasks:\n${delivered("T1")}${delivered("T2")}`;

  it("for an hour costs no try: what is finished waits, and is delivered", async () => {
    promise("bloom.remote-away");
    const stage = openStage({ tasks, forge: memoryForge(), once: true });
    stage.git.away = 44;
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2"], blocked: [] });
    expect(stage.elapsed()).toBeGreaterThan(HOUR);
    expect(stage.of("task:retried").at(-1)).toMatchObject({
      reason: expect.stringContaining("cannot be reached"),
    });
  });

  it("for hours blocks the task, and one that was away leaves a conflict all its tries", async () => {
    promise("bloom.remote-away");
    const one = openStage({
      tasks: `git: {push_to_remote: true}\ntasks:\n${delivered("T1")}`,
      forge: memoryForge(),
      once: true,
    });
    one.git.away = 30;
    expect(await one.end()).toMatchObject({ blocked: ["T1"] });
    const two = openStage({
      tasks: `git: {push_to_remote: true}\ntasks:\n${delivered("T1")}`,
      forge: memoryForge(),
      once: true,
      settings: { tries: 2 },
      async agent({ prompt, stepDone, task }) {
        if (prompt.includes("conflict")) two.git.join(`bloom/${task}`, "main");
        else await stepDone("T1a");
        return undefined;
      },
    });
    two.git.away = 5;
    two.git.conflicting.add("bloom/T1");
    expect(await two.end()).toMatchObject({ done: ["T1"] });
  });
});
