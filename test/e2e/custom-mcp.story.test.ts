import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { connect, ERAS } from "../rig/client.ts";
import { change, releaseReady } from "../rig/release-project.ts";
import { shellUntil, until } from "../rig/until.ts";

const RUN_FILE = ".pawl/runs/release/1.2.0.json";
const RUN = { run: "release:1.2.0" };
const SUBMIT = { ...RUN, event: "submit", given: { risk: "low" }, notes: "All is well" };
const APPROVE = { ...RUN, event: "approve", notes: "It is fine" };

describe.each(ERAS)("a workflow of the project's own, over MCP (%s)", (era) => {
  it("is led to its goal, with a person asked at the gate", async () => {
    using project = releaseReady();
    const questions: string[] = [];
    await using server = await connect(project, {
      era,
      human: (message) => {
        questions.push(message);
        return { action: "accept", content: { approve: questions.length > 1, notes: "As I said" } };
      },
    });
    const tools = (await server.client.listTools()).tools.map(({ name }) => name);
    expect(tools).toEqual(expect.arrayContaining(["advance", "look"]));
    expect((await server.call("look")).text).toContain("Release (release): From release notes to a tag");
    expect((await server.call("advance", SUBMIT)).data).toMatchObject({
      status: "success",
      state: "in_review",
      awaits: "human",
      row: "submitted",
    });
    const refused = await server.call("advance", APPROVE);
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("They say: As I said") });
    expect(questions[0]?.split("\n\n")).toEqual([
      "Send approve to release:1.2.0, which is in in_review? (Let the release go out)",
      expect.stringMatching(/^rounds = 0\nIt got there by submit, with .*risk = low/),
      "      ! the changes are not known\nAGENT submit (by mcp): All is well",
      expect.stringMatching(/^Changes/),
      expect.stringContaining("- not known: risk: It came with the event; nobody checked it."),
      "The assistant says (its own words, which nobody checked):\n> It is fine",
      "All of it: pawl show release:1.2.0",
    ]);
    expect((await server.call("look", RUN)).data.state).toBe("in_review");
    const approved = await server.call("advance", APPROVE);
    expect(approved.text).toContain("release:1.2.0 is published.");
    const { out } = await project.pawl("show", "release:1.2.0", "--json");
    expect(JSON.parse(out).history[1]).toMatchObject({
      event: "approve",
      by: { channel: "elicitation" },
      strength: "elicited",
      notes: "As I said",
    });
  });
});

describe("a workflow of the project's own, over MCP", () => {
  it("asks anew if the work changed while the person read the question", async () => {
    using project = releaseReady();
    const git = (...args: string[]) => execFileSync("git", args, { cwd: project.root, stdio: "pipe" });
    git("init", "-q", "-b", "main");
    git(
      "-c",
      "user.name=Dev",
      "-c",
      "user.email=dev@example.com",
      "commit",
      "-q",
      "--allow-empty",
      "-m",
      "One",
    );
    const questions: string[] = [];
    await using server = await connect(project, {
      human: (message) => {
        questions.push(message);
        if (questions.length === 1) project.write("src/evil.js", "evil\n");
        return { action: "accept", content: { approve: true } };
      },
    });
    await server.call("advance", SUBMIT);
    expect((await server.call("advance", APPROVE)).text).toContain("release:1.2.0 is published.");
    expect(questions.map((each) => each.includes("src/evil.js"))).toEqual([false, true]);
  });

  it("refuses a model's word at a person's gate, and says what the person runs", async () => {
    using project = releaseReady();
    await using server = await connect(project);
    await server.call("advance", SUBMIT);
    const before = project.read(RUN_FILE);
    const refused = await server.call("advance", APPROVE);
    expect(refused).toMatchObject({ isError: true, data: { data: { code: "caller-not-allowed" } } });
    expect(refused.text).toContain("`pawl cast release:1.2.0 approve`");
    const claimed = await server.call("advance", { ...RUN, event: "tagged" });
    expect(claimed.text).toContain("the engine runs that command");
    const sneaked = await server.call("advance", { ...APPROVE, is_approved: true });
    expect(sneaked.data).toMatchObject({ data: { code: "usage" } });
    expect(project.read(RUN_FILE)).toBe(before);
  });

  it("reports a broken file when it is used, and serves the other workflows", async () => {
    using project = releaseReady();
    change(project, "release.yaml", "initial: drafting", "initail: drafting");
    await using server = await connect(project);
    const refused = await server.call("advance", SUBMIT);
    expect(refused.text).toContain("release.yaml:5:1: initail is not a key: did you mean initial?");
    expect((await server.call("knock", { id: "front" })).isError).toBe(false);
    change(project, "release.yaml", "initail", "initial");
    expect((await server.call("advance", SUBMIT)).isError).toBe(false);
  });

  it("finds a row's command again after a kill, and runs it but once", async () => {
    using project = releaseReady();
    project.write("tag.sh", `echo run >> ran.log; ${shellUntil("-e go")}; echo "$1" > tagged\n`);
    await project.pawl("cast", "release:1.2.0", "submit", "--fact", "risk=low");
    const server = await connect(project, {
      human: () => ({ action: "accept", content: { approve: true } }),
    });
    const call = server.call("advance", APPROVE).catch(() => {});
    await until(() => project.read("ran.log"));
    process.kill(server.transport.pid ?? 0, "SIGKILL");
    await call;
    const { state, pending } = JSON.parse(project.read(RUN_FILE) ?? "");
    expect(state).toBe("tagging");
    expect(pending).toEqual({ row: "approved", key: expect.any(String), since: expect.any(String) });
    expect((await project.pawl("status")).out).toContain("`sh ./tag.sh 1.2.0` to end");
    project.write("go", "");
    const after = await project.pawl("cast", "release:1.2.0", "retry");
    expect(after.out).toContain("release:1.2.0 is published.");
    expect(after.out).toContain("`retry` was not sent");
    expect(project.read("ran.log")).toBe("run\n");
    expect(JSON.parse(project.read(RUN_FILE) ?? "").pending).toBeUndefined();
  });
});
