/** What an assistant is about to do, in one shape for all clients. */
export type Action =
  /** Creates, changes or removes files. Paths as the client wrote them: absolute, or relative to `cwd`. */
  | { readonly type: "write"; readonly paths: readonly string[]; readonly cwd: string }
  | { readonly type: "shell"; readonly command: string; readonly cwd: string }
  /** A tool of an MCP server. `server` as the client calls it. */
  | {
      readonly type: "call";
      readonly server: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "other" };

export type Verdict = { readonly allow: true } | { readonly allow: false; readonly reason: string };

export const ALLOWED: Verdict = { allow: true };
