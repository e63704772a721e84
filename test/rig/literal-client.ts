/**
 * An assistant that does literally what it reads, and nothing else: it takes the one call that a prompt requires, with the
 * arguments that the prompt gives, makes artifacts of the structure that it is shown, and waits for a person where it is told
 * to. What it cannot read, it does not guess: it stops with the prompt.
 */
import { TOOLS } from "../../src/workflows/alfred/tools/tools.ts";

export interface Required {
  readonly tool: string;
  readonly task: string;
  /** What the prompt gives beside the task's id. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The structure that an artifact must have; or the artifact itself, where the prompt holds it whole. */
  readonly structure: unknown;
  readonly isWhole: boolean;
  /** The prompt leaves the verdict to its reader. */
  readonly isVerdict: boolean;
  /** What a person is to be asked to run first. */
  readonly persons: boolean;
}

const NAMES: readonly string[] = TOOLS.map(({ name }) => name);
const ACTION = "### **Required Action**";

/** The tools that a text names as calls, each once. */
export function toolsNamed(text: string): readonly string[] {
  const words = text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [];
  return [...new Set(words)].filter((word) => NAMES.includes(word));
}

export function actionOf(prompt: string): string {
  const at = prompt.lastIndexOf(ACTION);
  return at < 0 ? prompt : prompt.slice(at + ACTION.length);
}

/** The one call that the prompt requires; null at the end of the road. */
export function readPrompt(prompt: string): Required | null {
  if (prompt.includes("Nothing is left to be done.")) return null;
  const action = actionOf(prompt);
  const sentence = action.replace(/```[\s\S]*?```/g, "");
  const called = prompt.includes(ACTION) ? toolsNamed(sentence) : toolsCalled(sentence);
  const [tool] = called;
  if (tool === undefined || called.length !== 1)
    throw new Error(`Expected one call, found ${called.join(", ") || "none"} in:\n${prompt}`);
  const task = /task_id "([^"]+)"/.exec(action)?.[1] ?? /\btask '?([A-Za-z0-9._-]+)'?/.exec(action)?.[1];
  if (task === undefined) throw new Error(`No task's id in:\n${prompt}`);
  const json = /```json\n([\s\S]*?)\n```/.exec(action)?.[1];
  return {
    tool,
    task,
    input: inputIn(sentence),
    structure: json === undefined ? null : (JSON.parse(json) as unknown),
    isWhole: sentence.includes("this artifact"),
    isVerdict: /^- `is_approved: false`/m.test(action),
    persons: sentence.includes("`pawl approve"),
  };
}

