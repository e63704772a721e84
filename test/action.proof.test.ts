/** The action for GitHub. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openAction } from "./rig/action.ts";
import { testEnvironment } from "./rig/project.ts";
import { promise } from "./rig/promise.ts";
import { type SignedRepository, signedRepository } from "./rig/signed-repository.ts";

const ACTION = openAction("action.yml");

let approved: SignedRepository;
beforeAll(async () => {
  approved = await signedRepository();
}, 60_000);
afterAll(() => {
  approved[Symbol.dispose]();
  approved.person[Symbol.dispose]();
});

/** As the runner calls it, with these inputs. `first`: what `npx` does before it calls the program. */
function act(repository: SignedRepository, inputs: Readonly<Record<string, string>> = {}, first = ":") {
  const bin = join(repository.root, ".git/bin");
  const environment = testEnvironment({
    DOOR_ONLY: "",
    PAWL_VERSION: "1.2.3",
    PAWL_BASE: "main",
    PAWL_HEAD: "work",
    PAWL_RERUN: "false",
    PAWL_FORGE: "false",
    PAWL_REPORT: join(bin, "pawl.sarif"),
    ...inputs,
  });
  return ACTION.run({ bin, cwd: repository.root, environment, first });
}

describe("action.yml", () => {
  it("gives its script what others wrote by the environment alone", () => {
    promise("verify.action");
    ACTION.expectInputsByEnvironmentAlone();
  });

  it("passes what was approved, fails what was not, and leaves a report", { timeout: 60_000 }, async () => {
    promise("verify.action");
    using repository = approved.copy();
    // What npx would take for its own in the checkout.
    repository.write(".npmrc", "registry=https://evil.example\n");
    const passed = await act(repository);
    expect([passed.code, passed.out]).toEqual([0, expect.stringContaining("Verified")]);
    const calls = readFileSync(join(repository.root, ".git/bin/calls"), "utf8");
    expect(calls).toContain(`--yes pawl@1.2.3 verify main..work --project ${repository.root}`);
    expect(calls).not.toContain(`in ${repository.root}`);
    repository.write("src/evil.js", "evil\n");
    repository.commit("Harmless");
    const failed = await act(repository);
    expect([failed.code, failed.out]).toEqual([1, expect.stringContaining("FAULT commit-uncovered")]);
    const sarif = readFileSync(join(repository.root, ".git/bin/pawl.sarif"), "utf8");
    expect(JSON.parse(sarif).runs[0].results).toHaveLength(1);
  });

  it("counts reviews if it is told to, and keeps the token from the program otherwise", async () => {
    promise("verify.forge");
    using repository = approved.copy();
    const calls = join(repository.root, ".git/bin/calls");
    const npx = (inputs: Readonly<Record<string, string>>) =>
      act(repository, { PAWL_PULL: "7", GITHUB_TOKEN: "ghp_token", ...inputs }, 'echo "token:$GITHUB_TOKEN"');
    const plain = await npx({ PAWL_FORGE: "false" });
    expect([plain.code, plain.out]).toEqual([0, expect.stringContaining("token:\n")]);
    expect(readFileSync(calls, "utf8")).not.toContain("--forge");
    const asked = await npx({ PAWL_FORGE: "true" });
    expect([asked.code, asked.out]).toEqual([0, expect.stringContaining("token:ghp_token")]);
    expect(readFileSync(calls, "utf8").match(/--forge --pull 7/g)).toHaveLength(2);
    expect((await npx({ PAWL_FORGE: "true", PAWL_PULL: "" })).code).toBe(2);
    expect(ACTION.inputs.token.default).toMatch(/^\$\{\{ github\.token \}\}$/);
    expect(ACTION.inputs.pull.default).toMatch(/^\$\{\{ github\.event\.pull_request\.number \}\}$/);
  });

  it("writes its report through no link of the pull request", { timeout: 60_000 }, async () => {
    promise("verify.action");
    using repository = approved.copy();
    const outside = mkdtempSync(join(tmpdir(), "pawl-outside-"));
    writeFileSync(join(outside, "mine"), "mine\n");
    symlinkSync(join(outside, "mine"), join(repository.root, "pawl.sarif"));
    symlinkSync(outside, join(repository.root, "out"));
    expect((await act(repository, { PAWL_REPORT: "pawl.sarif" })).code).toBe(0);
    expect((await act(repository, { PAWL_REPORT: "out/pawl.sarif" })).code).toBe(2);
    expect(readdirSync(outside)).toEqual(["mine"]);
    expect(readFileSync(join(outside, "mine"), "utf8")).toBe("mine\n");
    expect(JSON.parse(readFileSync(join(repository.root, "pawl.sarif"), "utf8")).runs).toHaveLength(1);
    rmSync(outside, { recursive: true });
  });

  it("takes an exact version only", async () => {
    promise("verify.action");
    for (const PAWL_VERSION of ["", "latest", "^1.0.0", "1.2.3; touch pwned"]) {
      const { code } = await act(approved, { PAWL_VERSION });
      expect(code).toBe(2);
    }
    expect(execFileSync("git", ["status", "--porcelain"], { cwd: approved.root, encoding: "utf8" })).toBe("");
  });
});
