/**
 * Sets `.claude/settings.local.json` by a session's state: its shell closed by Claude Code's own sandbox, or
 * as the person has it.
 */
import { lstatSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { readLinkedText } from "../../adapters/files/plain-file.ts";
import { realPathOf } from "../../adapters/files/real-path.ts";
import { writeWhole } from "../../adapters/files/write-whole.ts";
import type { Environment } from "../../config/config.ts";
import { stateFolder } from "../../config/state-home.ts";
import { attempt } from "../../core/attempt.ts";
import type { SandboxNote } from "../../surfaces/cli/guard/claude-sandbox.ts";

export interface ClaudeSession {
  /** The project's root. */
  readonly root: string;
  /** The folder in which Claude Code was started, with its settings. */
  readonly folder: string;
  readonly environment: Environment;
}

interface Kept {
  /** When it was set, in milliseconds since 1970. */
  readonly at: number;
  /** Null: the shell is as the person has it. */
  readonly closed: (SandboxNote & { readonly file: string; readonly text: string }) | null;
}

const NAME = ".claude/settings.local.json";
/** Milliseconds. Claude Code notices a change of its settings after some two seconds. */
const SEEN_AFTER = 4000;

/** Sets it, and returns the milliseconds until it counts. Null: the settings cannot be used. */
export async function arrangeShell(session: ClaudeSession, isClosed: boolean): Promise<number | null> {
  const { environment, root } = session;
  const folder = realPathOf(session.folder);
  const file = join(folder, NAME);
  const note = join(stateFolder(root, environment), "guard", "claude-sandbox.json");
  const kept = attempt(() => JSON.parse(readFileSync(note, "utf8")) as Kept, null);
  const before = kept?.closed ?? null;
  const isThere = before?.file === file && before.text === attempt(() => readLinkedText(file), null);
  if (isClosed ? isThere : before === null)
    return kept === null ? 0 : Math.max(0, kept.at + SEEN_AFTER - Date.now());
  const { closeShell, openShell } = await import("../../surfaces/cli/guard/claude-sandbox.ts");
  // A person may have edited the file since.
  if (before !== null) rewrite(before.file, (found) => openShell(found, before));
  const keep = (closed: Kept["closed"]) =>
    write(note, JSON.stringify({ at: Date.now(), closed } satisfies Kept));
  mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
  if (!isClosed) {
    keep(null);
    return SEEN_AFTER;
  }
  const text = attempt(() => readLinkedText(file), null);
  const closed = isPlain(file) ? closeShell(text, [".", ...(folder === root ? [] : [root])]) : null;
  if (closed === null) return null;
  // The undo information comes first.
  keep({ ...closed.note, file, text: closed.text });
  write(file, closed.text);
  return SEEN_AFTER;
}

/** Whether no link leads elsewhere. */
function isPlain(file: string): boolean {
  const folder = dirname(file);
  return realPathOf(folder) === folder && !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
}

function rewrite(file: string, change: (text: string) => string | null): void {
  const text = attempt(() => (isPlain(file) ? readLinkedText(file) : null), null);
  const changed = text === null ? null : change(text);
  if (text !== null && changed !== text) write(file, changed);
}

function write(file: string, text: string | null): void {
  if (text === null) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeWhole(file, text);
}
