import { PawlError, toPawlError } from "../base/error.ts";
import { nearest } from "../base/nearest.ts";
import type { RunOverview, WorkflowModule } from "../workflows/module.ts";
import { loadWorkflow, loadWorkflows, type Project } from "./project.ts";

export interface WorkflowOverview {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly runs: readonly RunOverview[];
  /** Set where the workflow could not tell of its runs at all. */
  readonly problem?: { readonly message: string; readonly fix: string };
}

/**
 * Every run of every workflow. A workflow that cannot be read is one entry with its problem; the others are shown.
 * Throws where none can be read, all for the same reason: then it is the project's.
 */
export async function overview(project: Project): Promise<readonly WorkflowOverview[]> {
  const view = project.runtime.store.view();
  const modules = await loadWorkflows(project.workflows);
  const faults: PawlError[] = [];
  const workflows = await Promise.all(
    modules.map(async (module): Promise<WorkflowOverview> => {
      const { name, title, summary } = module;
      try {
        return { name, title, summary, runs: await module.overview(view) };
      } catch (thrown) {
        const fault = toPawlError(thrown);
        faults.push(fault);
        return { name, title, summary, runs: [], problem: { message: fault.message, fix: fault.fix } };
      }
    }),
  );
  const [first] = faults;
  const isShared =
    faults.length === modules.length && faults.every(({ message }) => message === first?.message);
  if (first && isShared) throw first;
  return workflows;
}

export interface NamedRun {
  readonly module: WorkflowModule;
  /** `workflow:id` */
  readonly run: string;
  readonly id: string;
}

/**
 * The run that a person named: `workflow:id`, or a bare id where it is unique. Throws `run-missing` or `run-ambiguous`,
 * with the candidates.
 */
export async function findRun(project: Project, name: string): Promise<NamedRun> {
  const colon = name.indexOf(":");
  if (colon > 0) {
    const module = await loadWorkflow(project.workflows, name.slice(0, colon));
    return { module, run: name, id: name.slice(colon + 1) };
  }
  const runs = (await overview(project)).flatMap((workflow) => workflow.runs.map(({ run }) => run));
  const found = runs.filter((run) => idOf(run) === name);
  const [first] = found;
  if (first === undefined) throw runMissing(name, runs);
  if (found.length > 1) throw runAmbiguous(name, found);
  return findRun(project, first);
}

function idOf(run: string): string {
  return run.slice(run.indexOf(":") + 1);
}

export function runMissing(name: string, runs: readonly string[]): PawlError {
  const near = nearest(name, [...runs, ...runs.map(idOf)]);
  const shown = runs.slice(0, 8).join(", ");
  return new PawlError(
    "run-missing",
    runs.length === 0
      ? `No run is called ${JSON.stringify(name)}: the project has no runs yet.`
      : `No run is called ${JSON.stringify(name)}: expected one of ${shown}${runs.length > 8 ? ` and ${runs.length - 8} more` : ""}.`,
    near ? `Did you mean ${near}? \`pawl status\` lists every run.` : "`pawl status` lists every run.",
  );
}

export function runAmbiguous(name: string, runs: readonly string[]): PawlError {
  return new PawlError(
    "run-ambiguous",
    `More than one run is called ${JSON.stringify(name)}: ${runs.join(", ")}.`,
    `Write the run's whole name, such as ${runs[0]}.`,
  );
}
