/** Several drivers as one: the loop works on the runs of all of them. */
import { PawlError } from "../core/error.ts";
import type { Backlog, Candidate, Driver } from "../core/ports/driver.ts";
import type { LoopEnd, RestingAgent } from "../core/ports/loop-end.ts";

export function joinDrivers(drivers: readonly [Driver, ...Driver[]]): Driver {
  if (drivers.length === 1) return drivers[0];
  /** Those whose agents this machine lacks, with the error: the others work. */
  const without = new Map<Driver, PawlError>();
  const atWork = () => drivers.filter((driver) => !without.has(driver));
  const ownerOf = (run: string): Driver => drivers.find((driver) => driver.owns(run)) ?? drivers[0];
  const backlogs = async (load: (driver: Driver) => Promise<Backlog>) => {
    const entries: { readonly driver: Driver; readonly backlog: Backlog }[] = [];
    for (const driver of atWork()) entries.push({ driver, backlog: await load(driver) });
    return joined(entries, (driver) => drivers.filter((each) => each !== driver));
  };
  return {
    owns: (run) => drivers.some((driver) => driver.owns(run)),
    async start() {
      for (const driver of drivers)
        await driver.start().catch((thrown: unknown) => {
          if (!(thrown instanceof PawlError) || thrown.code !== "agent-missing") throw thrown;
          without.set(driver, thrown);
        });
      if (atWork().length === 0) for (const error of without.values()) throw error;
    },
    load: () => backlogs((driver) => driver.load()),
    async reload() {
      for (const error of without.values()) throw error;
      return backlogs((driver) => driver.reload());
    },
    agentBegins: async () => {
      for (const driver of drivers) await driver.agentBegins();
    },
    say: (event) => ownerOf(event.run).say(event),
    isBusy: () => drivers.some((driver) => driver.isBusy()),
    async ended() {
      for (const driver of drivers) await driver.ended();
    },
  };
}

type Part = { readonly driver: Driver; readonly backlog: Backlog };

function joined(parts: readonly Part[], others: (driver: Driver) => readonly Driver[]): Backlog {
  const all = parts.map(({ backlog }) => backlog);
  const least = (of: (backlog: Backlog) => number | null) => {
    const times = all.flatMap((backlog) => of(backlog) ?? []);
    return times.length === 0 ? null : Math.min(...times);
  };
  return {
    outgrown: all.flatMap(({ outgrown }) => outgrown),
    unwritable: new Map(all.flatMap(({ unwritable }) => [...unwritable])),
    exclusive: all.flatMap(({ exclusive }) => exclusive),
    *candidates(isLeftAlone, atWork) {
      for (const { backlog, driver } of parts) {
        const ownedRuns = () => atWork().filter((run) => driver.owns(run));
        for (const candidate of backlog.candidates(isLeftAlone, ownedRuns))
          yield announced(candidate, others(driver));
      }
    },
    missingAgentError(agent, runs) {
      const owner = parts.find(({ driver }) => driver.owns(runs[0] ?? "")) ?? parts[0];
      return (owner as Part).backlog.missingAgentError(agent, runs);
    },
    waiting: () => all.flatMap((backlog) => backlog.waiting()),
    wakesIn: (isLeftAlone) => least((backlog) => backlog.wakesIn(isLeftAlone)),
    ask: () => least((backlog) => backlog.ask()),
    end: (untrusted) => endOf(all.map((backlog) => backlog.end(untrusted))),
  };
}

/** The other drivers hear before its agent begins. */
function announced(candidate: Candidate, others: readonly Driver[]): Candidate {
  return {
    ...candidate,
    async work(hold) {
      for (const driver of others) await driver.agentBegins();
      await candidate.work(hold);
    },
  };
}

function endOf(ends: readonly LoopEnd[]): LoopEnd {
  const of = <Key extends keyof LoopEnd>(key: Key) => ends.flatMap((end) => end[key] as readonly never[]);
  const resting = new Map<string, RestingAgent>();
  for (const each of ends.flatMap((end) => end.resting)) {
    const rest = resting.get(each.agent);
    const more = rest && {
      tasks: [...rest.tasks, ...each.tasks],
      others: [...new Set([...rest.others, ...each.others])],
    };
    resting.set(each.agent, { ...each, ...more });
  }
  return {
    ...{ done: of("done"), cancelled: of("cancelled"), open: of("open"), blocked: of("blocked") },
    ...{ waiting: of("waiting"), red: of("red"), byHand: of("byHand"), resting: [...resting.values()] },
  };
}
