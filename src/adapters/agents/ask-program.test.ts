import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import type { AgentEnd, AgentEvent, AgentOrder } from "../../core/ports/agents.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import { keepProgramsFrom } from "../process/programs.ts";
import { openAgents } from "./agents.ts";
import { askProgram, newerThan } from "./ask-program.ts";

let root: string;
let runs = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "pawl-version-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const read = (name: string) => readFileSync(join(root, name), "utf8");

/** A program that prints its version and help, and else, as that agent does, what its session has cost so far. */
function install(printed: string, line: object): void {
  const program = `#!/bin/sh
case "$1" in
--version) echo x >> asked; echo "${printed}" ;;
--help) echo "--max-budget-usd" ;;
*) cat > /dev/null; echo '${JSON.stringify({ type: "thread.started", thread_id: "s", session_id: "s" })}'; echo '${JSON.stringify(line)}' ;;
esac
`.replace("echo x >> asked", `echo x >> ${join(root, "asked")}`);
  writeFileSync(join(root, "agent"), program, { mode: 0o755 });
}

interface Ended {
  readonly end: AgentEnd;
  readonly args: readonly string[];
  readonly warnings: readonly string[];
}

async function run(dialect: "claude" | "codex", more: Partial<AgentOrder> = {}): Promise<Ended> {
  runs += 1;
  const agents = { mine: { dialect, program: join(root, "agent") } };
  const events: AgentEvent[] = [];
  const order: AgentOrder = {
    ...{ run: `run-${runs}`, agent: "mine", folder: { agentPath: root } as AgentFolder, prompt: "work" },
    ...{ session: { type: "new" }, permission: "edits", ...more },
  };
  const opened = openAgents({ projectRoot: root, stateFolder: root, environment: process.env, agents });
  const end = await opened.start(order, (event) => events.push(event)).ended;
  const { args } = JSON.parse(read(`.pawl/agents/run-${runs}/call.json`));
  return { end, args, warnings: events.flatMap((each) => (each.type === "warning" ? [each.text] : [])) };
}

const RESUMED = { session: { type: "resume", id: "s" } } as const;
const usage = (tokens: number) => ({
  type: "turn.completed",
  usage: { input_tokens: tokens, output_tokens: 1 },
});

describe("An agent's version", () => {
  it.each([
    ["2.2.0", "2.1.332", "2.1"],
    ["3.0.0", "2.1.332", "2.1"],
    ["2.1.999", "2.1.332", null],
    ["2.0.5", "2.1.332", null],
    ["1.99.0", "2.1.332", null],
    ["0.172.0-alpha.1", "0.171.0", "0.171"],
    [null, "0.171.0", null],
    ["1.0.0", undefined, null],
  ])("%s, if %s was tried last, is newer than %s", (version, newest, older) => {
    expect(newerThan(version, newest)).toBe(older);
  });

  it("that Pawl knows, also of a later patch: a resumed session's counter is that of all its runs", async () => {
    promise("agents.unknown-version");
    install("codex-cli 0.171.9", usage(100));
    await run("codex");
    install("codex-cli 0.171.9", usage(250));
    const { end, warnings } = await run("codex", RESUMED);
    expect(end.usage?.inputTokens).toBe(150);
    expect(warnings).toEqual([]);
  });

  it("that Pawl does not know is warned of once, and a resumed session is counted in full", async () => {
    promise("agents.unknown-version");
    install("codex-cli 0.171.9", usage(100));
    expect((await run("codex")).warnings).toEqual([]);
    // It updates itself in the middle of the night.
    install("codex-cli 0.172.0", usage(250));
    const { end, warnings } = await run("codex", RESUMED);
    expect(end.usage?.inputTokens).toBe(250);
    expect(warnings).toEqual([
      "mine 0.172.0 is newer than 0.171, the newest that Pawl knows: in sessions that it resumes, Pawl counts its cost in full, perhaps too much, and passes no budget in dollars on to it",
    ]);
    expect((await run("codex")).warnings).toEqual([]);
    // Once for each state of its file.
    expect(read("asked")).toBe("x\nx\n");
  });

  it("that Pawl does not know gets no budget of dollars if a session is resumed", async () => {
    promise("agents.unknown-version");
    const result = { type: "result", subtype: "success", is_error: false, total_cost_usd: 1, usage: {} };
    const limits = { usd: 0.5 };
    install("2.1.400 (Claude Code)", result);
    expect((await run("claude", { limits, ...RESUMED })).args).toContain("--max-budget-usd");
    install("2.2.0 (Claude Code)", result);
    expect((await run("claude", { limits })).args).toContain("--max-budget-usd");
    const { args, end } = await run("claude", { limits, ...RESUMED });
    expect(args).not.toContain("--max-budget-usd");
    expect(end.usage?.usd).toBe(1);
  });
});

it("a script is asked with an interpreter that Pawl itself would start, not with the project's", async () => {
  promise("programs.found-once");
  const projectRoot = join(root, "project");
  const planted = join(projectRoot, "node_modules/.bin");
  mkdirSync(planted, { recursive: true });
  writeFileSync(join(planted, "sh"), `#!/bin/sh\necho x > ${join(root, "ran")}\n`, { mode: 0o755 });
  writeFileSync(join(root, "agent"), "#!/usr/bin/env sh\necho 1.2.3\n", { mode: 0o755 });
  keepProgramsFrom(projectRoot);
  const environment = { PATH: `${planted}:/usr/bin:/bin` };
  const setup = { projectRoot, stateFolder: root, environment, agents: {} };
  const printed = await askProgram(setup, { command: [join(root, "agent")] }, "--version");
  expect(printed).toEqual({ text: "1.2.3\n", fault: null });
  expect(existsSync(join(root, "ran"))).toBe(false);
});
