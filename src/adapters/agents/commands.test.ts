import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { probe } from "../wall/probe.ts";

const { program: bwrap } = probe(process.env);

it.skipIf(bwrap === null)("a command says what is missing if there is no bash, as on Alpine", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-no-bash-")));
  try {
    const script = `
      const { openCommands } = await import(process.argv[1]);
      const root = process.argv[2];
      const commands = openCommands({ projectRoot: root, environment: { PATH: "/usr/bin:/bin" }, names: [] });
      const { ended } = commands.run({ run: "v1", command: "true", folder: { agentPath: root } });
      const { exit, tail } = await ended;
      console.log(exit, tail);`;
    const words = ["--input-type=module", "-e", script, join(import.meta.dirname, "commands.ts"), root];
    const places = ["--tmpfs", "/usr/bin", "--ro-bind", realpathSync("/bin/sh"), "/usr/bin/sh"];
    const args = ["--dev-bind", "/", "/", ...places, "--", process.execPath, ...words];
    const { stderr, stdout } = spawnSync(bwrap ?? "", args, { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^127 .*Pawl runs commands by bash, and there is none/);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
