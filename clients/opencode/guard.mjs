// Before each tool, it asks Pawl whether the assistant may use it; after each command, it lets Pawl look at what that has changed.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const LAUNCH = ["node", fileURLToPath(new URL("pawl.mjs", import.meta.url)), "guard", "opencode"];

const ask = (call, { directory, worktree }) => {
  const input = JSON.stringify({ ...call, cwd: directory, folders: [worktree] });
  const [program, ...words] = LAUNCH;
  return spawnSync(program, words, { cwd: directory, input, encoding: "utf8", timeout: 30000, maxBuffer: 1 << 24 });
};

export const Pawl = async (place) => ({
  "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
    const asked = ask({ event: "before-tool", tool, sessionID, callID, args }, place);
    if (asked.status === 0 && asked.stdout.trim() === "") return;
    if (asked.status === null || asked.status > 2 || asked.stdout.trim() === "") return;
    throw new Error(JSON.parse(asked.stdout).reason);
  },
  "tool.execute.after": async ({ tool, sessionID, callID, args = {} }) => {
    if (tool === "bash") ask({ event: "after-tool", tool, sessionID, callID, args }, place);
  },
});
