/**
 * A model that does as the prompt says, so that real agent programs can be driven without a model. The last prompt's
 * lines steer it:
 *
 *   RUN: command        it calls the agent's shell tool with the command, one after the other
 *   CALL: tool {…}      it calls the agent's tool whose name ends so, with the JSON; in one row with RUN
 *   WRITE: path text    it writes the file by the agent's own tool for files, by the shell where it has none
 *   SAY: text           its last words (else it says how many commands it ran)
 *   RECALL:             its last words are the first lines of the prompts that it was shown before this one
 *   MODEL: 400          it answers with that HTTP status (400, 401, 429, 500)
 *   MODEL: cut          it cuts the stream in the middle of an answer
 *   MODEL: hang         it never answers
 *   MODEL: go           none of these: the first such line counts
 *
 * Told that its turn was cut short, it does what that turn's prompt says from the beginning.
 */
export type Said =
  | { readonly by: "user"; readonly text: string }
  | { readonly by: "tool"; readonly text: string }
  | { readonly by: "model" };

export interface ModelRequest {
  readonly model: string;
  readonly said: readonly Said[];
  /** The agent's shell tool, if it offers one. */
  readonly shell: string | null;
  /** Every tool that it offers, by its whole name: asides such as a title's request offer none. */
  readonly tools: readonly Tool[];
}

export interface Tool {
  readonly name: string;
  /** What the API calls it under, where tools come in groups. */
  readonly group?: string;
}

export type Answer =
  | { readonly type: "call"; readonly tool: Tool; readonly input: unknown }
  | { readonly type: "say"; readonly text: string }
  | { readonly type: "status"; readonly status: number }
  | { readonly type: "cut" }
  | { readonly type: "hang" };

const STEERING = /^\s*(RUN|CALL|WRITE|SAY|RECALL|MODEL):/m;
const CUT_SHORT = /was cut short/;
const ACTS: ReadonlySet<string> = new Set(["RUN", "CALL", "WRITE"]);
/** Under any of these names an agent offers its shell. */
export const SHELLS = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command"];

export function answer(asked: ModelRequest): Answer {
  const last = asked.said.findLastIndex((one) => one.by === "user" && STEERING.test(one.text));
  const steering = asked.said[last];
  if (asked.tools.length === 0 || steering?.by !== "user")
    return { type: "say", text: "scripted model: nothing to do" };
  const lines = steeringLines(steering.text);
  const fault = lines.find((line) => line.word === "MODEL")?.rest;
  const acts = lines.filter((line) => ACTS.has(line.word));
  const again = asked.said.findLastIndex((one) => one.by === "user" && CUT_SHORT.test(one.text));
  const done = asked.said.slice(Math.max(last, again)).filter((one) => one.by === "tool").length;
  const next = acts[done];
  if (next?.word === "RUN") return runBy(asked, next.rest);
  if (next?.word === "WRITE") return writeBy(asked, next.rest);
  if (next) return callOf(asked.tools, next.rest);
  if (fault === "cut" || fault === "hang") return { type: fault };
  if (fault && fault !== "go") return { type: "status", status: Number(fault) };
  if (lines.some((line) => line.word === "RECALL"))
    return { type: "say", text: recall(asked.said.slice(0, last)) };
  const words = lines.filter((line) => line.word === "SAY").map((line) => line.rest);
  return { type: "say", text: words.join("\n") || `scripted model: ran ${done} command(s), done` };
}

function steeringLines(text: string): { word: string; rest: string }[] {
  return text.split("\n").flatMap((line) => {
    const [, word, rest] = /^\s*(RUN|CALL|WRITE|SAY|RECALL|MODEL):\s*(.*?)\s*$/.exec(line) ?? [];
    return word ? [{ word, rest: rest ?? "" }] : [];
  });
}

/** Each agent puts words of its own before a tool's name: `mcp__pawl__start_task`, `pawl_start_task`. */
function callOf(tools: readonly Tool[], text: string): Answer {
  const [word = "", ...rest] = text.split(" ");
  const tool = tools.find(({ name }) => name === word || name.endsWith(`_${word}`));
  const names = tools.map(({ name }) => name).join(", ");
  if (!tool) return { type: "say", text: `scripted model: there is no tool ${word} among ${names}` };
  return { type: "call", tool, input: JSON.parse(rest.join(" ") || "{}") };
}

function runBy({ shell }: ModelRequest, command: string): Answer {
  if (shell === null) return { type: "say", text: "scripted model: it is offered no shell" };
  return { type: "call", tool: { name: shell }, input: shellInput(shell, command) };
}

/** The tools by which agents write a whole file, and how each names the path. */
const WRITERS: Readonly<Record<string, string>> = {
  Write: "file_path",
  write: "filePath",
  write_file: "file_path",
};

function writeBy(asked: ModelRequest, text: string): Answer {
  const [path = "", ...words] = text.split(" ");
  const content = `${words.join(" ")}\n`;
  const tool = asked.tools.find(({ name }) => Object.hasOwn(WRITERS, name));
  if (!tool) return runBy(asked, `printf '%s' '${content.replaceAll("'", "'\\''")}' > ${path}`);
  return { type: "call", tool, input: { [WRITERS[tool.name] ?? ""]: path, content } };
}

function shellInput(shell: string, command: string): Record<string, unknown> {
  if (shell === "exec_command") return { cmd: command };
  if (shell === "shell") return { command: ["bash", "-lc", command] };
  if (shell === "shell_command") return { command };
  return { command, description: "scripted" };
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

/** What an agent offers, by the names in its request. */
export function offered(tools: readonly Tool[]): Pick<ModelRequest, "shell" | "tools"> {
  const shell = SHELLS.find((one) => tools.some(({ name }) => name === one)) ?? null;
  return { shell, tools };
}

export function namesOf(tools: readonly unknown[], ...path: readonly string[]): readonly Tool[] {
  return tools.flatMap((tool) => {
    const name = at(tool, ...path, "name");
    return typeof name === "string" ? [{ name }] : [];
  });
}
