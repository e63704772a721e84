/**
 * The action of a client's tool, from its name and input. The clients' present tools are known by name. Any
 * other tool counts as writing if its name suggests that: then every argument that names a place counts as
 * written.
 */
import { isObject } from "../../core/json.ts";
import { shellWord } from "../../core/text/shell-word.ts";
import type { Action } from "../../guard/action.ts";
import { type HookCall, type Input, inputIn, isAbsolute, textIn } from "./dialect.ts";

export interface ToolCall {
  readonly tool: string;
  readonly input: Input;
  readonly cwd: string;
  /** The MCP server that has the tool; absent or null: the client's own. */
  readonly server?: string | null;
}

/** A client's call: its tool's actions, and for what the client does not say, that of an ordinary call. */
export function hookCall({
  cwd,
  tool,
  ...call
}: Pick<HookCall, "event" | "session"> &
  Partial<Pick<HookCall, "continued" | "folders" | "isSubagent">> & {
    /** Empty or absent: the client does not report it. */
    readonly cwd: string | undefined;
    readonly tool: Omit<ToolCall, "cwd">;
  }): HookCall {
  const hasTool = call.event === "before-tool" || call.event === "after-tool";
  return {
    ...{ folders: [], isSubagent: false, continued: 0, input: tool.input },
    ...call,
    cwd: cwd || null,
    actions: hasTool ? actionOf({ ...tool, cwd: cwd || "." }) : [],
  };
}

const SHELL =
  /^(?:bash|sh|zsh|shell|powershell|pwsh|cmd|terminal|monitor|repl|exec|local_?shell|unified_?exec|exec_?command|shell_?command|write_?stdin|write_?(?:bash|powershell|shell)|(?:run|execute)_?(?:shell|terminal|bash|in_?terminal)?_?(?:command|commands|cmd)?|run_?in_?terminal|send_?command_?input|send_?to_?terminal)$/i;
const PATCH = /^(?:apply_?patch|patch)$/i;
const WRITING =
  /write|edit|creat|replac|insert|patch|delet|remov|mov(?:e|ing)|renam|save|mkdir|append|truncat|copy|upload|generate_?image/i;
/** Tools that can also only view a file, depending on their `command`. */
const VIEWING = /str_?replace\w*edit|text_?editor/i;
/** Keys of the content that a tool writes. */
const CONTENT_KEY =
  /content|text|str|insert|edit|patch|diff|body|data|code|source|description|explanation|title|prompt|message|instruction/i;
/** VS Code's tool, which writes the task into the folder's file and runs it. */
const TASK = /^create_?and_?run_?task$/i;
/** Names that suggest writing, of tools that write no file of the project. */
const HARMLESS = /todo|memory|plan_mode|comment|issue|ticket|message/i;
/** Pawl's own server, under the names that people and plugins give it. */
export const OWN_SERVER = /pawl|alfred|spells|bloom/i;

export function actionOf({ cwd, input, server, tool }: ToolCall): readonly Action[] {
  const calls: readonly Action[] = server ? [{ type: "call", server, tool, input }] : [];
  if (!server && SHELL.test(tool)) {
    const command = commandIn(input);
    if (command === null) return [];
    return [{ type: "shell", command, cwd: folderIn(input, cwd), isWhole: input.command === command }];
  }
  if (!server && TASK.test(tool)) return taskIn(input, cwd);
  if (PATCH.test(tool))
    return [...calls, { type: "write", paths: patchPaths(input), cwd: folderIn(input, cwd) }];
  if (!WRITING.test(tool) || HARMLESS.test(tool) || isView(tool, input)) return calls;
  const { mentions, paths } = placesIn(input);
  // Pawl's tools write their files themselves, and a client may not name the server, so only absolute paths
  // and those in the home folder count.
  if (server && OWN_SERVER.test(server)) {
    const far = paths.filter(isFar);
    return far.length === 0 ? calls : [...calls, { type: "write", paths: far, cwd }];
  }
  // The client's own tools are known: one that names no place writes none.
  if (!server && paths.length === 0) return calls;
  return [...calls, { type: "write", paths, mentions, cwd, tool }];
}

function isView(tool: string, input: Input): boolean {
  if (!VIEWING.test(tool) || textIn(input, "command") !== "view") return false;
  return !Object.keys(input).some((key) => CONTENT_KEY.test(key));
}

