/**
 * A model that does as the prompt says, so that real agent programs can be driven without a model. The last prompt's
 * lines steer it:
 *
 *   RUN: command        it calls the agent's shell tool with the command, one after the other
 *   SAY: text           its last words (else it says how many commands it ran)
 *   RECALL:             its last words are the first lines of the prompts that it was shown before this one
 *   MODEL: 400          it answers with that HTTP status (400, 401, 429, 500)
 *   MODEL: cut          it cuts the stream in the middle of an answer
 *   MODEL: hang         it never answers
 */
export type Said =
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "tool"; readonly text: string }
  | { readonly by: "model" };

export interface Asked {
  readonly model: string;
  readonly said: readonly Said[];
  /** The agent's shell tool, if it offers one: asides such as a title's request offer none. */
  readonly shell: string | null;
}

export type Answer =
  | { readonly type: "call"; readonly command: string }
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "status"; readonly status: number }
  | { readonly type: "cut" }
  | { readonly type: "hang" };

const STEERING = /^\s*(RUN|SAY|RECALL|MODEL):/m;
/** Under any of these names an agent offers its shell. */
export const SHELLS = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command"];

export function answer(asked: Asked): Answer {
  const last = asked.said.findLastIndex((one) => one.by === "user" && STEERING.test(one.text));
  const steering = asked.said[last];
  if (asked.shell === null || steering?.by !== "user")
    return { type: "say", text: "scripted model: nothing to do" };
  const lines = steeringLines(steering.text);
  const fault = lines.find((line) => line.word === "MODEL")?.rest;
  const commands = lines.filter((line) => line.word === "RUN").map((line) => line.rest);
  const done = asked.said.slice(last).filter((one) => one.by === "tool").length;
  const next = commands[done];
  if (next !== undefined) return { type: "call", command: next };
  if (fault === "cut" || fault === "hang") return { type: fault };
  if (fault) return { type: "status", status: Number(fault) };
  if (lines.some((line) => line.word === "RECALL"))
    return { type: "say", text: recall(asked.said.slice(0, last)) };
  const words = lines.filter((line) => line.word === "SAY").map((line) => line.rest);
  return { type: "say", text: words.join("\n") || `scripted model: ran ${done} command(s), done` };
}

function steeringLines(text: string): { word: string; rest: string }[] {
  return text.split("\n").flatMap((line) => {
    const [, word, rest] = /^\s*(RUN|SAY|RECALL|MODEL):\s*(.*?)\s*$/.exec(line) ?? [];
    return word ? [{ word, rest: rest ?? "" }] : [];
  });
}

function recall(before: readonly Said[]): string {
  const prompts = before.flatMap((one) => (one.by === "user" && STEERING.test(one.text) ? [one.text] : []));
  return `I recall ${prompts.length} prompt(s): ${prompts.map((text) => text.trim().split("\n")[0]).join(" | ")}`;
}

/** The body's value at a path, as far as it goes. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<string | number, unknown>)[key];
  }
  return here;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The text of content that is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part === "string" ? part : String(at(part, "text") ?? ""))).join("\n");
}

export function shellAmong(names: readonly unknown[]): string | null {
  return SHELLS.find((shell) => names.includes(shell)) ?? null;
}
