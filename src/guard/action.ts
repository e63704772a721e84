/** An assistant's intended action, in one form for all clients. */
export type Action =
  /**
   * Creates, changes or removes files. Paths are as the client wrote them: absolute, or relative to `cwd`.
   * `mentions`: other texts in the call that may name a place. Without paths: the tool writes, but does not
   * say where.
   */
  | {
      readonly type: "write";
      readonly paths: readonly string[];
      readonly mentions?: readonly string[];
      readonly cwd: string;
      /** For the message if the tool does not say where it writes. */
      readonly tool?: string;
    }
  /** `isWhole`: the tool's input is only the command, so it can be replaced by another. */
  | { readonly type: "shell"; readonly command: string; readonly cwd: string; readonly isWhole?: boolean }
  /** A tool of an MCP server. `server`: the client's name for it. */
  | {
      readonly type: "call";
      readonly server: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "other" };

/**
 * `wall`: the command may run behind a wall. `closed`: it can write nothing of the project; `open`:
 * everything but the protected places.
 */
export type Verdict =
  | { readonly allow: true; readonly wall?: "closed" | "open" }
  | { readonly allow: false; readonly reason: string };

export const ALLOWED: Verdict = { allow: true };
