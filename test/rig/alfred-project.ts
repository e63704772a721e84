/**
 * A real project in a temporary folder, with a real repository, on which Alfred's tools are called. Every call opens
 * the project anew, as a server does that was restarted between any two calls.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openChecks } from "../../src/adapters/checks/checks.ts";
import { newId } from "../../src/adapters/clock/new-id.ts";
import { openStore } from "../../src/adapters/files/store.ts";
import { openTrackers } from "../../src/adapters/trackers/trackers.ts";
import { openOutside } from "../../src/app/ports.ts";
import type { Caller } from "../../src/core/event.ts";
import type { Outside } from "../../src/core/ports/outside.ts";
import { type AlfredSettings, DEFAULT_SETTINGS, type Settings } from "../../src/core/settings.ts";
import type { Proposal, Reply, Transaction } from "../../src/runtime/module.ts";
import { type Runtime, runTransaction } from "../../src/runtime/transaction/run-transaction.ts";
import alfred from "../../src/workflows/alfred/module.ts";
import { copyPrepared } from "./prepared.ts";
import { type TemporaryProject, temporaryProject } from "./project.ts";
import { committedAt } from "./repository.ts";
import { stateOf } from "./state-home.ts";

const PACKAGED = join(import.meta.dirname, "../../src/workflows");

const texts = new Map<string, Promise<string | null>>();

function packaged(path: string): Promise<string | null> {
  const text = texts.get(path) ?? readFile(join(PACKAGED, path), "utf8").catch(() => null);
  texts.set(path, text);
  return text;
}

export interface ProjectOptions {
  readonly settings?: Partial<AlfredSettings>;
  readonly withoutGit?: true;
  /** A project that is there already, and stays as it is. */
  readonly root?: string;
}

/** The question that a person has answered, and the words of the assistant that were shown with it. */
interface Answered {
  readonly to: { readonly message: string };
  readonly notes?: string;
}

export interface ToolAnswer {
  readonly status: string;
  readonly message: string;
  readonly data: Record<string, unknown>;
  readonly next_prompt: string;
}

export class AlfredProject {
  readonly root: string;
  settings: AlfredSettings;
  /** Where trackers are, and their tokens. */
  environment: Record<string, string> = {};
  /** What pawl.yaml says beside Alfred's. */
  around: Partial<Settings> = {};
  /** How long a check is waited for, in milliseconds. */
  retries = 20_000;

  constructor(options: ProjectOptions = {}) {
    this.root = options.root ?? mkdtempSync(join(tmpdir(), "pawl-alfred-"));
    this.settings = { ...DEFAULT_SETTINGS.alfred, ...options.settings };
    if (options.withoutGit || options.root) return;
    copyPrepared("alfred", this.root, (folder) => {
      writeFileSync(join(folder, ".gitignore"), ".alfred/\n.pawl/\n");
      committedAt(folder);
    });
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  git(...args: string[]): string {
    return execFileSync("git", args, { cwd: this.root, encoding: "utf8", stdio: "pipe" });
  }

  commit(message: string): void {
    this.git("add", "-A");
    this.git("commit", "-q", "-m", message);
  }

  path(name: string): string {
    return join(this.root, name);
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the file as it is
  state(id: string): any {
    return JSON.parse(this.read(`.alfred/workspace/${id}/task_state.json`));
  }

  runtime(): Runtime {
    const { root } = this;
    const settings = async () => ({ ...DEFAULT_SETTINGS, ...this.around, alfred: this.settings });
    const outside: Outside = {
      ...openOutside(root, process.env, settings, {
        checkCommand: async () => {},
        checkLoop: async () => {},
      }),
      trackers: openTrackers(this.environment, root),
      checks: openChecks({ root, environment: process.env, patienceMilliseconds: this.retries }),
    };
    return {
      store: openStore({ root, state: stateOf(root), packaged }),
      outside,
      settings,
      now: () => new Date(),
      newId,
    };
  }

  /** Calls a tool, in a process that knows nothing of the calls before. */
  async call(tool: string, input: Record<string, unknown> = {}, caller: Caller = MODEL): Promise<ToolAnswer> {
    const { reply } = await this.prepare(tool, input, caller);
    return { data: {}, next_prompt: "", ...reply.data } as unknown as ToolAnswer;
  }

  async prepare(
    tool: string,
    input: Record<string, unknown>,
    caller: Caller = MODEL,
    answered?: Answered,
  ): Promise<Proposal<Reply>> {
    const tools = await alfred.mcp?.tools();
    const found = tools?.find(({ name }) => name === tool);
    if (!found) throw new Error(`There is no tool ${tool}.`);
    return this.run(found.transaction, found.input.parse(input), caller, answered);
  }

  async run<Input>(
    plan: Transaction<Input, unknown, unknown, Reply>,
    input: Input,
    caller: Caller = MODEL,
    answered?: Answered,
  ): Promise<Proposal<Reply>> {
    const runtime = this.runtime();
    const prepared = await runTransaction(runtime, plan, input, caller, answered);
    await runtime.store.settle();
    return prepared;
  }

  async gate(id: string, approve: boolean, notes?: string): Promise<ToolAnswer> {
    const plan = await alfred.gate?.verdict();
    if (!plan) throw new Error("Alfred has no gate.");
    const input = { id, approve, ...(notes !== undefined && { notes }) };
    const person: Caller = { channel: "terminal", who: "dev@host" };
    const { ask, reply: refused } = await this.run(plan, input, person);
    const { reply } = ask ? await this.run(plan, input, person, { to: ask }) : { reply: refused };
    return { data: {}, next_prompt: "", ...reply.data } as unknown as ToolAnswer;
  }

  submit(id: string, artifact: unknown): Promise<ToolAnswer> {
    return this.call("submit_work", { task_id: id, artifact });
  }

  review(id: string, is_approved: boolean, feedback_notes?: string): Promise<ToolAnswer> {
    return this.call("provide_review", {
      task_id: id,
      is_approved,
      ...(feedback_notes !== undefined && { feedback_notes }),
    });
  }
}

export const MODEL: Caller = { channel: "mcp", who: "test-client 1.0" };

/** A project by the settings of `pawl.yaml`, in a repository with one commit, and the task TS-01. */
export function committedProject(settings: string): TemporaryProject {
  const project = temporaryProject({ environment: { DOOR_ONLY: "" } });
  project.write("pawl.yaml", settings);
  project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
  project.write("greet.js", "console.log('hello');\n");
  const git = (...args: string[]) => execFileSync("git", args, { cwd: project.root, stdio: "pipe" });
  git("init", "-q", "-b", "main");
  git("add", "greet.js", "pawl.yaml");
  git("-c", "user.name=Dev", "-c", "user.email=dev@example.com", "commit", "-qm", "Begin");
  return project;
}

export function taskMarkdown(id: string, more = ""): string {
  return `# TASK: ${id}

## Title
Limit the rate

## Context
The service is asked too often.

## Implementation Details
Add a token bucket.

## Acceptance Criteria
- 429 after ten requests a second
- the limit is configurable
${more}`;
}

export const CLEAN = { is_clean: true, current_branch: "main", uncommitted_files: [] };

/** A project with one task, on which nothing has begun. */
export async function projectWithTask(id: string, options: ProjectOptions = {}): Promise<AlfredProject> {
  const project = new AlfredProject(options);
  await project.call("create_task", { task_content: taskMarkdown(id) });
  return project;
}
