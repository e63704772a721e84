/**
 * Environments: a name, a slot, ports and what `up` makes, for one task while it is at work.
 *
 * E1  The record is on disk from before `up` begins until `down` has ended, so the next worker finds what a killed one left.
 * E2  `down` runs once for each environment: one process at a time removes it, after a check that no other did. An `up` that
 *     still runs is ended first.
 * E3  A slot or port belongs to one environment until that is removed, even if its owner died.
 */
import type { BloomEvent } from "../../../core/bloom-event.ts";
import { PawlError } from "../../../core/error.ts";
import type { PawlEvent } from "../../../core/event.ts";
import { projectPath } from "../../../core/path.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import { type CommandOrder, lastingOutput } from "../../../core/ports/commands.ts";
import type { TakenPorts } from "../../../core/ports/free-ports.ts";
import type { LeaseManager, TakenLease } from "../../../core/ports/leases.ts";
import type { WorkPorts } from "../../../core/ports/loop.ts";
import type { TaskEnvironment } from "../../../core/settings.ts";
import { type Runtime, runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { forAbandoned } from "../../../scheduler/leftovers.ts";
import { failureOf } from "../commands/failure.ts";
import { endingOf } from "../commands/set-up.ts";
import {
  type HeldEnvironment,
  keepEnvironment,
  loadEnvironments,
  nameOfEnvironment,
  variablesOf,
} from "../environment.ts";
import { runToEnd, type TaskSnapshot } from "../execution-context.ts";
import { nameOfRun } from "../run/task-run.ts";

export interface Environment {
  readonly variables: Readonly<Record<string, string>>;
  /** Removes it. Never throws. */
  release(): Promise<void>;
}

interface Setup {
  readonly leaseManager: LeaseManager;
  readonly clock: Clock;
  readonly name: string;
  readonly ports: WorkPorts;
  readonly runtime: Runtime;
  readonly show: (event: PawlEvent) => void;
  /** Another worker has the task now. */
  readonly lost?: AbortSignal;
}

type Up = Extract<BloomEvent, { readonly type: "environment:up" }>;

/** Calls `hold` with it before `up` begins. Throws `setup-failed`. */
export async function makeEnvironment(
  setup: Setup,
  task: string,
  { environment, settings }: TaskSnapshot,
  stop: AbortSignal,
  hold: (made: Environment) => void,
): Promise<Up | "stopped"> {
  const others = await freeFor(setup, task, environment);
  const slot = await takeSlot(setup, new Set(others.map((each) => each.slot)));
  const taken = await portsFor(setup, environment, others, slot);
  const held: HeldEnvironment = {
    task,
    id: setup.runtime.newId().replaceAll("-", "").slice(0, 6),
    name: nameOfEnvironment(setup.ports.root.agentPath, task),
    slot: slot.number,
    ports: taken.ports,
    exclusive: environment.exclusive,
    host: setup.ports.host ?? null,
    since: setup.clock.now().toISOString(),
  };
  hold({
    variables: variablesOf(held),
    async release() {
      // The task's present worker removes it.
      // The next loop tries again, by the record on disk.
      if (setup.lost?.aborted !== true)
        await takeAway(setup, held, environment, settings.limits.verify, false).catch(() => {});
      taken.release();
      await slot.lease.release().catch(() => {});
    },
  });
  await keep(setup, { task, held });
  const begun = setup.clock.elapsed();
  const how =
    environment.up === null ? "up" : await bringUp(setup, held, environment.up, settings.limits.verify, stop);
  if (how === "stopped") return how;
  const { name, ports } = held;
  return {
    type: "environment:up",
    taskId: task,
    ...{ name, slot: held.slot, ports, duration: Math.round(setup.clock.elapsed() - begun) },
  };
}

/** Removes what dead owners left, and returns the environments of others on this machine. */
async function freeFor(
  setup: Setup,
  task: string,
  { exclusive }: TaskEnvironment,
): Promise<readonly HeldEnvironment[]> {
  const all = await loadEnvironments(setup.runtime.store.view());
  // This worker alone holds the task and its exclusive things, so their earlier owner is dead.
  const isDead = (each: HeldEnvironment) =>
    each.task === task || each.exclusive.some((name) => exclusive.includes(name));
  for (const each of all.filter(isDead)) await takeAwayNow(setup, each);
  const { host: here } = setup.ports;
  const isHere = ({ host }: HeldEnvironment) => here === undefined || host === null || host === here;
  return all.filter((each) => !isDead(each) && isHere(each));
}

interface Slot {
  readonly number: number;
  readonly lease: TakenLease;
}

async function takeSlot({ leaseManager, name, ports }: Setup, used: ReadonlySet<number>): Promise<Slot> {
  for (let number = 0; ; number++) {
    if (used.has(number)) continue;
    const lease = await leaseManager.take(
      `@slot:${number}${ports.host === undefined ? "" : ` ${ports.host}`}`,
      name,
    );
    if (lease !== null) return { number, lease };
  }
}

async function portsFor(
  { ports: { freePorts } }: Setup,
  { ports: count }: TaskEnvironment,
  others: readonly HeldEnvironment[],
  { lease }: Slot,
): Promise<TakenPorts> {
  try {
    return await freePorts.take(count, new Set(others.flatMap(({ ports }) => ports)));
  } catch (error) {
    await lease.release();
    throw error;
  }
}

async function keep(setup: Setup, input: Parameters<typeof keepEnvironment.run>[0]): Promise<void> {
  const caller = { channel: "library", who: setup.name } as const;
  const { reply } = await runTransaction(setup.runtime, keepEnvironment, input, caller);
  for (const event of reply) setup.show(event);
}

async function bringUp(
  setup: Setup,
  held: HeldEnvironment,
  command: string,
  minutes: number,
  stop: AbortSignal,
): Promise<"up" | "stopped"> {
  if (stop.aborted) return "stopped";
  const ended = await runToEnd(setup.ports.commands, orderOf(setup, held, "up", command, minutes), stop);
  if (ended === null) return "stopped";
  if (ended.exit === 0) return "up";
  throw new PawlError(
    "setup-failed",
    `The environment of ${held.task} could not be made: ${endingOf(command, ended)}`,
    `Correct \`up\` of \`environment:\` in pawl.yaml, or what it needs; its whole output is in ${ended.output}.`,
  );
}

function orderOf(
  { ports: { root } }: Setup,
  held: HeldEnvironment,
  what: "up" | "down",
  command: string,
  minutes: number,
): CommandOrder {
  return {
    ...{ run: runOf(held, what), command, folder: root, limits: { total: minutes * 60_000 } },
    environment: { ...variablesOf(held), BLOOM_TASK: held.task },
    acts: what === "up" ? "lasting" : "ending",
  };
}

/** Returns a name that no other environment ever had. */
function runOf({ id, task }: HeldEnvironment, what: "up" | "down"): string {
  return nameOfRun(task, `${what}-${id}`);
}

// ── Away ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Removes the environments whose owner died. */
export async function sweepEnvironments(setup: Setup): Promise<void> {
  const all = await loadEnvironments(setup.runtime.store.view());
  await forAbandoned(
    setup,
    all,
    ({ task }) => task,
    (each) => takeAwayNow(setup, each),
  );
}

async function takeAwayNow(setup: Setup, held: HeldEnvironment): Promise<void> {
  const { bloom, task_environment } = await setup.runtime.settings(setup.runtime.store.view());
  await takeAway(setup, held, task_environment, bloom.limits.verify, true);
}

async function takeAway(
  setup: Setup,
  held: HeldEnvironment,
  { down, up }: TaskEnvironment,
  minutes: number,
  abandoned: boolean,
): Promise<void> {
  const lease = await setup.leaseManager.take(`@environment:${held.id}`, setup.name);
  // Another process is removing it.
  if (lease === null) return;
  try {
    // The owner's last commit may not be in the files yet.
    await setup.runtime.store.catchUp();
    if (!(await loadEnvironments(setup.runtime.store.view())).some(({ id }) => id === held.id)) return;
    const isUp = up === null || !abandoned || (await hasBegun(setup, held));
    if (isUp && abandoned && up !== null && !(await hasEnded(setup, held, "up")))
      await setup.ports.agents.endLeftovers(runOf(held, "up"));
    const ended = down === null || !isUp ? null : await bringDown(setup, held, down, minutes);
    await setup.ports.agents.endLeftovers(runOf(held, "up"));
    const { name, slot, task } = held;
    const reason = ended === null || ended.exit === 0 ? null : failureOf(down ?? "", ended).reason;
    const event = { type: "environment:down", taskId: task, name, slot, reason, abandoned } as const;
    await keep(setup, { task, held: null, events: [{ ...event, exit: ended?.exit ?? null }] });
  } finally {
    await lease.release();
  }
}

async function bringDown(setup: Setup, held: HeldEnvironment, command: string, minutes: number) {
  if (await hasEnded(setup, held, "down")) return null;
  return setup.ports.commands.run(orderOf(setup, held, "down", command, minutes)).ended;
}

/** Whether `up` began on this machine. */
async function hasBegun({ ports, runtime }: Setup, held: HeldEnvironment): Promise<boolean> {
  if (held.host !== (ports.host ?? null)) return true;
  return (await runtime.store.view().read(lastingOutput(runOf(held, "up")))) !== null;
}

/** Whether the command ended on this machine. */
async function hasEnded({ runtime }: Setup, held: HeldEnvironment, what: "up" | "down"): Promise<boolean> {
  const path = projectPath(".pawl/commands", runOf(held, what), "end.json");
  return (await runtime.store.view().read(path)) !== null;
}
