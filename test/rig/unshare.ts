import { spawnSync } from "node:child_process";

/** How this machine lets a process mount for itself; undefined: it does not. */
export const unshare = (["-m", "-rm"] as const).find(
  (how) =>
    spawnSync("unshare", [how, "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "/mnt"]).status === 0,
);
