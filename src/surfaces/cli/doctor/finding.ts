/** What `pawl doctor` found in one check. */
import { toPawlError } from "../../../core/error.ts";

export interface Finding {
  /** What was checked: `git`, `.mcp.json`, `release:1.2.0`. */
  readonly what: string;
  /** `hint`: it works, but could be improved. `fault`: something does not work. */
  readonly state: "good" | "hint" | "fault";
  readonly found: string;
  /** The command that fixes it, as a person types it. */
  readonly command?: string;
  /** How to fix it, in words; next to a command only if the command is not enough. */
  readonly fix?: string;
}

export function good(what: string, found: string): Finding {
  return { what, state: "good", found };
}

export function hint(what: string, found: string, fix: Fix): Finding {
  return { what, state: "hint", found, ...fix };
}

export function fault(what: string, found: string, fix: Fix): Finding {
  return { what, state: "fault", found, ...fix };
}

type Fix = { readonly command: string; readonly fix?: string } | { readonly fix: string };

/** Runs a check; if it throws, that is a fault with the error's own fix. */
export async function findingsOr(
  what: string,
  find: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await find();
  } catch (thrown) {
    const { fix, message } = toPawlError(thrown);
    return [fault(what, message, { fix })];
  }
}
