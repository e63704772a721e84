/**
 * A task's own environment while it is being worked on: name, slot and ports. Recorded before it is created,
 * until it is removed.
 */
import type { BloomEvent } from "../../core/bloom-event.ts";
import type { PawlEvent } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import type { TaskEnvironment } from "../../core/settings.ts";
import {
  accepts,
  as,
  fields,
  listOf,
  orNull,
  readState,
  text,
  unreadableStateError,
} from "../../core/state-json.ts";
import type { Transaction } from "../../runtime/module.ts";
import { TASKS_RUN } from "../../tasks-file/load.ts";
import { eventOf } from "./verbs/snapshot.ts";

export interface HeldEnvironment {
  readonly task: string;
  /** Unique among the task's environments. */
  readonly id: string;
  /** `PAWL_NAME` */
  readonly name: string;
  readonly slot: number;
  readonly ports: readonly number[];
  readonly exclusive: readonly string[];
  /** The machine that has it; null: only this machine works on the tasks. */
  readonly host: string | null;
  readonly since: string;
}

export const ENVIRONMENTS = projectPath(".pawl/environments");

function environmentPath(task: string): ProjectPath {
  return projectPath(ENVIRONMENTS, `${task}.json`);
}

export function isUsed({ down, exclusive, ports, up }: TaskEnvironment): boolean {
  return ports > 0 || up !== null || down !== null || exclusive.length > 0;
}

const SLUG = 40;

/** A lower-case name for a task's own resources, unique per task and project folder. */
export function nameOfEnvironment(root: string, task: string): string {
  const slug = task
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG);
  return `pawl-${slug}-${hashOf(`${root}\0${task}`).slice(0, 8)}`;
}

export function variablesOf({ name, ports, slot }: HeldEnvironment): Readonly<Record<string, string>> {
  return {
    PAWL_NAME: name,
    PAWL_SLOT: String(slot),
    ...Object.fromEntries(ports.map((port, n) => [`PAWL_PORT_${n + 1}`, String(port)])),
  };
}

const isCount = accepts<number>(
  (value) => Number.isInteger(value) && (value as number) >= 0,
  "a whole number",
);
const HELD = fields({
  task: text,
  id: accepts<string>((value) => typeof value === "string" && /^[\w-]{1,80}$/.test(value), "an id"),
  name: accepts<string>((value) => typeof value === "string" && /^[a-z0-9-]{1,80}$/.test(value), "a name"),
  slot: isCount,
  ports: listOf(isCount),
  exclusive: listOf(text),
  host: orNull(text),
  since: text,
});

/** The environments that exist, or existed when their owner died. Throws `state-unreadable`. */
export async function loadEnvironments(view: View): Promise<readonly HeldEnvironment[]> {
  const held: HeldEnvironment[] = [];
  for (const { kind, name } of await view.list(ENVIRONMENTS)) {
    if (kind !== "file" || !name.endsWith(".json")) continue;
    const path = projectPath(ENVIRONMENTS, name);
    const json = await view.read(path);
    const remedy = `End what the task ${name.slice(0, -".json".length)} left running, then delete the file.`;
    if (json !== null)
      held.push(
        readState<HeldEnvironment>(
          json,
          as(HELD),
          unreadableStateError(path, "a task's environment", remedy),
        ),
      );
  }
  return held;
}

interface KeepInput {
  readonly task: string;
  /** Null: the environment is removed. */
  readonly held: HeldEnvironment | null;
  readonly events?: readonly BloomEvent[];
}

export const keepEnvironment: Transaction<KeepInput, boolean, undefined, readonly PawlEvent[]> = {
  run: () => TASKS_RUN,
  read: async (view, { task }) => (await view.read(environmentPath(task))) !== null,
  propose(isThere, _, { events = [], held, task }, context) {
    const path = environmentPath(task);
    const stored = events.map((each, index) => eventOf(context, each, index));
    const text = `${JSON.stringify(held, null, 2)}\n`;
    if (held !== null) return { reply: stored, changes: [{ type: "write", path, text }], events: stored };
    return { reply: stored, changes: isThere ? [{ type: "remove", path }] : [], events: stored };
  },
};
