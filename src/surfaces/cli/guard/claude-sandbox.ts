/**
 * Claude Code's own sandbox in the text of `.claude/settings.local.json`, for states in which nothing may be
 * written. The person's own settings are restored afterwards.
 */
import { getNodeValue } from "jsonc-parser";
import { isObject } from "../../../core/json.ts";
import { isBare } from "./edit-setup.ts";
import { append, nodeAt, remove, treeOf } from "./json-text.ts";

/** The setting before Pawl's change (null: none), and the one that Pawl wrote. */
export interface SandboxNote {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly wrote: Readonly<Record<string, unknown>>;
}

const KEY = ["sandbox"];

/** The setting in the text; null: none; undefined: the text or the setting is unreadable. */
function sandboxIn(text: string | null): Readonly<Record<string, unknown>> | null | undefined {
  const tree = treeOf(text ?? "");
  if (!("tree" in tree)) return undefined;
  const node = tree.tree && nodeAt(tree.tree, KEY);
  const value: unknown = node ? getNodeValue(node) : null;
  return value === null ? null : isObject(value) ? value : undefined;
}

/** Makes the folders read-only for every shell command. Null: the text is unreadable. */
export function closeShell(
  text: string | null,
  folders: readonly string[],
): { readonly text: string; readonly note: SandboxNote } | null {
  const before = sandboxIn(text);
  if (before === undefined) return null;
  const files = isObject(before?.filesystem) ? before.filesystem : {};
  const denied = Array.isArray(files.denyWrite) ? files.denyWrite : [];
  const wrote = {
    // The client keeps asking the person, unless they have set that otherwise.
    autoAllowBashIfSandboxed: false,
    ...before,
    enabled: true,
    failIfUnavailable: true,
    allowUnsandboxedCommands: false,
    excludedCommands: [],
    filesystem: { ...files, allowWrite: [], denyWrite: [...new Set([...denied, ...folders])] },
  };
  const plain = before === null ? (text ?? "") : remove(text ?? "", KEY);
  return { text: append(plain, KEY, wrote, false), note: { before, wrote } };
}

/**
 * Restores the setting before Pawl's change, unless a person has edited it since. Null: the file is empty
 * afterwards.
 */
export function openShell(text: string, { before, wrote }: SandboxNote): string | null {
  if (JSON.stringify(sandboxIn(text)) !== JSON.stringify(wrote)) return text;
  const plain = remove(text, KEY);
  if (before !== null) return append(plain, KEY, before, false);
  return isBare(plain) ? null : plain;
}
