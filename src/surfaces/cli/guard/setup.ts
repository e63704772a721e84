/**
 * The entries in each client's files that make its hooks call the guard, and the client's own deny rules.
 * Paths are relative to the project's root.
 *
 * Formats: Claude Code's `hooks` and `permissions.deny` (`/x` is the project's x; a rule for Edit covers
 * every tool that writes), Codex's `.codex/hooks.json` (Claude Code's form), Copilot's
 * `.github/hooks/*.json`, which VS Code reads, too, Cursor's `.cursor/hooks.json`, Gemini CLI's `hooks`
 * (milliseconds), Antigravity's `.agents/hooks.json` (by the hook's name), and OpenCode's plugins and
 * `permission.edit` (the last rule that matches counts).
 */
import { shellWord } from "../../../core/text/shell-word.ts";
import type { GuardedClient } from "../../../guard/clients.ts";
import { PERSON_VERBS } from "../../../guard/person-verbs.ts";
import { CLIENT_FILES } from "../../../guard/protected-places.ts";
import { openCodePlugin } from "./opencode-plugin.ts";

/** The words of the command line before a client's name: `pawl guard`. */
export type GuardLaunch = readonly string[];

/** One entry in a JSON file. */
export type Entry =
  /** An item of the list at the path that calls the guard. */
  | { readonly type: "hook"; readonly path: readonly string[]; readonly value: unknown }
  /** An item of the list at the path. */
  | { readonly type: "rule"; readonly path: readonly string[]; readonly value: string }
  /** A property. `isShared`: an existing one stays, and it is removed only with the whole file. */
  | {
      readonly type: "property";
      readonly path: readonly string[];
      readonly value: unknown;
      readonly isShared?: true;
    };

/** Uses the first of the names that exists, else the first. */
export type GuardFile = { readonly names: readonly [string, ...string[]] } & (
  | {
      readonly entries: readonly Entry[];
      /** The name under which the hooks call the guard, if not the client's. */
      readonly caller?: string;
    }
  /** The whole file is Pawl's. */
  | { readonly text: string }
);

export interface GuardSetup {
  readonly title: string;
  files(launch: GuardLaunch): readonly GuardFile[];
  /** What else a person has to know or do. */
  readonly note?: string;
}

/** For clients in which the guard replaces a command by another one. */
const OWN_RULES =
  "Where nothing may be written, its commands run behind Pawl's wall: what you deny by a command's name does not hold there.";

const FIRST_INSTALL =
  "Where the hook cannot start, each tool is blocked: after cloning the project, install its packages first.";

/** The hooks' timeout: a guard that takes longer is broken. */
const SECONDS = 30;

/** A handler in Claude Code's format. One call of the guard takes little longer than Node's start. */
const claudeForm = (command: string, more: object = {}) => ({
  hooks: [{ type: "command", command, timeout: SECONDS, ...more }],
});

const hook = (path: readonly string[], value: unknown): Entry => ({ type: "hook", path, value });

export const GUARD_SETUPS: Readonly<Record<GuardedClient, GuardSetup>> = {
  "claude-code": {
    title: "Claude Code",
    files: (launch) => {
      const command = commandOf(launch, "claude-code", { from: "CLAUDE_PROJECT_DIR" });
      // By default, Claude Code would let the tool run if the hook cannot start or takes too long.
      const before = { matcher: "*", ...claudeForm(command, { onFailure: "block" }) };
      return [
        {
          names: [".claude/settings.json"],
          entries: [
            hook(["hooks", "PreToolUse"], before),
            hook(["hooks", "PostToolUse"], { matcher: "*", ...claudeForm(command) }),
            hook(["hooks", "Stop"], claudeForm(command)),
            ...[...PROTECTED.map((glob) => `Edit(/${glob})`), ...PERSONS_COMMANDS].map(
              (value): Entry => ({ type: "rule", path: ["permissions", "deny"], value }),
            ),
          ],
        },
      ];
    },
    note: `${FIRST_INSTALL} Claude Code does so from 2.1.295 on.`,
  },
  codex: {
    title: "Codex",
    files: (launch) => {
      const entries = ["PreToolUse", "PostToolUse", "Stop"].map((event) =>
        hook(["hooks", event], claudeForm(commandOf(launch, "codex", { isClosed: event === "PreToolUse" }))),
      );
      return [{ names: [".codex/hooks.json"], entries }];
    },
    note: `${FIRST_INSTALL} Codex runs a project's hooks only after you trust them: start \`codex\` in this folder, open \`/hooks\`, and trust Pawl's. It asks again after each change of the file. ${OWN_RULES}`,
  },
  copilot: {
    title: "Copilot",
    files: copilotFiles,
    note: `Copilot calls a project's hooks only in folders that you trust, and lets a tool through if a hook takes too long. Its cloud agent reads the file from the default branch, and needs Pawl installed there. ${OWN_RULES}`,
  },
  // VS Code reads the same file, which makes the same call.
  vscode: { title: "VS Code", files: copilotFiles },
  cursor: {
    title: "Cursor",
    files: (launch) => {
      const command = commandOf(launch, "cursor");
      return [
        {
          names: [".cursor/hooks.json"],
          entries: [
            VERSION,
            hook(["hooks", "preToolUse"], { command, timeout: SECONDS, failClosed: true }),
            hook(["hooks", "postToolUse"], { command, timeout: SECONDS }),
            hook(["hooks", "stop"], { command, timeout: SECONDS, loop_limit: 5 }),
          ],
        },
      ];
    },
  },
  gemini: {
    title: "Gemini CLI",
    files: (launch) => {
      const group = (event: string) => ({
        hooks: [
          {
            name: "pawl",
            type: "command",
            command: commandOf(launch, "gemini", {
              from: "GEMINI_PROJECT_DIR",
              isClosed: event === "BeforeTool",
            }),
            timeout: SECONDS * 1000,
          },
        ],
      });
      const entries = ["BeforeTool", "AfterTool", "AfterAgent"].map((event) =>
        hook(["hooks", event], group(event)),
      );
      return [{ names: [".gemini/settings.json"], entries }];
    },
    note: `${FIRST_INSTALL} Gemini CLI runs a project's hooks only in folders that it trusts, and asks once about new ones. ${OWN_RULES}`,
  },
  antigravity: {
    title: "Antigravity",
    files: (launch) => {
      const handler = (event: string) => ({
        type: "command",
        command: commandOf(launch, "antigravity", { event }),
        timeout: SECONDS,
      });
      const group = (event: string) => [{ matcher: "*", hooks: [handler(event)] }];
      const value = {
        PreToolUse: group("PreToolUse"),
        PostToolUse: group("PostToolUse"),
        Stop: [handler("Stop")],
      };
      return [{ names: [".agents/hooks.json"], entries: [{ type: "property", path: ["pawl"], value }] }];
    },
    note: "Antigravity ignores a refusal of the tool that starts subagents.",
  },
  opencode: {
    title: "OpenCode",
    files: (launch) => [
      { names: [".opencode/plugin/pawl.ts"], text: openCodePlugin(launch.slice(0, -1)) },
      {
        names: ["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"],
        entries: PROTECTED.map((glob) => ({
          type: "property",
          // In OpenCode, a single star matches slashes, too.
          path: ["permission", "edit", glob.replace("**", "*")],
          value: "deny",
        })),
      },
    ],
    note: "OpenCode cannot be kept from stopping.",
  },
};

