/**
 * One real round trip with an agent, in a scratch folder behind a run's wall: checks that it starts, answers,
 * and remembers when resumed.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PawlError } from "../../core/error.ts";
import type { AgentEnd, AgentTried } from "../../core/ports/agents.ts";
import type { AgentFolder } from "../../core/ports/worktrees.ts";
import type { AgentSettings } from "../../core/settings.ts";
import { type AgentsSetup, type KnownAgent, knownAgent } from "./setup.ts";
import { start } from "./start.ts";

const LIMITS = { inactivity: 120_000, total: 240_000 };

/** Throws `agent-missing` if no agent has the name, and `wall-missing`. */
export async function tryOut(setup: AgentsSetup, name: string, signal?: AbortSignal): Promise<AgentTried> {
  const agent = knownAgent(setup, name);
  if (agent.kind === "none")
    throw new PawlError(
      "agent-missing",
      `Unknown agent: ${agent.why}.`,
      "`pawl config agents` shows what is installed and how it was recognised.",
    );
  const projectRoot = mkdtempSync(join(tmpdir(), "pawl-try-"));
  try {
    const agents = { [name]: placed(agent) };
    const outside = setup.wallOf?.(projectRoot) ?? {};
    const folder: AgentFolder = { agentPath: join(projectRoot, "work") };
    mkdirSync(join(projectRoot, "work"));
    const tried = await tryIn({ ...setup, ...outside, projectRoot, agents }, name, folder, signal);
    return outside.noWall === undefined ? tried : { ...tried, noWall: outside.noWall };
  } finally {
    rmSync(projectRoot, { recursive: true, force: true });
  }
}

/**
 * The agent's settings with its program resolved from the project, since the scratch folder is not the
 * project.
 */
function placed({ settings, command: [program = ""] }: Exclude<KnownAgent, { kind: "none" }>): AgentSettings {
  if (settings.acp) return { ...settings, acp: { ...settings.acp, command: program } };
  return settings.program ? { ...settings, program } : settings;
}

async function tryIn(
  setup: AgentsSetup,
  name: string,
  folder: AgentFolder,
  signal: AbortSignal | undefined,
): Promise<AgentTried> {
  const word = `pawl-${randomUUID().slice(0, 8)}`;
  const steps: AgentTried["steps"][number][] = [];
  const run = async (what: string, prompt: string, session: string | null, expected: string) => {
    const order = {
      run: `try-${randomUUID()}`,
      agent: name,
      folder,
      prompt,
      session: session ? ({ type: "resume", id: session } as const) : ({ type: "new" } as const),
      permission: "ask" as const,
      limits: LIMITS,
    };
    const texts: string[] = [];
    const running = start(setup, order, (event) => {
      if (event.type === "text") texts.push(event.text);
    });
    const stop = () => void running.stop("it was interrupted");
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    const end = await running.ended;
    signal?.removeEventListener("abort", stop);
    const ok = end.outcome === "succeeded" && texts.join("").includes(expected);
    steps.push({ what, ok, detail: detailOf(end, texts.join("")) });
    return ok ? end.session : null;
  };
  // The second line is for the scripted agent, which understands no language. Models understand it too.
  const session = await run(
    "a new session",
    `Answer with this word and nothing else: ${word}\nSAY: ${word}`,
    null,
    word,
  );
  if (session)
    await run(
      "the same session, resumed",
      "Which word did I ask you to answer with?\nRECALL:",
      session,
      word,
    );
  return { name, works: steps.length === 2 && steps.every((step) => step.ok), steps };
}

function detailOf(end: AgentEnd, text: string): string {
  if (end.outcome === "failed") return `${end.reason}: ${end.detail}`;
  return `answered ${JSON.stringify(text.slice(0, 100))} in ${end.duration} ms`;
}
