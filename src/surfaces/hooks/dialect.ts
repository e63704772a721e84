/** How a client calls its hooks, and what it takes for an answer. */
import { type Fields, isObject } from "../../core/is-object.ts";
import type { Action } from "../../guard/action.ts";

export interface HookCall {
  /** `shell`: which program is to be the client's shell. `other`: the guard has nothing to say about it. */
  readonly event: "before-tool" | "after-tool" | "stop" | "session" | "shell" | "other";
  /** The client's name of the conversation; empty: it gives none. */
  readonly session: string;
  /** Absolute; null: the client does not say. */
  readonly cwd: string | null;
  /** Further folders that the client works in. */
  readonly folders: readonly string[];
  readonly actions: readonly Action[];
  /** Of the tool, as the client gave it. */
  readonly input: Input;
  readonly isSubagent: boolean;
  /** How often a hook has refused this end already, as far as the client says. */
  readonly continued: number;
}

/** What the hook's process answers. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

export type Input = Fields;

export interface Dialect {
  /** `event`: what the hook's command names, where the client's own call does not. */
  read(input: Input, event: string | undefined): HookCall;
  allow(call: HookCall): Output;
  /** Before a tool. `isSure`: false where the call could not even be read. */
  deny(reason: string): Output;
  /** Before a shell's tool: it shall run this command instead of its own. Absent: the client cannot be told so. */
  behind?(input: Input, command: string): Output;
  /** The assistant shall not stop yet; null: this client cannot be told so. */
  continueWith(reason: string): Output | null;
}

export function json(value: unknown, exit = 0): Output {
  return { exit, stderr: "", stdout: `${JSON.stringify(value)}\n` };
}

export const SILENT: Output = { exit: 0, stderr: "", stdout: "" };

/** The first of these that is a text; else empty. */
export function textIn(input: Input, ...keys: readonly string[]): string {
  for (const key of keys) {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** A tool's input: an object, or one as JSON in a text. */
export function inputIn(input: Input, ...keys: readonly string[]): Input {
  for (const key of keys) {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    if (isObject(value)) return value;
    if (typeof value === "string") {
      const read = parsed(value);
      if (isObject(read)) return read;
      // A patch, or a command, without a name.
      if (value !== "") return { input: value };
    }
  }
  return {};
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export function textsIn(input: Input, key: string): readonly string[] {
  const value = Object.hasOwn(input, key) ? input[key] : undefined;
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

export function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[/\\])/.test(path);
}
