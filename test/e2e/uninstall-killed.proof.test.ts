import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runPawl, temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

/** Ends the process at its nth call that changes the disk, as a power cut would. */
const KILLER = `
import fs from "node:fs";
import module from "node:module";
let left = Number(process.env.KILL_AT);
for (const name of ["renameSync", "rmSync", "rmdirSync", "unlinkSync", "writeSync"]) {
  const real = fs[name];
  fs[name] = (...given) => {
    const isOutput = name === "writeSync" && given[0] < 3;
    if (!isOutput && left-- === 0) process.kill(process.pid, "SIGKILL");
    return real(...given);
  };
}
module.syncBuiltinESMExports();
`;

it("pawl uninstall, killed at any call that changes the disk, is finished by the next one", async () => {
  promise("uninstall.killed");
  let kills = 0;
  for (let at = 0; ; at++) {
    using project = temporaryProject({ marked: false });
    execFileSync("git", ["init", "-q", project.root]);
    const status = () =>
      execFileSync("git", ["status", "--short", "-uall"], { cwd: project.root, encoding: "utf8" });
    const theirs = '{ "theme": "dark" }\n';
    project.write(".gemini/settings.json", theirs);
    const before = status();
    expect((await runPawl(project.root, ["init", "--client", "gemini", "--guard"])).code).toBe(0);
    using rig = temporaryProject({ marked: false });
    const killer = join(rig.root, "killer.mjs");
    writeFileSync(killer, KILLER);
    const environment = { NODE_OPTIONS: `--import=${killer}`, KILL_AT: String(at) };
    const { code } = await runPawl(project.root, ["uninstall", "--yes"], environment);
    const again = await runPawl(project.root, ["uninstall", "--yes"]);
    expect(again.code).toBe(0);
    expect(status(), `after call ${at}`).toBe(before);
    expect(project.read(".gemini/settings.json"), `after call ${at}`).toBe(theirs);
    expect((await runPawl(project.root, ["uninstall", "--yes"])).out).toContain("Nothing of Pawl is left");
    if (code === 0) break;
    kills++;
  }
  expect(kills).toBeGreaterThan(5);
}, 600_000);
