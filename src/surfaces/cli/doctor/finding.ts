/** What `pawl doctor` found about one thing. */
import { toPawlError } from "../../../core/error.ts";

export interface Finding {
  /** The thing: `git`, `.mcp.json`, `release:1.2.0`. */
  readonly what: string;
  /** `hint`: it works, and could be better. `fault`: something does not work. */
  readonly state: "good" | "hint" | "fault";
  readonly found: string;
  /** What mends it, as it is typed. */
  readonly command?: string;
  /** What mends it, in words; beside a command only where that is not all. */
  readonly fix?: string;
}

export function good(what: string, found: string): Finding {
  return { what, state: "good", found };
}

export function hint(what: string, found: string, mend: Mend): Finding {
  return { what, state: "hint", found, ...mend };
}

export function fault(what: string, found: string, mend: Mend): Finding {
  return { what, state: "fault", found, ...mend };
}

type Mend = { readonly command: string; readonly fix?: string } | { readonly fix: string };

/** What a check finds; if it cannot look, that is the fault, with the error's own fix. */
export async function looked(
  what: string,
  look: () => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (thrown) {
    const { fix, message } = toPawlError(thrown);
    return [fault(what, message, { fix })];
  }
}
