/** What the loop takes and leaves, how long it waits, and what it says of how the tasks stand. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { type Failing, openStage, type StageOptions } from "../../../../test/rig/schedule/stage.ts";
import { PawlError } from "../../../core/error.ts";
import { answer, ask } from "../verbs/question.ts";

const list = (...tasks: readonly string[]) =>
  `tasks:\n${tasks.map((task) => `- {title: t, ${task}}\n`).join("")}`;
const staged = (tasks: string, more: Partial<StageOptions> = {}) => openStage({ tasks, once: true, ...more });
const OTHER = { name: "another loop", alive: true };

/** Three places, and how many agents were at work at once at most. */
function countedAgents() {
  let most = 0;
  let now = 0;
  const options: Partial<StageOptions> = {
    agents: 3,
    async agent({ works }) {
      now += 1;
      most = Math.max(most, now);
      await works(5_000);
      now -= 1;
      return undefined;
    },
  };
  return { options, most: () => most };
}

describe("A loop", () => {
  it("takes only its worker's tasks, and says how these stand", async () => {
    const { end, runs } = staged(
      list("id: T1, status: assigned, agent_name: ann", "id: T2, agent_name: bob", "id: T3"),
      {
        worker: { name: "ann", only: null },
      },
    );
    expect(await end()).toEqual({
      done: ["T1", "T3"],
      cancelled: [],
      open: ["T2"],
      blocked: [],
      waiting: [],
      red: [],
      resting: [],
      byHand: [],
    });
    expect(runs.map(({ task }) => task).sort()).toEqual(["T1", "T3"]);
  });

  it("takes one task with its subtasks, if it is told which, and says how these stand alone", async () => {
    const { end, runs } = staged(list("id: T1, subtasks: [{id: T1a, title: a}]", "id: T2, status: blocked"), {
      worker: { name: null, only: "T1" },
    });
    expect(await end()).toEqual({
      done: ["T1", "T1a"],
      cancelled: [],
      open: [],
      blocked: [],
      waiting: [],
      red: [],
      resting: [],
      byHand: [],
    });
    expect(runs.map(({ task }) => task)).not.toContain("T2");
  });

  it("says at once what waited for a person before it began, and how all stand, once while nothing changes", async () => {
    const { end, again, of, told, person } = staged(
      list("id: T1, instructions: i", "id: T2, status: blocked"),
      {
        async agent({ call }) {
          await call(ask, { task: "T1", text: "Which?", blocking: true });
          return undefined;
        },
      },
    );
    const stands = {
      type: "loop:progress",
      done: 0,
      open: 2,
      blocked: ["T2"],
      waiting: ["T1"],
      red: [],
      resting: [],
      idle: true,
    };
    expect(await end()).toEqual({
      done: [],
      cancelled: [],
      open: ["T1", "T2"],
      blocked: ["T2"],
      waiting: ["T1"],
      red: [],
      resting: [],
      byHand: [],
    });
    expect(of("loop:progress").at(-1)).toEqual(stands);
    expect(of("loop:progress").length).toBe(
      new Set(of("loop:progress").map((each) => JSON.stringify(each))).size,
    );
    const before = told.length;
    await again();
    expect(told.slice(before)).toEqual([
      { type: "task:waiting", taskId: "T1", reason: "q1: Which?" },
      stands,
    ]);
    await person(answer, { question: "q1", text: "That one" });
  });

  it("waits for the next try of the task that may be tried first, and tries it then", async () => {
    const failed: Failing = { reason: "model-error", detail: "not now" };
    const times: number[] = [];
    const stage = staged(list("id: T1, instructions: i, repo: .", "id: T2, instructions: i, repo: ."), {
      settings: { backoff: { first: 10, limit: 300 }, tries: 3 },
      agent: async ({ run }) => {
        times.push(stage.elapsed());
        return /^T1\.[12]$|^T2\.1$/.test(run) ? failed : undefined;
      },
    });
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2"] });
    const [first = 0, , second = 0, , third = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(10_000);
    expect(second - first).toBeLessThan(11_500);
    expect(third - second).toBeGreaterThanOrEqual(18_000);
    expect(third - second).toBeLessThan(22_000);
    expect(times).toHaveLength(5);
  });

  it("leaves a task that another worker holds, and looks again every second", async () => {
    const { leases, until, pass, runs, elapsed, end, looks } = staged(
      list("id: T1, instructions: i", "id: T2, instructions: i, repo: ."),
      {},
    );
    leases.set("T1", OTHER);
    await until(() => runs.length === 1);
    expect(runs[0]?.task).toBe("T2");
    await pass(20_000);
    const [before, from] = [looks(), elapsed()];
    await pass(20_000);
    expect((elapsed() - from) / 1000).toBeLessThanOrEqual(21);
    expect(looks() - before).toBeGreaterThanOrEqual(15);
    leases.delete("T1");
    expect(await end()).toMatchObject({ done: ["T1", "T2"] });
  });

  it("leaves a task whose place another worker holds, and lets go of the task meanwhile", async () => {
    const { leases, until, pass, runs, end } = staged(
      list(
        "id: T1, instructions: i",
        "id: T2, instructions: i, repo: ./, branch: b",
        "id: T3, instructions: i, repo: ./api, branch: c",
      ),
      { agents: 3 },
    );
    leases.set("@root", OTHER);
    leases.set("@api:c", OTHER);
    await until(() => runs.length === 1);
    await pass(5_000);
    expect(runs.map(({ task }) => task)).toEqual(["T2"]);
    leases.delete("@root");
    leases.delete("@api:c");
    expect(await end()).toMatchObject({ done: ["T1", "T2", "T3"] });
    expect([...leases]).toEqual([]);
  });

  it("works on tasks without a repository one after the other: they share the project's root", async () => {
    const counted = countedAgents();
    const { end } = staged(
      list("id: T1, instructions: i", "id: T2, instructions: i", "id: T3, instructions: i"),
      counted.options,
    );
    expect(await end()).toMatchObject({ done: ["T1", "T2", "T3"] });
    expect(counted.most()).toBe(1);
  });

  it("lets no checkout follow a merge while an agent works in the project's root, and then goes first", async () => {
    promise("wall.holds");
    const ended: string[] = [];
    const stage = staged(
      list(
        "id: T1, instructions: i",
        "id: T2, instructions: i",
        "id: T3, instructions: i, repo: ., merge_into: main",
      ),
      {
        agents: 2,
        async agent({ task, works }) {
          if (task !== "T3") await works(20_000);
          ended.push(task);
          return undefined;
        },
      },
    );
    const merged = () => stage.of("merge:completed").length > 0;
    await stage.until(merged);
    expect(ended).toEqual(["T3", "T1"]);
    expect(stage.of("merge:waiting")).toHaveLength(1);
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3"] });
    expect([...stage.leases]).toEqual([]);
  });

  it("works on as many at once as it has places", async () => {
    const counted = countedAgents();
    const ids = ["T1", "T2", "T3", "T4"];
    const { end } = staged(list(...ids.map((id) => `id: ${id}, instructions: i, repo: .`)), counted.options);
    expect(await end()).toMatchObject({ done: ids });
    expect(counted.most()).toBe(3);
  });

  it("goes on with a task once the line that could not be changed is mended, and says nothing more of it", async () => {
    const tasks = "tasks:\n- id: T1\n  title: t\n  status: &x todo\n";
    const { until, save, of, stop, end, tasks: read } = openStage({ tasks });
    await until(() => of("task:failed").length === 1);
    save("tasks.yaml", tasks.replace("&x todo", "ready_for_agent"));
    await until(() => read()[0]?.status === "done");
    stop();
    expect(await end()).toMatchObject({ done: ["T1"] });
    expect(of("task:failed")).toHaveLength(1);
  });

  it("interrupts an agent for new words, and not for those that it has received", async () => {
    const { interject } = await import("../verbs/question.ts");
    const stage = staged(list("id: T1, instructions: i"), {
      async agent({ run, stopped, works }) {
        if (run === "T1.1") await stopped;
        else await works(90_000);
        return undefined;
      },
    });
    await stage.until(() => stage.runs.length === 1);
    await stage.person(interject, { task: "T1", text: "Mind the port" });
    await stage.until(() => stage.runs.length === 2);
    stage.save("pawl.yaml", "");
    stage.save("tasks.yaml", `${stage.read("tasks.yaml")}# looked at\n`);
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(stage.runs).toHaveLength(2);
  });
});

describe("A task whose programs a person must first agree to", () => {
  const asks = new PawlError("project-untrusted", "Nobody agreed to `danger`.", "Run `pawl trust`.");
  const tasks = list(
    "id: T1, instructions: i, repo: ., verify: [danger]",
    "id: T2, instructions: i, repo: .",
  );

  /** They agree once `isAgreed`. */
  const untrusted = (isAgreed: () => boolean, more: Partial<StageOptions> = {}) =>
    staged(tasks, {
      lacksTrust: async ({ verify = [] }) => (verify.includes("danger") && !isAgreed() ? asks : null),
      ...more,
    });

  it("waits for them, is named once, and the others are done; the next loop goes on once they have", async () => {
    let isAgreed = false;
    const { end, again, of, runs } = untrusted(() => isAgreed);
    expect(await end()).toMatchObject({ done: ["T2"], open: ["T1"], waiting: ["T1"], blocked: [] });
    expect(of("task:waiting")).toEqual([
      { type: "task:waiting", taskId: "T1", reason: "Nobody agreed to `danger`. Run `pawl trust`." },
    ]);
    expect(runs.map(({ task }) => task)).toEqual(["T2"]);
    isAgreed = true;
    expect(await again()).toMatchObject({ done: ["T1", "T2"], waiting: [] });
  });

  it("waits with its work if they agreed no more while its agent worked, which does not work twice", async () => {
    let isAgreed = true;
    const { end, again, of, runs, state } = untrusted(() => isAgreed, {
      async agent({ task }) {
        if (task === "T1") isAgreed = false;
        return undefined;
      },
    });
    expect(await end()).toMatchObject({ done: ["T2"], waiting: ["T1"] });
    expect(of("task:failed")).toEqual([]);
    expect(state("T1")).toBe("verifying");
    isAgreed = true;
    expect(await again()).toMatchObject({ done: ["T1", "T2"], waiting: [] });
    expect(runs.filter(({ task }) => task === "T1")).toHaveLength(1);
  });
});

describe("What goes wrong outside of a task", () => {
  const full = () => Object.assign(new Error("no space left"), { code: "ENOSPC" });
  const broken = () => new PawlError("internal", "It broke.", "Report this.");

  /** The first so many times. */
  const times = (count: number, at: string, make: () => Error) => {
    let left = count;
    return (where: string, what: string) => (`${where} ${what}` === at && left-- > 0 ? make() : undefined);
  };

  it.each(["lease T1", "lease @.:bloom/T1", "worktree bloom/T1"])(
    "is waited out if it passes (%s)",
    async (at) => {
      const tasks = list("id: T0", "id: T1, instructions: i, repo: ., depends_on: [T0]");
      const { end, of, leases } = staged(tasks, { fault: times(2, at, full) });
      expect(await end()).toMatchObject({ done: ["T0", "T1"] });
      expect(of("loop:paused")).toEqual([
        expect.objectContaining({ code: "disk-failed", reason: "no space left" }),
      ]);
      expect(of("task:failed")).toEqual([]);
      expect([...leases]).toEqual([]);
    },
  );

  it("stops the task that it is about, once, and the others are done", async () => {
    const tasks = list("id: T1, instructions: i, repo: .", "id: T2, instructions: i, repo: .");
    const {
      end,
      of,
      leases,
      state,
      tasks: read,
    } = staged(tasks, { fault: times(1e9, "worktree bloom/T1", broken) });
    await expect(end()).rejects.toMatchObject({ code: "internal", message: "It broke." });
    expect(of("task:failed")).toEqual([
      { type: "task:failed", taskId: "T1", code: "internal", reason: "It broke.", fix: "Report this." },
    ]);
    expect(read()[1]?.status).toBe("done");
    expect(state("T1")).toBe("working");
    expect([...leases]).toEqual([]);
  });
});
