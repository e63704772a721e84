/** The format in which a client calls its hooks, and the answers that it accepts. */
import { type Fields, isObject } from "../../core/json.ts";
import type { Action } from "../../guard/action.ts";

export interface HookCall {
  /** `shell`: asks which program to use as the client's shell. `other`: not handled by the guard. */
  readonly event: "before-tool" | "after-tool" | "stop" | "session" | "shell" | "other";
  /** The client's id of the conversation; empty: none. */
  readonly session: string;
  /** Absolute; null: the client does not report it. */
  readonly cwd: string | null;
  /** Other folders in which the client works. */
  readonly folders: readonly string[];
  readonly actions: readonly Action[];
  /** The tool's input, as the client sent it. */
  readonly input: Input;
  readonly isSubagent: boolean;
  /** How often a hook has already refused this stop, according to the client. */
  readonly continued: number;
}

/** The output of the hook's process. */
export interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: number;
}

export type Input = Fields;

export interface Dialect {
  /** `event`: the event named in the hook's command, for clients whose calls do not name it. */
  read(input: Input, event: string | undefined): HookCall;
  allow(call: HookCall): Output;
  /** Refuses the tool's call, with the reason. */
  deny(reason: string): Output;
  /**
   * Before a shell tool: makes it run this command instead of its own. Absent: the client does not support
   * that.
   */
  replaceCommand?(input: Input, command: string): Output;
  /** Keeps the assistant from stopping; null: the client does not support that. */
  continueWith(reason: string): Output | null;
}

export function json(value: unknown, exit = 0): Output {
  return { exit, stderr: "", stdout: `${JSON.stringify(value)}\n` };
}

export const SILENT: Output = { exit: 0, stderr: "", stdout: "" };

/** The event that the client calls by this name. */
export function eventNamed(
  events: Readonly<Record<string, HookCall["event"]>>,
  name: string,
): HookCall["event"] {
  return Object.hasOwn(events, name) ? (events[name] ?? "other") : "other";
}

/** The first of these values that is a non-empty text; empty: none. */
export function textIn(input: Input, ...keys: readonly string[]): string {
  for (const key of keys) {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

/** A tool's input: an object, or JSON of one in a string. */
export function inputIn(input: Input, ...keys: readonly string[]): Input {
  for (const key of keys) {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    if (isObject(value)) return value;
    if (typeof value === "string") {
      const read = parsed(value);
      if (isObject(read)) return read;
      // A bare patch or command.
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
