/** What a task has for itself while it is at work: made once, the same for all that runs for it, taken away once. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import { openStage, type Stage, type StageOptions } from "../../../../test/rig/schedule/stage.ts";
import type { CommandOrder } from "../../../core/ports/commands.ts";

const task = (id: string, more = "") =>
  `- {id: ${id}, title: t, instructions: i, repo: ., merge_into: main, verify: [check]${more}}\n`;
const THREE = `tasks:\n${task("T1")}${task("T2")}${task("T3")}`;
const ENVIRONMENT = { ports: 2, up: "make-it", down: "take-it-away" };

/** With what was run, in order. */
function staged(more: Partial<StageOptions> = {}) {
  const ran: CommandOrder[] = [];
  const stage = openStage({
    tasks: THREE,
    once: true,
    environment: ENVIRONMENT,
    onCommand: (isBegun, _, order) => {
      if (isBegun) ran.push(order);
    },
    ...more,
  });
  const commands = (id: string) =>
    ran.flatMap(({ command, environment }) => (environment?.BLOOM_TASK === id ? [command] : []));
  return { stage, ran, commands };
}

const records = (stage: Stage) =>
  ["T1", "T2", "T3"].filter((id) => stage.read(`.pawl/environments/${id}.json`) !== null);

describe("A task's environment", () => {
  it("is made before anything runs, is the same for agent, verify and merge check, and is taken away at the end", async () => {
    promise("bloom.environment");
    const seen = new Map<string, unknown[]>();
    const { stage, ran, commands } = staged({
      agent: async ({ environment: { PAWL_NAME, PAWL_PORT_1, PAWL_PORT_2, PAWL_SLOT }, task: id }) => {
        seen.set(id, [PAWL_NAME, PAWL_SLOT, PAWL_PORT_1, PAWL_PORT_2]);
        return undefined;
      },
    });
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3"] });
    for (const id of ["T1", "T2", "T3"]) {
      expect(commands(id)).toEqual(["make-it", "check", "check", "take-it-away"]);
      const all = ran.flatMap(({ environment: own = {} }) =>
        own.BLOOM_TASK === id ? [[own.PAWL_NAME, own.PAWL_SLOT, own.PAWL_PORT_1, own.PAWL_PORT_2]] : [],
      );
      expect(all).toEqual(all.map(() => seen.get(id)));
      expect(all[0]?.[0]).toMatch(new RegExp(`^pawl-${id.toLowerCase()}-[0-9a-f]{8}$`));
    }
    expect(records(stage)).toEqual([]);
    expect(stage.of("environment:up")).toHaveLength(3);
    expect(stage.of("environment:down")).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ taskId: "T1", exit: 0, reason: null, abandoned: false }),
      ]),
    );
    expect([...stage.leases.keys()]).toEqual([]);
  });

  it("has a slot below the number of agents, and shares neither slot nor port with another at the same time", async () => {
    promise("bloom.environment");
    const now = new Map<string, readonly string[]>();
    const clashes: string[] = [];
    const { stage } = staged({
      tasks: `tasks:\n${["T1", "T2", "T3", "T4", "T5"].map((id) => task(id)).join("")}`,
      agents: 2,
      onCommand: (isBegun, _, { command, environment: own = {} }) => {
        const has = [`slot ${own.PAWL_SLOT}`, own.PAWL_PORT_1 ?? "", own.PAWL_PORT_2 ?? ""];
        if (command === "make-it" && isBegun) {
          for (const [id, other] of now) if (has.some((each) => other.includes(each))) clashes.push(id);
          now.set(own.BLOOM_TASK ?? "", has);
        } else if (command === "take-it-away" && !isBegun) now.delete(own.BLOOM_TASK ?? "");
      },
    });
    await stage.end();
    expect(clashes).toEqual([]);
    expect(new Set(stage.of("environment:up").map(({ slot }) => slot))).toEqual(new Set([0, 1]));
  });

  const OTHER = { name: "another loop", alive: true };
  const recordOf = (id: string, more: object) =>
    JSON.stringify({
      ...{ task: id, id: "abc", name: "pawl-x", slot: 0, ports: [20_000], exclusive: [], since: "t" },
      ...{ host: null, ...more },
    });

  it.each<[string, boolean, { lease?: string; host?: string | null }, number]>([
    ["another loop has the lease of slot 0", false, { lease: "@slot:0" }, 1],
    ["another loop on one of several machines has it", true, { lease: "@slot:0 here" }, 1],
    ["another machine has its own", true, { lease: "@slot:0 there" }, 0],
    ["another task has its environment in it", false, { host: null }, 1],
    ["another task on one of several machines has", true, { host: "here" }, 1],
    ["another task had, before there were several", true, { host: null }, 1],
    ["another task had, when there were several", false, { host: "here" }, 1],
    ["a task on another machine has its own", true, { host: "there" }, 0],
  ])("has the first slot that is free on its machine: %s", async (_, isShared, { host, lease }, slot) => {
    promise("bloom.environment");
    const { stage } = staged({ tasks: `tasks:\n${task("T1")}`, ...(isShared && { shared: {} }) });
    stage.leases.set(lease ?? "T2", OTHER);
    if (host !== undefined) stage.save(".pawl/environments/T2.json", recordOf("T2", { host }));
    await stage.until(() => stage.of("environment:up").length === 1);
    const ports = host !== undefined && slot > 0 ? [20_001, 20_002] : [20_000, 20_001];
    expect(stage.of("environment:up")).toMatchObject([{ slot, ports }]);
  });

  it.each([
    ["works on its task", "T1", {}],
    ["needs what it had for itself", "T2", { exclusive: ["emulator"] }],
  ])("is taken away by the one who, while its owner has not come back, %s", async (_, id, more) => {
    const { stage } = staged({
      tasks: `tasks:\n${task("T1")}`,
      environment: { ...ENVIRONMENT, exclusive: ["emulator"] },
    });
    stage.leases.set(id, OTHER);
    stage.save(`.pawl/environments/${id}.json`, recordOf(id, more));
    stage.save(".pawl/environments/T3.json", recordOf("T3", { id: "def", exclusive: ["printer"] }));
    stage.leases.set("T3", OTHER);
    await stage.pass(1000);
    stage.leases.delete("T1");
    await stage.until(() => stage.of("environment:up").length === 1);
    expect(stage.of("environment:down")).toMatchObject([{ taskId: id, abandoned: true }]);
    expect(stage.read(".pawl/environments/T3.json")).not.toBeNull();
  });

  it("is taken away exactly once by whoever comes after a killed loop, before its slot is given to another", async () => {
    promise("bloom.environment");
    const { stage, commands } = staged({
      agent: async ({ run, stopped }) => (["T1.1", "T2.1"].includes(run) ? hang(stopped) : undefined),
    });
    await stage.until(() => stage.runs.length === 2);
    stage.kill();
    expect(records(stage)).toEqual(["T1", "T2"]);
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2", "T3"] });
    for (const id of ["T1", "T2"])
      expect(commands(id)).toEqual(["make-it", "take-it-away", "make-it", "check", "check", "take-it-away"]);
    expect(stage.of("environment:down").map(({ abandoned }) => abandoned)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(records(stage)).toEqual([]);
  });

  it.each<[string, NonNullable<StageOptions["environment"]>, string[], number | null]>([
    ["nothing makes", { down: "take-it-away" }, ["take-it-away", "check", "check", "take-it-away"], 0],
    ["nothing takes away", { up: "make-it" }, ["make-it", "make-it", "check", "check"], null],
  ])("that %s is given back after a killed loop, too", async (_, environment, expected, exit) => {
    const { stage, commands } = staged({
      tasks: `tasks:\n${task("T1")}`,
      environment,
      agent: async ({ run, stopped }) => (run === "T1.1" ? hang(stopped) : undefined),
    });
    await stage.until(() => stage.runs.length === 1);
    stage.kill();
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(commands("T1")).toEqual(expected);
    expect(stage.of("environment:down")).toMatchObject([
      { abandoned: true, exit, reason: null },
      { abandoned: false, exit, reason: null },
    ]);
    expect(records(stage)).toEqual([]);
  });

  it("is not taken away after a killed loop that had not begun to make it", async () => {
    const { stage, commands } = staged({ tasks: `tasks:\n${task("T1")}` });
    await stage.until(() => records(stage).length === 1);
    expect(commands("T1")).toEqual([]);
    stage.kill();
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(commands("T1")).toEqual(["make-it", "check", "check", "take-it-away"]);
    expect(stage.of("environment:down")).toMatchObject([
      { abandoned: true, exit: null, reason: null },
      { abandoned: false, exit: 0 },
    ]);
  });

  it("is taken away after a loop that was killed while it was made", async () => {
    const begun: string[] = [];
    const { stage } = staged({
      tasks: `tasks:\n${task("T1")}`,
      onCommand: (isBegun, _, { command }) => void (isBegun && begun.push(command)),
    });
    await stage.until(() => begun.length === 1);
    stage.kill();
    expect(await stage.again()).toMatchObject({ done: ["T1"] });
    expect(begun).toEqual(["make-it", "take-it-away", "make-it", "check", "check", "take-it-away"]);
    expect(stage.of("environment:down").map(({ abandoned }) => abandoned)).toEqual([true, false]);
  });

  it("is taken away by a loop that does other tasks, too", async () => {
    const { stage, commands } = staged({
      agent: async ({ run, stopped }) => (["T1.1", "T2.1"].includes(run) ? hang(stopped) : undefined),
    });
    await stage.until(() => stage.runs.length === 2);
    stage.kill();
    stage.save("tasks.yaml", (stage.read("tasks.yaml") ?? "").replaceAll("in_progress", "blocked"));
    await stage.again();
    expect(commands("T1")).toEqual(["make-it", "take-it-away"]);
    expect(commands("T2")).toEqual(["make-it", "take-it-away"]);
  });

  it("is not taken away twice if it was already, and only its record was left", async () => {
    promise("bloom.environment");
    const { stage, commands } = staged({ tasks: `tasks:\n${task("T1")}` });
    await stage.until(() => stage.read(".pawl/environments/T1.json") !== null);
    const record = stage.read(".pawl/environments/T1.json");
    const { id } = JSON.parse(record ?? "{}");
    await stage.until(() => stage.read(`.pawl/commands/T1.down-${id}/end.json`) !== null);
    stage.kill();
    if (record !== null) stage.save(".pawl/environments/T1.json", record);
    await stage.again();
    expect(commands("T1").filter((each) => each === "take-it-away")).toHaveLength(1);
    expect(records(stage)).toEqual([]);
  });

  it("that cannot be made is a failure that is tried again, and what was made of it is taken away", async () => {
    promise("bloom.environment");
    const { stage, commands } = staged({
      tasks: `tasks:\n${task("T1")}`,
      exit: (command, _, n) => (command === "make-it" && n === 1 ? 4 : 0),
    });
    expect(await stage.end()).toMatchObject({ done: ["T1"] });
    expect(commands("T1").slice(0, 3)).toEqual(["make-it", "take-it-away", "make-it"]);
    expect(stage.of("task:retried")[0]?.reason).toContain(
      "The environment of T1 could not be made: `make-it` exited with 4",
    );
  });

  it("is given back although taking it away fails, which is told", async () => {
    const { stage } = staged({ exit: (command) => (command === "take-it-away" ? 9 : 0) });
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3"] });
    expect(stage.of("environment:down").map(({ reason }) => reason)).toEqual(
      Array(3).fill("`take-it-away` exited with 9"),
    );
    expect(records(stage)).toEqual([]);
  });

  it("is taken away at a stop", async () => {
    const { stage, commands } = staged({
      tasks: `tasks:\n${task("T1")}`,
      agent: async ({ stopped }) => hang(stopped),
    });
    await stage.until(() => stage.runs.length === 1);
    stage.stop();
    await stage.end();
    expect(commands("T1")).toEqual(["make-it", "take-it-away"]);
    expect(records(stage)).toEqual([]);
  });

  it("is not made if none is asked for", async () => {
    const { stage, ran } = staged({ environment: {} });
    await stage.end();
    expect(ran.every(({ environment: own = {} }) => !("PAWL_SLOT" in own))).toBe(true);
    expect(stage.of("environment:up")).toEqual([]);
  });
});

describe("What is exclusive", () => {
  it("is used by one task at a time, however many agents there are, and by one of a killed loop no longer", async () => {
    promise("bloom.exclusive");
    let at = 0;
    let most = 0;
    const { stage, commands } = staged({
      agents: 3,
      environment: { ...ENVIRONMENT, exclusive: ["emulator"] },
      agent: async ({ run, stopped, works }) => {
        if (run === "T1.1") return hang(stopped);
        at += 1;
        most = Math.max(most, at);
        await works(500);
        at -= 1;
        return undefined;
      },
    });
    await stage.until(() => stage.runs.length === 1);
    await stage.pass(5000);
    expect(stage.runs).toHaveLength(1);
    stage.kill();
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2", "T3"] });
    expect(most).toBe(1);
    expect(commands("T1").slice(0, 2)).toEqual(["make-it", "take-it-away"]);
  });
});

async function hang(stopped: Promise<string>): Promise<undefined> {
  await stopped;
  return undefined;
}
