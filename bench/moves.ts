/** The moves of Alfred's plans and of Spells, as their users make them: one task after the other, each walked once. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CONTEXT, DESIGN, PLAN, STRATEGY } from "../test/rig/alfred-artifacts.ts";
import { taskMarkdown } from "../test/rig/alfred-project.ts";
import { emptyFolder, type Speaking } from "./measure.ts";
import { setUp } from "./project.ts";

export interface Call {
  readonly name: string;
  readonly input: object;
  /** It takes a step of a run that has begun; the others make or begin one. */
  readonly isMove: boolean;
}

export interface Walk {
  readonly folder: string;
  readonly calls: Iterator<Call, never>;
}

/** A plan is handed in and approved in four parts; then comes the next task. */
export function plans(): Walk {
  return { folder: setUp("plans"), calls: planCalls() };
}

function* planCalls(): Generator<Call, never> {
  for (let number = 1; ; number++) {
    const task_id = `TS-${number}`;
    yield { name: "create_task", input: { task_content: taskMarkdown(task_id) }, isMove: false };
    yield { name: "plan_task", input: { task_id }, isMove: false };
    for (const artifact of [CONTEXT, STRATEGY, DESIGN, PLAN]) {
      yield { name: "submit_work", input: { task_id, artifact }, isMove: true };
      const verdict = { task_id, is_approved: true, feedback_notes: "" };
      yield { name: "provide_review", input: verdict, isMove: true };
    }
  }
}

/** More than most of them take. */
const CASTS_OF_A_TASK = 48;

/** A task of the plan is begun, and given back, again and again; after so many casts of one comes the next, with an empty history. */
export function casts(ofATask = CASTS_OF_A_TASK): Walk {
  const folder = emptyFolder("casts");
  mkdirSync(join(folder, ".ai"), { recursive: true });
  return { folder, calls: castCalls(folder, ofATask) };
}

function* castCalls(folder: string, ofATask: number): Generator<Call, never> {
  for (;;) {
    rmSync(join(folder, ".ai/task"), { recursive: true, force: true });
    for (let count = 0; count < 2; count++) yield { name: "accio", input: {}, isMove: false };
    writeFileSync(join(folder, ".ai/task/plan.md"), "# Plan\n\n- [ ] It works\n");
    for (let count = 0; count < ofATask; count++)
      yield { name: count % 2 === 0 ? "accio" : "finite", input: {}, isMove: true };
  }
}

/** Throws where the call is refused: then something else would be measured. */
export async function make(server: Speaking, { input, name }: Call): Promise<void> {
  const { result } = (await server.request("tools/call", { name, arguments: input })) as {
    result?: { isError?: boolean; content?: unknown };
  };
  if (!result || result.isError) throw new Error(`${name} was refused: ${JSON.stringify(result?.content)}`);
}