function taskIn(input: Input, cwd: string): readonly Action[] {
  const folder = folderIn({ cwd: textIn(input, "workspaceFolder") }, cwd);
  const task = inputIn(input, "task");
  const line = [commandIn(task), commandIn({ command: task.args })].filter((part) => part !== null).join(" ");
  const runs: readonly Action[] = line === "" ? [] : [{ type: "shell", command: line, cwd: folder }];
  return [...runs, { type: "write", paths: [".vscode/tasks.json"], cwd: folder }];
}

const COMMAND_KEYS = [
  "command",
  "cmd",
  "CommandLine",
  "commandLine",
  "command_line",
  "script",
  "chars",
  "input",
  "code",
];

function commandIn(input: Input): string | null {
  for (const key of COMMAND_KEYS) {
    const value = Object.hasOwn(input, key) ? input[key] : undefined;
    if (typeof value === "string") return value;
    // Separate words, not parsed by a shell: quote each.
    if (Array.isArray(value)) return value.map((word) => shellWord(String(word))).join(" ");
  }
  return null;
}

/** The working folder of a shell command. */
function folderIn(input: Input, cwd: string): string {
  const named = textIn(
    input,
    "workdir",
    "working_directory",
    "workingDirectory",
    "dir_path",
    "directory",
    "cwd",
    "Cwd",
  );
  if (named === "") return cwd;
  return isAbsolute(named) ? named : `${cwd}/${named}`;
}

/** A patch whose files are unreadable may write anything in its folder. */
function patchPaths(input: Input): readonly string[] {
  const text = textIn(input, "command", "input", "patch", "patchText", "patch_text", "diff", "arguments");
  const paths = text === "" ? [] : patchedPaths(text);
  const named = paths.length > 0 ? paths : placesIn(input).paths;
  return named.length > 0 ? named : ["."];
}

/** Keys whose text is a place, in any form; but a notebook's `new_source` is content. */
const PATH_KEY =
  /^(?!new_?source$).*(?:paths?|files?|file_?names?|ur[il]s?|dir|director(?:y|ies)|folders?|dest(?:ination)?|target|source|src|location)$/i;
const MAX_DEPTH = 16;

/** An absolute path, a file URL, or a path in the home folder. */
function isFar(text: string): boolean {
  return isAbsolute(text) || /^(?:file:|~|\$HOME|\$\{HOME\})/i.test(text);
}

/** Every text in the input that names a place; `mentions`: texts under unknown keys that may name one. */
function placesIn(input: Input): { readonly paths: readonly string[]; readonly mentions: readonly string[] } {
  const [paths, mentions]: [string[], string[]] = [[], []];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (typeof value === "string") {
      if (value === "" || /^(?!file:)[a-z][\w+.-]+:\/\//i.test(value)) return;
      if (PATH_KEY.test(key)) paths.push(value);
      else if (CONTENT_KEY.test(key)) return;
      else if (isFar(value)) paths.push(value);
      else mentions.push(value);
    } else if (depth > MAX_DEPTH) paths.push(".");
    else if (Array.isArray(value)) for (const each of value) visit(each, key, depth + 1);
    else if (isObject(value)) for (const [name, each] of Object.entries(value)) visit(each, name, depth + 1);
  };
  visit(input, "", 0);
  return { paths, mentions };
}

/**
 * Splits `mcp__server__tool`, the form of Claude Code and Codex for tools of MCP servers; null: not of that
 * form.
 */
export function serverTool(name: string): { readonly server: string; readonly tool: string } | null {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? null : { server, tool };
}

/** Splits `server_tool` or `server-tool`, but only for Pawl's own server. */
export function pawlTool(
  name: string,
  prefix = "",
): { readonly server: string; readonly tool: string } | null {
  if (!name.startsWith(prefix)) return null;
  const [, server, tool] = /^([\w.-]*?pawl)[-_/:.]{1,2}(\w+)$/i.exec(name.slice(prefix.length)) ?? [];
  return server === undefined || tool === undefined ? null : { server, tool };
}

const FILE_LINE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): ?(.*)$/gm;

/** The files that a patch in the format of Codex's `apply_patch` creates, changes, moves or removes. */
function patchedPaths(patch: string): readonly string[] {
  return [...patch.matchAll(FILE_LINE)].map(([, path = ""]) => path.trim()).filter((path) => path !== "");
}
