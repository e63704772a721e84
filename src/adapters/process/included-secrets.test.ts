/** What a workspace has of the person's secrets is in nothing that is kept or shown of what programs print there. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { bloomProject } from "../../../test/rig/bloom-project.ts";
import { promise } from "../../../test/rig/promise.ts";
import { NO_WALL } from "../../../test/rig/wall.ts";
import { secretsInFile } from "./included-secrets.ts";
import { openRedactor } from "./redact.ts";

const masked = (file: string, printed: string) =>
  openRedactor({}, secretsInFile("secrets", file)).text(printed);

describe("a file's secrets", () => {
  it.each([
    ["API_TOKEN=one-two-three", "one-two-three"],
    ["export DB_PASSWORD='one two three' # local", "one two three"],
    ["  DB_PASSWORD = one-two-three  # local", "one-two-three"],
    ['{\n  "apiKey": "one-two-three",\n  "other": 1\n}', "one-two-three"],
    ["database:\n  password: one-two-three\r\n", "one-two-three"],
    ["//registry.example/:_authToken=one-two-three", "one-two-three"],
    ["DATABASE_URL=postgres://me:one-two-three@db/x", "one-two-three"],
    [
      "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----\n",
      "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU",
    ],
  ])("are what its lines name as such: %j", (file, secret) => {
    const printed = masked(file, `it is ${secret}, they say`);
    expect(printed).not.toContain(secret);
    expect(printed).toMatch(/^it is .*\[redacted .+\].*, they say$/);
  });

  it("are no ordinary settings", () => {
    expect(masked("MODE=development\nLOG: everything-there-is\n", "development everything-there-is")).toBe(
      "development everything-there-is",
    );
  });
});

it.each(NO_WALL ? ["none"] : ["none", "bwrap"])(
  "what an agent and a check print of a file from .worktreeinclude is masked everywhere (%s)",
  {
    timeout: 60_000,
  },
  async (sandbox) => {
    promise("bloom.included-secrets");
    const secret = "sk-one-two-three-four";
    using project = bloomProject({
      settings: { tries: 1 },
      project: { sandbox },
      tasks: `tasks:
- id: T1
  title: One
  repo: .
  verify: ["cat .env; cat .env >&2; false"]
  instructions: |
    RUN: cat .env; bloom note T1 "$(cat .env)"; echo a > a.txt; git add -A; git commit -qm a
    RUN: sed -i 's/$/-new/' .env; cat .env
    RUN: bloom done T1
`,
    });
    project.write(".gitignore", ".env\n.pawl/\ntasks.yaml\n");
    project.write(".env", `API_KEY=${secret}\n`);
    project.write(".worktreeinclude", ".env\n");
    project.git("add", "-A");
    project.git("commit", "-qm", "Include");
    const ran = await project.run();
    for (const output of ["agents/T1.1/output.jsonl", "commands/T1.3/output.jsonl"])
      expect(project.read(`.pawl/${output}`)).toContain("[redacted API_KEY]");
    expect(JSON.stringify(ran.events) + ran.err).not.toContain(secret);
    expect(project.tasks()[0]?.ai_notes?.[0]).toBe("API_KEY=[redacted API_KEY]");
    const found = execFileSync("grep", ["-rlF", secret, project.root], { encoding: "utf8" });
    expect(found.trim().split("\n")).toEqual([`${project.root}/.env`]);
  },
);
