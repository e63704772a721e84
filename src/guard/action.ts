/** What an assistant is about to do, in one shape for all clients. */
export type Action =
  /**
   * Creates, changes or removes files. Paths as the client wrote them: absolute, or relative to `cwd`. `mentions`: further texts
   * in the call that may name a place. No paths at all: a tool that says it writes, and not where.
   */
  | {
      readonly type: "write";
      readonly paths: readonly string[];
      readonly mentions?: readonly string[];
      readonly cwd: string;
      /** Shown where it says not where it writes. */
      readonly tool?: string;
    }
  /** `isWhole`: the command is all that the tool is given, so that another may stand in its place. */
  | { readonly type: "shell"; readonly command: string; readonly cwd: string; readonly isWhole?: boolean }
  /** A tool of an MCP server. `server` as the client calls it. */
  | {
      readonly type: "call";
      readonly server: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "other" };

/** `wall`: it may run behind a wall that lets nothing of the project be written, or only the protected places not. */
export type Verdict =
  | { readonly allow: true; readonly wall?: "closed" | "open" }
  | { readonly allow: false; readonly reason: string };

export const ALLOWED: Verdict = { allow: true };
