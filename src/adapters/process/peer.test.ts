import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";

it.skipIf(process.platform !== "linux")(
  "a connection's process is found, even one that hides what it holds",
  () => {
    promise("board.agents");
    const folder = mkdtempSync(join(tmpdir(), "pawl-peer-"));
    const user = process.getuid?.() === 0 ? 65_534 : process.getuid?.();
    const hiding = join(folder, "bash");
    copyFileSync(execFileSync("sh", ["-c", "command -v bash"], { encoding: "utf8" }).trim(), hiding);
    // The kernel hides a process whose program its user may not read.
    chmodSync(hiding, 0o111);
    chmodSync(folder, 0o755);
    const program = `
      const { holdersOf, peerSocket } = await import(${JSON.stringify(new URL("./peer.ts", import.meta.url).href)});
      const { createServer } = await import("node:net");
      const { spawn } = await import("node:child_process");
      // That user may not be able to read this folder.
      if (process.getuid() === 0) { process.setgroups([]); process.setuid(${user}); }
      const server = createServer().listen(0, "127.0.0.1");
      server.on("listening", async () => {
        for (const bash of ["bash", ${JSON.stringify(hiding)}]) {
          const child = spawn(bash, ["-c", "exec 3<>/dev/tcp/127.0.0.1/$0; read -r word", String(server.address().port)]);
          const [{ localPort, remotePort }] = await new Promise((resolve) => server.once("connection", (...to) => resolve(to)));
          console.log(holdersOf(peerSocket({ localPort, remotePort })).includes(child.pid));
          child.kill("SIGKILL");
        }
        process.exit();
      });`;
    const words = ["--input-type=module", "-e", program];
    const { stderr, stdout } = spawnSync(process.execPath, words, { encoding: "utf8", cwd: "/" });
    rmSync(folder, { recursive: true });
    expect(stdout, stderr).toBe("true\ntrue\n");
  },
);