/** In a sentence without a section of its own: `Call plan_task with`, `Call 'plan_task' to`, `use the 'x' tool`. */
function toolsCalled(sentence: string): readonly string[] {
  const found = sentence.matchAll(/\b(?:call|use the) ['`]?([a-z_]+)['`]?/gi);
  return [...new Set([...found].map(([, name]) => name ?? ""))].filter((name) => NAMES.includes(name));
}

function inputIn(sentence: string): Readonly<Record<string, unknown>> {
  const texts = [...sentence.matchAll(/\b(subtask_id|prd_content) "([^"]*)"/g)];
  const flags = [...sentence.matchAll(/`(hand_over|is_approved): (true|false)`/g)];
  return {
    ...Object.fromEntries(texts.map(([, name, value]) => [name, value])),
    ...Object.fromEntries(flags.map(([, name, value]) => [name, value === "true"])),
  };
}

/** What the assistant has at hand beside the tools. */
export interface Hands {
  /** Runs a command of the prompt in the project, and returns what it printed. */
  run(command: string): string;
  /** Whether it, or the person, approves what is under review. */
  approves(prompt: string, who: "ai" | "human"): boolean;
  /** The person gives the verdict in a terminal. */
  decides(task: string, isApproval: boolean): Promise<void>;
  /** Builds the slot, or whatever the prompt asks for. */
  builds(prompt: string): Promise<void>;
  /** A file of the project, for the artifacts. */
  readonly file: string;
}

export interface Heard {
  readonly text: string;
  readonly isError: boolean;
}

export type Caller = (tool: string, input: Record<string, unknown>) => Promise<Heard>;

const MAX_CALLS = 300;

/** Follows the prompts from the first call to the end; every call that was made, in their order. */
export async function follow(call: Caller, hands: Hands, first: Heard): Promise<readonly string[]> {
  const calls: string[] = [];
  let heard = first;
  for (let count = 0; count < MAX_CALLS; count++) {
    if (heard.isError) throw new Error(`Refused after ${calls.slice(-3).join(" → ")}:\n${heard.text}`);
    const required = readPrompt(heard.text);
    if (required === null) return calls;
    await act(heard.text, required, hands);
    const input = inputFor(heard.text, required, hands);
    calls.push(required.tool);
    heard = await call(required.tool, input);
  }
  throw new Error(`No end after ${MAX_CALLS} calls: … ${calls.slice(-12).join(" → ")}`);
}

/** What the prompt wants done before the call. */
async function act(prompt: string, { persons, task }: Required, hands: Hands): Promise<void> {
  if (persons) return hands.decides(task, hands.approves(prompt, "human"));
  const directive = prompt.slice(prompt.indexOf("### **Directive"));
  for (const [, command = ""] of directive.matchAll(/^`(git [^`]+)`$/gm)) {
    const instead = /already exists, use `(git [^`]+)`/.exec(directive)?.[1];
    hands.run(instead ? `${command} || ${instead}` : command);
  }
  if (directive.includes("Deliver the Work"))
    hands.run('git add -A; git diff --cached --quiet || git commit -q -m "Do it"');
  if (/Implement the Plan|Let the Loop Work/.test(directive)) await hands.builds(prompt);
}

function inputFor(prompt: string, required: Required, hands: Hands): Record<string, unknown> {
  const { input, isVerdict, isWhole, structure, task, tool } = required;
  const base = { task_id: task, ...input };
  if (tool === "submit_work")
    return { ...base, artifact: isWhole ? structure : artifactOf(structure, "", prompt, hands) };
  if (!isVerdict) return base;
  const is_approved = hands.approves(
    prompt,
    /^# STATE: .*human|AI review is passed|now the human's/m.test(prompt) ? "human" : "ai",
  );
  return { ...base, is_approved, ...(!is_approved && { feedback_notes: "Say it better." }) };
}

/** Of the structure's words: a value of the kind that they name; what is optional is left out. */
function artifactOf(words: unknown, name: string, prompt: string, hands: Hands): unknown {
  if (Array.isArray(words)) {
    if (/slot of the plan that is done/.test(String(words[0])))
      return [...prompt.matchAll(/^- \[x\] ([^:]+):/gm)].map(([, id]) => id);
    if (/outside them|question|to change, with its place/.test(String(words[0]))) return [];
    return [artifactOf(words[0], name, prompt, hands)];
  }
  if (typeof words === "object" && words !== null) {
    const entries = Object.entries(words).filter(
      ([, value]) =>
        !JSON.stringify(value).startsWith('"(optional)') && !JSON.stringify(value).startsWith('["(optional)'),
    );
    return Object.fromEntries(entries.map(([key, value]) => [key, artifactOf(value, key, prompt, hands)]));
  }
  return valueFor(String(words), name, hands);
}

function valueFor(words: string, name: string, hands: Hands): unknown {
  const command = /the output of '([^']+)'/.exec(words)?.[1];
  if (command) return hands.run(command).trim();
  if (words.includes("'git status --porcelain' names nothing"))
    return hands.run("git status --porcelain -- . ':!.alfred' ':!.pawl'").trim() === "";
  if (words.startsWith("boolean")) return true;
  if (words.startsWith("integer")) return 0;
  const such = /such as ([A-Za-z0-9-]+)/.exec(words)?.[1];
  if (such) return such;
  if (words.includes("the branch that you are on now")) return hands.run("git branch --show-current").trim();
  if (/^(?:[A-Z]+ \| )+[A-Z]+/.test(words)) return "MODIFY";
  if (/file|location|path/.test(name) || words.includes("a file of the project")) return hands.file;
  return words.includes("empty if there is none") ? "" : `${name}: done`;
}
