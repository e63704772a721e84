import { describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { AtWork, WorkerStatus } from "../../core/ports/workers.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Task } from "../../tasks-file/task.ts";
import type { TaskRun } from "./run/task-run.ts";
import { openUntaken } from "./untaken.ts";

const settings = {
  ...DEFAULT_SETTINGS.bloom,
  budget: { usd: 5 },
  caps: { repositories: { api: 2 }, agents: { codex: 1 }, usd_per_day: 20 },
};
const task = (more: object = {}) => ({ id: "T", ...more }) as Task;
const worker = (labels: readonly string[], state = "working") => ({ labels, state }) as WorkerStatus;
const at = (more: Partial<AtWork>): AtWork => ({
  ...{ what: "X", repository: null, agent: "claude", usd: 0, alive: true },
  ...more,
});
const untaken = async (list: readonly WorkerStatus[], atWork: readonly AtWork[] = [], spent = 0) => {
  const found = await openUntaken(
    { list: async () => list, atWork: async () => atWork, spentToday: async () => spent },
    settings,
  );
  if (found === null) throw new Error("no machine");
  return found;
};

describe("A task that no worker has taken yet", () => {
  it("says nothing of workers if there are no other machines", async () => {
    promise("machines.labels");
    expect(await openUntaken(undefined, settings)).toBeNull();
  });

  it("waits for the next free worker, or names what none of them serves; one that drains serves nothing", async () => {
    promise("machines.labels");
    const gone = [worker(["linux"], "gone"), worker(["linux"], "draining")];
    expect((await untaken(gone))(task())).toContain("there is no worker: ");
    const some = await untaken([...gone, worker(["agent:claude", "linux"])]);
    expect(some(task())).toBe("the next free worker takes it");
    expect(some(task({ agent: "codex" }))).toContain(
      "no worker serves agent:codex: `pawl worker list` lists them",
    );
  });

  it("waits for no worker whose machine lacks its agent", async () => {
    promise("machines.lacks");
    const lacks = worker(["linux", "-agent:claude"]);
    const all = await untaken([lacks]);
    expect(all(task())).toContain("no worker serves agent:claude: ");
    expect(all(task({ agent: "codex" }))).toBe("the next free worker takes it");
    expect((await untaken([lacks, worker(["linux"])]))(task())).toBe("the next free worker takes it");
  });

  it("names the cap that is reached, as the database reckons it", async () => {
    promise("machines.labels");
    const all = [worker([])];
    const two = [at({ repository: "api" }), at({ repository: "api", agent: "codex" })];
    const some = await untaken(all, two);
    expect(some(task({ repo: "./api" }))).toContain("2 tasks are at work in api");
    expect(some(task({ repo: "web", agent: "codex" }))).toContain("1 task is at work with codex");
    expect(some(task({ repo: "web" }))).toBe("the next free worker takes it");
    const dead = two.map((each) => ({ ...each, alive: false, usd: 4 }));
    expect((await untaken(all, dead))(task({ repo: "api" }))).toBe("the next free worker takes it");
    const spent = await untaken(all, dead, 7.01);
    expect(spent(task())).toContain("the day's 20 USD");
    expect(spent(task(), { spent: { usd: 1 } } as TaskRun)).toBe("the next free worker takes it");
  });
});
