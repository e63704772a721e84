/**
 * What Pawl's MCP surface costs a model, in tokens: `node bench/tokens.ts`, after `npm run build`.
 *
 * Measured: what the server sends for the list of all tools, and for a whole life of one Alfred task, from create_task to done under
 * the default reviews: the text and the structured content of each reply as JSON, and log notifications that nobody asked for.
 * Counted with gpt-tokenizer's o200k_base; other models' tokenizers differ by some per cent.
 * Not measured: what the model writes (arguments, artifacts), what it reads in files, what a client adds around a reply;
 * many clients show a model only the text, or only the structured part, so that it costs less than both together.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { SHOWN } from "../src/surfaces/mcp/answer.ts";
import { type Client, emptyFolder, MAIN, openServer, type Server, show } from "./measure.ts";

export interface Costs {
  readonly tools: { readonly count: number; readonly tokens: number };
  readonly life: { readonly calls: number; readonly tokens: number };
}

/** What both may cost; a life, with a client that is known to show its model one part. */
export const CAPS = { tools: 2_500, life: 16_000 };

/** Speaks to the program at `main`. `client`: default one that nobody knows, which is sent the words in both parts. */
export async function measureTokens(main: string, client?: Client): Promise<Costs> {
  return { tools: await toolsOf(main), life: await lifeOf(main, client) };
}

/** All tools of all workflows, an own workflow's two among them. */
async function toolsOf(main: string): Promise<Costs["tools"]> {
  const folder = emptyFolder("tokens");
  write(folder, "pawl.yaml", "workflows:\n  - door.yaml\n");
  write(folder, "door.yaml", OWN_WORKFLOW);
  const server = await openServer(folder, { main });
  const { result } = (await server.request("tools/list")) as { result: { tools: readonly object[] } };
  await server.end();
  rmSync(folder, { recursive: true });
  // Clients keep `_meta` to themselves.
  const shown = JSON.stringify(result.tools, (key, value) => (key === "_meta" ? undefined : value));
  return { count: result.tools.length, tokens: countTokens(shown) };
}

const OWN_WORKFLOW = `name: door
title: A door
states:
  closed: { description: it is closed }
  open: { description: it is open, final: true }
initial: closed
goals: [open]
events: { push: { description: somebody pushes it } }
rows:
  - { id: pushed, from: [closed], on: push, to: open, outcome: moved, reply: pushed }
replies: { pushed: It is open. }
`;

class Life {
  calls = 0;
  tokens = 0;
  readonly #server: Server;

  constructor(server: Server) {
    this.#server = server;
  }

  async call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const { content, structuredContent } = (await this.#server.call(name, input)) as {
      content: readonly { text: string }[];
      structuredContent?: unknown;
    };
    const logged = this.#server.unasked.splice(0).filter((line) => line.includes('"notifications/message"'));
    const parts = [...content.map(({ text }) => text), JSON.stringify(structuredContent ?? {}), ...logged];
    this.calls += 1;
    this.tokens += parts.reduce((sum, part) => sum + countTokens(part), 0);
  }
}

async function lifeOf(main: string, client?: Client): Promise<Costs["life"]> {
  const folder = emptyFolder("tokens");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("config", "user.email", "dev@example.com");
  git("config", "user.name", "Dev");
  write(folder, ".gitignore", ".alfred/\n.pawl/\n");
  write(folder, "src/server.txt", "server\n");
  commit(git, "Begin");
  const server = await openServer(folder, { workflow: "alfred", main, ...(client && { client }) });
  const life = new Life(server);
  await life.call("initialize_project", { provider: "local" });
  await life.call("create_task", { task_content: TASK });
  await life.call("get_next_task");
  await life.call("work_on_task", ON);
  await life.call("start_task", ON);
  await gated(life, { is_clean: true, current_branch: "main", uncommitted_files: [] });
  git("checkout", "-q", "-b", "feature/TS-01");
  await gated(life, { branch_name: "feature/TS-01", success: true, details: "" });
  await life.call("plan_task", ON);
  for (const artifact of PLANNING) await gated(life, artifact);
  await life.call("implement_task", ON);
  write(folder, "src/bucket.txt", "bucket\n");
  write(folder, "src/server.txt", "server with bucket\n");
  for (const subtask_id of ["S-1", "S-2"]) await life.call("mark_subtask_complete", { ...ON, subtask_id });
  await gated(life, MANIFEST);
  await life.call("review_task", ON);
  await gated(life, { summary: "Good.", approved: true, feedback: [] });
  await life.call("test_task", ON);
  await gated(life, { command: "npm test", exit_code: 0, output: "1 passed" });
  await life.call("finalize_task", ON);
  commit(git, "Limit the rate");
  await gated(life, { commit_hash: git("rev-parse", "HEAD").trim(), pr_url: "" });
  await server.end();
  rmSync(folder, { recursive: true });
  return { calls: life.calls, tokens: life.tokens };
}

/** Hands in, and gives the two approvals of the default policy. */
async function gated(life: Life, artifact: object): Promise<void> {
  await life.call("submit_work", { ...ON, artifact });
  await life.call("provide_review", { ...ON, is_approved: true });
  await life.call("provide_review", { ...ON, is_approved: true });
}

function commit(git: (...args: string[]) => string, message: string): void {
  git("add", "-A");
  git("commit", "-q", "-m", message);
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

const ON = { task_id: "TS-01" };

const TASK = `# TASK: TS-01

## Title
Limit the rate

## Context
The service is asked too often.

## Implementation Details
Add a token bucket.

## Acceptance Criteria
- 429 after ten requests a second
- the limit is configurable
`;

const FLOW = { procedural_steps: ["write it"], verification_steps: ["`cat` shows it"] };
const PLANNING = [
  {
    context_summary: "The service answers every request.",
    affected_files: ["src/server.txt"],
    questions_for_developer: ["Per client or for all?"],
  },
  { high_level_strategy: "A token bucket before the handler.", key_components: ["bucket", "handler"] },
  {
    design_summary: "One new file and a call.",
    file_breakdown: [
      { file_path: "src/bucket.txt", change_summary: "the bucket", operation: "CREATE" },
      { file_path: "src/server.txt", change_summary: "ask the bucket", operation: "MODIFY" },
    ],
  },
  {
    slots: [
      { slot_id: "S-1", title: "Bucket", spec: "Write it.", location: "src/bucket.txt", operation: "CREATE" },
      { slot_id: "S-2", title: "Call", spec: "Call it.", location: "src/server.txt", operation: "MODIFY" },
    ].map((slot) => ({ ...slot, taskflow: FLOW })),
  },
];
const MANIFEST = {
  summary: "A bucket, and a call of it.",
  completed_subtasks: ["S-1", "S-2"],
  testing_notes: "By hand.",
};

if (import.meta.main) {
  const { tools, life } = await measureTokens(MAIN);
  show(`tokens of tools/list, ${tools.count} tools`, String(tools.tokens), String(CAPS.tools));
  for (const part of ["data", "text"]) {
    const row = SHOWN.find(({ shows }) => shows === part);
    const known = row && (await lifeOf(MAIN, { name: row.client, version: row.to }));
    if (known) show(`tokens of a life of Alfred, for ${row.client}`, String(known.tokens), String(CAPS.life));
  }
  show("the same, for a client that nobody knows", String(life.tokens));
}