/** Whether the value is a handler that calls the guard for the client, even by another launch command. */
export function isOwnHandler(value: unknown, client: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { bash, command, powershell } = value as Readonly<Record<string, unknown>>;
  const call = new RegExp(`\\bguard ${client}(?: \\w+)?(?: \\|\\| \\{.*\\})?$`);
  return [bash, command, powershell].some((line) => typeof line === "string" && call.test(line));
}

const VERSION: Entry = { type: "property", path: ["version"], value: 1, isShared: true };

function copilotFiles(launch: GuardLaunch): readonly GuardFile[] {
  const handler = (event: string) => ({
    type: "command",
    // Copilot refuses by itself; VS Code goes by the exit code.
    bash: commandOf(launch, "copilot", { event, isClosed: event === "preToolUse" }),
    powershell: powershellOf([...launch, "copilot", event]),
    // Relative to the repository's root.
    cwd: ".",
    timeoutSec: SECONDS,
  });
  const events = ["preToolUse", "postToolUse", "agentStop"];
  const hooks = events.map((event) => hook(["hooks", event], handler(event)));
  return [{ names: [".github/hooks/pawl.json"], caller: "copilot", entries: [VERSION, ...hooks] }];
}

/**
 * The files that no tool of an assistant may write. Not all of `.git`: a sandbox that a client builds from
 * the same rules must allow git commits.
 */
const PROTECTED: readonly string[] = [
  ...[".pawl/**", ".alfred/**", ".ai/task/state.json", "pawl.yaml", "tasks.yaml"],
  ...[".git/hooks/**", ".git/config"],
  ...CLIENT_FILES,
];

/**
 * The commands reserved for a person, as an assistant would type them. The commands themselves refuse an
 * agent, too.
 */
const PERSONS_COMMANDS: readonly string[] = PERSON_VERBS.filter(({ except, only }) => !except && !only)
  .flatMap(({ name }) => [`pawl ${name}`, `bloom ${name}`])
  .flatMap((command) =>
    ["", "npx ", "npx --no ", "npx --no --package=pawl -- "].map((npx) => `Bash(${npx}${command}:*)`),
  );

interface Calling {
  /** The event, if the client's call does not name it. */
  readonly event?: string;
  /** The client's environment variable with the project's folder. */
  readonly from?: string;
  /** Refuses where the guard cannot start, which these clients would let through. */
  readonly isClosed?: boolean;
}

/** Exit code 2 refuses, if there are words on standard error. */
export const CLOSED =
  ' || { echo "Pawl cannot start here, or takes too long, so its guard refuses: install the packages of this project." >&2; exit 2; }';

/** Of processor time, in seconds: a call that made the guard work past the client's own limit would be let through. */
export const LIMITED = `ulimit -t ${SECONDS - 10}; `;

function commandOf(launch: GuardLaunch, client: string, { event, from, isClosed }: Calling = {}): string {
  const line = `${shellLine([...launch, client, ...(event ? [event] : [])])}${isClosed ? CLOSED : ""}`;
  // npx finds the project's packages only below the project, and the assistant may be in another folder.
  const there = from && launch[0] === "npx" ? `cd "\${${from}:-.}" && ${line}` : line;
  return isClosed ? `${LIMITED}${there}` : there;
}

export function shellLine(words: readonly string[]): string {
  return words.map(quoted).join(" ");
}

/** The word, quoted for a POSIX shell if necessary. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : shellWord(word);
}

function powershellOf([program = "", ...words]: readonly string[]): string {
  const literal = (word: string) => (/^[\w@./-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`);
  const called = literal(program);
  return [called === program ? called : `& ${called}`, ...words.map(literal)].join(" ");
}
