/** Keeps `.claude/settings.local.json` as a session's state wants it: its shell closed by Claude Code's own sandbox, or as the person has it. */
import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { realPathOf } from "../adapters/files/real-path.ts";
import type { Environment } from "../config/config.ts";
import { stateFolder } from "../config/state-home.ts";
import { attempt } from "../core/attempt.ts";
import type { SandboxNote } from "../surfaces/cli/guard/claude-sandbox.ts";

export interface ClaudePlace {
  /** Of Pawl's project. */
  readonly root: string;
  /** In which Claude Code was started: its settings stand there. */
  readonly folder: string;
  readonly environment: Environment;
}

type Kept = SandboxNote & { readonly file: string; readonly text: string };

/** `changed`: a command that is already on its way may still run as it was. `impossible`: the file cannot be used. */
export type Arranged = "as-wanted" | "changed" | "impossible";

const NAME = ".claude/settings.local.json";

export async function arrangeShell(place: ClaudePlace, isClosed: boolean): Promise<Arranged> {
  const { environment, root } = place;
  const folder = realPathOf(place.folder);
  const file = join(folder, NAME);
  const note = join(stateFolder(root, environment), "guard", "claude-sandbox.json");
  const kept = attempt(() => JSON.parse(readFileSync(note, "utf8")) as Kept, null);
  const text = attempt(() => readFileSync(file, "utf8"), null);
  const isOurs = kept !== null && kept.file === file && kept.text === text;
  if (isClosed ? isOurs : kept === null) return "as-wanted";
  const { closeShell, openShell } = await import("../surfaces/cli/guard/claude-sandbox.ts");
  // A person may have edited the file since.
  if (kept !== null) rewrite(kept.file, (found) => openShell(found, kept));
  if (!isClosed) {
    rmSync(note, { force: true });
    return "changed";
  }
  if (!isPlain(file)) return "impossible";
  const closed = closeShell(
    attempt(() => readFileSync(file, "utf8"), null),
    [".", ...(folder === root ? [] : [root])],
  );
  if (closed === null) return "impossible";
  mkdirSync(dirname(note), { recursive: true, mode: 0o700 });
  // First what undoes it.
  write(note, JSON.stringify({ ...closed.note, file, text: closed.text } satisfies Kept));
  write(file, closed.text);
  return "changed";
}

/** No link leads Pawl elsewhere. */
function isPlain(file: string): boolean {
  const folder = dirname(file);
  return realPathOf(folder) === folder && !lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
}

function rewrite(file: string, change: (text: string) => string | null): void {
  const text = attempt(() => (isPlain(file) ? readFileSync(file, "utf8") : null), null);
  const changed = text === null ? null : change(text);
  if (text !== null && changed !== text) write(file, changed);
}

function write(file: string, text: string | null): void {
  if (text === null) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}.new`;
  writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
  renameSync(fresh, file);
}
