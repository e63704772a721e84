/** Where Pawl keeps what is outside of projects, for tests and the like: a scratch folder, never the tester's own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openProjectKey, type StateFolder } from "../../src/adapters/files/project-key.ts";
import { openStateHome } from "../../src/config/state-home.ts";

const STATE_HOME = "pawl-state-home-";

/** Makes it for this process and its children; answers how to remove it. */
export function useScratchStateHome(): () => void {
  const scratch = mkdtempSync(join(tmpdir(), STATE_HOME));
  process.env.XDG_STATE_HOME = scratch;
  return () => rmSync(scratch, { recursive: true, force: true });
}

/** What must be in the environment of every child. */
export function stateHome(): { readonly XDG_STATE_HOME: string } {
  const { XDG_STATE_HOME = "" } = process.env;
  if (XDG_STATE_HOME.includes(STATE_HOME)) return { XDG_STATE_HOME };
  throw new Error("A test without a scratch state home: call useScratchStateHome first.");
}

/** What is kept of the project at `root`, for a store that a test opens itself. */
export function stateOf(root: string): StateFolder {
  return openStateHome(root, stateHome());
}

/** Makes the key of the project at `root`, as its first commit does. */
export function makeKeyOf(root: string): void {
  openProjectKey(stateOf(root)).makeKey();
}
