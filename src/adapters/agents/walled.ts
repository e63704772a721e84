/** An agent's program as Pawl starts it: behind the wall, if there is one. */
import { basename, join } from "node:path";
import type { AgentOrder } from "../../core/ports/agents.ts";
import type { HomePlace } from "../wall/homes.ts";
import type { Enclosed } from "../wall/wall.ts";
import { capabilityFile } from "./capability.ts";
import type { RunFolder } from "./run-folder.ts";
import type { ProcessOrder } from "./run-process.ts";
import { type AgentsSetup, DIALECTS, type Known } from "./setup.ts";

interface Place {
  readonly folder: RunFolder;
  readonly outbox: string;
  readonly home: readonly HomePlace[];
}

/** Throws `wall-failed`. */
export function walledAgent(
  setup: AgentsSetup,
  order: AgentOrder,
  called: Enclosed,
  { folder, home, outbox }: Place,
): Enclosed & Pick<ProcessOrder, "isWall" | "signalByCode"> {
  if (!setup.wall) return called;
  const enclosed = setup.wall.enclose({
    ...called,
    folder: order.folder,
    agent: { run: order.run, home },
    sees: [join(setup.projectRoot, ".pawl/bin"), folder.folder],
    writes: [outbox],
    proof: order.task === undefined ? undefined : capabilityFile(setup, order.run),
  });
  return { ...enclosed, isWall: true, signalByCode: true };
}

/** A program that speaks ACP is recognised by its name. */
export function homePlacesOf(
  { environment }: AgentsSetup,
  agent: Exclude<Known, { kind: "none" }>,
): readonly HomePlace[] {
  if (agent.kind === "dialect") return agent.dialect.home(environment);
  const program = basename(agent.command[0] ?? "");
  const dialect = Object.values(DIALECTS).find(({ name }) => program.includes(name));
  return dialect?.home(environment) ?? [];
}
