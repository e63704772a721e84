/**
 * A run's files on disk: `.pawl/agents/<run>/` with call.json, prompt.md, output.jsonl, errors.log, end.json.
 */

import { lstatSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import { hashOf } from "../../core/hash.ts";
import { checkId } from "../../core/id.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { AgentEvent, AgentOrder, AgentUsage } from "../../core/ports/agents.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { openOwnFolder, ownPath } from "../files/own-folder.ts";
import { readPlainText } from "../files/plain-file.ts";
import { writeWhole } from "../files/write-whole.ts";

export interface RunFolder {
  readonly path: ProjectPath;
  /** Absolute. */
  readonly folder: string;
}

export function openRunFolder(projectRoot: string, kind: "agents" | "commands", run: string): RunFolder {
  const folder = runFolder(projectRoot, kind, run);
  openOwnFolder(projectRoot, folder.path, 0o700);
  return folder;
}

/** Its path, whether or not it exists. */
export function runFolder(projectRoot: string, kind: "agents" | "commands", run: string): RunFolder {
  const path = projectPath(".pawl", kind, checkId(run, "run's id"));
  return { path, folder: join(projectRoot, path) };
}

/** Best effort: a failed write must not end a run. */
export function keep(folder: RunFolder, name: string, content: unknown): void {
  try {
    const text = typeof content === "string" ? content : `${JSON.stringify(content, null, 2)}\n`;
    writeWhole(join(folder.folder, name), text);
  } catch {
    // A full disk: the run continues.
  }
}

/** Keeps the run's usage so far, so that it counts even if Pawl dies before the end. */
export function keepUsage(folder: RunFolder, events: readonly AgentEvent[]): void {
  const last = events.findLast((event) => event.type === "usage");
  if (last?.type === "usage") keep(folder, "usage.json", last.usage);
}

/** Null: nothing is known about it. */
export function loadUsage({ folder }: RunFolder): AgentUsage | null {
  return attempt(() => {
    const { usd, inputTokens, outputTokens, turns } = JSON.parse(readPlainText(join(folder, "usage.json")));
    const number = (value: unknown) => (typeof value === "number" && value >= 0 ? value : null);
    return {
      usd: number(usd),
      inputTokens: number(inputTokens),
      outputTokens: number(outputTokens),
      turns: number(turns),
    };
  }, null);
}

/** Keeps the run's session, so that it can be resumed even if Pawl dies before the end. */
export function keepSession(folder: RunFolder, events: readonly AgentEvent[], where: AgentFolder): void {
  const last = events.findLast((event) => event.type === "session");
  if (last?.type === "session") keep(folder, "session.json", { id: last.id, folder: where.agentPath });
}

/** Null: nothing is known about it. */
export function loadSession({ folder }: RunFolder): { readonly id: string; readonly folder: string } | null {
  return attempt(() => {
    const { folder: where, id } = JSON.parse(readPlainText(join(folder, "session.json")));
    return typeof id === "string" && typeof where === "string" ? { id, folder: where } : null;
  }, null);
}

const SIGNS = ["call.json", "output.jsonl", "errors.log", "session.json", "usage.json", "end.json"];

/** When a file of the run was last written. */
export function lastSign({ folder }: RunFolder): string | null {
  // A file may be replaced at this moment.
  const timeOf = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? [];
  const times = attempt(() => SIGNS.flatMap(timeOf), []);
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}

/** A session's usage at the end of its last run, for agents that report only the sum over all runs. */
export function loadSpent(projectRoot: string, agent: string, session: string): AgentUsage | null {
  return attempt(() => JSON.parse(readPlainText(spentPath(projectRoot, agent, session))) as AgentUsage, null);
}

export function keepSpent(projectRoot: string, agent: string, session: string, usage: AgentUsage): void {
  try {
    openOwnFolder(projectRoot, SESSIONS, 0o700);
    writeWhole(spentPath(projectRoot, agent, session), JSON.stringify(usage));
  } catch {
    // Best effort: without it, the next run reports the sum.
  }
}

const SESSIONS = ".pawl/agents/sessions";

function spentPath(projectRoot: string, agent: string, session: string): string {
  const name = hashOf(`${agent}\0${session}`).slice(0, 32);
  return ownPath(projectRoot, `${SESSIONS}/${name}.json`);
}

/** Keeps the agent's command line and settings. */
export function keepCall(
  folder: RunFolder,
  order: AgentOrder,
  program: string,
  args: readonly string[],
): void {
  const { agent, folder: where, permission, prompt } = order;
  keep(folder, "call.json", { agent, program, args, folder: where.agentPath, permission });
  keep(folder, "prompt.md", prompt);
}
