/** What the demo says where it cannot begin; `npm run test:stories` builds the program first. */
import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { playDemo } from "../test/rig/play-demo.ts";
import { parseOptions } from "./options.ts";

let place: string;
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), "pawl-played-")));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** No agent lies in these folders. */
const PATH = [dirname(process.execPath), "/usr/bin", "/bin"].join(":");
const demo = (...words: string[]) => playDemo(place, words, PATH);

describe("the demo with an agent that it cannot use", () => {
  it("says that it is not installed, how it would be, and leaves nothing behind", async () => {
    const { code, out, err } = await demo("--agent", "claude");
    expect({ code, err }).toEqual({ code: 1, err: "" });
    expect(out).toContain("done by a real agent: claude");
    expect(out).toContain("not-installed");
    expect(out).toContain("installed:   npm install -g @anthropic-ai/claude-code");
    expect(out).toContain("set ANTHROPIC_API_KEY");
    expect(out).not.toContain("1. A task goes through its gates");
    expect(out.split("\n").filter((line) => line.length > 80 && !line.includes(place))).toEqual([]);
    expect(readdirSync(place).filter((name) => name.startsWith("pawl-demo-"))).toEqual([]);
  });

  it("says why one that speaks the Agent Client Protocol does not work", async () => {
    const { code, out } = await demo("--acp", "false --acp", "--environment", "MY_KEY");
    expect(code).toBe(1);
    expect(out).toContain("it needs false --acp to work");
    expect(out.split("\n").filter((line) => line.length > 80 && !line.includes(place))).toEqual([]);
    expect(out).toContain("of your environment, by --environment");
  });

  it("refuses what it does not know, with its usage", async () => {
    const { code, out, err } = await demo("--agent", "clod");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(/^demo: --agent is "clod": expected one of scripted, claude, .*\n\nnpm run demo -- /);
    expect(await demo("--help")).toMatchObject({ code: 0, out: expect.stringContaining("--acp COMMAND") });
  });
});

describe("the demo", () => {
  it("ends with work that pawl verify accepts, by the review of its pull request", {
    timeout: 300_000,
  }, async () => {
    const { code, err, out } = await demo("--fast");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/demo\/greeter#7 {2}review {2}approve {2}ann/);
    expect(out).toContain("Verified: every commit of");
  });
});

describe("the demo's options", () => {
  it.each([
    [["--agnt", "claude"], "Unknown option '--agnt'."],
    [["claude"], "Unexpected argument 'claude'."],
    [["--agent"], "Option '--agent <value>' argument missing."],
    [["--acp", " "], "--acp names a command, and stands in place of --agent."],
    [["--acp", "x", "--agent", "codex"], "--acp names a command, and stands in place of --agent."],
    [["--trust", "--agent", "codex"], "--trust is played by the scripted agent alone."],
    [["--trust", "--team"], "--trust and --team are two demonstrations: choose one."],
    [["--team", "--acp", "x"], "--team is played by the scripted agent alone."],
    [["--environment", "A"], "--environment is of --acp alone."],
  ])("%j: %s", (words, message) => {
    expect(parseOptions(words, true)).toBe(message);
  });

  it("are the scripted agent, and no pauses if nobody looks on, without any", () => {
    const agent = { name: "scripted", acp: null, environment: [] };
    expect(parseOptions([], false)).toEqual({ fast: true, help: false, trust: false, team: false, agent });
    expect(parseOptions(["--trust"], true)).toMatchObject({ fast: false, trust: true });
    expect(parseOptions(["--acp", "my-agent  --acp", "--environment", "A,B_*"], true)).toEqual({
      fast: false,
      help: false,
      trust: false,
      team: false,
      agent: { name: "mine", acp: ["my-agent", "--acp"], environment: ["A", "B_*"] },
    });
  });
});
