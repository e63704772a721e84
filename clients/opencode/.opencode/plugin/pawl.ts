// Made by `pawl init --guard`. Before each tool, it asks Pawl whether the assistant may use it; after each command, it lets
// Pawl look at what that has changed.
import { spawnSync } from "node:child_process";

const LAUNCH = ["npx","--no","pawl","guard","opencode"];
const READING = ["read", "glob", "grep", "list", "todoread", "todowrite", "webfetch", "websearch", "question"];

const ask = (call, { directory, worktree }) => {
  const input = JSON.stringify({ ...call, cwd: directory, folders: [worktree] });
  const [program, ...words] = LAUNCH;
  return spawnSync(program, words, { cwd: directory, input, encoding: "utf8", timeout: 30000, maxBuffer: 1 << 24 });
};

export const Pawl = async (place) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const asked = ask({ event: "before-tool", tool, sessionID, callID, args }, place);
    if (asked.status === 0 && asked.stdout.trim() === "") return;
    if (asked.status === null || asked.status > 2 || asked.stdout.trim() === "") {
      if (READING.includes(tool)) return;
      throw new Error("Pawl's guard did not answer, so only reading goes on: " + (asked.error?.message ?? asked.stderr ?? ""));
    }
    throw new Error(JSON.parse(asked.stdout).reason);
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args = {} }) => {
    if (tool === "bash") ask({ event: "after-tool", tool, sessionID, callID, args }, place);
  },
});
