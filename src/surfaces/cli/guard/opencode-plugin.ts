/** The words of the command that starts Pawl. */
export type Launch = readonly string[];

/**
 * The text of the plugin that OpenCode loads from `.opencode/plugin/`. OpenCode has no hooks for other
 * programs, so the plugin calls `pawl guard opencode` before each tool and throws its refusal, which ends the
 * tool's call. If that call fails, only reading is allowed. After a command, the plugin has the working tree
 * compared with the scope.
 */
export function openCodePlugin(launch: Launch): string {
  const intro = `// Made by \`pawl init --guard\`. Before each tool, it asks Pawl whether the assistant may use it; after each command, it lets
// Pawl look at what that has changed.
import { spawnSync } from "node:child_process";`;
  return guardText(
    intro,
    JSON.stringify([...launch, "guard", "opencode"]),
    `
const READING = ["read", "glob", "grep", "list", "todoread", "todowrite", "webfetch", "websearch", "question"];`,
    `{
      if (READING.includes(tool)) return;
      throw new Error("Pawl's guard did not answer, so only reads are allowed: " + (asked.error?.message ?? asked.stderr ?? ""));
    }`,
  );
}

/**
 * The same for the package that a person installs. It is active in every folder, so a guard that cannot start
 * blocks nothing.
 */
export function openCodePackagedGuard(): string {
  const intro = `// Before each tool, it asks Pawl whether the assistant may use it; after each command, it lets Pawl look at what that has changed.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";`;
  const launcher = `fileURLToPath(new URL("pawl.mjs", import.meta.url))`;
  return guardText(intro, `["node", ${launcher}, "guard", "opencode"]`, "", "return;");
}

/** `unanswered`: the code that runs if the guard gives no answer. */
function guardText(intro: string, launch: string, more: string, unanswered: string): string {
  return `${intro}

const LAUNCH = ${launch};${more}

const ask = (call, { directory, worktree }) => {
  const input = JSON.stringify({ ...call, cwd: directory, folders: [worktree] });
  const [program, ...words] = LAUNCH;
  return spawnSync(program, words, { cwd: directory, input, encoding: "utf8", timeout: 30000, maxBuffer: 1 << 24 });
};

// By a call's id: the wall behind which its command runs. The shell is the program that puts it there.
const walls = new Map();
let usual;

export const Pawl = async (place) => ({
  config: async (config) => {
    const asked = ask({ event: "shell" }, place);
    if (asked.status !== 0 || asked.stdout.trim() === "") return;
    const answer = JSON.parse(asked.stdout);
    usual = config.shell || answer.usual;
    config.shell = answer.shell;
  },
  "shell.env": async ({ callID }, { env }) => {
    if (usual !== undefined) env.PAWL_SHELL = usual;
    if (walls.has(callID)) env.PAWL_WALL = walls.get(callID);
    walls.delete(callID);
  },
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const asked = ask({ event: "before-tool", tool, sessionID, callID, args }, place);
    if (asked.status === 0 && asked.stdout.trim() === "") return;
    if (asked.status === null || asked.status > 2 || asked.stdout.trim() === "") ${unanswered}
    const { reason, wall } = JSON.parse(asked.stdout);
    if (wall === undefined) throw new Error(reason);
    if (usual === undefined) throw new Error("Pawl's wall is not OpenCode's shell here, so the command was not run: start OpenCode again.");
    walls.set(callID, wall);
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args = {} }) => {
    if (tool === "bash") ask({ event: "after-tool", tool, sessionID, callID, args }, place);
  },
});
`;
}
