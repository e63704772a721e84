/** A task of Alfred's on the road to the loop: real server and client, real repository, real loop, scripted agent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BloomProject, bloomProject } from "./bloom-project.ts";
import { type Answered, type Connected, connect } from "./client.ts";
import type { Ended, TemporaryProject } from "./project.ts";
import { trustAsItIs } from "./trust.ts";

export const ID = "TS-01";
export const BRANCH = `feature/${ID}`;
export const CHECK = "grep -q bucket src/server.txt";

const TASK = `# TASK: ${ID}

## Title
Limit the rate

## Context
The service is asked too often.

## Implementation Details
Add a token bucket.

## Acceptance Criteria
- 429 after ten requests a second
`;

function slot(slot_id: string, location: string, operation: string, script: string, depends_on: string[]) {
  const taskflow = { procedural_steps: ["write it"], verification_steps: ["`cat` shows it"] };
  const commit = `RUN: git add -A && git commit -qm "Do ${slot_id}"`;
  const spec = [`RUN: ${script}`, commit, `RUN: bloom step done ${ID}.${slot_id}`].join("\n");
  return { slot_id, title: slot_id, spec, location, operation, taskflow, depends_on };
}

/** What an assistant would hand in on the way to an accepted plan. */
const PLANNED = [
  { context_summary: "It answers all.", affected_files: ["src/server.txt"], questions_for_developer: [] },
  { high_level_strategy: "A bucket.", key_components: ["bucket"] },
  {
    design_summary: "One new file and a call.",
    file_breakdown: [
      { file_path: "src/bucket.txt", change_summary: "the bucket", operation: "CREATE" },
      { file_path: "src/server.txt", change_summary: "ask it", operation: "MODIFY" },
    ],
  },
  {
    slots: [
      slot(
        "S-1",
        "src/bucket.txt",
        "CREATE",
        "echo bucket > src/bucket.txt; echo its bucket >> src/server.txt",
        [],
      ),
      slot("S-2", "src/server.txt", "MODIFY", "echo asks >> src/server.txt", ["S-1"]),
    ],
  },
];

export interface AlfredLoop {
  readonly project: BloomProject;
  readonly client: Connected;
  call(tool: string, input?: Record<string, unknown>): Promise<Answered>;
  submit(artifact: unknown): Promise<Answered>;
  pawl(...args: readonly string[]): Promise<Ended>;
  /** As a person at a terminal, who says yes. */
  person(...args: readonly string[]): Promise<Ended>;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into the file as it is
  state(): any;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface LoopOptions {
  /** Alfred's configuration, as YAML. */
  readonly config?: string;
  /** Text in an agent's prompt → lines that are added to its script. */
  readonly answers?: Readonly<Record<string, string>>;
  /** The address of the database that has the loop's tasks; default: a file has them. */
  readonly database?: string;
}

const CONFIG = `reviews:\n  default: []\n  implement_task: [ai, human]\nchecks:\n  test: ${CHECK}\n`;

/** A task whose plan is accepted, on its branch. */
export async function plannedTask({
  answers,
  config = CONFIG,
  database,
}: LoopOptions = {}): Promise<AlfredLoop> {
  const environment: Readonly<Record<string, string>> = {
    DOOR_ONLY: "",
    ...(database && { PAWL_DATABASE_URL: database }),
  };
  const project = bloomProject({
    tasks: database ? "tasks: []\n" : "",
    environment,
    ...(answers && { answers }),
    ...(database && { project: IN_DATABASE }),
  });
  if (database) await moveToDatabase(project, environment);
  mkdirSync(`${project.root}/src`);
  mkdirSync(`${project.root}/.alfred`);
  project.write("src/server.txt", "server\n");
  project.write(".alfred/config.yml", config);
  project.write(".gitignore", ".pawl/\n.alfred/\ntasks.yaml\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "Add the server");
  const client = await connect({ root: project.root } as TemporaryProject, {
    workflows: ["alfred"],
    environment,
  });
  const call = (tool: string, input: Record<string, unknown> = { task_id: ID }) => client.call(tool, input);
  const submit = (artifact: unknown) => call("submit_work", { task_id: ID, artifact });
  const sure = async (answer: Promise<Answered>) => {
    const { data, isError } = await answer;
    if (isError) throw new Error(data.message);
  };
  await sure(call("create_task", { task_content: TASK }));
  await sure(call("start_task"));
  await sure(submit({ is_clean: true, current_branch: "main", uncommitted_files: [] }));
  project.git("checkout", "-q", "-b", BRANCH);
  await sure(submit({ branch_name: BRANCH, success: true, details: "" }));
  await sure(call("plan_task"));
  for (const artifact of PLANNED) await sure(submit(artifact));
  /** What a plan brings into tasks.yaml is agreed to, as a person does by `pawl trust`. */
  const trusted = async <T>(answer: Promise<T>): Promise<T> => {
    const answered = await answer;
    await trustTasks(project, environment, database !== undefined);
    return answered;
  };
  return {
    project,
    client,
    call: (tool, input) => trusted(call(tool, input)),
    submit: (artifact) => trusted(submit(artifact)),
    pawl: (...args) => trusted(project.bloomWith(environment, ...args)),
    person: project.person,
    state: () => JSON.parse(project.read(`.alfred/workspace/${ID}/task_state.json`) ?? ""),
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      project[Symbol.dispose]();
    },
  };
}

const IN_DATABASE = {
  project_id: "0123456789abcdef0123456789abcdef",
  stores: { bloom: "postgres" },
};

type Environment = Readonly<Record<string, string>>;

async function moveToDatabase(project: BloomProject, environment: Environment): Promise<void> {
  for (const words of [["init"], ["import"]]) {
    const { code, err } = await project.bloomWith(environment, "database", ...words);
    if (code !== 0) throw new Error(err);
  }
  rmSync(join(project.root, "tasks.yaml"));
}

async function trustTasks(project: BloomProject, environment: Environment, isStored: boolean): Promise<void> {
  if (!isStored) return trustAsItIs(project.root);
  const folder = mkdtempSync(join(project.root, "..", "tasks-"));
  const { out } = await project.bloomWith(environment, "task", "export", "--format", "yaml");
  writeFileSync(join(folder, "tasks.yaml"), out);
  trustAsItIs(project.root, undefined, folder);
}

export const FROM_LOOP = { from: "loop" };
