/** What a run leaves on disk: `.pawl/agents/<run>/` with call.json, prompt.md, output.jsonl, errors.log, end.json. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { checkId } from "../../base/id.ts";
import { type ProjectPath, projectPath } from "../../base/path.ts";
import type { AgentOrder, AgentUsage } from "../../base/ports.ts";
import { writeWhole } from "./output-file.ts";

export interface RunFolder {
  readonly path: ProjectPath;
  /** Absolute. */
  readonly folder: string;
}

export function openRunFolder(projectRoot: string, kind: "agents" | "commands", run: string): RunFolder {
  const path = projectPath(".pawl", kind, checkId(run, "run's id"));
  const folder = join(projectRoot, path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { path, folder };
}

/** Best effort: what could not be kept must not end a run. */
export function keep(folder: RunFolder, name: string, content: unknown): void {
  try {
    const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
    writeWhole(join(folder.folder, name), text);
  } catch {
    // A full disk: the run goes on.
  }
}

/** What a session had spent when its last run ended, for agents that only tell the sum over all of its runs. */
export function loadSpent(projectRoot: string, agent: string, session: string): AgentUsage | null {
  try {
    return JSON.parse(readFileSync(spentPath(projectRoot, agent, session), "utf8")) as AgentUsage;
  } catch {
    return null;
  }
}

export function keepSpent(projectRoot: string, agent: string, session: string, usage: AgentUsage): void {
  try {
    mkdirSync(join(projectRoot, ".pawl/agents/sessions"), { recursive: true, mode: 0o700 });
    writeWhole(spentPath(projectRoot, agent, session), JSON.stringify(usage));
  } catch {
    // Best effort: then the next run tells the sum.
  }
}

function spentPath(projectRoot: string, agent: string, session: string): string {
  const name = createHash("sha256").update(`${agent}\0${session}`).digest("hex").slice(0, 32);
  return join(projectRoot, ".pawl/agents/sessions", `${name}.json`);
}

/** How the agent is called, and with what. */
export function keepCall(
  folder: RunFolder,
  order: AgentOrder,
  program: string,
  args: readonly string[],
): void {
  const { agent, folder: where, permission, prompt } = order;
  keep(folder, "call.json", { agent, program, args, folder: where, permission });
  keep(folder, "prompt.md", prompt);
}
