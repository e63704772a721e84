/** A signature at a real terminal, by a key with a passphrase: what a program of the same user cannot give. */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { personAtTerminal, type TemporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { type Person, personWithKey } from "../rig/signing.ts";

const PASSPHRASE = "correct horse";
const RECORD = ".alfred/gates/release/1.2.0/0001.json";
const LONG = { timeout: 60_000 };

let ada: Person;
beforeAll(() => {
  ada = personWithKey("ada@example.com", PASSPHRASE);
});
afterAll(() => ada[Symbol.dispose]());

async function waiting(): Promise<TemporaryProject> {
  const project = releaseReady();
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project.root, stdio: "pipe" });
  project.write("pawl.yaml", `${project.read("pawl.yaml")}gates: signed\n`);
  project.write(".gitignore", ".pawl/\n");
  git("init", "-q", "-b", "main");
  git("config", "user.email", ada.name);
  git("config", "user.name", "Ada");
  const added = await at(project, ["keys", "add", `${ada.key}.pub`]);
  expect(added.err).toBe("");
  git("add", "-A");
  git("commit", "-qm", "Begin");
  await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
  return project;
}

function at(project: TemporaryProject, args: readonly string[], passphrase = "", more = {}) {
  return personAtTerminal(project.root, args, { environment: { ...ada.environment, ...more }, passphrase });
}

const stateOf = (project: TemporaryProject) =>
  JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "").state;

describe("A signature at a terminal", () => {
  it("asks for the key's passphrase there, and shows it to nobody", LONG, async () => {
    promise("gates.passphrase");
    using project = await waiting();
    const { code, err, screen } = await at(project, ["approve", "1.2.0"], PASSPHRASE);
    expect([code, err]).toEqual([0, ""]);
    expect(screen).toContain("passphrase");
    expect(screen).not.toContain(PASSPHRASE);
    expect(project.read(RECORD)).toContain('"signer": "ada@example.com"');
    expect(stateOf(project)).toBe("published");
  });

  it("is not made without the passphrase, be the digits typed as they are shown", LONG, async () => {
    promise("gates.passphrase");
    using project = await waiting();
    const { err } = await at(project, ["approve", "1.2.0"], "guessed");
    expect(err).toContain("[signature-failed]");
    expect([project.read(RECORD), stateOf(project)]).toEqual([null, "in_review"]);
  });

  it(
    "is not made by an ssh agent that holds the key, which every program of the user may ask",
    LONG,
    async () => {
      promise("gates.passphrase");
      using project = await waiting();
      const socket = join(project.root, ".git/agent");
      const agent = spawn("ssh-agent", ["-D", "-a", socket], { stdio: "ignore" });
      try {
        await expect.poll(() => existsSync(socket), { timeout: 20_000 }).toBe(true);
        const ask = join(project.root, ".git/ask");
        writeFileSync(ask, `#!/bin/sh\necho '${PASSPHRASE}'\n`);
        chmodSync(ask, 0o755);
        const env = { ...process.env, SSH_AUTH_SOCK: socket, SSH_ASKPASS: ask, SSH_ASKPASS_REQUIRE: "force" };
        execFileSync("ssh-add", [ada.key], { env, stdio: ["ignore", "ignore", "ignore"] });
        const { err } = await at(project, ["approve", "1.2.0"], "guessed", {
          SSH_AUTH_SOCK: socket,
          SSH_ASKPASS: ask,
          SSH_ASKPASS_REQUIRE: "force",
        });
        expect(err).toContain("[signature-failed]");
        expect(stateOf(project)).toBe("in_review");
      } finally {
        agent.kill();
      }
    },
  );

  it("is made by a key that Pawl has made, with the passphrase that was typed", LONG, async () => {
    promise("gates.passphrase");
    using project = await waiting();
    const none = await at(project, ["keys", "add", "--generate"], "");
    expect(none.err).toContain("[key-unusable]");
    expect((await at(project, ["keys", "add", "--generate"], PASSPHRASE)).err).toBe("");
    expect((await at(project, ["approve", "1.2.0"], PASSPHRASE)).err).toBe("");
    expect(stateOf(project)).toBe("published");
  });
});
