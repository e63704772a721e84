/**
 * A person's own assistant under the guard: a real program with its hooks, set up by `pawl init --guard` alone. It walks
 * a task's whole life; whatever it tries while nothing may be written is refused with the reason, and nothing else is.
 */
import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { CONTEXT, DESIGN, MANIFEST, PLAN, REVIEW, STRATEGY } from "../rig/alfred-artifacts.ts";
import type { ModelServer } from "../rig/model/server.ts";
import { BRANCH, call, ID, openPlace, TASK } from "./clients.ts";
import type { Driven } from "./programs.ts";

const TOOLS = [
  ...[
    "create_task",
    "start_task",
    "plan_task",
    "implement_task",
    "review_task",
    "test_task",
    "finalize_task",
  ],
  ...["submit_work", "provide_review", "mark_subtask_complete"],
];

const of = (tool: string, more: object = {}) => call(tool, { task_id: ID, ...more });
const approve = of("provide_review", { is_approved: true, feedback_notes: "" });
const done = (artifact: unknown) => [of("submit_work", { artifact }), approve];

interface Act {
  readonly line: string;
  /** It is refused, with these words among the reason. */
  readonly refused?: RegExp;
}

const lawful = (...lines: readonly string[]): readonly Act[] => lines.map((line) => ({ line }));

/** By the wall around the command, by the client's own rules, or before it runs. */
const CLOSED = /[Rr]ead-only file system|provide_review|has been denied/;

/** While the plan waits for its review. */
const UNLAWFUL: readonly Act[] = [
  { line: "WRITE: early.txt too early", refused: CLOSED },
  { line: "RUN: mkdir -p src && printf x > src/shell.txt", refused: CLOSED },
  { line: "RUN: sed -i s/ai/human/ pawl.yaml", refused: CLOSED },
  { line: "RUN: git commit -q --allow-empty -m early", refused: /commit/ },
  { line: `RUN: pawl approve alfred:${ID}`, refused: /person/ },
];

const LIFE: readonly Act[] = [
  ...lawful(call("create_task", { task_content: TASK }), of("start_task")),
  ...lawful(...done({ is_clean: true, current_branch: "main", uncommitted_files: [] })),
  ...lawful(`RUN: git checkout -q -b ${BRANCH}`),
  ...lawful(...done({ branch_name: BRANCH, success: true, details: "created" })),
  ...lawful(of("plan_task"), of("submit_work", { artifact: CONTEXT })),
  ...UNLAWFUL,
  ...lawful(approve, "RUN: git status --short", ...[STRATEGY, DESIGN, PLAN].flatMap(done)),
  ...lawful(of("implement_task"), "RUN: mkdir -p src", "WRITE: src/bucket.txt bucket"),
  ...lawful("RUN: printf 'server' > src/server.txt"),
  { line: "RUN: git commit -qam early", refused: /commit/ },
  ...lawful(...["S-1", "S-2"].map((subtask_id) => of("mark_subtask_complete", { subtask_id }))),
  ...lawful(...done(MANIFEST), of("review_task"), ...done(REVIEW)),
  ...lawful(of("test_task"), "RUN: true", ...done({ command: "true", exit_code: 0, output: "ok" })),
  ...lawful(of("finalize_task"), "RUN: git add src", "RUN: git commit -qm 'Limit the rate'"),
  ...lawful(...done({ commit_hash: "HEAD", pr_url: "https://example.org/pull/1" })),
];

/** Throws where anything unlawful came through, or anything lawful was refused. */
export async function walkGuarded(driven: Driven, binary: string, model: ModelServer): Promise<string> {
  using place = openPlace(driven, binary, model);
  const { assistant, git, root } = place;
  place.pawl("init", "--guard", "--client", assistant.client);
  const yaml = readFileSync(join(root, "pawl.yaml"), "utf8");
  place.write("pawl.yaml", `${yaml}\nalfred: { reviews: { default: [ai] } }\n`);
  place.write(
    ".gitignore",
    ".pawl/\n.alfred/workspace/\n.alfred/debug/\nnode_modules/\n.opencode/package*.json\n",
  );
  assistant.prepare?.(root);
  place.commit();
  const first = (assistant.before?.(TOOLS) ?? []).map((line) => ({ line }));
  const acts: readonly Act[] = [...first, ...LIFE];
  const lines = acts.map(({ line }) => line);
  const { answers, told } = await place.does(assistant.free(root), lines);
  for (const [at, { line, refused }] of acts.entries()) {
    const answer = answers[at] ?? "";
    const shown = `${line}\n${answer.slice(0, 1500)}`;
    if (refused) assert.match(answer, refused, `not refused, or without its reason: ${shown}`);
    else
      assert.doesNotMatch(answer, /pawl: (?:refused|denied)|Pawl(?:'s guard)? refuses/i, `refused: ${shown}`);
  }
  for (const path of ["early.txt", "src/shell.txt"]) assert.ok(!existsSync(join(root, path)), path);
  const state = JSON.parse(readFileSync(join(root, ".alfred/workspace", ID, "task_state.json"), "utf8"));
  assert.equal(state.task_status, "done", told);
  assert.equal(git("log", "--format=%s"), "Limit the rate\nfirst", told);
  return `${acts.filter(({ refused }) => refused).length} of ${acts.length} calls refused, the task is done`;
}
