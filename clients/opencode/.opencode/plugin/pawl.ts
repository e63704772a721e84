// Made by `pawl init --guard`. Before each tool, it asks Pawl whether the assistant may use it; after each command, it lets
// Pawl look at what that has changed.
import { spawnSync } from "node:child_process";

const LAUNCH = ["npx","--no","--package=pawl","--","pawl","guard","opencode"];
const READING = ["read", "glob", "grep", "list", "todoread", "todowrite", "webfetch", "websearch", "question"];

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
    if (asked.status === null || asked.status > 2 || asked.stdout.trim() === "") {
      if (READING.includes(tool)) return;
      throw new Error("Pawl's guard did not answer, so only reads are allowed: " + (asked.error?.message ?? asked.stderr ?? ""));
    }
    const { reason, wall } = JSON.parse(asked.stdout);
    if (wall === undefined) throw new Error(reason);
    if (usual === undefined) throw new Error("Pawl's wall is not OpenCode's shell here, so the command was not run: start OpenCode again.");
    walls.set(callID, wall);
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args = {} }) => {
    if (tool === "bash") ask({ event: "after-tool", tool, sessionID, callID, args }, place);
  },
});
