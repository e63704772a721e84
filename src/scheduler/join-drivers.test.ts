import { describe, expect, it } from "vitest";
import { PawlError } from "../core/error.ts";
import type { Backlog, Candidate, Driver, Hold } from "../core/ports/driver.ts";
import type { LoopEnd } from "../core/ports/loop-end.ts";
import { joinDrivers } from "./join-drivers.ts";

const END: LoopEnd = {
  ...{ done: [], cancelled: [], open: [], blocked: [], waiting: [], red: [], resting: [], byHand: [] },
};
const rest = (tasks: readonly string[]) =>
  ({ agent: "claude", tasks, others: ["codex"] }) as unknown as LoopEnd["resting"][number];

function driverOf(
  name: string,
  said: string[],
  more: Partial<Driver> & { readonly backlog?: Partial<Backlog> } = {},
): Driver {
  const { backlog: own, ...driver } = more;
  const backlog: Backlog = {
    ...{ outgrown: [], unwritable: new Map(), exclusive: [name] },
    *candidates(_, atWork) {
      yield {
        run: `${name}1`,
        work: async () => void said.push(`${name} beside ${atWork()}`),
      } as unknown as Candidate;
    },
    missingAgentError: (agent, runs) => new PawlError("agent-missing", `${name} ${agent.agent} ${runs}`, ""),
    waiting: () => [],
    wakesIn: () => null,
    ask: () => null,
    end: () => ({ ...END, open: [name], resting: [rest([name])] }),
    ...own,
  };
  return {
    owns: (run) => run.startsWith(name),
    start: async () => {},
    load: async () => backlog,
    reload: async () => backlog,
    agentBegins: async () => void said.push(`${name} hears`),
    say: ({ run }) => void said.push(`${name} says ${run}`),
    isBusy: () => false,
    ended: async () => {},
    ...driver,
  };
}

describe("several drivers", () => {
  it("are one: each has its own runs, and hears before an agent of another begins", async () => {
    const said: string[] = [];
    const joined = joinDrivers([
      driverOf("a", said, { backlog: { wakesIn: () => 9 } }),
      driverOf("b", said, { backlog: { wakesIn: () => 4 } }),
    ]);
    expect(["a1", "b1", "c1"].map((run) => joined.owns(run))).toEqual([true, true, false]);
    const backlog = await joined.load();
    for (const candidate of backlog.candidates(
      () => false,
      () => ["a7", "b8"],
    ))
      await candidate.work({} as Hold);
    expect(said).toEqual(["b hears", "a beside a7", "a hears", "b beside b8"]);
    joined.say({ type: "lease_lost", run: "b1" });
    expect(said.at(-1)).toBe("b says b1");
    expect(backlog.missingAgentError({ agent: "x", why: "" }, ["b1"]).message).toBe("b x b1");
    expect([backlog.exclusive, backlog.wakesIn(() => false), backlog.ask()]).toEqual([["a", "b"], 4, null]);
    expect(backlog.end(new Map())).toMatchObject({
      open: ["a", "b"],
      resting: [{ tasks: ["a", "b"], others: ["codex"] }],
    });
  });

  it("are busy if one of them is, and hear of an agent and of the end one after another", async () => {
    const said: string[] = [];
    const busy = (is: boolean) => ({ isBusy: () => is, ended: async () => void said.push("end") });
    const joined = joinDrivers([driverOf("a", said, busy(false)), driverOf("b", said, busy(true))]);
    expect(joined.isBusy()).toBe(true);
    expect(joinDrivers([driverOf("a", said), driverOf("b", said)]).isBusy()).toBe(false);
    await joined.agentBegins();
    await joined.ended();
    expect(said).toEqual(["a hears", "b hears", "end", "end"]);
  });

  it("work without the one whose agents are missing, which is an error at the end", async () => {
    const missing = new PawlError("agent-missing", "no claude", "");
    const start = async () => {
      throw missing;
    };
    const joined = joinDrivers([driverOf("a", [], { start }), driverOf("b", [])]);
    await joined.start();
    expect((await joined.load()).end(new Map())).toMatchObject({ open: ["b"] });
    await expect(joined.reload()).rejects.toBe(missing);
    await expect(
      joinDrivers([driverOf("a", [], { start }), driverOf("b", [], { start })]).start(),
    ).rejects.toBe(missing);
    const away = new PawlError("database-failed", "away", "");
    const fails = async () => {
      throw away;
    };
    await expect(joinDrivers([driverOf("a", []), driverOf("b", [], { start: fails })]).start()).rejects.toBe(
      away,
    );
  });
});
