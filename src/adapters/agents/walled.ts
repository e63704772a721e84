/** An agent's program as Pawl starts it: behind the wall, if there is one. */
import { basename, join } from "node:path";
import type { AgentOrder } from "../../core/ports/agents.ts";
import type { AgentHome } from "../wall/homes.ts";
import type { Enclosed } from "../wall/wall.ts";
import { capabilityFile } from "./capability.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { RunFolder } from "./run-folder.ts";
import type { ProcessOrder } from "./run-process.ts";
import { type AgentsSetup, DIALECTS, type KnownAgent } from "./setup.ts";

interface WallOpenings {
  readonly folder: RunFolder;
  readonly outbox: string;
  readonly home: readonly AgentHome[];
  readonly hosts: readonly string[];
}

/** Throws `wall-failed`. */
export function walledAgent(
  setup: AgentsSetup,
  order: AgentOrder,
  called: Enclosed,
  { folder, home, hosts, outbox }: WallOpenings,
): Enclosed & Pick<ProcessOrder, "isWall" | "signalByCode"> {
  if (!setup.wall) return called;
  const enclosed = setup.wall.enclose({
    ...called,
    folder: order.folder,
    ...(order.readOnly && { readOnly: true }),
    agent: { run: order.run, home, hosts },
    sees: [join(setup.projectRoot, ".pawl/bin"), folder.folder],
    writes: [outbox],
    proof: order.task === undefined ? undefined : capabilityFile(setup.stateFolder, order.run),
  });
  return { ...enclosed, isWall: true, signalByCode: true };
}

/**
 * Its needs outside the wall: of the person's home, and of the network. Recognises an ACP program by its
 * name.
 */
export function outsideNeeds(
  { environment }: AgentsSetup,
  agent: Exclude<KnownAgent, { kind: "none" }>,
): Pick<WallOpenings, "home" | "hosts"> & { readonly quotaFolder: string | undefined } {
  const dialect = agent.kind === "dialect" ? agent.dialect : dialectNamed(basename(agent.command[0] ?? ""));
  return {
    home: dialect?.home(environment) ?? [],
    hosts: dialect?.hosts(environment) ?? [],
    quotaFolder: dialect?.quotaFolder?.(environment),
  };
}

function dialectNamed(program: string): Dialect | undefined {
  return Object.values(DIALECTS).find(({ name }) => program.includes(name));
}
