/**
 * How the commands are shown to a person: 30 of them, in four groups. The others stand below one of these, as
 * `task list` or `log stats`; without the first word they work, too, and under the name `bloom` they always do.
 */

/** The help's rows: commands, and what they do. */
export const COMMAND_GROUPS: Readonly<
  Record<string, readonly (readonly [commands: string, says: string])[]>
> = {
  work: [
    ["init, demo", "set up a project; make a small one to try Pawl"],
    ["status", "show every run, and what waits for you"],
    ["run", "work through tasks.yaml with agents"],
    ["watch, board", "follow and decide: in the terminal, in a browser"],
    ["review", "show what you are to decide, and what was found"],
    ["approve, reject", "accept it, or send it back with your reasons"],
    ["answer", "answer an agent's question"],
    ["show, log", "show the history of one run, or of everything"],
  ],
  tasks: [
    ["task", "list, add, edit, start, finish … tasks"],
    ["plan, import", "have an agent propose tasks; import tasks"],
    ["cast, lumos", "cast a spell, or see which ones you can cast"],
  ],
  project: [
    ["config, trust", "show settings; allow the project's programs"],
    ["check, workflow", "prove the workflows; begin one of your own"],
    ["doctor, repair", "find what does not work; repair damaged files"],
    ["mcp, uninstall", "serve assistants; remove Pawl, keep your work"],
  ],
  team: [
    ["worker, database", "share tasks with other machines"],
    ["adopt, verify", "continue a run of others; verify signed gates"],
    ["keys", "say whose signature counts"],
  ],
};

/** By a shown command: the words below it, each with the command that it calls. */
const BELOW: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  task: sameNames(
    ...[
      "list",
      "add",
      "edit",
      "show",
      "next",
      "validate",
      "prompt",
      "ready",
      "start",
      "done",
      "block",
      "cancel",
    ],
    ...["todo", "assign", "note", "reset", "step", "ask", "questions", "interject", "worktrees", "repo"],
    ...["sync", "share", "export"],
  ),
  log: sameNames("stats", "trace"),
  config: sameNames("agents", "policy", "notify", "guard", "completion"),
  workflow: sameNames("diagram", "prompts"),
  mcp: sameNames("call"),
  worker: { list: "workers", drain: "workers drain" },
};

function sameNames(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, name]));
}

export interface Resolved {
  /** The words of the command that is called. */
  readonly words: readonly string[];
  /** The command above it, as it was written; null: none was. */
  readonly above: string | null;
}

/** `task list todo` → `list todo`, below `task`. */
export function resolveCommand(words: readonly string[]): Resolved {
  const [first = "", second = "", ...rest] = words;
  const command = belowOf(first)[second];
  return command === undefined
    ? { words, above: null }
    : { words: [...command.split(" "), ...rest], above: first };
}

/** The commands below a shown command. */
export function belowOf(command: string): Readonly<Record<string, string>> {
  return Object.hasOwn(BELOW, command) ? (BELOW[command] ?? {}) : {};
}

/** The shown words of a command: `list` → `task list`, `workers drain` → `worker drain`. */
export function shownCommand(name: string): string {
  if (SHOWN_COMMANDS.includes(name)) return name;
  for (const [above, words] of Object.entries(BELOW))
    for (const [word, command] of Object.entries(words)) {
      if (command === name) return `${above} ${word}`;
      if (word === command && name.startsWith(`${command} `)) return `${above} ${name}`;
    }
  return name;
}

/** The shown commands, in the order of the help. */
export const SHOWN_COMMANDS: readonly string[] = Object.values(COMMAND_GROUPS).flatMap((rows) =>
  rows.flatMap(([commands]) => commands.split(", ")),
);
