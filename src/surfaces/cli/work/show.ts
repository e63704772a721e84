import { type PawlError, toPawlError } from "../../../core/error.ts";
import type { Reply, WorkflowModule } from "../../../runtime/module.ts";
import { loadWorkflow, loadWorkflows, type Project } from "../../../runtime/project.ts";
import { ambiguousRunError, missingRunError, overview } from "../../../runtime/reports/overview.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { answerOf } from "../line/run-verb.ts";
import { loadGuardProof } from "../project/guard-proof.ts";
import { loosenedIn, renderLoosened } from "../project/policy.ts";

/**
 * Prints the history of a task or run: `workflow:id`, or an id that one workflow knows. `bloom` checks its
 * own workflow first.
 */
export const show: Run = async (host, call) => {
  const project = await host.projects.open();
  const name = String(call.arguments.run);
  const colon = name.indexOf(":");
  if (colon > 0) {
    const module = await loadWorkflow(project.workflows, name.slice(0, colon));
    const result = await historyFor(project, host, module, name.slice(colon + 1));
    if (result === null) throw missingRunError(name, []);
    if ("error" in result) throw result.error;
    return answer(project, host, name, result.reply);
  }
  const candidates = await historiesOf(project, host, name);
  const matches = candidates.filter(
    (candidate) => "reply" in candidate.result || !isUnknown(candidate.result.error),
  );
  const ofProgram = matches.find(({ workflow }) => workflow === host.name);
  const [first] = ofProgram ? [ofProgram] : matches;
  if (first === undefined) {
    const mine = candidates.find(({ workflow }) => workflow === host.name);
    if (mine && "error" in mine.result) throw mine.result.error;
    throw missingRunError(
      name,
      (await overview(project)).flatMap(({ runs }) => runs.map(({ run }) => run)),
    );
  }
  // If all workflows failed for the same reason, report that reason instead of an ambiguous id.
  const faults = matches.flatMap(({ result }) => ("error" in result ? [result.error] : []));
  if (
    !ofProgram &&
    faults.length === matches.length &&
    faults.every(({ message }) => message === faults[0]?.message)
  )
    throw faults[0] ?? missingRunError(name, []);
  if (!ofProgram && matches.length > 1)
    throw ambiguousRunError(
      name,
      matches.map(({ workflow }) => `${workflow}:${name}`),
    );
  if ("error" in first.result) throw first.result.error;
  return answer(project, host, `${first.workflow}:${name}`, first.result.reply);
};

/** The history, followed by ignored changes of the run's policy and the proof of the guard. */
async function answer(project: Project, host: Host, run: string, reply: Reply): Promise<Answer> {
  const loosened = await loosenedIn(project, run);
  const guard = await loadGuardProof(host, project);
  const below = [loosened && renderLoosened(loosened), guard?.words].filter(
    (words) => typeof words === "string",
  );
  const text = [reply.text.trimEnd(), ...below].join("\n\n");
  const data = { ...reply.data, ...(loosened && { ignored: loosened.ignored }), ...(guard && { guard }) };
  return { ...answerOf({ ...reply, text, data }), isMarkdown: true };
}

type Result = { readonly reply: Reply } | { readonly error: PawlError };

interface Candidate {
  readonly workflow: string;
  readonly result: Result;
}

async function historiesOf(project: Project, host: Host, id: string): Promise<readonly Candidate[]> {
  const candidates: Candidate[] = [];
  for (const module of await loadWorkflows(project.workflows)) {
    const result = await historyFor(project, host, module, id);
    if (result) candidates.push({ workflow: module.name, result });
  }
  return candidates;
}

/** The history of the id in this workflow, or the error; null if the workflow has no histories. */
async function historyFor(
  project: Project,
  host: Host,
  module: WorkflowModule,
  id: string,
): Promise<Result | null> {
  if (!module.story) return null;
  try {
    return await runTransaction(project.runtime, await module.story(), { id }, host.person.caller());
  } catch (thrown) {
    return { error: toPawlError(thrown) };
  }
}

/** The errors that mean that this workflow does not have the id, so another may. */
const UNKNOWN: readonly string[] = ["task-missing", "run-missing", "tasks-missing", "id-invalid", "usage"];

const isUnknown = ({ code }: PawlError): boolean => UNKNOWN.includes(code);
