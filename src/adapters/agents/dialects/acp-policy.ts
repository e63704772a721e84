/** Answers an ACP agent's permission requests by the run's policy. Touches the disk only to resolve links. */
import { lstatSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { Permission } from "../../../core/ports/agents.ts";
import { objectAt, shortLine, textAt } from "./dialect.ts";
import { judgeCommand } from "./listed-commands.ts";

/** Tool kinds that change nothing outside the folder, as long as all their paths are inside. */
const EDITS: readonly string[] = ["read", "edit", "delete", "move", "search", "think"];
export interface Policy {
  readonly permission: Permission;
  readonly allow: readonly string[];
  readonly folder: string;
}

export function policyAnswer(policy: Policy, call: ToolCallUpdate): "allow" | "refuse" | "ask" {
  if (policy.permission === "all") return "allow";
  if (policy.permission === "ask") return "ask";
  if (call.kind === "execute") {
    const verdict = judgeCommand(commandOf(call), policy.allow, (path) => leaves(policy.folder, path));
    return verdict === "listed" ? "allow" : "refuse";
  }
  return EDITS.includes(call.kind ?? "") && isInside(policy.folder, call) ? "allow" : "refuse";
}

function commandOf(call: ToolCallUpdate): string {
  const { command } = objectAt(call, "rawInput");
  return Array.isArray(command) ? command.join(" ") : textAt(call, "rawInput", "command");
}

/** True only if the agent names its paths, and all are inside. */
function isInside(folder: string, call: ToolCallUpdate): boolean {
  const places = (call.locations ?? []).map(({ path }) => path);
  const named = ["file_path", "filePath", "filepath", "path", "abs_path"].map((key) =>
    textAt(call, "rawInput", key),
  );
  const changed = (call.content ?? []).flatMap((part) => (part.type === "diff" ? [part.path] : []));
  const all = [...places, ...changed, ...named.filter((path) => path !== "")];
  return all.length > 0 && all.every((path) => !leaves(folder, path));
}

/**
 * Whether the path leaves the folder, also through a link in its parents, even if its last parts do not exist
 * yet.
 */
export function leaves(folder: string, path: string, from = folder): boolean {
  const way = relative(realOf(folder), realOf(resolve(from, path)));
  if (way === ".." || way.startsWith("../") || isAbsolute(way)) return true;
  return way.split("/").some((part) => part.toLowerCase() === ".git");
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (cause) {
    // A name that is too long, or a loop of links: nowhere that is allowed.
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT" || dirname(path) === path) return "/";
    if (isDangling(path)) return "/";
    return join(realOf(dirname(path)), basename(path));
  }
}

function isDangling(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/**
 * The option that gives the answer, never a lasting one; null if there is none, and the request is cancelled.
 */
export function optionFor(answer: "allow" | "refuse", options: readonly PermissionOption[]): string | null {
  const kinds = answer === "allow" ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  for (const kind of kinds) {
    const found = options.find((option) => option.kind === kind);
    if (found) return found.optionId;
  }
  return null;
}

export function questionOf(call: ToolCallUpdate): { readonly title: string; readonly detail: string } {
  return {
    title: call.title ?? call.kind ?? "a tool",
    detail: shortLine(commandOf(call) || call.rawInput || ""),
  };
}
